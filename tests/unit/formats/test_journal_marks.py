"""Marks in the journal that go from the highest seq_id down: one ack call of many messages (S62, S75)."""

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
