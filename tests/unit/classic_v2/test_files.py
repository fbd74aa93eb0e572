"""Index files, the per-queue store and confirms."""

from __future__ import annotations

import pytest

from engine.classic_v2.index.tables import OpenFiles
from engine.classic_v2.settings import V4_0
from engine.values.chunks import RawBytes
from engine.values.errors import ProcessCrashed
from engine.values.stretches import Range
from tests.unit.classic_v2.world import World, small


def test_the_stub_names_the_queue() -> None:
    """W80: it is there from the declaration on."""
    assert World().read(".queue_name") == b"VHOST: /\nQUEUE: q\nINDEX: v2\n"


def test_a_new_segment_has_its_header_at_once() -> None:
    """W81, W82: 64 bytes, while the entries are in the buffer."""
    world = World()
    world.publish(2)
    assert world.files(".qi") == {0: 64}
    assert world.read("0.qi")[:21] == bytes.fromhex("5243514902" + "00" * 8 + "0000000000000008")
    world.queue.timeout()
    assert world.files(".qi") == {0: 64 + 2 * 32}


def test_the_buffer_is_written_when_it_holds_a_segment() -> None:
    """W86, W87, W88: the eighth entry writes all; the fourth ack writes the acks."""
    world = World()
    world.publish(7)
    assert world.files(".qi") == {0: 64}
    world.publish(1)
    assert world.files(".qi") == {0: 64 + 8 * 32}
    world.publish(2)
    world.fetch(9)
    world.ack(0, 1, 2)
    index = world.queue.state.index
    assert (index.updates, index.buffered) == (3, 5)
    world.ack(4)
    assert (index.updates, index.buffered) == (0, 2)
    assert world.read("0.qi")[64:96] == bytes(32)  # W84: an ack is a slot of zeros
    assert list(index.cache_acks) == [Range(0, 3), Range(4, 1)]  # W89
    assert world.read("0.qi")[160:164] == bytes.fromhex(
        "01010002"
    )  # W83: live, persistent, in the per-queue store


def test_what_is_acknowledged_in_the_buffer_is_never_written() -> None:
    """W64, W86."""
    world = World()
    world.publish(3)
    world.fetch(2)
    world.ack(1)
    world.queue.timeout()
    assert world.read("0.qi")[96:128] == bytes(32)
    assert world.read("0.qs")[64 + 259 : 64 + 2 * 259] == bytes(259)  # W116: a hole of zeros


def test_four_files_are_open_at_most() -> None:
    """W90: a fifth one closes one of the two in the middle."""
    files = OpenFiles()
    for segment in (0, 1, 2, 3):
        files.open(segment)
    files.open(9)
    assert list(files) == [0, 1, 3, 9]
    files.open(2)
    assert list(files) == [0, 2, 3, 9]


def test_a_segment_without_live_messages_is_deleted_at_once() -> None:
    """W91, W113, W119: `.qs` with it; the next body lies where it would have lain, behind a hole."""
    world = World()
    world.publish(1)
    world.queue.timeout()
    size = world.files(".qs")[0]
    world.fetch()
    world.ack(0)
    assert world.files(".qi") == {} == world.files(".qs")
    world.publish(1)
    world.queue.timeout()
    assert world.files(".qs") == {0: size + size - 64}
    assert world.read("0.qs")[64:size] == bytes(size - 64)
    assert world.read("0.qi")[64:96] == bytes(32)


def test_the_queue_store_is_written_at_its_limit() -> None:
    """W114, W115: what was written is the cache."""
    world = World(small(segment_entry_count=64, store_max_cache_size=1000))
    world.publish(4)
    store = world.queue.state.store
    assert (store.buffer_bytes, list(store.cache)) == (0, [Range(0, 4)])
    assert world.files(".qs") == {0: 64 + 4 * 259}
    world.publish(1)
    assert store.buffer_bytes == 251


def test_read_many_goes_to_the_file_for_all_that_is_older() -> None:
    """W118: from the first miss on; W117: the open file is remembered."""
    world = World(small(segment_entry_count=64, store_max_cache_size=1000), out_rate=20.0)
    world.rate(0.0)
    world.publish(10)
    world.rate(20.0)
    world.fetch(1)
    assert world.queue.state.store.read_segment is None
    world.fetch(1)
    assert world.queue.state.store.read_segment == 0


def test_a_damaged_body_crashes_the_process() -> None:
    """W112, W117, W205: its checksum is wrong; a wrong magic crashes too."""
    for offset, function in ((200, "parse_many_from_disk/4"), (0, "get_read_fd/2")):
        world = World()
        world.publish(2, size=5000)
        world.publish(2)
        world.restart()
        world.storage.write("queues/q/0.qs", offset, [RawBytes(b"\xff")])
        world.fetch(2)
        with pytest.raises(ProcessCrashed, match=function):
            world.fetch()


def test_a_load_over_a_segment_without_bodies_crashes() -> None:
    """W202: three segments, and the one in the middle has no `.qs` body."""
    world = World(small(segment_entry_count=4, store_max_cache_size=300), out_rate=6.0)
    world.rate(0.0)
    world.publish(4)
    world.publish(4, size=5000)
    world.publish(6)
    world.rate(6.0)
    world.fetch(1)
    with pytest.raises(ProcessCrashed):
        world.fetch(1)


def test_simple_confirms_leave_at_the_next_sync() -> None:
    """W60, W61, W62, W63: the timer runs as long as something waits."""
    world = World()
    world.publish(2, wants_confirm=True)
    assert (world.queue.needs_timeout(), world.queue.drain_confirmed()) == ("timed", [])
    world.queue.timeout()
    assert world.queue.needs_timeout() == "no"
    assert world.queue.drain_confirmed() == [Range(0, 2)]


def test_shared_confirms_need_index_and_store() -> None:
    """W61, W62, W65: the store has it when its buffer is written; nothing waits for an fsync."""
    world = World()
    world.publish(2, size=5000, wants_confirm=True)
    world.queue.drain_mailbox()
    assert (len(world.queue.state.msgs_on_disk), world.queue.drain_confirmed()) == (2, [])
    world.queue.timeout()
    assert world.queue.drain_confirmed() == [Range(0, 2)]


def test_resume_and_hibernation_are_a_sync() -> None:
    """W58, W204: a second one has nothing to write and empties the index's cache, not that of `.qs`."""
    world = World()
    world.publish(2)
    world.queue.resume()
    assert len(world.queue.state.index.cache) == 2
    world.queue.pre_hibernate()
    assert (len(world.queue.state.index.cache), len(world.queue.state.store.cache)) == (0, 2)


def test_memory_does_not_grow_with_the_backlog() -> None:
    """W70, W71: the same bodies in RAM, whatever the depth; only buffers and the window."""
    for count in (100, 100_000):
        world = World(small(segment_entry_count=4096))
        world.publish(count)
        q = world.queue.state
        assert (q.ram_msg_count, q.ram_bytes) == (1, 100)
        assert q.index.buffered <= 4096
        assert q.store.buffer_bytes < 512_000 + 251


def test_the_order_of_the_two_flushes_is_seen_by_a_kill_between_them() -> None:
    """W97, W203: index first, so what its entries name may be missing; acks alone start no timer."""
    world = World()
    world.publish(2)
    world.queue.state.index.flush()
    world.crash()
    assert world.queue.state.len == 0
    world.publish(2, size=5000)
    world.queue.timeout()
    world.ack(*world.fetch(2))
    assert (world.queue.state.index.updates, world.queue.needs_timeout()) == (0, "no")


def test_releases_before_write_another_order_of_annotations() -> None:
    """W162, W211: `d` of a transient message."""
    for settings, wanted in (
        (small(), b"w\x01xm\x00\x00\x00\x00w\x01d"),
        (small(V4_0), b"w\x01dw\x05falsew\x01x"),
    ):
        world = World(settings)
        world.publish(2, persistent=False)
        world.queue.timeout()
        assert wanted in world.read("0.qs")
