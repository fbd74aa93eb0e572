"""Publishing, taking, reading delta, acknowledging and requeueing (Q18-Q41)."""

from __future__ import annotations

import pytest

from engine.backing_queue.queue_numbers import QueueRates
from engine.classic_v1.transitions import DeltaRead, JournalFlushed, LaneJoined, PutBack, Reduced
from engine.report.transitions.queue import Acked, StoreRead
from tests.rules.world import LARGE, SMALL, World, picked

SECOND = 1_000_000


@pytest.mark.parametrize(("target", "flushes"), [("infinity", 0), (100, 0), (6, 1), (0, 5)])
def test_the_lower_the_target_the_more_often_the_journal_is_flushed(target: int | str, flushes: int) -> None:
    """Q18: dirty > target after a publish record."""
    world = World()
    world.target(target)
    world.transitions.clear()
    world.publish(5, SMALL, True)
    assert len(world.of(JournalFlushed)) == flushes


def test_a_lazy_queue_that_is_not_durable_counts_by_the_message() -> None:
    """Q20: delivery_mode 2 is not added to delta.transient, but subtracted when read back: it may fall below 0."""
    world = World.classroom(mode="lazy", durable=False)
    after = world.publish(8, SMALL, True)
    assert after["delta"] == [0, 8, 0, 8]
    after = world.fetch(1)
    assert after["delta"] == [4, 4, -4, 8]


def test_where_a_publish_lands() -> None:
    """Q21: the question is whether q3 is empty; never q2, q3 or delta."""
    world = World()
    world.publish(3)
    assert world.lanes() == "q4: 0a 1a 2a"
    world.target(1)
    assert world.lanes() == "q3: 1a 2a; q4: 0a"
    world.fetch(1)
    world.publish(1)
    assert world.lanes() == "q1: 3a; q3: 1a 2a"


def test_a_batch_is_one_run_towards_reduction() -> None:
    """Q22: one rate update and one maybe_reduce for all of it."""
    singly, together = World(), World()
    assert singly.publish(7)["reduce_run_count"] == 7
    assert together.publish(7, batch=True)["reduce_run_count"] == 1
    assert singly.lanes() == together.lanes()


def test_a_delivered_publish_is_pending_at_once() -> None:
    """Q23: the body stays in RAM, even in lazy mode; the watermark and both counters move."""
    for mode, place, indexed in (("default", "ram_pending", False), ("lazy", "ram_pending", True)):
        world = World(mode=mode)
        after = world.publish_delivered(2, LARGE)
        assert world.result == {"tags": [0, 1]}
        (entry,) = world.q.extents_of(place)
        assert (entry.in_ram, entry.indexed) == (True, indexed)
        assert picked(after, "len", "next_seq_id", "next_deliver_seq_id", "reduce_run_count") == [0, 2, 2, 2]


def test_rates_are_updated_by_the_101st_event() -> None:
    """Q25: publishes and removals count, acks do not."""
    rates = QueueRates()
    rates.count(in_=60, out=40, ack_in=90, ack_out=90)
    rates.maybe_update(SECOND)
    assert rates.timestamp_us == 0
    rates.count(in_=1)
    rates.maybe_update(SECOND)
    assert rates.timestamp_us == SECOND
    assert rates.counters == [0, 0, 0, 0]


def test_a_rate_forgets_half_of_itself_in_five_seconds() -> None:
    """Q26: one update after 5 s weighs new and old equally; at the same instant only the counters are cleared."""
    rates = QueueRates()
    rates.in_ = 100.0
    rates.count(in_=1000)
    rates.update(5 * SECOND)
    assert rates.in_ == pytest.approx(0.5 * 200 + 0.5 * 100)
    rates.count(in_=7)
    rates.update(5 * SECOND)
    assert rates.in_ == pytest.approx(150)
    assert rates.counters == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("tags", "multiple", "ack_out"),
    [([[0, 0]], True, 1), ([[9, 9]], True, 0), ([[0, 1], [9, 9]], True, 3), ([[0, 1], [9, 9]], False, 2)],
)
def test_what_the_counters_count(tags: list[list[int]], multiple: bool, ack_out: int) -> None:
    """Q27: a list of acks counts its unknown tags too, a single one only if it is found."""
    world = World()
    world.q.rates.frozen = False
    world.publish(4)
    world.fetch(3)
    world.requeue([2, 2])
    assert world.q.rates.counters == [4 + 1, 3, 3, 0]
    world.ack(*tags, multiple=multiple)
    assert world.q.rates.counters[3] == ack_out


def test_taking_goes_from_q4_to_q3_and_then_q1_becomes_q4() -> None:
    """Q28, Q29: when the last of q3 is taken and delta is empty, q1 moves to q4 before the message is delivered."""
    world = World()
    world.publish(3)
    world.target(1)
    world.target("infinity")
    world.publish(2)
    assert world.lanes() == "q1: 3a 4a; q3: 1a 2a; q4: 0a"
    world.fetch(1)
    assert world.lanes() == "q1: 3a 4a; q3: 1a 2a"
    world.fetch(2)
    assert world.lanes() == "q4: 3a 4a"
    assert [(t.source, t.to) for t in world.of(LaneJoined)] == [("q1", "q4")]


def test_a_lazy_queue_reads_only_when_it_must() -> None:
    """Q30: q3 is filled when it is found empty, not when its last message goes."""
    world = World.classroom(mode="lazy")
    world.publish(8, LARGE)
    world.fetch(4)
    assert (world.q.q3.total, world.q.delta.count) == (0, 4)
    world.fetch(1)
    assert (world.q.q3.total, world.q.delta.count) == (3, 0)


def test_a_body_read_for_delivery_is_forgotten() -> None:
    """Q31, Q38: read from the store, counted, and the pending entry has none."""
    world = World()
    world.publish(2, LARGE)
    world.target(0)
    after = world.fetch(1)
    assert picked(after, "disk_read_count", "ram_bytes", "pending") == [1, 0, [0, 1, 0]]
    assert [t.count for t in world.of(StoreRead)] == [1]


@pytest.mark.parametrize(("size", "ack"), [(SMALL, True), (SMALL, False), (LARGE, True), (LARGE, False)])
def test_removing_ends_the_disk_copies_unless_an_ack_is_awaited(size: int, ack: bool) -> None:
    """Q32: without ack the store and the index let it go; with it both keep it. No reduction either way."""
    world = World()
    world.publish(1, size, True)
    world.transitions.clear()
    after = world.fetch(1, ack)
    assert after["qi"]["segments"] == [[0, int(ack), int(ack)]]
    assert after["store_persistent"]["index"] - after["store_persistent"]["zero_refs"] == (
        ack and size == LARGE
    )
    assert picked(after, "next_deliver_seq_id", "pending") == [
        1,
        [int(ack and size == LARGE), 0, int(ack and size == SMALL)],
    ]
    assert not world.of(Reduced)


def test_q1_is_never_joined_to_q3() -> None:
    """Q35: delta's last read joins q2 to q3, and leaves q1 where it is."""
    world = World.classroom()
    world.target(2)
    world.publish(12, LARGE)
    world.target("infinity")
    world.publish(3, LARGE)
    seen = set()
    while world.q.len:
        seen.add((bool(world.q.q1), bool(world.q.q2)))
        world.fetch(1, ack=False)
    assert (True, False) in seen
    assert {(t.source, t.to) for t in world.of(LaneJoined)} == {("q2", "q3"), ("q1", "q4")}


@pytest.mark.parametrize(("size", "lanes"), [(SMALL, "q3: 1a 2a; q4: 0a"), (LARGE, "q3: 0b 1b 2b")])
def test_where_the_put_back_goes(size: int, lanes: str) -> None:
    """Q36, Q58: a pass that drops nothing still takes the head and puts it back, in RAM to q4."""
    world = World()
    world.publish(3, size)
    world.target(0)
    world.do("dropwhile", now_ms=0)
    assert world.result["dropped"] == 0
    assert world.lanes() == lanes
    assert bool(world.of(PutBack)) is (size == SMALL)


def test_transients_below_the_threshold_are_dropped_when_they_are_read() -> None:
    """Q37, Q34: next_seq_id at init divides what a clean stop left from what is new."""
    world = World.classroom()
    world.publish(2, LARGE, True)
    world.do("set_mode", mode="lazy")
    world.publish(2, LARGE)
    after = world.do("restart")
    assert picked(after, "transient_threshold", "len") == [4, 2]
    after = world.publish(1, LARGE)
    assert world.q.q3.total + world.q.delta.count + world.q.q1.total == 3
    assert sum(t.why.get("dropped", 0) for t in world.of(DeltaRead)) == 2


def test_acks_go_by_the_order_of_the_tags_and_ignore_what_is_unknown() -> None:
    """Q39: one index ack and one store remove for the whole list; the messages found come in the tags' order."""
    world = World()
    world.publish(6, LARGE, True)
    world.fetch(5)
    world.ack([3, 3], [0, 1], [77, 78], [3, 3])
    assert world.result == {"acked": 3}
    assert [e.start for t in world.of(Acked) for e in t.extents] == [3, 0]
    assert world.do("init")["pending_tags"] == [[2, 2], [4, 4]]
    world.ack()
    assert world.result == {"acked": 0}


def test_requeue_before_q3_reads_the_body_back() -> None:
    """Q40: what is older than q3's head returns to q4 as an alpha."""
    world = World()
    world.publish(3, LARGE)
    world.target(0)
    world.fetch(1)
    after = world.requeue([0, 0])
    assert world.lanes() == "q3: 1b 2b; q4: 0aS"
    assert after["disk_read_count"] == 2


def test_requeue_before_and_into_delta() -> None:
    """Q40: before delta to q3, the rest into delta, each in its order."""
    world = World.classroom(mode="lazy")
    world.publish(12, LARGE)
    world.fetch(5)
    world.requeue([0, 0])
    assert world.lanes() == "delta: 8/4/4/12; q3: 0b 5bi 6bi 7bi".replace("0b", "0bi")
    world.target(0)
    world.requeue([4, 4], [2, 2])
    assert world.lanes() == "delta: 0/10/10/12"
    world.target("infinity")
    world.fetch(12)
    assert world.result["seq"] == [[0, 0], [2, 2], [4, 11]]


def test_forgetting_all_pending_leaves_the_bytes() -> None:
    """Q41: the maps are empty; unacked_bytes, ram_bytes and the persistent totals are not touched."""
    world = World()
    world.publish(3, LARGE, True)
    world.fetch(3)
    after = world.do("purge_acks")
    names = ("pending", "unacked_bytes", "ram_bytes", "persistent_count", "persistent_bytes")
    assert picked(after, *names) == [[0, 0, 0], 15000, 15000, 3, 15000]
