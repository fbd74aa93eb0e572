"""Damaged files in a dirty recovery: the table of S119."""

from __future__ import annotations

import struct

import pytest

from engine.values.errors import IndexCorrupt
from tests.unit.classic_v1.index.harness import DIRECTORY, Harness
from tools.proofs.conformance.vector import index_vector

N = 8


def journal_publish(seq_id: int, msg_no: int = 0) -> bytes:
    return struct.pack(">Q", seq_id) + body(msg_no or seq_id + 1)


def body(msg_no: int) -> bytes:
    return msg_no.to_bytes(16, "big") + struct.pack(">QII", 0, 5000, 0)


def deliver(seq_id: int) -> bytes:
    return struct.pack(">Q", 2 << 62 | seq_id)


def ack(seq_id: int) -> bytes:
    return struct.pack(">Q", 3 << 62 | seq_id)


def publish(rel: int) -> bytes:
    return struct.pack(">H", 0xC000 | rel) + body(rel + 1)


def mark(rel: int) -> bytes:
    return struct.pack(">H", 0x4000 | rel)


GOOD_JOURNAL = b"".join(journal_publish(i) + deliver(i) for i in range(3))
GOOD_SEGMENT = b"".join(publish(i) + mark(i) for i in (2, 1, 0))


def recovered(journal: bytes = b"", segment: bytes | None = None) -> tuple[Harness, int]:
    it = Harness(size=N)
    it.put("journal.jif", journal)
    if segment is not None:
        it.put("0.idx", segment)
    count = it.restart().count
    assert it.folded() == it.index.snapshot()
    return it, count


@pytest.mark.parametrize(
    "tail", [journal_publish(3)[:-1], journal_publish(3)[:9], deliver(3)[:7], bytes(1), bytes(39)]
)
def test_journal_with_a_torn_end(tail: bytes) -> None:
    """S114, S119."""
    it, count = recovered(GOOD_JOURNAL + tail)
    assert count == 3
    assert it.bytes_of("0.idx") == GOOD_SEGMENT
    it.index.verify()


@pytest.mark.parametrize("zeros", [40, 41, 500])
def test_journal_followed_by_zeros(zeros: int) -> None:
    """S114, S119."""
    _, count = recovered(GOOD_JOURNAL + bytes(zeros) + GOOD_JOURNAL)
    assert count == 3


@pytest.mark.parametrize("records", [ack(5), deliver(5) + ack(5)])
def test_journal_ends_what_no_segment_has(records: bytes) -> None:
    """S115, S119."""
    it, count = recovered(records)
    assert count == 0
    assert index_vector(it.index)["segments"] == []


@pytest.mark.parametrize(
    "records",
    [
        deliver(5),
        journal_publish(5) + journal_publish(5, 9),
        journal_publish(5) + ack(5),
        ack(5) + deliver(5),
    ],
)
def test_journal_that_crashes_the_broker(records: bytes) -> None:
    """S114, S119."""
    with pytest.raises(IndexCorrupt):
        recovered(records)


@pytest.mark.parametrize("segment", [b"", bytes(1), bytes(100)])
def test_segment_of_zeros_is_deleted(segment: bytes) -> None:
    """S90, S119."""
    it, count = recovered(segment=segment)
    assert count == 0
    assert it.bytes_of("0.idx") is None


def test_zeros_found_by_a_read_are_deleted() -> None:
    """S90."""
    it = Harness(size=N)
    it.put("0.idx", bytes(50))
    it.restart(terms=[], store_clean=True)
    assert it.bytes_of("0.idx") == bytes(50)
    assert it.index.read(0, 8) == []
    assert it.bytes_of("0.idx") is None
    assert it.folded() == it.index.snapshot()


def test_segment_cut_after_two_bytes_of_a_publish() -> None:
    """S90, S119."""
    _, count = recovered(segment=GOOD_SEGMENT + publish(3)[:2])
    assert count == 3


def test_segment_cut_elsewhere() -> None:
    """S119."""
    torn = GOOD_SEGMENT + publish(3)
    crashes = 0
    for length in range(len(GOOD_SEGMENT) + 3, len(torn)):
        try:
            _, count = recovered(segment=torn[:length])
        except IndexCorrupt:
            crashes += 1
        else:
            assert count <= 3
    assert crashes > 25


@pytest.mark.parametrize(
    "tail", [b"\x40", bytes(2), bytes(60), publish(N) + mark(N), mark(5), mark(0) + mark(0), b"\x00\x05"]
)
def test_segment_that_crashes_the_broker(tail: bytes) -> None:
    """S119."""
    with pytest.raises(IndexCorrupt):
        recovered(segment=GOOD_SEGMENT + tail)


def test_the_same_publish_twice_counts_one_too_many() -> None:
    """S119."""
    it, count = recovered(segment=publish(0) + publish(0) + mark(0))
    assert count == 2
    assert [(each.start, each.count) for each in it.index.read(0, 8)] == [(0, 1)]


def test_stray_names() -> None:
    """S9."""
    it = Harness(size=N)
    it.put("7.idx.bak", GOOD_SEGMENT)
    assert it.restart().count == 0
    assert index_vector(it.index)["segments"] == []
    it.put("x.idx", GOOD_SEGMENT)
    with pytest.raises(IndexCorrupt, match="S9"):
        it.restart()


def test_version_2_is_refused() -> None:
    """S242."""
    it = Harness(size=N)
    it.put("0.qi", b"x")
    with pytest.raises(IndexCorrupt, match="version 2"):
        it.restart()
    assert it.storage.list(DIRECTORY) == ["0.qi"]
