"""Consumers that want nothing of what they finish: it goes back to its queue, or is a dead letter (P11)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

SECOND_US = 1_000_000
DEAD = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "dead"}


def follower_of(arguments: dict[str, Any], **settings: Any) -> Follower:
    topology = {"queues": [{"name": "orders", "arguments": arguments}, {"name": "dead"}]}
    scenario = {"version": 1, "profile": "classroom", "settings": settings, "topology": topology}
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=1_000_000))


def play(follower: Follower, nack: str, ack: str) -> dict[str, Any]:
    node = follower.node
    node.submit({"do": "publish", "count": 20, "size_bytes": 10})
    consumer = {"do": "set_consumer", "name": "c", "rate_per_s": 5, "prefetch": 4, "ack": ack, "nack": nack}
    node.submit(consumer)
    follower.check()
    node.advance(2 * SECOND_US)
    follower.check()
    node.verify()
    return node.snapshot()


@pytest.mark.parametrize("ack", ["each", "multiple"])
@pytest.mark.parametrize("profile", ["instant", "nvme"])
def test_what_is_requeued_comes_again_and_nothing_is_lost(ack: str, profile: str) -> None:
    state = play(follower_of({}, work_profile=profile), "requeue", ack)
    queue, consumer = state["queues"]["orders"], state["node"]["actors"]["c"]
    assert queue["counters"]["len"] + consumer["unacked"] == 20
    assert consumer["unacked"] == 4
    assert 9 <= consumer["nacked"] <= 11
    assert consumer["acked"] == 0
    assert consumer["redelivered"] >= 5


@pytest.mark.parametrize("ack", ["each", "multiple"])
@pytest.mark.parametrize("profile", ["instant", "nvme"])
def test_what_is_discarded_is_a_dead_letter(ack: str, profile: str) -> None:
    state = play(follower_of(DEAD, work_profile=profile), "discard", ack)
    dead, consumer = state["queues"]["dead"]["counters"]["len"], state["node"]["actors"]["c"]
    assert dead == consumer["nacked"]
    assert 9 <= dead <= 11
    assert state["queues"]["orders"]["counters"]["len"] + consumer["unacked"] + dead == 20
    gone = play(follower_of({}, work_profile=profile), "discard", ack)
    assert gone["queues"]["dead"]["counters"]["len"] == 0
    assert gone["queues"]["orders"]["counters"]["len"] <= 20 - dead


def test_a_consumer_that_wants_them_again_acknowledges() -> None:
    follower = follower_of({})
    play(follower, "requeue", "each")
    follower.node.submit({"do": "set_consumer", "name": "c", "rate_per_s": 50, "prefetch": 4})
    follower.advance(3 * SECOND_US)
    state = follower.node.snapshot()
    assert state["queues"]["orders"]["counters"]["len"] == 0
    assert state["node"]["actors"]["c"]["acked"] == 20
