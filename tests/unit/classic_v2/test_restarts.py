"""What a restart keeps, clean and dirty."""

from __future__ import annotations

import pytest

from engine.classic_v2.settings import V4_0, V4_3
from engine.values.chunks import RawBytes
from engine.values.errors import ProcessCrashed
from engine.values.stretches import Range
from tests.unit.classic_v2.world import World, small


def test_a_clean_start_reads_no_index_and_loads_one_message() -> None:
    """W94, W95, W96: whatever the length; transient messages go when a load meets them."""
    world = World()
    world.publish(20)
    world.publish(20, persistent=False)
    world.publish(1)
    terms = world.restart()
    assert terms is not None
    assert terms.segments is not None
    assert (terms.next_seq_id, terms.persistent_count, sum(live for _, live in terms.segments)) == (
        41,
        21,
        41,
    )
    q = world.queue.state
    assert (q.len, q.head.total, q.next_seq_id, q.transient_threshold) == (21, 1, 41, 41)
    assert world.fetch(30) == [*range(20), 40]
    assert q.len == 0


def test_a_dirty_start_keeps_what_was_written() -> None:
    """W97, W98, W206: buffers are lost, numbering goes on at the segment's end, everything counts as delivered."""
    world = World()
    world.publish(5)
    world.queue.timeout()
    world.publish(2)
    world.crash()
    q = world.queue.state
    assert (q.len, q.next_seq_id, q.redeliver_seq_id) == (5, 8, 8)
    assert sum(each.redelivered for each in world.queue.fetch(5, True)) == 5
    world.ack(*range(5))
    world.crash()
    assert world.queue.state.next_seq_id == 0


def test_transient_messages_are_marked_as_acknowledged() -> None:
    """W84, W97: only the first byte of the slot."""
    world = World()
    world.publish(2)
    world.publish(1, persistent=False)
    world.queue.timeout()
    before = world.read("0.qi")[128:160]
    world.crash()
    assert world.read("0.qi")[128:160] == b"\0" + before[1:]
    assert before[0] == 1


@pytest.mark.parametrize(("settings", "refs"), [(V4_3, {1: 3}), (V4_0, {2: 3})])
def test_a_crash_counts_references_twice_in_4_0(settings: object, refs: dict[int, int]) -> None:
    """W99, W192: so their file is never deleted by acks."""
    world = World(small(settings))  # type: ignore[arg-type]
    world.publish(3, size=5000)
    world.queue.timeout()
    world.crash()
    assert world.refs() == refs
    world.restart()
    assert world.refs() == refs
    world.fetch(3)
    world.ack(0, 1, 2)
    assert world.refs() == {count - 1: 3 for count in refs}


def test_an_empty_queue_begins_where_it_ended() -> None:
    """W93, W196, W207: a blank tail or one at next_seq, after walking over what is not there."""
    for settings in (small(), small(V4_0)):
        world = World(settings)
        world.publish(20)
        world.fetch(20, ack=False)
        world.restart()
        assert world.tail == (20, 0, 20)
        assert world.queue.state.next_seq_id == 20


def test_a_purge_makes_a_clean_stop_a_crash_in_4_0() -> None:
    """W201: not in 4.3."""
    for settings, redelivered in ((small(), 0), (small(V4_0), 1)):
        world = World(settings)
        world.publish(2)
        world.queue.purge()
        world.publish(2)
        world.restart()
        assert [each.redelivered for each in world.queue.fetch(1, True)] == [redelivered]


def test_a_stop_with_many_open_segments_loses_the_last_bodies() -> None:
    """W200: a file that was open has to be closed for the last flush, and the index crashes."""
    world = World()
    world.publish(48)
    world.fetch(48)
    world.queue.timeout()
    index = world.queue.state.index
    for segment in (1, 3, 4, 5):
        index.files.open(segment)
    assert len(list(index.files)) == 4
    closed = next(segment for segment in range(6) if segment not in list(index.files))
    world.ack(closed * 8)
    world.publish(1)
    world.fetch(1)
    assert world.restart() is None
    assert world.queue.state.redeliver_seq_id == world.queue.state.next_seq_id


@pytest.mark.parametrize(
    ("name", "data", "left"),
    [("0.qi", b"\0", 0), ("0.qs", None, 0)],
)
def test_files_without_a_header_are_deleted(name: str, data: bytes | None, left: int) -> None:
    """W97, W120, W205: the other file with them."""
    world = World()
    world.publish(3)
    world.queue.timeout()
    if data is None:
        world.storage.truncate(f"queues/q/{name}", 63)
    else:
        world.storage.write(f"queues/q/{name}", 0, [RawBytes(data)])
    world.crash()
    assert (world.queue.state.len, world.files(".qi"), world.files(".qs")) == (left, {}, {})


def test_damage_that_crashes_the_process() -> None:
    """W205: a status byte of 2, a `.qs` of 20 bytes."""
    world = World()
    world.publish(3)
    world.queue.timeout()
    world.storage.write("queues/q/0.qi", 96, [RawBytes(b"\2")])
    with pytest.raises(ProcessCrashed, match="recover_segment/10"):
        world.crash()
    world = World()
    world.publish(3)
    world.queue.timeout()
    world.storage.truncate("queues/q/0.qs", 20)
    with pytest.raises(ProcessCrashed, match="get_read_fd/2"):
        world.crash()


def test_the_index_is_read_by_segments_when_it_is_needed() -> None:
    """W92: buffer, cache, then files; what was written since the start is not read twice."""
    world = World(small(segment_entry_count=16))
    world.publish(10)
    world.restart()
    world.publish(4)
    assert world.fetch(20) == list(range(14))
    world.ack(*range(14))
    assert world.files(".qi") == {}


def test_deliveries_are_kept_over_a_clean_stop() -> None:
    """W42, W94: and forgotten by a crash."""
    world = World()
    world.publish(2)
    world.fetch(2)
    world.queue.requeue([Range(0, 2)])
    terms = world.restart()
    assert terms is not None
    assert terms.deliveries == ((0, 2, 1),)
    assert [each.redelivered for each in world.queue.fetch(2, True)] == [1, 1]
    world.crash()
    assert list(world.queue.state.deliveries) == []
