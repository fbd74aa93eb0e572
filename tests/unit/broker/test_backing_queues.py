"""The protocol of backing queues: another implementation is plugged in, and a whole node runs with it.

`Shelf` is the smallest queue that there can be: one place in RAM, one for what is unacknowledged, no files. The node
must get along with what the protocol names; where it reached into a variable queue, these tests would fail.
"""

from __future__ import annotations

from typing import Any

import pytest

from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.message_places import PLACES, places_of
from engine.backing_queue.protocol import Arrival, BackingQueue, QueueVerbs
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.releases import REFERENCE
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower
from tests.helpers.shelf import SHELF, Shelf, install
from tests.helpers.twin import Twin


@pytest.fixture(autouse=True)
def shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)


def node(**settings: Any) -> Follower:
    topology = {"queues": [{"name": "orders"}, {"name": "shelf.a"}]}
    scenario = {"version": 1, "profile": "classroom", "topology": topology, "settings": settings}
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000))


def check(made: Follower) -> dict[str, Any]:
    """Compare the fold of all transitions with the node's own structures, and return the shelf."""
    made.check()
    made.node.verify()
    found: dict[str, Any] = made.node.snapshot()["queues"]["shelf.a"]
    return found


def check_all(made: Follower) -> dict[str, Any]:
    """Compare as `check` does, and return all queues."""
    check(made)
    found: dict[str, Any] = made.node.snapshot()["queues"]
    return found


def test_both_are_backing_queues() -> None:
    made = node()
    assert [each.kind for each in made.node.host.queues()] == ["variable_queue", SHELF]


def test_a_new_queue_writes_its_verbs_and_nothing_else() -> None:
    def members(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")} | set(kind.__annotations__)

    verbs = members(QueueVerbs)
    assert len(verbs) == 22
    assert verbs.isdisjoint(members(BackingQueue))
    assert members(Shelf) - {"purge_acks"} <= verbs


def test_the_table_picks_the_implementation() -> None:
    assert REFERENCE.backing_queue_of(DeclaredQueue(name="shelf.a")) == SHELF
    assert REFERENCE.backing_queue_of(DeclaredQueue(name="orders")) == "variable_queue"
    made = node()
    assert [type(each).__name__ for each in made.node.host.queues()] == ["VersionedQueue", "Shelf"]


def test_messages_that_differ_enter_one_after_the_other() -> None:
    made = node()
    assert made.submit({"do": "publish", "count": 1, "size_bytes": 100, "routing_key": "shelf.a"})
    shelf = made.node.queues["shelf.a"].process.queue
    found = shelf.publish([Arrival(2, 1, 70, expiry_us=9), Arrival(3, 3, 50)])
    assert (found.start, found.count, shelf.depth, shelf.ready_bytes) == (1, 5, 6, 390)


def test_declare_publish_consume_fold_and_snapshot() -> None:
    made = node()
    assert check(made)["lanes"] == {"shelf": [], "lent": []}
    assert check(made)["backing_queue"] == SHELF
    assert "backing_queue" not in made.node.snapshot()["queues"]["orders"]
    assert made.submit({"do": "publish", "count": 5, "size_bytes": 100, "routing_key": "shelf.a"})
    assert [row[:2] for row in check(made)["lanes"]["shelf"]] == [[0, 5]]
    assert made.submit({"do": "get", "count": 2, "ack": True, "queue": "shelf.a"})
    assert [row[:2] for row in check(made)["lanes"]["lent"]] == [[0, 2]]
    assert made.submit({"do": "requeue", "count": 1})
    assert made.submit({"do": "ack", "count": 1})
    assert [row[:2] for row in check(made)["lanes"]["shelf"]] == [[0, 1], [2, 3]]
    assert made.submit(
        {"do": "set_consumer", "name": "c1", "queue": "shelf.a", "rate_per_s": 100, "prefetch": 2}
    )
    made.advance(1_000_000)
    assert made.node.consumers.all["c1"].acked == 4
    assert check(made)["lanes"] == {"shelf": [], "lent": []}


@pytest.mark.parametrize("profile", ["instant", "measured-vm"])
def test_it_lives_where_work_costs_nothing_and_where_it_takes_time(profile: str) -> None:
    made = node(work_profile=profile)
    assert made.submit(
        {"do": "set_consumer", "name": "c1", "queue": "shelf.a", "rate_per_s": 1000, "prefetch": 10}
    )
    assert made.submit(
        {"do": "set_publisher", "name": "p1", "rate_per_s": 500, "size_bytes": 64, "routing_key": "shelf.a"}
    )
    made.advance(2_000_000)
    assert made.submit({"do": "remove", "name": "p1"})
    made.advance(3_000_000)
    assert made.node.consumers.all["c1"].acked > 900
    assert check(made)["lanes"] == {"shelf": [], "lent": []}


def test_limits_expiry_restart_and_the_other_queue_go_on() -> None:
    made = node()
    policy = {"message-ttl": 300, "max-length": 3}
    assert made.submit({"do": "set_policy", "name": "short", "pattern": "^shelf", "definition": policy})
    for queue in ("shelf.a", "orders"):
        assert made.submit(
            {"do": "publish", "count": 5, "size_bytes": 10, "routing_key": queue, "persistent": True}
        )
    assert check(made)["counters"]["len"] == 3
    made.advance(1_000_000)
    assert check(made)["counters"]["len"] == 0
    assert made.submit({"do": "publish", "count": 2, "size_bytes": 10, "routing_key": "shelf.a"})
    assert made.submit({"do": "restart", "kind": "clean"})
    assert check(made)["counters"]["len"] == 0
    assert made.node.snapshot()["queues"]["orders"]["counters"]["len"] == 5
    assert made.submit({"do": "delete_queue", "name": "shelf.a"})
    assert list(made.node.snapshot()["queues"]) == ["orders"]


def test_the_stage_draws_the_places_that_it_names(twin: Twin) -> None:
    made = node()
    for command in (
        {"do": "publish", "count": 17, "size_bytes": 100, "routing_key": "shelf.a"},
        {"do": "publish", "count": 3, "size_bytes": 100, "routing_key": "orders"},
        {"do": "get", "count": 2, "ack": True, "queue": "shelf.a"},
    ):
        assert made.submit(command)
    rows = made.node.log.since(0)
    assert rows is not None
    shown = []
    for name, queue in check_all(made).items():
        places = places_of(queue)
        ready = [each.name for each in places if not each.unacked]
        held = [row for each in places if each.unacked for row in queue["lanes"][each.name]]
        lanes = {lane: queue["lanes"].get(lane, []) for lane in ready} | {"unacked": held}
        shown.append(
            {
                "queue": name,
                "lanes": [[lane, sum(row[1] for row in runs)] for lane, runs in lanes.items()],
                "seqs": [
                    sorted(s for row in runs for s in range(row[0], row[0] + row[1]))
                    for runs in lanes.values()
                ],
            }
        )
    assert {"queue": "shelf.a", "lanes": [["shelf", 15], ["unacked", 2]]}.items() <= shown[1].items()
    twin.agrees("stage-twin.mjs", [{"rows": rows.rows, "places": PLACES, "shown": shown}])
