"""Directions in the journal: one ack call goes downwards, and so does what leaves q3 for delta (S62, S75, S77, V1)."""

from __future__ import annotations

import pytest

from engine.classic_v1.formats.journal import JournalRecords, decode_journal
from engine.classic_v1.formats.publishing import PublishRecord
from engine.formats.message import MessageCodec
from engine.values.sizes import Each

CODEC = MessageCodec()


def acks(start: int, count: int, step: int) -> JournalRecords:
    return JournalRecords("ack", start, count, None, CODEC, step=step)


def test_the_highest_comes_first() -> None:
    assert acks(3, 3, -1).encode().hex(" ", 8) == "c000000000000005 c000000000000004 c000000000000003"


@pytest.mark.parametrize("runs", [[acks(0, 900, -1)], [acks(5, 2, -1), acks(9, 40, 1)], [acks(7, 1, -1)]])
def test_they_are_read_as_they_were_written(runs: list[JournalRecords]) -> None:
    assert decode_journal(b"".join(run.encode() for run in runs), CODEC) == runs


@pytest.mark.parametrize("offset", [1, 8, 12, 72])
def test_a_cut_loses_no_byte(offset: int) -> None:
    run = acks(2, 10, -1)
    before, after = run.cut(offset)
    assert b"".join(chunk.encode() for chunk in before) == run.encode()[:offset]
    assert b"".join(chunk.encode() for chunk in after) == run.encode()[offset:]


def ends(start: int, count: int) -> JournalRecords:
    return JournalRecords("deliver_ack", start, count, None, CODEC)


def test_a_mark_and_the_end_of_each_message_come_in_turn() -> None:
    """V1: a fetch without acknowledgement in 3.8."""
    assert ends(3, 2).size_bytes == 32
    assert ends(3, 2).encode().hex(" ", 8) == (
        "8000000000000003 c000000000000003 8000000000000004 c000000000000004"
    )


@pytest.mark.parametrize(
    "runs",
    [
        [ends(0, 700)],
        [ends(4, 2), acks(9, 3, -1)],
        [JournalRecords("deliver", 3, 4, None, CODEC), ends(9, 5)],
    ],
)
def test_pairs_are_read_as_they_were_written(runs: list[JournalRecords]) -> None:
    assert decode_journal(b"".join(run.encode() for run in runs), CODEC) == runs


def test_one_pair_alone_is_two_records() -> None:
    alone = [JournalRecords("deliver", 7, 1, None, CODEC), acks(7, 1, 1)]
    assert decode_journal(ends(7, 1).encode(), CODEC) == alone


@pytest.mark.parametrize("offset", [1, 8, 16, 20, 72])
def test_a_cut_through_a_pair_loses_no_byte(offset: int) -> None:
    before, after = ends(2, 10).cut(offset)
    assert b"".join(chunk.encode() for chunk in before) == ends(2, 10).encode()[:offset]
    assert b"".join(chunk.encode() for chunk in after) == ends(2, 10).encode()[offset:]


COLUMN = CODEC.column(20, [70, 5, 600, 70, 9])


def publishes(
    start: int, count: int, step: int, msg_no: int = 2, size: Each = 70, embedded: bool = True
) -> JournalRecords:
    return JournalRecords(
        "publish", start, count, PublishRecord(msg_no, size, embedded=embedded), CODEC, step=step
    )


@pytest.mark.parametrize("size", [70, 0])
@pytest.mark.parametrize("embedded", [True, False])
def test_equal_messages_downwards_are_read_as_one_run(size: int, embedded: bool) -> None:
    runs = [publishes(3, 50, -1, 7, size, embedded), publishes(90, 4, 1, 300, size, embedded)]
    data = b"".join(run.encode() for run in runs)
    assert decode_journal(data, CODEC) == runs
    singles = [run.written(at, 1) for run in runs for at in range(run.count)]
    assert data == b"".join(each.encode() for each in singles)


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("offset", [1, 40, 300, 1000])
def test_unequal_messages_go_downwards(embedded: bool, offset: int) -> None:
    run = publishes(3, 5, -1, 20, COLUMN, embedded)
    singles = [run.written(at, 1) for at in range(5)]
    assert [each.start for each in singles] == [7, 6, 5, 4, 3]
    assert run.encode() == b"".join(each.encode() for each in singles)
    before, after = run.cut(min(offset, run.size_bytes))
    assert b"".join(chunk.encode() for chunk in (*before, *after)) == run.encode()
