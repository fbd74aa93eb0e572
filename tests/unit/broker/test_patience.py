"""A queue whose master is gone: methods and consumers wait for it about a minute; then it is 404 (H64, H67)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ChannelClosed, ConsumerCancelled
from engine.report.transitions.queue import Acked
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
WHEN_SYNCED = {"ha-mode": "all", "ha-promote-on-failure": "when-synced"}
GET = {"do": "get", "channel": "ch", "count": 2}


def down(
    nodes: int = 3, how: str = "kill_node", definition: dict[str, Any] | None = None, **consumer: Any
) -> Cluster:
    """Return a cluster whose queue has five messages, and no master since its node is gone."""
    node = Cluster(
        parse({"version": 1, "profile": "real", "settings": {"nodes": nodes}}), LedgerStorage(), keep=100_000
    )
    if consumer:
        node.submit({"do": "connect", "name": "c", "node": "n2"})
        node.submit({"do": "set_consumer", "name": "c", "rate_per_s": 1, "prefetch": 1, **consumer})
    node.submit({"do": "publish", "count": 5, "size_bytes": 10, "persistent": True, "confirm": True})
    wait(node, SECOND_US // 10)  # so they are on disk
    if definition:
        node.submit({"do": "set_policy", "name": "ha", "pattern": ".*", "definition": definition})
    node.submit({"do": how, "node": "n1"})
    return node


def emitted(node: Cluster, kind: type[Transition]) -> list[Any]:
    rows = node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if isinstance(each, kind)]


def wait(node: Cluster, us: int) -> None:
    node.advance(node.now_us + us)


@pytest.mark.parametrize(
    "command",
    [
        GET,
        {"do": "purge", "channel": "ch"},
        {"do": "declare_queue", "name": "orders", "channel": "ch"},
        {"do": "consume", "name": "tag", "channel": "ch"},
        {"do": "set_consumer", "name": "ch", "rate_per_s": 10},
    ],
    ids=lambda command: str(command["do"]),
)
def test_after_a_minute_the_channel_hears_404(command: dict[str, Any]) -> None:
    node = down()
    node.submit(command)
    wait(node, MINUTE_US - SECOND_US)
    assert not emitted(node, ChannelClosed)
    wait(node, 2 * SECOND_US)
    (closed,) = emitted(node, ChannelClosed)
    assert closed.code == 404
    assert closed.text.endswith("operation on queue 'orders' in vhost '/' due to timeout")
    node.verify()


def test_what_waited_is_done_when_the_node_returns_and_what_came_behind_it_too() -> None:
    node = down()
    node.submit(GET)
    node.submit({"do": "ack", "channel": "ch", "count": 2})
    wait(node, 10 * SECOND_US)
    node.submit({"do": "start_node", "node": "n1"})
    wait(node, MINUTE_US)
    assert node.queues["orders"].depth == 3
    assert not emitted(node, ChannelClosed)
    assert sum(extent.count for each in emitted(node, Acked) for extent in each.extents) == 2


def test_a_queue_that_was_stopped_in_order_is_absent_at_once() -> None:
    """Without mirrors by policy; with some the record still says that it lives (H71)."""
    node = down(how="stop_node")
    node.submit(GET)
    assert [each.text for each in emitted(node, ChannelClosed)] == [
        "NOT_FOUND - queue 'orders' in vhost '/' process is stopped by supervisor"
    ]
    mirrored = down(how="stop_node", definition={"ha-mode": "all"})
    mirrored.submit(GET)
    assert not emitted(mirrored, ChannelClosed)


def test_consumers_consume_again_when_the_node_returns() -> None:
    node = down(ack="each")
    node.submit({"do": "set_consumer", "name": "c", "rate_per_s": 3, "prefetch": 1})
    wait(node, 20 * SECOND_US)
    node.submit({"do": "start_node", "node": "n1"})
    wait(node, 20 * SECOND_US)
    assert node.queues["orders"].depth == 0
    assert not emitted(node, ConsumerCancelled)


def test_consumers_are_cancelled_after_a_minute() -> None:
    node = down(ack="each")
    wait(node, MINUTE_US + SECOND_US)
    (cancelled,) = emitted(node, ConsumerCancelled)
    assert (cancelled.rule, cancelled.actor) == ("H67", "c")
    node.submit({"do": "start_node", "node": "n1"})
    wait(node, 20 * SECOND_US)
    assert node.queues["orders"].depth == 5


def test_those_that_want_so_are_cancelled_at_once_also_where_no_mirror_takes_over() -> None:
    node = down(ack="each", cancel_on_failover=True)
    assert len(emitted(node, ConsumerCancelled)) == 1


def test_a_new_consumer_is_not_cancelled_by_the_return() -> None:
    node = down()
    node.submit({"do": "set_consumer", "name": "c", "rate_per_s": 10, "cancel_on_failover": True})
    node.submit({"do": "start_node", "node": "n1"})
    wait(node, 5 * SECOND_US)
    assert node.queues["orders"].depth == 0
    assert not emitted(node, ConsumerCancelled)


def test_a_queue_that_is_down_may_be_deleted_but_not_if_it_must_be_empty() -> None:
    """H77: nobody can say whether it is empty."""
    node = down()
    node.submit({"do": "delete_queue", "name": "orders", "channel": "ch", "if_empty": True})
    (closed,) = emitted(node, ChannelClosed)
    assert (closed.code, "not empty" in closed.text) == (406, True)
    node.submit(GET)
    node.submit({"do": "delete_queue", "name": "orders"})
    assert "orders" not in node.definitions.queues
    assert emitted(node, ChannelClosed)[-1].text == "NOT_FOUND - no queue 'orders' in vhost '/'"
    node.submit({"do": "start_node", "node": "n1"})
    wait(node, SECOND_US)
    assert "orders" not in node.snapshot()["queues"]
    node.verify()


def test_while_a_mirror_lives_a_deletion_waits_for_the_promotion() -> None:
    node = down(definition=WHEN_SYNCED)
    node.submit({"do": "delete_queue", "name": "orders"})
    wait(node, 2 * MINUTE_US)
    assert "orders" in node.definitions.queues
    node.submit({"do": "start_node", "node": "n1"})
    assert "orders" not in node.definitions.queues


@pytest.mark.parametrize(
    "command", [GET, {"do": "publish", "count": 1, "size_bytes": 1}, {"do": "restart", "kind": "kill"}]
)
def test_where_no_node_runs_nothing_can_be_done_but_starting_one(command: dict[str, Any]) -> None:
    node = down(nodes=1)
    with pytest.raises(CommandError, match="does not run; start it first"):
        node.submit(command)
    node.submit({"do": "start_app"})
    node.submit(GET)
    assert node.queues["orders"].depth == 3
