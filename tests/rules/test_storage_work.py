"""Recovery's paths, the store's sums and syncs, what the engine promises of itself (S87-S133, S165-S213, S250-S255)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.index.slots import JournalSlot
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions import (
    CombineStepped,
    EntriesRecorded,
    FilesCombined,
    FileUnlinked,
    JournalFlushed,
    JournalSynced,
    OperationDeferred,
    SegmentDeleted,
    SegmentWritten,
    StoreSynced,
)
from engine.report.transitions.queue import (
    BufferWritten,
    ConfirmsDue,
    FileDeleted,
    FileLocked,
    FileRolledOver,
    RefCountChanged,
    StoreWritten,
)
from engine.values.errors import InvalidSetting, InvariantBroken
from engine.values.extents import Extent
from engine.values.stretches import Range
from tests.rules import coverage
from tests.rules.world import LARGE, SMALL, World, picked
from tests.unit.classic_v1.index.harness import STORE_PERSISTENT, Harness, extent
from tests.unit.classic_v1.store.harness import Harness as StoreHarness
from tests.unit.classic_v1.store.harness import extent as stored
from tests.unit.classic_v1.store.harness import ranges
from tools.proofs.conformance.vector import store_vector


@pytest.mark.parametrize(
    ("terms", "store_clean", "rule"),
    [([(0, 3)], True, "S112"), ([(0, 3)], False, "S113"), (None, True, "S113"), (None, False, "S113")],
)
def test_which_path_recovery_takes(terms: list[tuple[int, int]] | None, store_clean: bool, rule: str) -> None:
    """S111: clean only with terms and with a store that recovered cleanly."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 3)], None)
    it.index.terminate()
    it.log.clear()
    it.restart(terms, store_clean)
    assert it.log[0].rule == rule


def test_terms_count_even_when_the_store_is_dirty() -> None:
    """S116.5: the index goes the dirty path, the counters come from the terms."""
    world = World(segment_entry_count=4)
    world.publish(6, LARGE, True)
    world.fetch(2)
    terms = world.door.queue.terminate()
    world.door.settle()
    world.door.persistent.terminate()
    world.door.transient.terminate()
    world.door.storage.delete("msg_store_persistent/clean_stop.json")
    world.door._start_again(terms)
    assert (world.q.next_seq_id, world.q.next_deliver_seq_id, world.q.len) == (6, 2, 6)


def test_sums_over_all_files() -> None:
    """S131, S132: file sizes with what is buffered, valid bytes of what has references."""
    world = StoreHarness(limit=4000)
    world.store.start_new()
    client = world.client()
    client.side.write(stored(0, 6))
    world.store.settle()
    client.side.remove(ranges(1, 5))
    world.store.settle()
    assert world.files() == [[0, 4348, 3261], [1, 2174, 1087]]
    vector = store_vector(world.store)
    assert (vector["total"], vector["valid"], vector["current"]) == (6522, 4348, 1)


def test_every_write_to_the_persistent_store_owes_a_sync() -> None:
    """S165, S167: whether or not a publisher asked for a confirm; it comes as soon as the mailbox is empty."""
    world = World()
    world.publish(1, LARGE, True)
    assert len(world.of(StoreSynced)) == 1
    store = StoreHarness()
    store.store.start_new()
    client = store.client()
    assert not store.store.sync_owed
    client.side.write(stored(0))
    assert not store.store.sync_owed, "nothing is handled yet"
    store.store.handle_mailbox()
    assert store.store.sync_owed
    store.store.sync()
    assert not store.store.sync_owed


def test_an_ignored_write_confirms_at_once() -> None:
    """S169, S145: removed before it was written, reported by the store alone."""
    world = World()
    world.door.queue.let_stores_work_alone(True)
    world.door.queue.publish(
        world.door._arrivals({"count": 1, "size": LARGE, "persistent": True, "confirm": True})[:1]
    )
    world.door.queue.fetch(1, ack=False)
    world.door.queue.let_stores_work_alone(False)
    world.do("init")
    assert ("ignored", 1) in [(t.by, sum(r.count for r in t.messages)) for t in world.of(ConfirmsDue)]


def test_limits_are_settings_and_formats_are_not() -> None:
    """S250, S4: every limit is one; no more entries than 14 bits number."""
    small = QueueSettings(segment_entry_count=1, queue_index_max_journal_entries=0, write_buffer_bytes=0)
    assert small.segment_entry_count == 1
    with pytest.raises(InvalidSetting):
        QueueSettings(segment_entry_count=16385)


def test_everything_that_happens_is_sent() -> None:
    """S252: appends, hand-overs, fsyncs, flushes, segments, references, locks, each step of a combination."""
    record = World().door.codec.record_bytes(0, LARGE, True)
    world = World(msg_store_file_size_limit=4 * record)
    world.publish(18, LARGE, True, confirm=True)
    world.publish(3, SMALL, True)
    world.do("timeout")
    world.do("pre_hibernate")
    world.fetch(21)
    world.ack([0, 0], [2, 2], [5, 6], [9, 10], [12, 14])
    world.ack([11, 11])
    world.ack([1, 1], [3, 4], [7, 8], [15, 20])
    world.do("pre_hibernate")
    kinds = {type(each) for each in world.transitions}
    assert kinds >= {
        EntriesRecorded,
        JournalSynced,
        JournalFlushed,
        SegmentWritten,
        SegmentDeleted,
        StoreWritten,
        BufferWritten,
        StoreSynced,
        FileRolledOver,
        RefCountChanged,
        FileLocked,
        CombineStepped,
        FilesCombined,
        FileDeleted,
        FileUnlinked,
        ConfirmsDue,
    }
    assert OperationDeferred not in kinds, "the door lets the collector finish"


def broken_sum(world: World) -> None:
    world.door.persistent._state.files.sum_valid += 1


def broken_row(world: World) -> None:
    state = world.door.persistent._state
    (row, *_) = list(state.index.rows)
    state.index.replace(row.at(row.file, row.offset + 1))


def broken_count(world: World) -> None:
    world.q.index.segments.unacked[0] += 1


def broken_entry(world: World) -> None:
    world.q.index.segments.pending.insert(JournalSlot(90, 1, PublishRecord(90, 5)))


@pytest.mark.parametrize("broken", [broken_sum, broken_row, broken_count, broken_entry])
def test_a_broken_table_is_noticed(broken: Any) -> None:
    """S253: sums, places, unacked counts and the files against what is claimed."""
    world = World()
    world.publish(4, LARGE, True)
    world.do("pre_hibernate")
    world.fetch(1, ack=False)

    def verify() -> None:
        world.door.persistent.verify()
        world.q.index.verify()

    verify()
    broken(world)
    with pytest.raises(InvariantBroken):
        verify()


def test_every_stored_entry_has_its_body() -> None:
    """S253: each live persistent entry without an embedded body has a record with a reference."""
    world = World.classroom(msg_store_file_size_limit=20_000)
    world.publish(30, LARGE, True)
    world.fetch(20)
    world.ack([0, 3], [6, 6], [8, 12])
    entries = world.q.index.read(*world.q.index.bounds())
    needed = [each for each in entries if each.persistent and each.home_store]
    assert sum(each.count for each in needed) == 20
    for each in needed:
        held = world.door.persistent.contains(Range(each.msg_no, each.count))
        assert held.inside(each.msg_no, each.count) == [Range(each.msg_no, each.count)]


def test_the_bytes_of_what_was_dropped_are_counted_as_the_node_does() -> None:
    """S254, S113.5: the allowed deviation is not taken; the node's defect is reproduced."""
    world = World(segment_entry_count=4)
    world.publish(3, LARGE, True)
    world.do("pre_hibernate")
    world.door.queue.kill("kill")
    world.door.persistent.kill()
    record = world.door.codec.record_bytes(0, LARGE, True)
    world.door.storage.truncate("msg_store_persistent/0.rdq", 2 * record)
    world.door._start_again(None)
    assert isinstance(world.q.q3.first, Extent)
    assert picked(world.do("init"), "len", "bytes") == [2, 3 * LARGE]


@pytest.mark.parametrize("vector", ["B1", "I1", "J1", "R1", "G1", "G2", "S58", "S115", "S119"])
def test_every_vector_is_a_test(vector: str, repo_root: Path) -> None:
    """S255."""
    names = [test.name for test in coverage.tests(repo_root / "tests")]
    texts = [test.text for test in coverage.tests(repo_root / "tests")]
    assert any(f"_{vector.lower()}" in name for name in names) or any(vector in text for text in texts)
