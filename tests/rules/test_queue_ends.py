"""Expiry, drop, purge, stops, starts and confirms (Q58-Q65, K1-K9)."""

from __future__ import annotations

import pytest

from engine.classic_v1.transitions import IndexReset, JournalFlushed
from engine.report.transitions.queue import ConfirmsDue, StoreRead
from engine.storage.ledger import LedgerStorage
from tests.rules.world import LARGE, SMALL, World, picked


def test_expired_messages_are_dropped_at_the_head_only() -> None:
    """Q58: up to the first that is not expired; its expiry is the answer."""
    world = World()
    world.publish(2, SMALL, expiry_ms=10)
    world.publish(1, SMALL, expiry_ms=500)
    world.publish(1, SMALL, expiry_ms=10)
    after = world.do("dropwhile", now_ms=20)
    assert world.result == {"dropped": 2, "next_expiry_ms": 500}
    assert picked(after, "len", "next_deliver_seq_id", "pending") == [2, 2, [0, 0, 0]]
    after = world.do("dropwhile", now_ms=600)
    assert world.result == {"dropped": 2, "next_expiry_ms": None}


def test_expired_messages_are_fetched_for_dead_lettering() -> None:
    """Q59: bodies are read and the messages are pending afterwards."""
    world = World()
    world.publish(2, LARGE, expiry_ms=10)
    world.publish(1, LARGE)
    world.target(0)
    after = world.do("fetchwhile", now_ms=20)
    assert world.result == {"tags": [[0, 1]], "next_expiry_ms": "none"}
    assert picked(after, "len", "pending", "disk_read_count") == [1, [0, 2, 0], 2]


@pytest.mark.parametrize("ack", [True, False])
def test_drop_reads_no_body(ack: bool) -> None:
    """Q60."""
    world = World()
    world.publish(3, LARGE)
    world.target(0)
    after = world.drop(2, ack)
    assert picked(after, "len", "disk_read_count", "pending") == [1, 0, [0, 2 * ack, 0]]
    assert not world.of(StoreRead)


@pytest.mark.parametrize(("pending", "resets"), [(False, 1), (True, 0)])
def test_purge_erases_the_index_only_when_nothing_is_pending(pending: bool, resets: int) -> None:
    """Q61, S92: otherwise every indexed entry is acked, and the pending ones stay."""
    world = World()
    world.publish(5, LARGE, True)
    if pending:
        world.fetch(2)
    after = world.do("purge")
    assert world.result == {"purged": 3 if pending else 5}
    assert len(world.of(IndexReset)) == resets
    assert picked(after, "len", "next_seq_id", "delta") == [0, 5, [None, 0, 0, None]]
    assert sum(after["pending"]) == 2 * pending
    live = after["store_persistent"]["index"] - after["store_persistent"]["zero_refs"]
    assert live == 2 * pending


def test_what_an_orderly_stop_saves() -> None:
    """Q63, S128: counts with the unacked, both numbers, the segments; transient unacked bodies leave their store."""
    world = World(segment_entry_count=4)
    world.publish(3, LARGE, True)
    world.publish(2, LARGE)
    world.publish(3, SMALL, True)
    world.fetch(4)
    world.ack([0, 0])
    after = world.do("restart")
    assert world.result["terms"] == {
        "next_seq_id": 8,
        "next_deliver_seq_id": 4,
        "persistent_count": 5,
        "persistent_bytes": 2 * LARGE + 3 * SMALL,
        "segments": [[0, 2], [1, 3]],
    }
    assert picked(after, "len", "next_seq_id", "pending") == [5, 8, [0, 0, 0]]
    assert after["store_transient"]["index"] == 0


@pytest.mark.parametrize("kind", ["restart", "crash_restart"])
def test_nothing_of_a_transient_queue_comes_back(kind: str) -> None:
    """Q62, Q63: the terms of a queue that is not durable are ignored."""
    world = World(durable=False)
    world.publish(4, LARGE, True)
    after = world.do(kind)
    assert picked(after, "len", "next_seq_id", "delta") == [0, 0, [None, 0, 0, None]]


def test_before_sleep_the_journal_is_moved() -> None:
    """Q65, S84: live entries in segment files and a journal of 0 bytes."""
    world = World()
    world.publish(3, SMALL, True)
    after = world.do("pre_hibernate")
    assert picked(after["qi"], "journal", "dirty") == [[0, 0], 0]
    assert len(world.of(JournalFlushed)) == 1
    world.do("pre_hibernate")
    assert len(world.of(JournalFlushed)) == 1, "nothing happened since"


def test_only_wanted_confirms_are_awaited() -> None:
    """K3."""
    world = World()
    assert world.publish(2, SMALL, True)["unconfirmed"] == 0
    assert world.publish(3, SMALL, True, confirm=True)["unconfirmed"] == 3


@pytest.mark.parametrize(("size", "by"), [(SMALL, "both"), (LARGE, "index")])
def test_confirms_come_when_body_and_record_are_safe(size: int, by: str) -> None:
    """K4, K5, K7, S169: embedded with the journal alone; otherwise when the later of both is synced."""
    world = World()
    after = world.publish(2, size, True, confirm=True)
    assert picked(after, "unconfirmed", "confirmed", "msgs_on_disk") == [2, 0, 2 * (size == LARGE)]
    after = world.do("timeout")
    assert picked(after, "unconfirmed", "confirmed", "msgs_on_disk") == [0, 2, 0]
    assert [t.by for t in world.of(ConfirmsDue)] == [by]


def test_the_index_may_be_first() -> None:
    """K7, S169: in either order."""
    world = World()
    world.door.settle = lambda: None  # type: ignore[method-assign]
    world.door.queue.let_stores_work_alone(True)
    world.publish(2, LARGE, True, confirm=True)
    after = world.do("timeout")
    assert picked(after, "msg_indices_on_disk", "msgs_on_disk", "confirmed") == [2, 0, 0]
    world.door.persistent.settle()
    after = world.do("init")
    assert picked(after, "msg_indices_on_disk", "msgs_on_disk", "confirmed") == [0, 0, 2]
    assert [t.by for t in world.of(ConfirmsDue)] == ["store"]


def test_confirms_are_handed_over_once() -> None:
    """K8."""
    world = World()
    world.publish(3, SMALL, True, confirm=True)
    world.do("timeout")
    world.do("drain_confirmed")
    assert world.result == {"confirmed": 3, "seq": [[0, 2]]}
    world.do("drain_confirmed")
    assert world.result == {"confirmed": 0, "seq": []}


def test_ends_before_the_sync_are_confirmed_all_the_same() -> None:
    """K9: requeue clears the entry's wish, but the set keeps it; an ack leads to a confirm later."""
    world = World()
    world.publish(2, SMALL, True, confirm=True)
    world.fetch(2)
    world.requeue([0, 0])
    assert world.q.q4.first.wants_confirm is False
    after = world.ack([1, 1])
    assert after["unconfirmed"] == 2
    after = world.do("timeout")
    assert after["confirmed"] == 2


def test_a_transient_message_waits_for_no_disk() -> None:
    """K1: whatever the queue, a transient message's confirm does not depend on the engine."""
    for config in ({}, {"mode": "lazy"}, {"durable": False}):
        world = World(LedgerStorage(), **config)
        assert world.publish(2, LARGE, not config.get("durable", True), confirm=True)["unconfirmed"] == 0
