"""Nodes of 3.10.8 with queues whose files are of version 2, by argument or policy (W2, W18, W100, W209)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.values.sizes import equal
from tests.helpers.following import Follower
from tests.helpers.twin import Twin
from tests.property.test_javascript_twin import named

V2: dict[str, Any] = {"x-queue-version": 2}


def scenario(arguments: dict[str, Any], profile: str = "classroom", **settings: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "profile": profile,
        "topology": {"queues": [{"name": "orders", "arguments": arguments}]},
        "settings": settings,
    }


def node(arguments: dict[str, Any], storage: Any = None, **more: Any) -> Follower:
    return Follower(Cluster(parse(scenario(arguments, **more)), storage or LedgerStorage(), keep=100_000))


def check(made: Follower) -> dict[str, Any]:
    """Compare the fold of all transitions with the node's own structures, and return the queue."""
    made.check()
    made.node.verify()
    found: dict[str, Any] = made.node.snapshot()["queues"]["orders"]
    return found


def publish(made: Follower, count: int, size: int = 100, persistent: bool = True, **more: Any) -> None:
    command = {"do": "publish", "count": count, "size_bytes": size, "persistent": persistent}
    assert made.submit({**command, "routing_key": "orders", **more})


def fill(made: Follower) -> None:
    """Publish 30 messages of all kinds and page some of them."""
    publish(made, 12)
    publish(made, 4, size=6000)
    publish(made, 6, persistent=False)
    publish(made, 8)
    made.advance(made.node.now_us + 300_000)
    assert made.submit({"do": "set", "name": "target_ram_count", "queue": "orders", "value": 5})
    made.advance(made.node.now_us + 300_000)


def taken(made: Follower, count: int) -> list[tuple[int, bool]]:
    """Get messages and acknowledge them; return body sizes and redelivered flags as the queue gave them."""
    live = made.node.queues["orders"].process.queue
    found = live.fetch(count, True)
    return [(equal(e.extent.size_bytes), at < e.redelivered) for e in found for at in range(e.extent.count)]


@pytest.mark.parametrize("work", ["instant", "measured-vm"])
def test_a_queue_of_version_2_has_lanes_of_version_1(work: str) -> None:
    """W2, W18: paging, loading and acknowledging on `.qi` and `.qs`; small bodies leave RAM."""
    made = node(V2, work_profile=work)
    fill(made)
    orders = check(made)
    assert orders["backing_queue"] == "variable_queue_v2"
    assert orders["counters"]["ram_msg_count"] <= 5
    assert orders["own"]["files"]["segments"]
    assert not [name for name in files(made) if name.endswith((".idx", ".jif"))]
    assert made.submit({"do": "get", "count": 9, "ack": True, "queue": "orders"})
    made.advance(made.node.now_us + 300_000)
    assert made.submit({"do": "requeue", "count": 3})
    assert made.submit({"do": "ack", "count": 4})
    made.advance(made.node.now_us + 300_000)
    assert check(made)["counters"]["len"] == 24
    assert made.submit(
        {"do": "set_consumer", "name": "c1", "queue": "orders", "rate_per_s": 100, "prefetch": 5}
    )
    made.advance(made.node.now_us + 4_000_000)
    assert check(made)["counters"]["len"] == 0


def files(made: Follower) -> list[str]:
    queue = made.node.queues["orders"].process.queue
    storage: Any = made.node.storage
    return [name for directory in queue.directories for name in storage.list(directory)]


@pytest.mark.parametrize("kind", ["clean", "kill", "kill_in_flush", "power"])
@pytest.mark.parametrize("then", [2, None])
def test_a_stop_and_a_start_with_the_files_that_are_asked_for(kind: str, then: int | None) -> None:
    """W95, W96, W97, W209: without the argument or a policy the next start converts the files."""
    made = node({})
    assert made.submit(
        {"do": "set_policy", "name": "two", "pattern": "orders", "definition": {"queue-version": 2}}
    )
    fill(made)
    assert made.submit({"do": "get", "count": 2, "ack": True, "queue": "orders"})
    if then is None:
        assert made.submit({"do": "clear_policy", "name": "two"})
        assert check(made)["backing_queue"] == "variable_queue_v2", "a running queue keeps its files"
    made.advance(made.node.now_us + 300_000)
    assert made.submit({"do": "restart", "kind": kind})
    made.advance(made.node.now_us + 5_000_000)
    orders = check(made)
    kept = {"clean": 24, "kill": 24, "kill_in_flush": 24, "power": 0}[kind]
    assert orders["counters"]["len"] == kept
    assert orders.get("backing_queue") == ("variable_queue_v2" if then else None)
    old = [name for name in files(made) if name.endswith((".idx", ".jif"))]
    new = [name for name in files(made) if name.endswith((".qi", ".qs"))]
    assert not (old if then else new)
    assert not kept or (new if then else old)
    found = taken(made, 40)
    assert [size for size, _ in found] == ([100] * 12 + [6000] * 4 + [100] * 8) * (kept > 0)
    assert [flag for _, flag in found] == [kind != "clean" or at < 2 for at in range(kept)]


@pytest.mark.parametrize("argument", [None, 1, 2])
def test_a_policy_converts_a_running_queue_and_an_argument_is_stronger(argument: int | None) -> None:
    """W2, W100: messages, their order and what is unacknowledged stay; small unacked ones change their map."""
    made = node({} if argument is None else {"x-queue-version": argument})
    fill(made)
    assert made.submit({"do": "get", "count": 7, "ack": True, "queue": "orders"})
    made.advance(made.node.now_us + 300_000)
    before = check(made)
    for version in (2, 1, 2, 1):
        policy = {
            "do": "set_policy",
            "name": "p",
            "pattern": "orders",
            "definition": {"queue-version": version},
        }
        assert made.submit(policy)
        made.advance(made.node.now_us + 10_000)
        orders = check(made)
        real = argument or version
        assert orders.get("backing_queue") == (None if real == 1 else "variable_queue_v2")
        assert orders["counters"]["len"] == before["counters"]["len"]
        assert orders["counters"]["bytes"] == before["counters"]["bytes"]
        assert bool(orders["lanes"]["index_pending"]) is (real == 1)
        names = files(made)
        assert any(name.endswith(".qi" if real == 2 else ".idx") for name in names), names
        assert not any(name.endswith((".idx", ".jif") if real == 2 else (".qi", ".qs")) for name in names)
    assert made.submit({"do": "ack", "count": 7})
    found = taken(made, 40)
    assert [size for size, _ in found] == [100] * 5 + [6000] * 4 + [100] * 14
    check(made)


def test_files_of_a_node_are_the_same_on_disk(tmp_path: Any) -> None:
    """W18, W100: the directory has what the ledger has."""
    storage = DirectoryStorage(str(tmp_path))
    made, ledger = node(V2, storage), node(V2)
    for each in (made, ledger):
        fill(each)
        assert each.submit({"do": "restart", "kind": "kill"})
        each.advance(each.node.now_us + 1_000_000)
        assert [size for size, _ in taken(each, 3)] == [100] * 3
    assert check(made) == check(ledger)
    storage.close()


def test_the_page_folds_the_same(twin: Twin) -> None:
    """W18, W100: in the engine and in the page's scripts, through conversions and restarts."""
    made = node({}, msg_store_file_size_limit=40_000)
    policy = {"do": "set_policy", "name": "p", "pattern": "orders"}
    commands: list[dict[str, Any]] = [
        {"do": "publish", "count": 30, "size_bytes": 100, "persistent": True},
        {**policy, "definition": {"queue-version": 2}},
        {"do": "publish", "count": 14, "size_bytes": 6000, "persistent": True},
        {"do": "publish", "count": 6, "size_bytes": 300, "persistent": False},
        {"do": "set", "name": "target_ram_count", "queue": "orders", "value": 3},
        {"do": "get", "count": 40, "ack": True, "queue": "orders"},
        {"do": "ack", "count": 30},
        {"do": "requeue", "count": 2},
        {**policy, "definition": {"queue-version": 1}},
        {"do": "get", "count": 3, "ack": False, "queue": "orders"},
        {**policy, "definition": {"queue-version": 2}},
        {"do": "restart", "kind": "clean"},
        {"do": "clear_policy", "name": "p"},
        {"do": "restart", "kind": "kill"},
        {"do": "purge", "queue": "orders"},
    ]
    steps, done = [], 0
    for command in commands:
        assert made.submit({"routing_key": "orders", **command} if command["do"] == "publish" else command)
        made.advance(made.node.now_us + 20_000)
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
    assert {"FilesConverted", "Reduced", "IndexFlushed"} <= {
        row["kind"] for step in steps for row in step["named"]
    }
    twin.agrees("twin.mjs", [steps])


def test_small_bodies_wait_in_the_open_file_and_in_a_cache() -> None:
    """W121: what is in the cache is read without the file; any other read writes first what the file keeps back."""
    made = node(V2, store_max_cache_size=1000)
    publish(made, 12)
    made.advance(1)
    live: Any = made.node.queues["orders"].process.queue
    store = live.state.index.store
    size = made.node.storage.size
    path = store.path(0)
    assert (size(path), store.buffer.total) == (0, 12)
    [(start, count, term_bytes)] = [(each.start, each.count, each.term_bytes) for each in store.held]
    assert (start, count, store.held_bytes) == (0, 1000 // term_bytes, count * term_bytes)
    store.read(0, count)
    assert (size(path), store.buffer.total) == (0, 12)
    store.read(count, 1)
    assert (size(path), store.buffer.total) == (64 + 12 * (8 + term_bytes), 0)
    assert check(made)["own"]["files"]["bodies"] == [[0, size(path)]]
    assert made.submit({"do": "get", "count": 1, "ack": True, "queue": "orders"})
    assert made.submit({"do": "ack", "count": 1})
    made.advance(100_000)
    assert store.held_bytes == (count - 1) * term_bytes
