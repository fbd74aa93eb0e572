"""Duration, target, reduction and conversion of modes (Q42-Q57)."""

from __future__ import annotations

import pytest

from engine.classic_v1.transitions import JournalFlushed, Reduced
from tests.rules.world import LARGE, SMALL, World, picked


def test_duration_of_what_is_in_ram() -> None:
    """Q42: messages and pending acks in RAM over four times the rates; nothing moves: infinity."""
    world = World(rates=[3.0, 1.0, 0.5, 0.5])
    world.publish(20, LARGE)
    world.fetch(4)
    assert world.door.queue.ram_duration() == pytest.approx((16 + 4 + 0) / (4 * 5.0))
    world.do("rates", rates=[0.009, 0.009, 0.009, 0.009])
    assert world.door.queue.ram_duration() is None


def test_a_duration_becomes_a_target() -> None:
    """Q43: truncated; a smaller one reduces at once, a larger one brings nothing back."""
    world = World(rates=[3.0, 1.0, 0.5, 0.4])
    world.publish(20, LARGE)
    world.do("set_duration", duration=1.0)
    assert world.result == {"target": 4}
    assert world.q.ram_msg_count == 4
    world.transitions.clear()
    world.do("set_duration", duration=3.0)
    assert (world.result, world.q.ram_msg_count) == ({"target": 14}, 4)
    world.do("set_duration", duration="infinity")
    assert not world.of(Reduced)


@pytest.mark.parametrize(("messages", "in_delta"), [(6143, 0), (6144, 4096)])
def test_when_delta_appears_at_all(messages: int, in_delta: int) -> None:
    """Q48, Q50: with the defaults, 6144 entries in q2 and q3 are needed."""
    world = World()
    world.publish(messages, SMALL)
    world.target(1)
    while world.q.q4:
        world.do("resume")
    world.do("resume")
    assert world.q.q3.total + world.q.q2.total + world.q.delta.count == messages
    assert world.q.delta.count == in_delta


def test_a_whole_segment_stays_in_q3() -> None:
    """Q49, Q51: with 16384 entries a segment, 9000 small bodies stay in RAM even at target 0."""
    world = World(segment_entry_count=16384)
    world.publish(9000, SMALL)
    world.target(0)
    for _ in range(3):
        world.do("resume")
    assert (world.q.ram_msg_count, world.q.delta.count, world.q.q3.total) == (9000, 0, 9000)


def test_a_lazy_queue_reduces_by_acks_and_then_q3() -> None:
    """Q53: bodies of pending acks first; then all of q3 beyond the target, from its tail; no bump."""
    world = World.classroom(mode="lazy")
    world.publish(8, LARGE)
    world.fetch(1)
    assert world.lanes() == "delta: 4/4/4/8; q3: 1bi 2bi 3bi"
    after = world.target(2)
    assert world.lanes() == "delta: 3/5/5/8; q3: 1bi 2bi"
    world.target(0)
    assert world.lanes() == "delta: 1/7/7/8"
    assert after["waiting_bump"] is False


def test_resume_reduces_without_counting() -> None:
    """Q54, Q44: it is not throttled, and the run count stays."""
    world = World()
    world.publish(5, LARGE)
    world.q.target_ram_count = 1
    after = world.do("resume")
    assert picked(after, "ram_msg_count", "reduce_run_count") == [1, 5]


def test_every_reduction_ends_with_a_flush() -> None:
    """Q45: also one that finds nothing to do; but none at all without a target."""
    world = World()
    world.publish(2, SMALL, True)
    world.do("resume")
    assert not world.of(JournalFlushed)
    world.target(1000)
    assert len(world.of(JournalFlushed)) == 1


def test_the_mode_that_it_has_changes_nothing() -> None:
    """Q55."""
    world = World()
    world.publish(5, LARGE)
    world.transitions.clear()
    world.do("set_mode", mode="default")
    assert world.lanes() == "q4: 0a 1a 2a 3a 4a"
    assert not world.transitions


def test_to_lazy_and_back() -> None:
    """Q56, Q57: everything goes to delta but one segment, the target is as before; back, one read fills q3."""
    world = World.classroom()
    world.target(6)
    world.publish(11, LARGE)
    after = world.do("set_mode", mode="lazy")
    assert picked(after, "mode", "target_ram_count", "q1", "q2", "q4") == ["lazy", 6, 0, 0, 0]
    assert after["q3"] <= 4
    assert after["q3"] + after["delta"][1] == 11
    before = after["q3"]
    after = world.do("set_mode", mode="default")
    assert after["q4"] == 0
    assert 0 < after["q3"] - before <= 4


def test_to_lazy_waits_for_credit() -> None:
    """Q56, F6: pushing alphas stops without credit, so the conversion waits for a grant again and again."""
    world = World.classroom(msg_store_credit_disc_bound=[4, 2])
    world.publish(40, LARGE)
    after = world.do("set_mode", mode="lazy")
    assert after["delta"][1] + after["q3"] == 40


def test_pages_the_newest_pending_bodies_first() -> None:
    """Q47: a quota of two among five takes the two largest seq_ids."""
    world = World()
    world.publish(5, LARGE)
    world.fetch(5)
    after = world.target(3)
    assert after["pending"] == [3, 2, 0]
    assert [(e.start, e.count) for e in world.q.disk_pending] == [(3, 2)]
