"""Head lane and tail: where messages land, when they load, how they leave."""

from __future__ import annotations

import pytest

from engine.backing_queue.protocol import Arrival
from engine.classic_v2.queue.taking import tune_read
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.values.errors import InvalidSetting
from engine.values.stretches import Range
from tests.unit.classic_v2.world import World, small


def test_the_constants_are_those_of_the_broker() -> None:
    """W1, W80: and what cannot work is refused."""
    assert (V4_3.segment_entry_count, V4_3.store_max_cache_size, V4_3.window_cap) == (4096, 512_000, 2048)
    assert V4_3.msg_store_credit_disc_bound == (4000, 800)
    for wrong in ({"segment_entry_count": 0}, {"window_cap": 0}, {"msg_store_credit_disc_bound": (4, 8)}):
        with pytest.raises(InvalidSetting):
            V2Settings(**wrong)


def test_a_queue_that_nobody_reads_keeps_one_message_in_the_head_lane() -> None:
    """W10, W32, W33, W35: the first message lands in memory, all later ones in the tail, transient ones too."""
    world = World()
    world.publish(3)
    world.publish(2, persistent=False)
    q = world.queue.state
    assert (q.head.total, world.tail, q.len) == (1, (1, 4, 5), 5)
    assert (q.ram_msg_count, q.ram_bytes, q.bytes, q.persistent_count) == (1, 100, 500, 3)
    assert q.disk_write_count == 5  # W34: one for each body, none for index entries


@pytest.mark.parametrize(
    ("rate", "window"), [(0.0, 1), (0.4, 1), (0.5, 2), (10.0, 21), (1023.5, 2048), (9e9, 2048)]
)
def test_the_window_follows_the_egress_rate(rate: float, window: int) -> None:
    """W32: 1 more than twice the rate, at most 2048."""
    world = World(out_rate=rate)
    world.publish(3000, persistent=False)
    assert world.queue.state.head.total == window


def test_a_transient_message_in_the_head_lane_touches_no_file() -> None:
    """W16, W17, W30, W33: only what is persistent, or lands in the tail, is written."""
    world = World(out_rate=2.0)
    world.publish(4, persistent=False)
    assert world.files(".qi") == {}
    [extent] = world.queue.state.head
    assert (extent.in_ram, extent.in_store, extent.indexed, extent.persistent) == (True, False, False, False)
    volatile = World(durable=False)
    volatile.publish(1)
    assert volatile.queue.state.persistent_count == 0


@pytest.mark.parametrize(("size", "home"), [(4092, False), (4093, True)])
def test_large_messages_go_to_the_shared_store(size: int, home: bool) -> None:
    """W31: three bytes of properties count as well. W111: what is small is in the queue's own file."""
    world = World()
    world.publish(1, size=size)
    [extent] = world.queue.state.head
    assert extent.home_store is home
    assert bool(world.store_files()[0][0]) is home
    world.queue.timeout()
    assert bool(world.files(".qs")) is not home


def test_a_load_comes_before_the_take_and_never_after_it() -> None:
    """W11, W14, W40: the head lane may be empty while the tail is not."""
    world = World()
    world.publish(4)
    assert world.fetch() == [0]
    assert (world.queue.state.head.total, world.tail) == (0, (1, 3, 4))
    assert world.fetch() == [1]
    assert world.tail == (2, 2, 4)


@pytest.mark.parametrize(
    ("start", "end", "to"),
    [(0, 1, 1), (4094, 4095, 4096), (3000, 4000, 4096), (3500, 4150, 4096), (4000, 5000, 5000)],
)
def test_tune_read_keeps_to_segments(start: int, end: int, to: int) -> None:
    """W46, W191: the vectors of the rule."""
    assert tune_read(V4_3, start, end) == to


def test_older_releases_stop_at_the_segment() -> None:
    """W45: 4.0 reads to the segment's end, 4.3 goes on into the next one."""
    for settings, left in ((small(V4_0), 1), (small(), 4)):
        world = World(settings)
        world.publish(30)
        world.fetch(6)
        world.rate(2.0)
        world.fetch(1)
        assert world.queue.state.head.total == left


def test_bodies_of_the_shared_store_are_read_ten_at_a_time() -> None:
    """W45: ten small ones are read at the load, nine are not, and larger ones never."""
    for count, size, loaded in ((10, 5000, 10), (9, 5000, 0), (10, 12_001, 0)):
        world = World(small(segment_entry_count=64), out_rate=50.0)
        world.rate(0.0)
        world.publish(count + 1, size=size)
        world.rate(50.0)
        world.fetch(2)
        q = world.queue.state
        assert q.disk_read_count == (loaded or 1)
        assert q.ram_msg_count == max(0, loaded - 1)


def test_a_fetch_reads_what_is_not_in_memory() -> None:
    """W43, W44: large bodies count as reads, small ones do not; what is unacknowledged stays in RAM."""
    world = World()
    world.publish(1, size=5000)
    world.publish(1, size=5000)
    world.publish(1)
    world.fetch(3)
    q = world.queue.state
    assert (q.disk_read_count, q.ram_pending.total, q.disk_pending.total) == (2, 2, 1)
    assert (q.ram_msg_count, q.ram_bytes, q.unacked_bytes) == (0, 5100, 10_100)


def test_publish_delivered_writes_what_is_persistent() -> None:
    """W37: even though it may be acknowledged at once; W64: then it never touches the disk, and is confirmed."""
    world = World()
    world.queue.publish_delivered([Arrival(1, 0, 100, True, True)])
    world.ack(0)
    world.queue.timeout()
    assert [each.count for each in world.queue.drain_confirmed()] == [1]
    assert world.files(".qi") == {} == world.files(".qs")


def test_drop_and_fetch_without_ack_remove_at_once() -> None:
    """W47, W50: a drop reads no body."""
    world = World()
    world.publish(4, size=5000)
    world.queue.drop(2, False)
    assert world.queue.state.disk_read_count == 0
    world.fetch(2, ack=False)
    assert (world.queue.state.len, world.refs(), world.files(".qi")) == (0, {0: 4}, {})


def test_dropwhile_ends_in_one_batch_and_puts_the_first_other_back() -> None:
    """W47: what was written to no file yet stays in the buffer of `.qs` all the same (W116)."""
    world = World()
    world.publish(3, expiry_us=10)
    world.publish(2)
    taken, expiry = world.queue.dropwhile(20)
    assert (sum(each.extent.count for each in taken), expiry) == (3, 0)
    assert world.queue.state.head.total == 1
    assert world.queue.state.store.buffer.total == 5
    taken, expiry = World().queue.fetchwhile(20)
    assert (taken, expiry) == ([], None)


def test_fetchwhile_keeps_what_it_takes_as_pending() -> None:
    """W47."""
    world = World()
    world.publish(3, expiry_us=10)
    taken, expiry = world.queue.fetchwhile(20)
    assert ([each.extent.count for each in taken], expiry) == ([1, 1, 1], None)
    assert world.queue.unacked == 3


def test_requeued_messages_go_back_to_the_head_lane() -> None:
    """W55: in order, as they are, whatever the window."""
    world = World()
    world.publish(8)
    world.fetch(6)
    world.queue.requeue([Range(4, 1), Range(1, 2), Range(0, 1)])
    assert world.fetch(9) == [0, 1, 2, 4, 6, 7]


def test_redelivered_flags() -> None:
    """W15, W19, W41, W42, W190: 4.3 counts deliveries that failed, 4.0 keeps one number."""
    newer = World()
    newer.publish(3)
    newer.fetch(3)
    newer.queue.requeue([Range(0, 1)], delivery_failed=True)
    newer.queue.requeue([Range(1, 1)], delivery_failed=False)
    assert [(each.start, each.times) for each in newer.queue.state.deliveries] == [(0, 1)]
    assert [each.redelivered for each in newer.queue.fetch(2, True)] == [2]
    newer.ack(0)
    assert list(newer.queue.state.deliveries) == []
    older = World(small(V4_0))
    older.publish(3)
    older.fetch(2)
    assert older.queue.state.redeliver_seq_id == 2
    older.queue.requeue([Range(0, 2)])
    assert [each.redelivered for each in older.queue.fetch(3, True)] == [2, 0]


def test_a_release_before_counts_what_is_transient_in_the_tail() -> None:
    """W12, W13: by the message's own mode when it comes, by the effective one when it is loaded."""
    world = World(small(V4_0), durable=False)
    world.publish(3, persistent=True)
    assert world.queue.state.tail.transient == 0
    assert world.fetch(2) == [0, 1]
    assert world.queue.state.tail.transient == -1


def test_purge_without_pending_messages_begins_anew() -> None:
    """W56, W201: the directory is deleted; next_seq goes on."""
    world = World()
    world.publish(5)
    world.queue.timeout()
    assert world.queue.purge() == 5
    assert (world.files(".qi"), world.files(".qs"), world.queue.state.next_seq_id) == ({}, {}, 5)
    assert world.storage.list("queues/q") == [".queue_name"]
    world.publish(1)
    world.fetch(1)
    world.publish(2)
    assert world.queue.purge() == 2
    assert world.files(".qi") == {0: 64}


def test_delete_leaves_nothing() -> None:
    """W57."""
    world = World()
    world.publish(5, size=5000)
    world.fetch(2)
    world.queue.delete_and_terminate()
    world.settle()
    assert world.storage.list("queues/q") == []
    assert world.refs() == {0: 5}


def test_several_acks_are_one_call() -> None:
    """W51: the buffer is looked at once, and bodies leave the shared store from the last to the first."""
    world = World(small(msg_store_file_size_limit=2 * 5176))
    world.publish(6, size=5000)
    world.queue.timeout()
    world.fetch(6)
    world.ack(0, 2, 4)
    assert (world.queue.state.index.updates, world.persistent.state.gc_timer) == (3, frozenset({2}))
    one_by_one = World(small(msg_store_file_size_limit=2 * 5176))
    one_by_one.publish(6, size=5000)
    one_by_one.queue.timeout()
    one_by_one.fetch(6)
    one_by_one.ack(0, 2, 4, multiple=False)
    assert one_by_one.persistent.state.gc_timer == frozenset({0})


def test_rates_are_computed_after_a_hundred_events() -> None:
    """W36: the window follows, and nothing else."""
    world = World()
    q = world.queue.state
    q.rates.frozen = False
    world.publish(300, persistent=False)
    assert q.window == 1
    for _ in range(60):
        q.now_us += 5000
        world.fetch(1, ack=False)
    assert q.window == 1
    for _ in range(60):
        q.now_us += 5000
        world.fetch(1, ack=False)
    assert q.rates.out > 0
    assert q.window == 1 + int(2 * q.rates.out)
