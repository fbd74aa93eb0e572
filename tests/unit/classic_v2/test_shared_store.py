"""The shared store of 4.x."""

from __future__ import annotations

import pytest

from engine.classic_v2.formats.rdq import scan
from engine.classic_v2.settings import V4_0, V4_3
from tests.unit.classic_v2.world import World, small

RECORD = 5000 + 151 + 25


def test_the_transient_store_is_written_when_its_buffer_is_full() -> None:
    """W130, W134, W135: nobody waits for it, so nothing else writes it."""
    world = World(small(segment_entry_count=4096), durable=False)
    world.publish(210, size=5000)
    assert world.storage.size("msg_store_transient/0.rdq") == 203 * RECORD
    assert world.transient.state.offset == 209 * RECORD


def test_a_file_is_closed_behind_its_limit() -> None:
    """W132, W136: the cache forgets what is written."""
    world = World(small(msg_store_file_size_limit=12_000))
    world.publish(4, size=5000)
    assert world.store_files() == {0: (3 * RECORD, 3 * RECORD), 1: (RECORD, RECORD)}
    assert len(world.persistent.state.cache) == 1


@pytest.mark.parametrize(("settings", "kept"), [(small(V4_3), {2}), (small(V4_0), {0, 2})])
def test_a_large_message_has_a_file_of_its_own(settings: object, kept: set[int]) -> None:
    """W137, W193: a closed file without valid data is deleted in 4.3 alone."""
    world = World(settings)  # type: ignore[arg-type]
    world.publish(2, size=5000)
    world.publish(1, size=4_100_000)
    assert [size for size, _ in world.store_files().values()] == [2 * RECORD, 4_100_151 + 25 + 5 * 31, 0]
    world.fetch(3)
    world.ack(2)
    assert set(world.store_files()) == {0, 2}
    world.ack(0, 1)
    assert set(world.store_files()) == {2}
    world.publish(1, size=5000)
    world.fetch(1)
    world.ack(3)
    world.publish(1, size=4_100_000)
    found = set(world.store_files())
    assert (2 in found) is (kept == {0, 2})


def test_a_remove_that_overtakes_its_write() -> None:
    """W52, W133: the write is dropped and the message confirmed at once."""
    world = World()
    world.publish(1)
    world.queue.let_stores_work_alone(True)
    world.publish(1, size=5000, wants_confirm=True)
    world.fetch(2)
    world.ack(1)
    assert [each.start for each in world.queue.drain_confirmed()] == [1]
    world.queue.let_stores_work_alone(False)
    world.settle()
    assert (world.refs(), world.store_files(), len(world.persistent.state.cache)) == ({}, {0: (0, 0)}, 0)


def test_a_message_of_two_queues_is_written_once() -> None:
    """W134, W138: the row counts references; it stays until its file goes."""
    world = World(small(msg_store_file_size_limit=12_000))
    other = world.persistent.client("other", None, lambda more: None)
    world.publish(1, size=5000)
    [extent] = world.queue.state.head
    other.write([extent])
    world.settle()
    assert (world.refs(), world.persistent.state.offset) == ({2: 1}, RECORD)
    world.fetch()
    world.ack(0)
    assert world.refs() == {1: 1}
    other.remove([extent])
    world.settle()
    assert (world.refs(), world.store_files()) == ({0: 1}, {0: (RECORD, 0)})
    other.write([extent])
    world.settle()
    assert (world.refs(), world.store_files()) == ({1: 1}, {0: (RECORD, RECORD)})


def collected() -> World:
    """Return a store with eight records in its first file, of which the second, seventh and eighth live."""
    world = World(small(segment_entry_count=4096, msg_store_file_size_limit=8 * RECORD))
    world.publish(9, size=5000)
    world.fetch(9)
    world.ack(0, 2, 3, 4, 5)
    return world


def test_files_that_are_touched_again_wait_for_another_timer() -> None:
    """W140, W208: the first candidate starts it; a file in the new set is left out when it fires."""
    world = collected()
    state = world.persistent.state
    assert (state.gc_timer, state.gc_candidates) == (frozenset({0}), {0})
    assert world.persistent.gc_tick() == frozenset({0})
    world.settle()
    assert (world.store_files()[0][0], state.gc_timer) == (8 * RECORD, None)


def test_compaction_is_in_place() -> None:
    """W141, W142, W145: the vector of the rule; less than half of the file is valid."""
    world = collected()
    state = world.persistent.state
    world.persistent.gc_tick()
    state.gc_timer, state.gc_candidates = frozenset({0}), set()
    world.persistent.hold(0)
    world.persistent.gc_tick()
    world.settle()
    assert {row.start: row.offset for row in state.rows if row.file == 0} == {7: 0, 1: RECORD, 6: 2 * RECORD}
    assert world.storage.size("msg_store_persistent/0.rdq") == 8 * RECORD  # a reader holds the cut up
    world.persistent.release(0)
    world.settle()
    assert world.storage.size("msg_store_persistent/0.rdq") == 3 * RECORD
    assert world.store_files()[0] == (3 * RECORD, 3 * RECORD)
    world.queue.timeout()
    world.crash()
    assert world.refs() == {1: 4}  # W143, W150: every record is found where it was moved


def test_a_file_without_valid_data_is_deleted() -> None:
    """W138, W145: as soon as nobody reads it."""
    world = collected()
    world.persistent.hold(0)
    world.ack(1, 6, 7)
    assert 0 in world.store_files()
    world.persistent.release(0)
    world.settle()
    assert set(world.store_files()) == {1}


def test_the_scanner_goes_on_byte_by_byte() -> None:
    """W143, W193: zeros and rubbish are passed; 4.0 may stop before the end."""
    record = (16 + 3).to_bytes(8, "big") + bytes(range(16)) + b"abc\xff"
    data = b"\x07" + bytes(20) + record + b"rubbish" + record.replace(bytes([1]), bytes([2]))
    assert [at for at, _, _ in scan(data, lambda *_: True, False)] == [21, 21 + len(record) + 7]
    torn = record + (5).to_bytes(8, "big") + b"12" + b"\0" * 6
    assert [at for at, _, _ in scan(torn, lambda *_: True, True)] == [0]


def test_credit_comes_back_with_a_sync() -> None:
    """W1, W58: each grant is answered by a resume."""
    world = World(small(msg_store_credit_disc_bound=(4, 2)))
    world.publish(5, size=5000)
    assert world.queue.state.blocked
    drained = world.queue.drain_mailbox()
    assert (drained.bumps, world.queue.state.persistent.account.left) == (2, 3)
    assert world.queue.state.index.buffered == 0


def test_reading_needs_no_server() -> None:
    """W131, W151: a client reads what is in the cache or in a file while the server does nothing."""
    world = World()
    world.queue.let_stores_work_alone(True)
    world.publish(3, size=5000)
    assert world.fetch(3) == [0, 1, 2]


def test_a_term_names_its_message() -> None:
    """W160, W161, W163: 146 bytes beside properties, body, exchange and keys; 10 more if it is transient."""
    world = World()
    codec = world.codec
    assert codec.term_bytes(0, 10, True) == 146 + 3 + 10 + 0 + 2
    assert codec.term_bytes(0, 10, False) == codec.term_bytes(0, 10, True) + 10
    read = codec.read_term(codec.terms(7, 1, 0, 10, False).tobytes())
    assert (read.msg_no, read.size_bytes, read.raw_persistent, read.body_is_generated) == (7, 10, False, True)
