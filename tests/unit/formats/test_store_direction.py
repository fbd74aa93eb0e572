"""Store records that lie newest first read back as the one run they were written as (S54, S209)."""

import pytest

from engine.classic_v1.formats.record import decode_store
from engine.formats.message import MessageCodec
from engine.formats.store_records import StoreRecords


def run(msg_no: int, count: int, step: int = 1, body_bytes: int = 300) -> StoreRecords:
    """Return records of generated messages."""
    return StoreRecords(msg_no, count, body_bytes, True, 0, CODEC, step=step)


CODEC = MessageCodec()


@pytest.mark.parametrize(
    "written",
    [
        [run(1, 4, -1)],
        [run(0, 2, -1)],
        [run(7, 1)],
        [run(1, 3), run(9, 100, -1), run(4, 2)],
        [run(5, 2, -1), run(5, 2, -1, body_bytes=301)],
    ],
)
def test_round_trip(written: list[StoreRecords]) -> None:
    assert decode_store(b"".join(each.encode() for each in written), CODEC) == written


def test_a_run_turns_where_the_numbers_do() -> None:
    data = run(1, 3).encode() + run(1, 2, -1).encode()
    assert decode_store(data, CODEC) == [run(1, 3), run(1, 2, -1)]


def test_cutting_keeps_the_order_of_writing() -> None:
    whole = run(10, 5, -1)
    before, after = whole.cut(2 * whole.record_bytes)
    assert (before, after) == ([run(13, 2, -1)], [run(10, 3, -1)])
    assert whole.encode() == before[0].encode() + after[0].encode()
    assert run(10, 1, -1) == run(10, 1), "a single record has one order"
