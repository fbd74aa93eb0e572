"""Several virtual hosts in one node: each has queues, exchanges, policies and stores of its own (S1)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands import commands
from engine.broker.commands.scenario import parse
from engine.formats.names import queue_directory, vhost_directory
from engine.formats.properties import parse_message
from engine.reading.message_places import state_of
from engine.releases import PROFILES
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, ScenarioError
from tests.helpers.following import Follower, differences
from tests.helpers.twin import Twin
from tests.property.test_javascript_twin import named

SECOND_US = 1_000_000
BODY_BYTES = 9000
PERSISTENT = {"size_bytes": BODY_BYTES, "persistent": True, "confirm": True}
TOPOLOGY: dict[str, Any] = {
    "queues": [{"name": "orders"}],
    "vhosts": [
        {
            "name": "prod/eu",
            "queues": [
                {"name": "orders"},
                {"name": "dead"},
                {"name": "levels", "arguments": {"x-max-priority": 2}},
            ],
            "exchanges": [
                {"name": "billing", "type": "topic", "arguments": {"alternate-exchange": "amq.fanout"}}
            ],
            "bindings": [
                {"exchange": "billing", "queue": "orders", "routing_key": "a.#"},
                {"exchange": "amq.fanout", "queue": "dead"},
            ],
            "policies": [
                {
                    "name": "p",
                    "pattern": "^orders",
                    "definition": {"dead-letter-exchange": "amq.fanout", "max-length": 3},
                }
            ],
        },
        {"name": "empty"},
    ],
}


def node_of(profile: str = "classroom", storage: LedgerStorage | None = None, **settings: Any) -> Follower:
    scenario = {"version": 1, "profile": profile, "settings": settings, "topology": TOPOLOGY}
    return Follower(Cluster(parse(scenario), storage or LedgerStorage(), keep=1_000_000))


def play(follower: Follower, *given: dict[str, Any]) -> None:
    for command in given:
        follower.node.submit(command)
        follower.check()
        follower.node.advance(follower.node.now_us + SECOND_US)
        follower.check()
        follower.node.verify()


def lengths(follower: Follower) -> dict[str, int]:
    queues = follower.node.snapshot()["queues"]
    return {name: queue["counters"]["len"] for name, queue in queues.items() if "part_of" not in queue}


def publish(count: int, queue: str = "orders", **more: Any) -> dict[str, Any]:
    return {"do": "publish", "count": count, "routing_key": queue, **PERSISTENT, **more}


def here(name: str) -> str:
    return f"prod/eu\n{name}"


@pytest.mark.parametrize("profile", ["classroom", "real"])
def test_each_host_has_its_own_queues_policies_and_exchanges(profile: str) -> None:
    follower = node_of(profile)
    play(follower, publish(5), publish(5, vhost="prod/eu"))
    assert lengths(follower) == {"orders": 5, here("orders"): 3, here("dead"): 2, here("levels"): 0}
    play(follower, publish(1, "a.b", exchange="billing", vhost="prod/eu"))
    play(follower, publish(1, "no", exchange="billing", vhost="prod/eu"))
    assert lengths(follower)[here("dead")] == 4
    play(follower, {"do": "purge", "vhost": "prod/eu"}, publish(2, vhost="empty"))
    assert lengths(follower) == {"orders": 5, here("orders"): 0, here("dead"): 4, here("levels"): 0}
    play(follower, {"do": "clear_policy", "name": "p", "vhost": "prod/eu"}, publish(7, vhost="prod/eu"))
    assert lengths(follower)[here("orders")] == 7


def test_its_files_are_a_brokers() -> None:
    """S1, S2, S6, S50: directories by hashes of both names, and the host's name within the messages."""
    storage = LedgerStorage()
    follower = node_of(storage=storage)
    play(follower, publish(2, vhost="prod/eu"), {"do": "restart", "kind": "clean"})
    root = f"msg_stores/vhosts/{vhost_directory('prod/eu')}"
    paths = [path for path in storage.paths() if path.startswith(root)]
    folder = f"{root}/queues/{queue_directory('prod/eu', 'orders')}"
    assert storage.read_bytes(f"{folder}/.queue_name", 0, 99) == b"VHOST: prod/eu\nQUEUE: orders\n"
    assert storage.read_bytes(f"{root}/.vhost", 0, 99) == b"prod/eu"
    stored = [path for path in paths if path.endswith(".rdq") and "persistent" in path and storage.size(path)]
    record = storage.read_bytes(stored[0], 0, storage.size(stored[0]) or 0)
    assert parse_message(record[24 : 8 + int.from_bytes(record[:8], "big")]).vhost == b"prod/eu"


@pytest.mark.parametrize("kind", ["clean", "kill", "kill_in_flush", "power"])
def test_each_host_survives_by_its_own_files(kind: str) -> None:
    follower = node_of()
    play(
        follower,
        publish(4),
        publish(2, vhost="prod/eu"),
        publish(3, "levels", properties={"priority": 1}, vhost="prod/eu"),
    )
    play(follower, {**publish(5, "dead", vhost="prod/eu"), "persistent": False, "confirm": False})
    play(follower, {"do": "restart", "kind": kind})
    assert lengths(follower) == {"orders": 4, here("orders"): 2, here("dead"): 0, here("levels"): 3}
    assert follower.node.snapshot()["node"]["vhosts"] == ["/", "prod/eu", "empty"]
    play(follower, {"do": "kill_queue", "vhost": "prod/eu"}, publish(1, vhost="prod/eu"))
    assert lengths(follower)[here("orders")] == 3


def test_a_deleted_host_takes_everything_with_it() -> None:
    storage = LedgerStorage()
    follower = node_of(storage=storage)
    play(
        follower,
        publish(4),
        publish(2, vhost="prod/eu"),
        {"do": "set_publisher", "name": "p1", "rate_per_s": 5, "size_bytes": 10, "vhost": "prod/eu"},
        {"do": "set_consumer", "name": "c1", "rate_per_s": 1, "prefetch": 2, "vhost": "prod/eu"},
        {"do": "get", "count": 1, "vhost": "prod/eu", "queue": "dead", "channel": "x.1"},
    )
    used = storage.used_bytes()
    play(follower, {"do": "delete_vhost", "vhost": "prod/eu"}, {"do": "delete_vhost", "vhost": "empty"})
    state = follower.node.snapshot()
    fresh = Follower(Cluster(parse({"version": 1, "profile": "classroom"}), LedgerStorage())).node.snapshot()
    assert set(state["node"]["actors"]) == {"burst", "hand"}
    for part in ("exchanges", "bindings", "policies", "vhosts"):
        assert state["node"].get(part) == fresh["node"].get(part)
    assert set(state["stores"]) == {"persistent", "transient"}
    assert storage.used_bytes() < used
    assert not [path for path in storage.paths() if vhost_directory("prod/eu") in path]
    with pytest.raises(CommandError, match="no virtual host prod/eu"):
        follower.node.submit(publish(1, vhost="prod/eu"))
    play(
        follower,
        {"do": "add_vhost", "vhost": "prod/eu"},
        {"do": "declare_queue", "name": "orders", "vhost": "prod/eu"},
    )
    assert lengths(follower) == {"orders": 4, here("orders"): 0}


def test_all_hosts_count_for_the_memory_of_the_node() -> None:
    """M7: the watermark is the node's, so what another host holds blocks publishers of every host."""
    node = node_of().node
    node.advance(SECOND_US)
    limit = {"absolute": node.snapshot()["node"]["memory"]["process_memory"] + 10_000}
    node.submit({"do": "set", "name": "vm_memory_high_watermark", "value": limit})
    node.submit({"do": "set_publisher", "name": "p1", "rate_per_s": 5, "size_bytes": 0})
    assert not node.snapshot()["node"]["alarms"]["memory"]
    node.submit({**publish(1000, "dead", vhost="prod/eu"), "size_bytes": 10})
    node.advance(3 * SECOND_US)
    state = node.snapshot()["node"]
    assert state["alarms"]["memory"]
    assert state["actors"]["p1"]["state"] in ("blocking", "blocked")


def test_a_link_repeats_a_run_with_several_hosts() -> None:
    follower = node_of(work_profile="nvme")
    play(
        follower,
        {"do": "add_vhost", "vhost": "later"},
        {"do": "declare_queue", "name": "q", "vhost": "later"},
    )
    play(
        follower,
        publish(9, "q", vhost="later"),
        publish(1),
    )
    run = follower.node.scenario_so_far()
    again = parse(msgspec.json.encode(run.to_json()))
    assert again == run
    assert Cluster(again, LedgerStorage()).run() == run.digest


def test_a_cluster_has_each_host_on_each_node() -> None:
    """H1: a mirror in another host than the first one is its member's queue with that host's name."""
    follower = node_of("real", nodes=2)
    ha = {
        "do": "set_policy",
        "name": "ha",
        "pattern": "levels|dead",
        "definition": {"ha-mode": "all"},
        "vhost": "prod/eu",
    }
    play(follower, ha, publish(3, "dead", vhost="prod/eu"), {"do": "kill_node", "node": "n1"})
    assert lengths(follower)[here("dead")] == 3
    play(follower, {"do": "start_node", "node": "n1"})
    assert f"{here('dead')}@n1" in follower.node.snapshot()["queues"]


@pytest.mark.parametrize(
    "profile", sorted({each.release.series: name for name, each in PROFILES.items()}.values())
)
def test_every_release_has_them(profile: str) -> None:
    follower = node_of(profile)
    play(follower, publish(2, vhost="prod/eu"), {"do": "restart", "kind": "kill"})
    assert lengths(follower)[here("orders")] == 2


@pytest.mark.parametrize(
    "command",
    [
        {"do": "publish", "count": 1, "size_bytes": 1, "vhost": ""},
        {"do": "publish", "count": 1, "size_bytes": 1, "vhost": "a\nb"},
        {"do": "publish", "count": 1, "size_bytes": 1, "vhost": 7},
        {"do": "publish", "count": 1, "size_bytes": 1, "vhost": "x" * 256},
        {"do": "purge", "queue": "prod/eu\norders"},
        {"do": "restart", "kind": "clean", "vhost": "prod/eu"},
        {"do": "add_vhost", "vhost": "a\nb"},
        {"do": "add_vhost", "vhost": ""},
    ],
)
def test_no_command_reaches_another_host_by_a_trick(command: dict[str, Any]) -> None:
    with pytest.raises(CommandError):
        commands.parse(command)


def test_topologies_with_wrong_hosts_are_refused() -> None:
    for vhosts in (
        [{"name": "/"}],
        [{"name": "a"}, {"name": "a"}],
        [{"name": "a\nb"}],
        [{"name": "a", "queues": [{"name": "b\nc"}]}],
    ):
        with pytest.raises(ScenarioError):
            parse({"version": 1, "profile": "classroom", "topology": {"vhosts": vhosts}})


def test_the_page_folds_several_hosts_alike(twin: Twin) -> None:
    node = node_of().node
    steps, done = [], 0
    gone = [{"do": "delete_vhost", "vhost": vhost} for vhost in ("prod/eu", "empty")]
    for command in (publish(5), publish(5, vhost="prod/eu"), *gone, {"do": "add_vhost", "vhost": "a"}):
        node.submit(command)
        rows = node.log.since(done)
        assert rows is not None
        done = rows.next
        steps.append(
            {
                "rows": rows.rows,
                "named": [named(each) for each in rows.rows],
                "concerns": [[each.about.group, getattr(each, "queue", None)] for each in rows.rows],
                "permitted": {},
                "state": node.snapshot(),
            }
        )
    twin.agrees("twin.mjs", [steps])


def test_the_page_shows_the_same_of_a_host_as_the_console(twin: Twin) -> None:
    follower = node_of()
    play(follower, publish(5), publish(3, vhost="prod/eu"), publish(3, "levels", vhost="prod/eu"))
    play(follower, {"do": "set_consumer", "name": "c1", "rate_per_s": 1, "prefetch": 2, "vhost": "prod/eu"})
    text = msgspec.json.encode(follower.node.snapshot()).decode()
    state = msgspec.json.decode(text)
    for vhost in ("/", "prod/eu", "empty", "absent"):
        found = twin.evaluate(
            f"(m.showHost({msgspec.json.encode(vhost).decode()}), m.stateHere({text}))", "model/hosts.js"
        )
        here = state_of(state, vhost)
        assert not differences(found, {**here, "node": {**here["node"], "vhost": "absent"}})


@pytest.mark.parametrize("stop", ["stop_node", "kill_node"])
@pytest.mark.parametrize("order", [("add_vhost", "start_node"), ("start_node", "add_vhost")])
def test_a_virtual_host_is_deleted_while_a_node_is_down(stop: str, order: tuple[str, str]) -> None:
    """S8: that node keeps the files until a virtual host of the name starts on it; no queue comes back."""
    storage = LedgerStorage()
    follower = node_of("real", storage, nodes=3)
    node = follower.node
    publish = {"do": "publish", "vhost": "prod/eu", "count": 5, "routing_key": "dead", **PERSISTENT}
    levels = {**publish, "routing_key": "levels"}
    for command in (publish, levels, {"do": stop, "node": "n1"}, {"do": "delete_vhost", "vhost": "prod/eu"}):
        node.submit(command)
        follower.check()
    root = f"msg_stores/vhosts/{vhost_directory('prod/eu')}/"
    left = [path for path in storage.paths() if root in path]
    assert left
    assert all(path.startswith(root) for path in left), "only the node that is down still has files"
    for verb in order:
        assert [path for path in storage.paths() if path.startswith(root)] == left
        node.submit({"do": verb, **({"node": "n1"} if verb == "start_node" else {"vhost": "prod/eu"})})
        follower.check()
    assert not [path for path in storage.paths() if path.startswith(f"{root}queues/")]
    node.submit({"do": "declare_queue", "vhost": "prod/eu", "name": "dead"})
    node.submit(publish)
    follower.check()
    node.verify()
