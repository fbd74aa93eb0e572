"""What users reported of their brokers, played as they told it; a node gives the broker's answer."""

from __future__ import annotations

from typing import Any

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.storage.ledger import LedgerStorage

SECOND_US = 1_000_000
LAZY = """set_policy lazy '.*' '{"queue-mode":"lazy"}' --apply-to queues"""
HA = (
    """set_policy ha '.*' '{"ha-mode":"exactly","ha-params":2,"ha-promote-on-failure":"when-synced","""
    """"ha-sync-mode":"automatic"}' --apply-to queues"""
)


def node_of(*commands: dict[str, Any], **settings: Any) -> Cluster:
    node = operated(
        parse({"version": 1, "profile": "real", "settings": settings, "until_us": 0}), LedgerStorage()
    )
    play(node, *commands)
    return node


def play(node: Cluster, *commands: dict[str, Any]) -> None:
    for command in commands:
        node.submit(command)
        node.advance(node.now_us + SECOND_US)
    node.verify()


def publish(count: int, size_bytes: int, **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "size_bytes": size_bytes, **more}


def ctl(line: str) -> dict[str, Any]:
    return {"do": "ctl", "line": line}


def orders(node: Cluster) -> dict[str, Any]:
    queue: dict[str, Any] = node.snapshot()["queues"]["orders"]
    return queue


def test_ten_thousand_unacknowledged_return_to_the_head_in_order_and_in_ram() -> None:
    """Issue 1164: all of them are redelivered, still in RAM."""
    consumer = {"do": "set_consumer", "name": "c1", "prefetch": 0, "ack": "each", "rate_per_s": 1}
    node = node_of(publish(10_000, 10_000))
    node.submit(consumer)
    assert node.snapshot()["node"]["actors"]["c1"]["unacked"] == 10_000
    play(node, {"do": "remove", "name": "c1"})
    queue = orders(node)
    assert queue["counters"]["len"] == 10_000
    assert [(row[0], row[1]) for row in queue["lanes"]["q4"]] == [(0, 10_000)]
    assert queue["counters"]["ram_msg_count"] == 10_000


def test_a_policy_that_makes_a_long_queue_lazy_ends_and_leaves_a_batch_in_ram() -> None:
    """Issues 850 and 5118: the conversion ends, and a purge works after it."""
    node = node_of(publish(50_000, 1_000, persistent=True), ctl(LAZY))
    queue = orders(node)
    assert queue["mode"] == "lazy"
    assert (queue["counted"]["delta"][1], sum(row[1] for row in queue["lanes"]["q3"])) == (47_952, 2_048)
    play(node, ctl("purge_queue orders"))
    assert orders(node)["counters"]["len"] == 0


def test_a_killed_masters_synchronised_mirror_has_everything_and_fills_another() -> None:
    """Issue 2749: exactly 2, automatic, when-synced."""
    node = node_of(ctl(HA), publish(1_000, 100, persistent=True), {"do": "kill_node", "node": "n1"}, nodes=3)
    queue = orders(node)
    assert (queue["node"], queue["counters"]["len"]) == ("n2", 1_000)
    assert queue["synchronised"] == ["n3"]


def test_a_queue_whose_mirrors_are_not_synchronised_stops_with_its_master_and_comes_back() -> None:
    """Issue 1607: it is missing from list_queues, and comes back with its messages when its node does."""
    manual = HA.replace("automatic", "manual").replace("'.*'", "'orders'")
    node = node_of(publish(1_000, 100, persistent=True), ctl(manual), nodes=3)
    play(node, {"do": "stop_node", "node": "n1"})
    assert "orders" not in ask_node(node, "list_queues -q name").text
    play(node, {"do": "start_node", "node": "n1"})
    assert "orders\t1000" in ask_node(node, "list_queues -q name messages").text


def test_a_disk_limit_above_what_is_free_blocks_publishers() -> None:
    """Issue 880: 32 GB, and 31 GB are left."""
    node = node_of(
        ctl("set_disk_free_limit 32GB"),
        {"do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 100, "persistent": True},
        disk_total_bytes=31_000_000_000,
    )
    assert node.snapshot()["node"]["actors"]["p1"]["state"] == "blocked"
    answer = ask_node(node, "status").text
    assert "Free disk space alarm on node" in answer
    assert "Low free disk space watermark: 32.0 gb" in answer


def test_transient_messages_of_a_durable_queue_are_gone_after_a_restart() -> None:
    """An event broker's issue 546: 7 persistent of 12 return."""
    node = node_of(publish(7, 100, persistent=True), publish(5, 100), {"do": "restart", "kind": "clean"})
    assert orders(node)["counters"]["len"] == 7


def test_a_publish_before_confirm_select_is_never_confirmed() -> None:
    """PR 3870: one confirm, none outstanding."""
    first = publish(1, 10, mandatory=True, routing_key="nowhere", channel="hand")
    node = node_of(first, {"do": "confirm_select"}, publish(1, 10, channel="hand"))
    hand = node.snapshot()["node"]["actors"]["hand"]
    assert (hand["confirmed"], hand["unconfirmed"]) == (1, 0)


def test_one_old_message_keeps_its_store_file() -> None:
    """Large store files with few messages: the others are deleted, that of one record stays."""
    node = node_of(
        publish(1, 8_000, persistent=True),
        {"do": "get", "count": 1},
        publish(6_000, 8_000, persistent=True),
        {"do": "purge"},
    )
    found = node.snapshot()["stores"]["persistent"]["files"]
    print(found)
    files = found
    first = min(files)[0] if isinstance(files, list) else min(files)
    assert first == 0
    assert len(files) <= 2
