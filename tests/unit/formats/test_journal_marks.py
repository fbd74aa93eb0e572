"""Marks in the journal: one ack call goes downwards, and two calls for each message come in turn (S62, S75, V1)."""

from __future__ import annotations

import pytest

from engine.classic_v1.formats.journal import JournalRecords, decode_journal
from engine.formats.message import MessageCodec

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
