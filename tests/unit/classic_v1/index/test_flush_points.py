"""When the journal goes to the segments, and what is in the files then (S73-S85)."""

from __future__ import annotations

import pytest

from engine.classic_v1.transitions import JournalFlushed, SegmentDeleted, SegmentWritten
from engine.storage.ledger import LedgerStorage
from engine.values.stretches import Range
from tests.unit.classic_v1.index.harness import (
    DIRECTORY,
    EMBEDDED_PERSISTENT,
    STORE_PERSISTENT,
    STORE_TRANSIENT,
    Harness,
    extent,
)
from tools.proofs.conformance.vector import index_vector


def test_the_flush_comes_on_the_32769th_operation() -> None:
    """S73, S79."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 16384)], None)
    assert it.index.dirty == 32768
    assert not any(isinstance(each, JournalFlushed) for each in it.log)
    it.index.publish([extent(16384, STORE_PERSISTENT)], None)
    assert it.index.dirty == 1
    vector = index_vector(it.index)
    assert vector["files"] == [*([segment, 2048 * 36] for segment in range(8)), [8, 34]]
    assert vector["segments"] == [*([segment, 2048, 0] for segment in range(8)), [8, 1, 1]]
    it.index.flush()
    last = it.bytes_of("8.idx")
    assert last is not None
    assert len(last) == 36
    assert last[-2:].hex() == "4000"
    assert it.folded() == it.index.snapshot()


def test_how_a_burst_is_cut_does_not_matter() -> None:
    """S74."""
    whole, halves = Harness(), Harness()
    whole.index.publish([extent(0, EMBEDDED_PERSISTENT, 40000)], None)
    for start, count in ((0, 1), (1, 16384), (16385, 23615)):
        halves.index.publish([extent(start, EMBEDDED_PERSISTENT, count)], None)
    assert whole.files() == halves.files()
    assert index_vector(whole.index) == index_vector(halves.index)


def test_hint_0_flushes_every_publish_and_its_deliver_waits() -> None:
    """S66, S78, S79."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 3)], 0)
    segment = it.bytes_of("0.idx")
    assert segment is not None
    heads = [segment[at : at + 2].hex() for at in (0, 34, 68, 70, 104)]
    assert heads == ["c000", "c001", "4000", "c002", "4001"]
    assert index_vector(it.index)["segments"] == [[0, 3, 1]]
    assert it.index.dirty == 1
    assert it.kinds().count("JournalFlushed") == 3


def test_hint_of_the_queue_does_not_concern_delivers() -> None:
    """S75, S79."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 1)], 1)
    assert it.index.dirty == 2
    it.index.publish([extent(1, STORE_PERSISTENT, 1)], 1)
    assert it.index.dirty == 1


def test_why_a_flush_came() -> None:
    """S79."""
    for hint, max_journal, cause in ((2, 32768, "hint"), (None, 2, "max_journal")):
        it = Harness(max_journal=max_journal)
        it.index.publish([extent(0, STORE_PERSISTENT, 2)], hint)
        (flushed,) = (each for each in it.log if isinstance(each, JournalFlushed))
        assert flushed.rule == "S79"
        assert flushed.why == {"dirty": 3, "max_journal": max_journal, "hint": hint, "cause": cause}


def test_max_journal_100() -> None:
    """S73: The steps of the recorded trace h24, which counts publishes, delivers and acks alike."""
    it = Harness(max_journal=100)
    it.index.publish([extent(0, EMBEDDED_PERSISTENT, 49, size=100)], None)
    assert it.index.dirty == 98
    it.index.publish([extent(49, EMBEDDED_PERSISTENT, 1, size=100)], None)
    assert index_vector(it.index)["segments"] == [[0, 50, 50]]
    it.index.publish([extent(50, EMBEDDED_PERSISTENT, 1, size=100)], None)
    assert index_vector(it.index)["segments"] == [[0, 51, 1]]
    assert index_vector(it.index)["journal"] == [0, 8]
    it.index.publish([extent(51, STORE_PERSISTENT, 60)], None)
    assert index_vector(it.index)["segments"] == [[0, 111, 10]]
    assert it.index.dirty == 20
    it.index.ack([Range(0, 40)], one_by_one=True)
    assert (it.index.dirty, index_vector(it.index)["journal"]) == (60, [0, 800])
    it.index.ack([Range(40, 60)])
    assert (it.index.dirty, index_vector(it.index)["segments"]) == (0, [[0, 11, 0]])
    it.index.publish([extent(111, EMBEDDED_PERSISTENT, 60, size=100)], None)
    assert (it.index.dirty, index_vector(it.index)["segments"]) == (19, [[0, 71, 10]])
    assert it.folded() == it.index.snapshot()
    it.index.verify()


@pytest.mark.parametrize(("one_by_one", "flushes", "dirty"), [(False, 1, 0), (True, 4, 30 % 7)])
def test_an_ack_call_flushes_once_single_calls_where_they_must(
    one_by_one: bool, flushes: int, dirty: int
) -> None:
    """S75."""
    it = Harness(max_journal=6)
    it.index.publish([extent(0, STORE_PERSISTENT, 31)], None)
    it.index.flush()
    it.log.clear()
    it.index.ack([Range(0, 30)], one_by_one)
    assert it.index.dirty == dirty
    assert it.kinds().count("JournalFlushed") == flushes


def test_a_segment_file_goes_at_the_next_flush_not_at_the_last_ack() -> None:
    """S80: As in the recorded trace h23."""
    it = Harness(size=8)
    it.index.publish([extent(0, STORE_PERSISTENT, 20)], None)
    it.index.flush()
    it.index.ack([Range(0, 8)])
    assert index_vector(it.index)["segments"] == [[0, 0, 8], [1, 8, 0], [2, 4, 0]]
    assert it.bytes_of("0.idx") is not None
    it.index.flush()
    assert it.bytes_of("0.idx") is None
    assert index_vector(it.index)["segments"] == [[1, 8, 0], [2, 4, 0]]
    assert SegmentDeleted("S80.1", "q", 0, 8 * 36) in it.log
    assert it.folded() == it.index.snapshot()


def test_published_and_acked_between_two_flushes_reaches_no_segment() -> None:
    """S72, S73."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 100)], None)
    it.index.ack([Range(0, 100)])
    assert it.index.dirty == 300
    assert it.index.snapshot()["entries"] == []
    it.index.flush()
    assert [name for name in it.storage.list(DIRECTORY) if name.endswith(".idx")] == []
    assert index_vector(it.index)["segments"] == []
    assert it.folded() == it.index.snapshot()


def test_a_flush_writes_each_segment_once_and_syncs_it() -> None:
    """S80, S81."""
    it = Harness(size=8)
    it.index.publish([extent(3, STORE_PERSISTENT, 10)], None)
    it.index.ack([Range(5, 1)])
    it.index.flush()
    assert [each for each in it.log if isinstance(each, SegmentWritten)] == [
        SegmentWritten("S80.1", "q", 0, 4 * 36),
        SegmentWritten("S80.1", "q", 1, 5 * 36),
    ]
    it.storage.power_cut()
    assert it.bytes_of("1.idx") is not None


def test_flush_without_actions_does_nothing() -> None:
    """S80, S82."""
    it = Harness()
    it.index.flush()
    it.index.sync()
    it.index.flush_pre_publish_cache(0)
    assert it.log == []
    assert it.storage.list(DIRECTORY) == []


def test_the_cache_is_flushed_at_n_entries() -> None:
    """S76, S77."""
    it = Harness(size=8)
    it.index.pre_publish([extent(0, STORE_TRANSIENT, 20)], None)
    vector = index_vector(it.index)
    assert vector["cache"] == 4
    assert vector["dirty"] == 20 + 16
    assert vector["journal"] == [0, 16 * 48]
    it.index.flush_pre_publish_cache(None)
    it.index.sync()
    journal = it.bytes_of("journal.jif")
    assert journal is not None
    kinds = [
        *[1] * 8, *[2] * 8, *[1] * 8, *[2] * 8, *[1] * 4, *[2] * 4,
    ]  # fmt: skip
    at = 0
    for kind in kinds:
        assert journal[at] >> 6 == kind
        at += 40 if kind == 1 else 8
    assert at == len(journal)
    assert it.folded() == it.index.snapshot()


def test_confirms_come_with_sync_or_flush() -> None:
    """S82, S85, K4, K5."""
    it = Harness(max_journal=6)
    it.index.publish([extent(0, STORE_PERSISTENT, 1, confirm=True)], None)
    it.index.publish([extent(1, EMBEDDED_PERSISTENT, 1, confirm=True)], None)
    assert index_vector(it.index)["unconfirmed"] == [1, 1]
    assert it.index.needs_sync() == "confirms"
    it.index.sync()
    assert it.confirmed == [("index", [1]), ("both", [2])]
    it.index.publish([extent(2, STORE_PERSISTENT, 3, confirm=True)], None)
    assert it.confirmed[2:] == [("index", [3, 4])]
    assert index_vector(it.index)["unconfirmed"] == [1, 0]


def test_needs_sync_other_until_synced() -> None:
    """S83."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT)], None)
    assert it.index.needs_sync() == "other"
    it.index.sync()
    assert it.index.needs_sync() == "no"


def test_reading_remembers_a_segment_without_a_file() -> None:
    """S86."""
    it = Harness(size=8)
    assert it.index.read(16, 20) == []
    assert it.index.read(5, 5) == []
    assert index_vector(it.index)["segments"] == [[2, 0, 0]]
    assert it.index.bounds() == (16, 24)
    assert it.index.next_segment_boundary(16) == 24


def test_a_burst_of_a_million_costs_a_few_steps_a_segment() -> None:
    it = Harness(storage=Counting())
    it.index.publish([extent(0, EMBEDDED_PERSISTENT, 1_000_000)], None)
    it.index.flush()
    assert isinstance(it.storage, Counting)
    segments = -(-1_000_000 // 2048)
    assert it.storage.calls < 4 * segments
    assert len(it.log) < 4 * segments
    assert it.index.snapshot()["entries"] == [[0, 1_000_000, 16]]
    it.storage.calls = 0
    it.log.clear()
    it.index.ack([Range(0, 1_000_000)])
    it.index.flush()
    assert it.storage.calls < 4 * segments
    assert len(it.log) < 4 * segments
    assert index_vector(it.index)["files"] == []


class Counting(LedgerStorage):
    """A ledger that counts how often it is written to."""

    calls = 0

    def append(self, path: str, chunks: object) -> None:
        """Count and append."""
        self.calls += 1
        super().append(path, chunks)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [STORE_PERSISTENT, EMBEDDED_PERSISTENT])
def test_reset_keeps_nothing(kind: int) -> None:
    """S92."""
    it = Harness(size=8)
    it.index.publish([extent(0, kind, 30, confirm=True)], 5)
    it.index.reset()
    assert it.storage.list(DIRECTORY) == []
    assert index_vector(it.index) == index_vector(Harness(size=8).index)
    it.index.publish([extent(30, kind, 3)], None)
    assert it.index.bounds() == (24, 40)
    assert it.folded() == it.index.snapshot()
