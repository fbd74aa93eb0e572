"""The broker of the articles: what 3.8 does otherwise than 3.10 (queue.md section 24, V1-V6)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v1.transitions import EntriesRecorded
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.values.extents import DELIVERED
from tests.helpers.following import Follower
from tools.proofs.conformance.door import BackingQueueDoor, settings_of

SECOND = 1_000_000
SMALL = {
    "segment_entry_count": 8,
    "delta_read_cap": 8,
    "msg_store_io_batch_size": 1,
    "rate_timer_ms": 600_000,
}


def follow(profile: str, **settings: Any) -> Follower:
    scenario = parse({"version": 1, "profile": profile, "settings": settings})
    return Follower(Cluster(scenario, LedgerStorage(), keep=100_000))


def publish(count: int, size_bytes: int = 100, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, "persistent": True, **more}


def queue(follower: Follower) -> dict[str, Any]:
    found: dict[str, Any] = follower.node.snapshot()["queues"]["orders"]
    return found


@pytest.mark.parametrize(("profile", "published", "taken"), [("real", 20, 20), ("articles", 10, 14)])
def test_a_deliver_record_is_made_when_a_message_is_delivered(
    profile: str, published: int, taken: int
) -> None:
    """V1: one entry for a publish; the deliver entry follows with the delivery, and not with the publish."""
    follower = follow(profile)
    follower.submit(publish(10))
    assert queue(follower)["own"]["index"]["dirty"] == published
    follower.submit({"do": "get", "count": 4, "ack": True})
    assert queue(follower)["own"]["index"]["dirty"] == taken
    follower.submit({"do": "requeue", "count": 4})
    follower.submit({"do": "get", "count": 4, "ack": True})
    assert queue(follower)["own"]["index"]["dirty"] == taken, "a message is marked once"
    assert follower.node.snapshot()["node"]["actors"]["hand"]["redelivered"] == 4


def test_the_mark_comes_back_from_the_index_after_a_clean_restart() -> None:
    """V1: each message knows by itself whether it was delivered; one number for the queue cannot (Q33)."""
    follower = follow("articles")
    follower.submit(publish(6))
    follower.submit({"do": "get", "count": 2, "ack": True})
    follower.submit({"do": "restart", "kind": "clean"})
    lanes = queue(follower)["lanes"]
    flags = [(row[1], bool(row[4] & DELIVERED)) for row in [*lanes["q4"], *lanes["q3"]]]
    assert flags == [(1, True), (1, True), (4, False)], "the head was taken and put back into q4 (P17)"
    follower.submit({"do": "get", "count": 6, "ack": True})
    assert follower.node.snapshot()["node"]["actors"]["hand"]["redelivered"] == 2


@pytest.mark.parametrize(("profile", "next_seq_id"), [("real", 10), ("articles", 16384)])
def test_numbering_goes_on_at_the_next_segment(profile: str, next_seq_id: int) -> None:
    """V2."""
    follower = follow(profile)
    follower.submit(publish(10))
    follower.submit({"do": "restart", "kind": "clean"})
    assert queue(follower)["counters"]["next_seq_id"] == next_seq_id


@pytest.mark.parametrize(("profile", "read"), [("real", 2048), ("articles", 16384)])
def test_a_read_brings_the_whole_segment(profile: str, read: int) -> None:
    """V3, V6."""
    follower = follow(profile)
    follower.submit(publish(20_000))
    follower.submit({"do": "restart", "kind": "clean"})
    assert queue(follower)["counters"]["ram_msg_count"] == read


@pytest.mark.parametrize(("profile", "flushed"), [("real", True), ("articles", False)])
def test_a_reduction_leaves_the_journal_alone(profile: str, flushed: bool) -> None:
    """V4."""
    follower = follow(profile)
    follower.submit(publish(10))
    follower.submit({"do": "set", "name": "target_ram_count", "value": 50})
    assert (queue(follower)["own"]["index"]["dirty"] == 0) == flushed


@pytest.mark.parametrize("ack", [True, False])
def test_everything_ends_in_order_at_a_small_scale(ack: bool) -> None:
    """Publishing, paging, reading back, purging and dropping leave no entry behind."""
    follower = follow("articles", explicit_gc_run_operation_threshold=0, **SMALL)
    follower.submit(publish(30))
    follower.submit(publish(10, 6000))
    follower.submit({"do": "set", "name": "target_ram_count", "value": 3})
    follower.submit(publish(5, 6000, persistent=False))
    follower.submit({"do": "get", "count": 20, "ack": ack})
    if ack:
        follower.submit({"do": "requeue", "count": 5})
        follower.submit({"do": "ack", "count": 15, "multiple": False})
    follower.node.verify()
    follower.submit({"do": "restart", "kind": "kill"})
    follower.node.verify()
    follower.submit({"do": "purge"})
    follower.advance(3 * SECOND)
    follower.node.verify()
    assert queue(follower)["own"]["index"]["entries"] == []


def late_messages(profile: str, **more: Any) -> Follower:
    """Return a run with a backlog that was paged out, and five messages that came after it."""
    sizes = {**SMALL, "msg_store_io_batch_size": 16, "explicit_gc_run_operation_threshold": 0}
    follower = follow(profile, **sizes)
    if more:
        follower.submit({"do": "declare_queue", "name": "urgent", "arguments": more})
    name = "urgent" if more else "orders"
    follower.submit(publish(60, routing_key=name))
    for target in (0, None):
        follower.submit({"do": "set", "name": "target_ram_count", "value": target, "queue": name})
    follower.submit(publish(5, routing_key=name))
    return follower


def make_lazy(follower: Follower, name: str = "orders") -> None:
    follower.submit({"do": "set", "name": "queue_mode", "value": "lazy", "queue": name})


@pytest.mark.parametrize(("profile", "mode", "left"), [("real", "lazy", 0), ("articles", "default", 5)])
def test_a_conversion_waits_for_what_is_less_than_a_batch(profile: str, mode: str, left: int) -> None:
    """V5: 3.10 moves what is left whatever its number; 3.8 goes round for ever."""
    follower = late_messages(profile)
    make_lazy(follower)
    state = queue(follower)
    assert (state["mode"], state["counters"]["len"]) == (mode, 65)
    assert sum(row[1] for name in ("q1", "q2", "q4") for row in state["lanes"][name]) == left
    clock = follower.node.snapshot()["node"]["clock"]["queue_process"]
    assert clock == ("converting" if left else "awake")


def test_a_queue_that_converts_for_ever_handles_nothing() -> None:
    """V5: neither publishes nor gets, nor acks, purges or another mode; only its end helps."""
    follower = late_messages("articles")
    follower.submit({"do": "get", "count": 1, "ack": True})
    make_lazy(follower)
    before = queue(follower)
    follower.submit(publish(3, confirm=True))
    follower.submit({"do": "get", "count": 2, "ack": True})
    follower.submit({"do": "ack", "count": 1})
    follower.submit({"do": "purge"})
    follower.submit({"do": "set", "name": "queue_mode", "value": "default", "queue": "orders"})
    follower.submit({"do": "set", "name": "target_ram_count", "value": 3, "queue": "orders"})
    follower.advance(10 * SECOND)
    assert queue(follower) == before
    follower.submit({"do": "kill_queue", "queue": "orders"})
    assert queue(follower)["mode"] == "default", "the last wish counts, and nothing is stuck any more"
    make_lazy(follower)
    assert queue(follower)["mode"] == "lazy"
    assert queue(follower)["counters"]["len"] == 65
    follower.node.verify()


@pytest.mark.parametrize("stop", [{"do": "restart", "kind": "clean"}, {"do": "stop_app"}])
def test_a_node_cannot_stop_in_order_while_a_conversion_never_ends(stop: dict[str, Any]) -> None:
    """V5."""
    follower = late_messages("articles")
    make_lazy(follower)
    assert not follower.submit(stop)
    assert "never ends" in follower.refused[-1]
    follower.submit({"do": "restart", "kind": "kill"})
    assert queue(follower)["mode"] == "lazy"
    follower.node.verify()


def test_one_priority_that_never_ends_stops_the_whole_queue() -> None:
    """V5: the priorities are converted one after the other, by one process."""
    follower = late_messages("articles", **{"x-max-priority": 1})
    make_lazy(follower, "urgent")
    state = follower.node.snapshot()["queues"]["urgent"]
    assert (state["mode"], state["queue_process"]) == ("default", "converting")


@pytest.mark.parametrize(("mode", "most"), [("default", 14), ("lazy", 26)])
def test_a_burst_of_fetches_stays_one_gesture(mode: str, most: int) -> None:
    """V1: two index calls for each of 36,000 messages, in few transitions: they end where a flush must come."""
    config = {
        "durable": True,
        "mode": mode,
        "segment_entry_count": 16384,
        "queue_index_embed_msgs_below": 4096,
        "queue_index_max_journal_entries": 32768,
        "msg_store_file_size_limit": 16777216,
        "msg_store_io_batch_size": 4096,
        "msg_store_credit_disc_bound": [4000, 800],
        "explicit_gc_run_operation_threshold": 1000,
        "rates": [0.5, 0.5, 0, 0],
        "queue": "q",
        "vhost": "/",
    }
    log: list[Transition] = []
    door = BackingQueueDoor(config, LedgerStorage(), log.append, settings_of("RabbitMQ 3.8.9"))
    door.step({"op": "publish", "count": 36_000, "size": 100, "persistent": True})
    log.clear()
    door.step({"op": "fetch", "count": 36_000, "ack": False})
    recorded = [each for each in log if isinstance(each, EntriesRecorded)]
    assert sum(each.count * (2 if each.action == "deliver_ack" else 1) for each in recorded) == 72_000
    assert len(log) <= most
