"""Queues of a 3.8 whose processes crash, in a whole node: V8 and V9 (seen on a real 3.8.9 too)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.classic_v1.queue.state import QueueState
from engine.classic_v1.transitions import IndexForgotten
from engine.report.transitions.node import ConnectionClosed, MirrorLeft
from engine.report.transitions.queue import QueueStopped
from engine.storage.ledger import LedgerStorage
from engine.values.errors import ProcessCrash
from tests.helpers.following import Follower

SECOND = 1_000_000
DEAD = {"dead-letter-exchange": "", "dead-letter-routing-key": "dead"}


def follower(profile: str) -> Follower:
    return Follower(Cluster(parse({"version": 1, "profile": profile}), LedgerStorage(), keep=100_000))


def stops(node: Cluster) -> list[str]:
    rows = node.log.since(0)
    assert rows is not None
    return [each.how for each in rows.rows if isinstance(each, QueueStopped)]


def state_of(node: Cluster) -> QueueState:
    return node.process.queue.state


def killed_in_a_flush(profile: str) -> Follower:
    """Take and acknowledge on marked messages, die before the journal is cut, stop in order, start."""
    it = follower(profile)
    commands: list[dict[str, Any]] = [
        {"do": "publish", "count": 40, "size_bytes": 100, "persistent": True, "confirm": True},
        {"do": "restart", "kind": "kill"},
        {"do": "get", "count": 10, "ack": False},
        {"do": "restart", "kind": "kill_in_flush"},
        {"do": "restart", "kind": "clean"},
    ]
    for command in commands:
        assert it.submit(command)
        it.node.advance(it.node.now_us + SECOND)
        it.check()
    return it


def test_an_old_journal_crashes_the_next_clean_start_and_loses_nothing() -> None:
    """V8: the acknowledgement of a message that the segments no longer have; the supervisor starts the queue again."""
    it = killed_in_a_flush("articles")
    assert stops(it.node) == ["kill", "kill", "clean", "crash"]
    assert state_of(it.node).len == 30
    it.node.verify()


def test_a_3_10_flushes_at_every_unclean_start() -> None:
    """S113.4: the journal is empty after it, so the next start has nothing that is old."""
    it = killed_in_a_flush("real")
    assert stops(it.node) == ["kill", "kill", "clean"]
    assert state_of(it.node).len == 30


def taken_to_the_last(profile: str, *last: dict[str, Any]) -> Follower:
    """Take nine of ten transient messages from a lazy queue whose dead letters go elsewhere, then one more."""
    it = follower(profile)
    commands: list[dict[str, Any]] = [
        {"do": "declare_queue", "name": "dead", "durable": True},
        {"do": "publish", "count": 10, "size_bytes": 5000, "persistent": False},
        {
            "do": "set_policy",
            "name": "p",
            "pattern": "^orders$",
            "definition": {"queue-mode": "lazy", **DEAD},
        },
        *(last or ({"do": "get", "count": 9, "ack": True}, {"do": "get", "count": 1, "ack": True})),
    ]
    for command in commands:
        assert it.submit(command)
        it.node.advance(it.node.now_us + SECOND)
        it.check()
    return it


def closed(node: Cluster) -> list[tuple[str, int]]:
    rows = node.log.since(0)
    assert rows is not None
    return [(each.actor, each.code) for each in rows.rows if isinstance(each, ConnectionClosed)]


def test_who_gets_ten_has_nine_when_the_last_read_ends_the_process() -> None:
    """V9: each basic.get is a call of its own, and only the last one has no answer (seen on a real 3.8.9)."""
    it = taken_to_the_last("articles", {"do": "get", "count": 10, "ack": True})
    assert stops(it.node) == ["crash"]
    assert closed(it.node) == [("hand", 541)]
    assert it.node.consumers.by_hand["hand"].delivered == 9


def test_a_new_consumer_of_a_process_that_ends_gets_nothing() -> None:
    """V9: its channel waits for the answer of basic.consume, and reads no delivery before it (seen on a real 3.8.9)."""
    consumer = {"do": "set_consumer", "name": "c", "ack": "auto", "rate_per_s": 100}
    it = taken_to_the_last("articles", consumer)
    assert stops(it.node) == ["crash"]
    assert closed(it.node) == [("c", 541)]
    assert it.node.consumers.all["c"].delivered == 0


def test_a_delta_whose_message_the_index_forgot_ends_the_process() -> None:
    """V9: fetchwhile put the last message of q3 back into delta, and the index lost its record."""
    it = taken_to_the_last("articles")
    rows = it.node.log.since(0)
    assert rows is not None
    assert [each.entries for each in rows.rows if isinstance(each, IndexForgotten)] == [()]
    assert stops(it.node) == ["crash"]
    assert state_of(it.node).len == 0
    assert it.submit({"do": "publish", "count": 3, "size_bytes": 5000, "persistent": True})
    assert state_of(it.node).len == 3, "the queue has a process again"
    it.check()


def test_a_3_10_reads_it_back() -> None:
    """Q36: there the index keeps the record."""
    it = taken_to_the_last("real")
    assert stops(it.node) == []
    assert it.node.process.queue.unacked == 10


MIRRORED: list[dict[str, Any]] = [
    {"do": "set_policy", "name": "p", "pattern": "^orders$", "definition": {"ha-mode": "all"}},
    {"do": "declare_queue", "name": "dead", "durable": True},
    {"do": "publish", "count": 10, "size_bytes": 5000, "persistent": False},
]


def mirrored(commands: list[dict[str, Any]]) -> Follower:
    """Run a queue with a mirror on a second node."""
    scenario = {"version": 1, "profile": "3.8.9-classroom", "settings": {"nodes": 2}}
    it = Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000))
    for command in commands:
        assert it.submit(command)
        it.node.advance(it.node.now_us + SECOND)
        it.check()
    return it


def left(node: Cluster) -> list[tuple[str, str]]:
    rows = node.log.since(0)
    assert rows is not None
    return [(each.node, each.how) for each in rows.rows if isinstance(each, MirrorLeft)]


def test_where_a_masters_process_ends_its_mirror_takes_over_with_everything() -> None:
    """V9, H75: what the mirror has was never forgotten."""
    lazy = {**MIRRORED[0], "definition": {"ha-mode": "all", "queue-mode": "lazy", **DEAD}}
    takes = [{"do": "get", "count": count, "ack": True} for count in (9, 1)]
    it = mirrored([*MIRRORED, lazy, *takes])
    assert stops(it.node) == ["crash"]
    assert it.node.queues["orders"].process.queue.state.len >= 9


@pytest.mark.sources
@pytest.mark.parametrize("way", ["obey", "from_channel"])
def test_a_mirror_whose_process_ends_leaves_alone_and_comes_again_empty(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """V8, H75: the crash names the queue, and it is the mirror's; the master's goes on with all that it has."""
    it = mirrored(MIRRORED)
    [member] = it.node.cluster.members.values()

    def ends(_anything: Any) -> None:
        raise ProcessCrash("orders", "rabbit_variable_queue,d", "{delta,0,2,0,1}")

    monkeypatch.setattr(member.mirror, way, ends)
    assert it.submit({"do": "publish", "count": 3, "size_bytes": 5000, "persistent": True})
    it.node.advance(it.node.now_us + SECOND)
    it.check()
    assert left(it.node) == [("n2", "crash")]
    assert it.node.queues["orders"].process.queue.state.len == 13
    assert [each is not member for each in it.node.cluster.members.values()] == [True]
