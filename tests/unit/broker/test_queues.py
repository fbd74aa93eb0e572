"""Several queues on one node: two message stores for all, a process for each."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConfirmsSent
from engine.report.transitions.queue import QueueStopped
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, ScenarioError
from tests.helpers.following import Follower

SECOND = 1_000_000
TWO = {"queues": [{"name": "orders"}, {"name": "slow", "durable": False}]}


def node_of(topology: dict[str, Any] | None = TWO, **settings: Any) -> Cluster:
    scenario = {"version": 1, "profile": "classroom", "settings": settings}
    if topology is not None:
        scenario["topology"] = topology
    return Cluster(parse(scenario), LedgerStorage(), keep=100_000)


def burst(queue: str, count: int, size_bytes: int = 6144, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, "routing_key": queue, **more}


def all_of(node: Cluster, kind: type[Transition]) -> list[Any]:
    rows = node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) is kind]


def ready(node: Cluster) -> dict[str, int]:
    return {name: queue.depth for name, queue in node.queues.items()}


def test_each_queue_has_messages_and_files_of_its_own() -> None:
    """P8."""
    node = node_of()
    follower = Follower(node)
    follower.submit(burst("orders", 5, persistent=True))
    follower.submit(burst("slow", 27, persistent=True))
    follower.submit(burst("nobody", 3))
    assert ready(node) == {"orders": 5, "slow": 27}
    follower.submit({"do": "get", "count": 2, "queue": "slow"})
    follower.submit({"do": "set", "name": "queue_mode", "value": "lazy", "queue": "slow"})
    follower.advance(3 * SECOND)
    snapshot = node.snapshot()
    assert [snapshot["queues"][name]["mode"] for name in ("orders", "slow")] == ["default", "lazy"]
    assert snapshot["queues"]["slow"]["queue_process"] == "hibernating"
    assert isinstance(node.storage, LedgerStorage)
    directories = {path.rsplit("/", 1)[0] for path in node.storage.paths() if "/queues/" in path}
    assert len(directories) == 2
    node.verify()


def test_a_queue_that_was_not_declared_durable_is_gone_after_a_restart() -> None:
    """D1, D2: with its consumer cancelled and its files deleted."""
    node = node_of()
    follower = Follower(node)
    follower.submit(burst("orders", 5, persistent=True))
    follower.submit(burst("slow", 5, persistent=True))
    follower.submit({"do": "set_consumer", "name": "c1", "queue": "slow", "prefetch": 2})
    follower.submit({"do": "restart", "kind": "clean"})
    assert ready(node) == {"orders": 5}
    assert node.snapshot()["node"]["actors"]["c1"]["state"] == "stopped"
    follower.submit({"do": "declare_queue", "name": "slow", "durable": False})
    assert ready(node) == {"orders": 5, "slow": 0}


def test_a_deleted_queue_takes_its_messages_along() -> None:
    """Q64, P19: ready and unacknowledged ones, bodies in the store and the directory; others keep theirs."""
    node = node_of()
    follower = Follower(node)
    follower.submit(burst("orders", 4, persistent=True))
    follower.submit(burst("slow", 6, persistent=True))
    follower.submit({"do": "set", "name": "target_ram_count", "value": 0, "queue": "slow"})
    follower.submit({"do": "get", "count": 2, "queue": "slow"})
    assert sum(row[1] for row in node.snapshot()["stores"]["transient"]["rows"]) > 0
    follower.submit({"do": "delete_queue", "name": "slow"})
    follower.advance(SECOND)
    snapshot = node.snapshot()
    assert list(snapshot["queues"]) == ["orders"]
    assert sum(row[1] * row[2] for row in snapshot["stores"]["transient"]["rows"]) == 0
    assert sum(row[1] for row in snapshot["stores"]["persistent"]["rows"]) == 4
    assert snapshot["node"]["actors"]["hand"]["unacked"] == 2, "the channel still holds what is gone"
    follower.submit({"do": "ack", "count": 2})
    assert node.snapshot()["node"]["actors"]["hand"]["unacked"] == 0
    assert [(t.queue, t.how) for t in all_of(node, QueueStopped)] == [("slow", "deleted")]
    node.verify()


def test_the_share_of_a_deleted_queue_counts_as_confirmed() -> None:
    """K10."""
    node = node_of()
    node.submit({"do": "set", "name": "work_profile", "value": "hdd"})
    node.submit(burst("slow", 3, confirm=True))
    node.submit({"do": "delete_queue", "name": "slow"})
    node.advance(SECOND)
    assert [(t.rule, t.count) for t in all_of(node, ConfirmsSent)] == [("K1", 3)]


def test_a_crashed_queue_starts_on_its_files() -> None:
    """Q62, D4, D5: what was synced is there and redelivered; the rest is gone; others go on."""
    node = node_of()
    follower = Follower(node)
    follower.submit(burst("orders", 4, 100, persistent=True, confirm=True))
    follower.submit(burst("orders", 3, 100))
    follower.submit(burst("slow", 2))
    follower.submit({"do": "set_consumer", "name": "c1", "prefetch": 2})
    follower.submit({"do": "kill_queue", "queue": "orders", "how": "error"})
    assert ready(node) == {"orders": 4, "slow": 2}
    assert node.snapshot()["node"]["actors"]["c1"]["unacked"] == 0
    follower.submit({"do": "get", "count": 4})
    assert node.snapshot()["node"]["actors"]["hand"]["redelivered"] == 4
    follower.submit({"do": "restart", "kind": "clean"})
    assert ready(node) == {"orders": 4}
    node.verify()


def test_memory_counts_all_queues() -> None:
    """M9: entries of both, and what one more queue costs."""
    one, two = node_of({"queues": [{"name": "orders"}]}), node_of()
    for node in (one, two):
        node.submit(burst("orders", 5))
    two.submit(burst("slow", 5))
    for node in (one, two):
        node.monitors.measure_memory()
    assert two.watch.memory.entries == 2 * one.watch.memory.entries
    assert two.watch.memory.bodies == pytest.approx(2 * one.watch.memory.bodies, abs=1)
    assert two.watch.memory.base - one.watch.memory.base == 575


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        ({"queues": [{"name": f"q{i}"} for i in range(65)]}, "topology.queues must have at most 64 elements"),
        ({"queues": [{"name": "ü" * 128}]}, "at most 255 bytes of UTF-8"),
        ({"walls": []}, "walls is not known here"),
    ],
)
def test_a_topology_is_checked(topology: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        node_of(topology)


def test_commands_name_queues_that_are_there() -> None:
    node = node_of()
    for command in (
        {"do": "kill_queue", "queue": "none"},
        {"do": "set", "name": "queue_mode", "value": "lazy", "queue": "none"},
    ):
        with pytest.raises(CommandError, match="there is no queue none; queues: orders, slow"):
            node.submit(command)


def test_a_scenario_with_several_queues_replays() -> None:
    node = node_of()
    node.submit(burst("slow", 9, persistent=True))
    node.submit({"do": "declare_queue", "name": "third"})
    node.submit(
        {"do": "set_publisher", "name": "p1", "rate_per_s": 40, "size_bytes": 10, "routing_key": "third"}
    )
    node.advance(2 * SECOND)
    node.submit({"do": "restart", "kind": "kill"})
    again = Cluster(parse(node.scenario_so_far().encode()), LedgerStorage())
    assert again.run() == node.log.digest
    assert not again.refused


def test_a_queue_that_is_asked_again_and_again_never_sleeps() -> None:
    """P4, P5, P6: list_queues wakes the queue process, which then reports its rates by the timer."""
    asked, alone = (Follower(node_of(None)) for _ in range(2))
    for follower in (asked, alone):
        follower.submit(burst("orders", 5))
    asked.submit({"do": "ask_queues", "count": 100, "every_ms": 100})
    for follower in (asked, alone):
        follower.advance(3 * SECOND)
    assert asked.node.snapshot()["node"]["clock"]["queue_process"] == "awake"
    assert alone.node.snapshot()["node"]["clock"]["queue_process"] == "hibernating"
    asked.advance(9 * SECOND)
    assert asked.node.snapshot()["node"]["clock"]["queue_process"] == "hibernating", "the script is over"
    assert ready(asked.node) == {"orders": 5}
