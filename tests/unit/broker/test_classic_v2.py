"""Nodes of 4.x: queues of version 2, shared stores of their own generation, and what is around them."""

from __future__ import annotations

from typing import Any

import pytest

from engine import releases
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.reading.message_places import place_of
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.errors import ScenarioError
from tests.helpers.following import Follower
from tests.helpers.twin import Twin
from tests.property.test_javascript_twin import named

RELEASES = ("4.3.6", "4.0.5")
PROFILES_OF = {each.name: each.profiles for each in releases.RELEASES.values()}


def node(release: str = "4.3.6", profile: str = "classroom", queues: Any = None, **settings: Any) -> Follower:
    scenario = {
        "version": 1,
        "profile": PROFILES_OF[release][profile],
        "topology": {"queues": queues or [{"name": "orders"}]},
        "settings": settings,
    }
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000))


def check(made: Follower) -> dict[str, Any]:
    """Compare the fold of all transitions with the node's own structures, and return the queues."""
    made.check()
    made.node.verify()
    found: dict[str, Any] = made.node.snapshot()["queues"]
    return found


def publish(made: Follower, count: int, size: int = 100, persistent: bool = True, **more: Any) -> None:
    command = {"do": "publish", "count": count, "size_bytes": size, "persistent": persistent}
    assert made.submit({**command, "routing_key": "orders", **more})


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("work", ["instant", "measured-vm"])
def test_messages_go_through_a_queue_of_version_2(release: str, work: str) -> None:
    """W2, W32, W33: publish, get, requeue, consume."""
    made = node(release, work_profile=work)
    publish(made, 20)
    publish(made, 5, size=6000)
    publish(made, 5, size=6000, persistent=False)
    made.advance(500_000)
    orders = check(made)["orders"]
    assert orders["backing_queue"] == "classic_v2"
    assert (orders["counters"]["len"], orders["counters"]["ram_msg_count"]) == (30, 1)
    assert made.submit({"do": "get", "count": 4, "ack": True, "queue": "orders"})
    made.advance(made.node.now_us + 100_000)
    assert made.submit({"do": "requeue", "count": 2})
    assert made.submit({"do": "ack", "count": 1})
    made.advance(made.node.now_us + 100_000)
    assert check(made)["orders"]["counters"]["len"] == 28
    assert made.submit(
        {"do": "set_consumer", "name": "c1", "queue": "orders", "rate_per_s": 100, "prefetch": 5}
    )
    made.advance(made.node.now_us + 5_000_000)
    assert check(made)["orders"]["counters"]["len"] == 0
    assert made.node.consumers.all["c1"].acked == 28


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("kind", "left"), [("clean", 14), ("kill", 12), ("kill_in_flush", 13), ("power", 0)])
def test_what_a_stop_keeps(release: str, kind: str, left: int) -> None:
    """W65, W95, W97, W203: a killed node keeps what a sync wrote; a power cut keeps none of it."""
    made = node(release)
    publish(made, 12, confirm=True)
    publish(made, 3, persistent=False)
    made.advance(600_000)
    publish(made, 2)
    assert made.submit({"do": "restart", "kind": kind})
    assert check(made)["orders"]["counters"]["len"] == left


def test_confirms_come_with_the_sync_and_without_fsync() -> None:
    """W62, W63, W65."""
    made = node()
    publish(made, 5, confirm=True)
    publish(made, 5, size=6000, confirm=True)
    made.advance(made.node.now_us + 400_000)
    kinds = [type(each).__name__ for each in made.node.log.since(0).rows]  # type: ignore[union-attr]
    assert "ConfirmsSent" in kinds
    assert "StoreSynced" not in kinds
    assert check(made)["orders"]["counters"]["unconfirmed_count"] == 0


def test_priorities_limits_and_expiry_are_as_ever() -> None:
    """W39: also over queues of version 2."""
    made = node(queues=[{"name": "orders", "arguments": {"x-max-priority": 2}}, {"name": "short"}])
    publish(made, 4)
    assert {name: queue.get("backing_queue") for name, queue in check(made).items()} == {
        "orders": "priority_queue",
        "orders:0": "classic_v2",
        "orders:1": "classic_v2",
        "orders:2": "classic_v2",
        "short": "classic_v2",
    }
    policy = {"message-ttl": 300, "max-length": 3}
    assert made.submit({"do": "set_policy", "name": "p", "pattern": "^short", "definition": policy})
    publish(made, 9, routing_key="short")
    assert check(made)["short"]["counters"]["len"] == 3
    made.advance(1_000_000)
    assert check(made)["short"]["counters"]["len"] == 0
    assert made.submit({"do": "restart", "kind": "clean"})
    assert check(made)["orders"]["counters"]["len"] == 4


def test_the_collector_waits_fifteen_seconds() -> None:
    """W140, W141: then files with less than half of valid data are compacted."""
    made = node(msg_store_file_size_limit=40_000)
    publish(made, 14, size=6000)
    assert made.submit({"do": "get", "count": 14, "ack": True, "queue": "orders"})
    assert made.submit({"do": "ack", "count": 5})
    made.advance(made.node.now_us + 16_000_000)
    size = made.node.snapshot()["stores"]["persistent"]["files"][0][1]
    assert made.submit({"do": "ack", "count": 1})
    made.advance(made.node.now_us + 17_000_000)
    check(made)
    files = made.node.snapshot()["stores"]["persistent"]["files"]
    assert files[0][1] < size


def test_a_release_without_mirrors_refuses_several_nodes() -> None:
    """W75."""
    with pytest.raises(ScenarioError, match="no mirrored queues"):
        node(nodes=3)


def test_today_s_watermark() -> None:
    """W1, W72: 60 % of the memory, and segments of 4096 entries."""
    settings = node(profile="real").node.snapshot()["node"]["settings"]
    assert (settings["vm_memory_high_watermark"], settings["segment_entry_count"]) == (0.6, 4096)
    assert (
        node(profile="real", release="3.10.8").node.snapshot()["node"]["settings"]["segment_entry_count"]
        == 2048
    )


def test_files_of_a_node_are_the_same_on_disk(tmp_path: Any) -> None:
    """W81, W110: a ledger and a directory report the same."""
    digests = []
    for storage in (LedgerStorage(), DirectoryStorage(str(tmp_path))):
        scenario = {"version": 1, "profile": "4.3.6-classroom"}
        made = Follower(Cluster(parse(scenario), storage, keep=100_000))
        publish(made, 30)
        publish(made, 5, size=6000)
        assert made.submit({"do": "get", "count": 9, "ack": True, "queue": "orders"})
        assert made.submit({"do": "ack", "count": 7})
        assert made.submit({"do": "restart", "kind": "kill"})
        assert made.submit({"do": "get", "count": 30, "ack": False, "queue": "orders"})
        check(made)
        digests.append(made.node.log.digest)
    assert digests[0] == digests[1]


def test_the_page_folds_the_same(twin: Twin) -> None:
    """W45, W86, W114, W142: every kind of version 2, in the engine and in the page's scripts."""
    runs: list[list[dict[str, Any]]] = []
    for release in RELEASES:
        made = node(release, msg_store_file_size_limit=40_000)
        commands: list[dict[str, Any]] = [
            {"do": "publish", "count": 30, "size_bytes": 100, "persistent": True},
            {"do": "publish", "count": 14, "size_bytes": 6000, "persistent": True},
            {"do": "publish", "count": 6, "size_bytes": 300, "persistent": False},
            {"do": "get", "count": 40, "ack": True, "queue": "orders"},
            {"do": "ack", "count": 37},
            {"do": "requeue", "count": 2},
            {"do": "set_policy", "name": "p", "pattern": "", "definition": {"message-ttl": 60_000}},
            {"do": "get", "count": 3, "ack": False, "queue": "orders"},
            {"do": "restart", "kind": "clean"},
            {"do": "publish", "count": 9, "size_bytes": 40, "persistent": True},
            {"do": "restart", "kind": "kill"},
            {"do": "purge", "queue": "orders"},
            {"do": "publish", "count": 9, "size_bytes": 40, "persistent": True},
        ]
        steps, done = [], 0
        for command in commands:
            made.submit({"routing_key": "orders", **command} if command["do"] == "publish" else command)
            made.advance(made.node.now_us + (16_000_000 if command["do"] == "ack" else 20_000))
            rows = made.node.log.since(done)
            assert rows is not None
            done = rows.next
            steps.append(
                {
                    "rows": rows.rows,
                    "named": [named(each) for each in rows.rows],
                    "concerns": [[each.about.group, getattr(each, "queue", None)] for each in rows.rows],
                    "permitted": {},
                    "state": made.node.snapshot(),
                }
            )
        check(made)
        runs.append(steps)
    kinds = {row["kind"] for steps in runs for step in steps for row in step["named"]}
    assert {
        "TailLoaded",
        "HeadReturned",
        "IndexFlushed",
        "BodiesWritten",
        "BodyFileDeleted",
        "FilesReset",
    } <= kinds
    twin.agrees("twin.mjs", runs)


@pytest.mark.parametrize("kind", ["clean", "kill"])
def test_each_message_of_a_tail_without_gaps_has_its_place(kind: str) -> None:
    """W12: the record of the tail says it, also of what a start found on files."""
    made = node()
    publish(made, 16, size=6000)
    assert made.submit({"do": "restart", "kind": kind})
    orders = check(made)["orders"]
    assert [place_of(orders, seq) for seq in (0, 1, 15, 16)] == ["head", "tail", "tail", None]
