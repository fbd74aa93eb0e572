"""What survives which end: queue x message x exchange, through every stop (D1-D5). The files decide."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.queue import StoreRecovered
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

SECOND = 1_000_000
ENDS = ("clean", "kill", "power", "crash")
SMALL, LARGE = 100, 6000
"""A body in the index, and one in the store."""


def end(follower: Follower, how: str) -> None:
    follower.submit({"do": "kill_queue", "queue": "q"} if how == "crash" else {"do": "restart", "kind": how})


def follow(queue_durable: bool, exchange_durable: bool) -> Follower:
    topology = {
        "queues": [{"name": "q", "durable": queue_durable}],
        "exchanges": [{"name": "x", "type": "fanout", "durable": exchange_durable}],
        "bindings": [{"exchange": "x", "queue": "q"}],
    }
    scenario = parse({"version": 1, "profile": "classroom", "topology": topology})
    return Follower(Cluster(scenario, LedgerStorage(), keep=100_000))


def burst(count: int, size_bytes: int, **more: Any) -> dict[str, Any]:
    return {
        "do": "publish",
        "count": count,
        "size_bytes": size_bytes,
        "exchange": "x",
        "routing_key": "",
        **more,
    }


@pytest.mark.parametrize(
    ("queue_durable", "persistent", "exchange_durable", "how"),
    list(product((True, False), (True, False), (True, False), ENDS)),
)
def test_the_whole_matrix(queue_durable: bool, persistent: bool, exchange_durable: bool, how: str) -> None:
    """D1, D2, D5: confirmed messages, one of them unacknowledged, of both homes."""
    follower = follow(queue_durable, exchange_durable)
    for size_bytes in (SMALL, LARGE):
        follower.submit(burst(3, size_bytes, persistent=persistent, confirm=True))
    follower.submit({"do": "get", "count": 1, "queue": "q"})
    follower.advance(SECOND)
    end(follower, how)
    node, snapshot = follower.node, follower.node.snapshot()
    queue_stays = queue_durable or how == "crash"
    exchange_stays = exchange_durable or how == "crash"
    assert ("q" in node.queues) == queue_stays
    assert ("x" in snapshot["node"]["exchanges"]) == exchange_stays
    both = how == "crash" or (queue_durable and exchange_durable)
    assert len(snapshot["node"]["bindings"]) == int(both)
    if queue_stays:
        state = node.queues["q"].process.queue.state
        assert state.len == (6 if queue_durable and persistent else 0)
        assert node.queues["q"].process.queue.unacked == 0
        # Connections outlive the crash of a queue: their channels still hold what nobody will ask for (P14).
        assert snapshot["node"]["actors"]["hand"]["unacked"] == (1 if how == "crash" else 0)
        if state.len:
            follower.submit({"do": "get", "count": 6, "queue": "q"})
        # After a clean stop only what was delivered before is redelivered; after any other end everything is (D5).
        expected = 0 if not node.queues["q"].process.queue.unacked else 1 if how == "clean" else 6
        assert node.snapshot()["node"]["actors"]["hand"]["redelivered"] == expected
        # What was published last comes last: old messages keep their places.
        follower.submit(burst(1, SMALL) if both else {**burst(1, SMALL), "exchange": "", "routing_key": "q"})
        assert state.len == 1
    node.verify()


@pytest.mark.parametrize("how", ENDS)
def test_what_no_ack_consumers_took_is_gone(how: str) -> None:
    """D4: it was handed to the socket, and the queue forgot it."""
    follower = follow(True, True)
    follower.submit({"do": "set_consumer", "name": "c1", "queue": "q", "ack": "auto", "rate_per_s": 1})
    follower.submit(burst(6, SMALL, persistent=True, confirm=True))
    window = 4
    assert follower.node.queues["q"].depth == 6 - window
    follower.advance(300_000)
    end(follower, how)
    assert follower.node.queues["q"].depth == 6 - window


@pytest.mark.parametrize(("how", "left"), [("clean", 5), ("kill", 0), ("power", 0), ("crash", 0)])
def test_what_was_not_confirmed_may_be_lost(how: str, left: int) -> None:
    """D4: embedded messages without confirms wait 200 ms in the journal's buffer."""
    follower = follow(True, True)
    follower.submit(burst(5, SMALL, persistent=True))
    end(follower, how)
    assert follower.node.queues["q"].depth == left


def test_policies_and_arguments_hold_through_every_end() -> None:
    """P17, D1: durable queues come back with their arguments, and policies are the node's."""
    for how in ENDS:
        follower = follow(True, True)
        follower.submit({"do": "declare_queue", "name": "limited", "arguments": {"x-max-length": 2}})
        follower.submit({"do": "set_policy", "name": "p", "pattern": "q", "definition": {"message-ttl": 900}})
        follower.submit(burst(3, SMALL, persistent=True, confirm=True))
        end(follower, how)
        shown = follower.node.snapshot()["queues"]
        assert shown["q"]["effective"] == {"message_ttl_ms": 900}
        assert shown["limited"]["arguments"] == {"x-max-length": 2}
        assert follower.node.queues["q"].depth == 3
        follower.advance(SECOND)
        assert follower.node.queues["q"].depth == 0


def test_a_queue_that_is_not_durable_does_not_make_a_clean_start_of_the_store_a_scan() -> None:
    """It has no client of the persistent store, so the note of the stop names the durable queues alone (S200, S206)."""
    queues = [{"name": "kept"}, {"name": "gone", "durable": False}]
    node = Cluster(
        parse({"version": 1, "profile": "classroom", "topology": {"queues": queues}}),
        LedgerStorage(),
        keep=1000,
    )
    node.submit({"do": "publish", "count": 3, "size_bytes": LARGE, "persistent": True, "routing_key": "kept"})
    node.advance(SECOND)
    begin = node.log.number
    node.submit({"do": "restart", "kind": "clean"})
    node.advance(2 * SECOND)
    rows = node.log.since(begin)
    assert rows is not None
    started = {row.store: row.clean for row in rows.rows if isinstance(row, StoreRecovered)}
    assert started["persistent"] is True


@pytest.mark.parametrize(("size_bytes", "q3", "q4"), [(16, 4, 1), (5000, 5, 0)])
@pytest.mark.parametrize("how", ["clean", "kill", "crash"])
def test_a_queue_that_starts_again_takes_its_head_and_puts_it_back(
    how: str, size_bytes: int, q3: int, q4: int
) -> None:
    """P17, Q36: every start ends with a pass of drop_expired; a head whose body is in RAM comes back into q4."""
    follower = follow(True, True)
    follower.submit(burst(5, size_bytes, persistent=True, confirm=True))
    follower.advance(SECOND)
    end(follower, how)
    follower.advance(2 * SECOND)
    lanes = follower.node.snapshot()["queues"]["q"]["lanes"]
    assert {name: sum(extent[1] for extent in lanes[name]) for name in ("q3", "q4")} == {"q3": q3, "q4": q4}
