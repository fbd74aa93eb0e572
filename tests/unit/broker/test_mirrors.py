"""A cluster through the node door: its transitions fold to its state, and each member has its own memory."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.node import ExchangeDeleted
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower

HA: dict[str, Any] = {"do": "set_policy", "name": "ha", "pattern": ".*", "definition": {"ha-mode": "all"}}
BURST: dict[str, Any] = {
    "do": "publish",
    "count": 30,
    "size_bytes": 2000,
    "persistent": True,
    "confirm": True,
}
SECOND_US = 1_000_000


def cluster_of(nodes: int, **settings: Any) -> Follower:
    scenario = {"version": 1, "profile": "real", "settings": {"nodes": nodes, **settings}}
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=1_000_000))


def play(follower: Follower, *commands: dict[str, Any]) -> None:
    for command in commands:
        follower.node.submit(command)
        follower.check()
        follower.node.advance(follower.node.now_us + SECOND_US)
        follower.check()


def test_the_transitions_of_a_failover_fold_to_the_state() -> None:
    """H62, H72: a mirror becomes the queue under its name, and the old master's node gets an empty mirror."""
    follower = cluster_of(3)
    play(follower, HA, BURST, {"do": "get", "count": 3}, {"do": "connect", "name": "c", "node": "n2"})
    play(follower, {"do": "set_consumer", "name": "c", "rate_per_s": 5, "prefetch": 4})
    play(follower, {"do": "kill_node", "node": "n1"}, BURST)
    state = follower.node.snapshot()
    assert set(state["queues"]) == {"orders", "orders@n3"}
    assert state["queues"]["orders"]["node"] == "n2"
    play(follower, {"do": "start_node", "node": "n1"}, {"do": "sync_queue"})
    state = follower.node.snapshot()
    assert state["queues"]["orders"]["synchronised"] == ["n1", "n3"]
    assert state["queues"]["orders@n1"]["depth_delta"] == 0
    assert {"persistent", "persistent@n2", "persistent@n3"} <= set(state["stores"])
    follower.node.verify()


def test_hops_take_time_and_change_nothing_else() -> None:
    """H28, H83, H88: the ring is an ordered stream; what is under way arrives before anybody is promoted."""
    follower = cluster_of(3, ring_hop_us=2000)
    node = follower.node
    play(follower, HA)
    node.submit(BURST)
    assert [member.mirror.queue.depth for member in node.cluster.members.values()] == [0, 0]
    assert node.connections.burst.unconfirmed == 30
    assert all(member.mirror.waiting == 30 for member in node.cluster.members.values()), (
        "H83: held, not counted"
    )
    node.submit({"do": "kill_node", "node": "n1"})
    follower.check()
    assert node.queues["orders"].depth == 30


def test_each_member_writes_everything_itself() -> None:
    """H81: three members write everything three times; no file is shared."""
    bytes_of = {}
    for nodes in (1, 3):
        follower = cluster_of(nodes)
        play(follower, HA, {**BURST, "size_bytes": 8000})
        bytes_of[nodes] = follower.node.storage.used_bytes()
    assert 2.9 < bytes_of[3] / bytes_of[1] < 3.1


def test_each_node_has_its_own_memory_and_one_alarm_stops_all() -> None:
    """H80, H86: a queue fills one node; publishers everywhere are blocked. Recording m31 shows one mirror paging."""
    follower = cluster_of(3, ram_bytes=64 * 1024 * 1024, base_memory_bytes=1_000_000)
    node = follower.node
    play(follower, {"do": "connect", "name": "there", "node": "n2"})
    play(follower, {"do": "declare_queue", "name": "other", "channel": "there"})
    play(follower, {"do": "publish", "count": 1000, "size_bytes": 60_000, "routing_key": "other"})
    assert [name for name, each in node.nodes.items() if each.watch.alarm] == ["n2"]
    assert node.connections.alarm, "one node's alarm is everybody's"
    assert node.nodes["n2"].watch.memory.bodies > 50_000_000
    assert node.nodes["n1"].watch.memory.bodies == 0


def test_a_crashed_master_whose_only_mirror_may_not_be_promoted_starts_on_its_own_files() -> None:
    """H64, H75: when-synced and nobody synchronised: the mirror ends, then nobody else is alive."""
    follower = cluster_of(2)
    play(follower, {**BURST, "count": 10}, {**BURST, "count": 5, "persistent": False})
    definition = {"ha-mode": "all", "ha-promote-on-failure": "when-synced"}
    play(follower, {**HA, "definition": definition}, {"do": "kill_queue", "queue": "orders"})
    queues = follower.node.snapshot()["queues"]
    assert set(queues) == {"orders", "orders@n2"}
    assert queues["orders"]["node"] == "n1"
    assert follower.node.queues["orders"].depth == 10
    follower.node.verify()


def test_the_ring_gives_no_credit() -> None:
    """H84, H85: only copies and instructions that a member has not handled hold a channel back."""
    follower = cluster_of(3)
    play(follower, HA, {**BURST, "count": 5000, "size_bytes": 16})
    assert follower.node.queues["orders"].depth == 5000
    play(follower, {"do": "freeze", "node": "n3"}, {**BURST, "count": 5000, "size_bytes": 16})
    assert follower.node.queues["orders"].depth == 5600
    play(follower, {"do": "thaw", "node": "n3"})
    assert follower.node.queues["orders"].depth == 10_000


def test_a_node_leaves_a_transient_queue_to_the_mirror_that_takes_over() -> None:
    """H73, H76: its old master's node comes back while the mirror that is to take over stands still."""
    scenario = {
        "version": 1,
        "profile": "real",
        "settings": {"nodes": 2},
        "topology": {"queues": [{"name": "orders", "durable": False}]},
    }
    follower = Follower(Cluster(parse(scenario), LedgerStorage(), keep=1_000_000))
    play(follower, HA, {**BURST, "count": 5}, {"do": "freeze", "node": "n2"})
    play(follower, {"do": "kill_node", "node": "n1"}, {"do": "start_node", "node": "n1"})
    assert not follower.node.queues
    play(follower, {"do": "thaw", "node": "n2"})
    state = follower.node.snapshot()["queues"]["orders"]
    assert state["node"] == "n2"
    assert follower.node.queues["orders"].depth == 5


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"do": "kill_node", "node": "n3"}, "there is no node n3"),
        ({"do": "start_node", "node": "n2"}, "n2 runs already"),
        ({"do": "sync_queue"}, "has no mirrors by policy"),
        ({"do": "kill_queue", "node": "n2"}, "has no member on n2"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(command: dict[str, Any], words: str) -> None:
    node = cluster_of(2).node
    with pytest.raises(CommandError, match=words):
        node.submit(command)


def test_the_node_that_stopped_last_starts_first() -> None:
    """H74: the others wait for it, whose files are the queue."""
    follower = cluster_of(2)
    play(follower, HA, BURST, {"do": "stop_node", "node": "n1"}, {"do": "stop_node", "node": "n2"})
    with pytest.raises(CommandError, match="waits for n2"):
        follower.node.submit({"do": "start_node", "node": "n1"})
    play(follower, {"do": "start_node", "node": "n2"}, {"do": "start_node", "node": "n1"})
    assert follower.node.queues["orders"].depth == 30


def test_mirrors_that_are_dropped_together_while_they_are_filled_get_nothing_more() -> None:
    """H59: the second mirror's synchronisation is announced later, yet it gets no batch and nothing is recorded."""
    follower = cluster_of(3, ring_hop_us=500)
    node = follower.node
    automatic = {"ha-mode": "all", "ha-sync-mode": "automatic", "ha-sync-batch-size": 3}
    node.submit(BURST)
    node.submit(HA | {"definition": automatic})
    node.advance(node.now_us + 1000)
    node.submit(HA | {"definition": {"ha-mode": "exactly", "ha-params": 1}})
    node.advance(node.now_us + SECOND_US)
    follower.check()
    record = node.cluster.records["orders"]
    assert (record.mirrors, record.synchronised, node.cluster.syncs) == ([], set(), {})
    node.verify()


def test_each_node_watches_its_own_disk_and_one_alarm_blocks_everybody() -> None:
    """H81, H86, M10: n2 has a queue of its own, whose files fill its disk; with n2 its alarm goes."""
    disk = {"disk_total_bytes": 2_000_000, "disk_free_limit": 1_000_000}
    follower = cluster_of(3, **disk)
    node = follower.node
    node.submit({"do": "declare_queue", "name": "b", "channel": "n2.1"})
    assert node.cluster.records["b"].master == "n1"
    node.submit({"do": "delete_queue", "name": "b"})
    node.submit({"do": "connect", "name": "c", "node": "n2"})
    play(follower, {"do": "declare_queue", "name": "b", "channel": "c.1"})
    assert node.cluster.records["b"].master == "n2"
    play(follower, BURST | {"count": 700, "size_bytes": 2000, "routing_key": "b"})
    node.advance(node.now_us + 12 * SECOND_US)
    follower.check()
    shown = node.snapshot()["node"]
    assert [shown["cluster"][f"{each}_disk_alarm"] for each in ("n2", "n3")] == [True, False]
    assert shown["alarms"]["disk"] is False, "the first node's own disk has room"
    play(follower, BURST | {"count": 1})
    assert node.queues["orders"].depth == 0, "the publisher is blocked all the same"
    play(follower, {"do": "kill_node", "node": "n2"})
    assert node.queues["orders"].depth == 1


def test_without_a_word_about_disks_nothing_is_shown_of_them() -> None:
    """Runs from before keep their digests."""
    assert not [name for name in cluster_of(3).node.snapshot()["node"]["cluster"] if "disk" in name]


@pytest.mark.parametrize(("stop", "rule"), [("stop_node", "P18"), ("kill_node", "H76")])
def test_an_exclusive_queue_goes_with_the_node_that_both_it_and_its_connection_were_on(
    stop: str, rule: str
) -> None:
    """An orderly stop closes the connection, and the queue goes with it; of a lost node both are gone at once."""
    follower = cluster_of(3)
    play(follower, {"do": "declare_queue", "name": "mine", "exclusive": True})
    play(follower, {"do": "declare_exchange", "name": "fed", "auto_delete": True})
    play(follower, {"do": "bind", "exchange": "fed", "queue": "mine"})
    play(follower, {"do": "publish", "count": 3, "size_bytes": 100, "routing_key": "mine"})
    play(follower, {"do": stop, "node": "n1"}, {"do": "start_node", "node": "n1"})
    assert set(follower.node.snapshot()["queues"]) == {"orders"}
    rows = follower.node.log.since(0).rows
    assert [row.rule for row in rows if isinstance(row, ExchangeDeleted)] == [rule]
    follower.node.verify()


@pytest.mark.parametrize("stop", ["stop_node", "kill_node"])
def test_what_lay_in_a_blocked_socket_is_lost_with_the_node(stop: str) -> None:
    """A3: the alarm ends with the node's memory, and nobody reads what its clients had sent."""
    follower = cluster_of(3, ram_bytes=64 * 1024 * 1024, base_memory_bytes=20_000_000)
    burst, by_hand = {**BURST, "count": 2000, "size_bytes": 4000}, {**BURST, "count": 5, "channel": "x"}
    play(follower, burst, {**BURST, "count": 7}, by_hand)
    node = follower.node
    assert node.connections.alarm
    assert node.connections.waiting == 12
    play(follower, {"do": stop, "node": "n1"}, {"do": "start_node", "node": "n1"})
    assert node.connections.waiting == 0
    assert node.queues["orders"].depth == 2000
    node.verify()


def test_a_mirrored_queue_goes_with_its_last_consumer_as_a_node_stops() -> None:
    """P18, H71: its master is elsewhere, and it is deleted before its mirror here is lost."""
    follower = cluster_of(3)
    auto = {"do": "declare_queue", "name": "auto", "auto_delete": True}
    play(follower, HA, auto, {"do": "move_master", "queue": "auto", "node": "n2"})
    play(follower, {"do": "set_consumer", "name": "t1", "queue": "auto"}, {"do": "stop_node", "node": "n1"})
    assert "auto" not in follower.node.snapshot()["queues"]
    play(follower, {"do": "start_node", "node": "n1"})
    follower.node.verify()
