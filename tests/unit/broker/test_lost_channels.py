"""A consumer on a channel by hand whose connection is closed is shown still, and has no channel any more (P11, P18)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.storage.ledger import LedgerStorage
from tests.helpers.following import Follower

CONSUME: dict[str, Any] = {"do": "set_consumer", "name": "t1", "ack": "manual", "channel": "x"}
BY_ERROR: dict[str, Any] = {
    "do": "publish",
    "count": 1,
    "size_bytes": 10,
    "channel": "x.1",
    "immediate": True,
}
"""The broker answers it with 540, which closes the connection with its other channels (P18)."""


def node() -> Follower:
    scenario = {"version": 1, "profile": "classroom", "topology": {"queues": [{"name": "orders"}]}}
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000))


def play(made: Follower, *commands: dict[str, Any]) -> None:
    for command in commands:
        assert made.submit(command)
        made.check()


@pytest.mark.parametrize("closed", [BY_ERROR, {"do": "remove", "name": "x"}])
@pytest.mark.parametrize("then", ["close_channel", "remove"])
def test_its_own_end_finds_no_channel(closed: dict[str, Any], then: str) -> None:
    made = node()
    play(made, {"do": "publish", "count": 3, "size_bytes": 10}, CONSUME, closed, {"do": then, "name": "t1"})
    assert made.node.queues["orders"].depth == 3
    assert ("t1" in made.node.consumers.all) == (then == "close_channel")


@pytest.mark.parametrize("then", ["close_channel", "remove"])
def test_its_own_end_leaves_another_channel_of_that_name_alone(then: str) -> None:
    made = node()
    again = {**CONSUME, "name": "t2"}
    play(made, CONSUME, {"do": "remove", "name": "x"}, again, {"do": then, "name": "t1"})
    play(made, {"do": "publish", "count": 1, "size_bytes": 10})
    assert made.node.consumers.all["t2"].holding == 1


def test_a_virtual_host_goes_with_a_consumer_that_is_called_as_its_channel() -> None:
    made = node()
    consume = {"do": "consume", "name": "x", "channel": "x", "vhost": "v2"}
    declare = {"do": "declare_queue", "name": "orders", "vhost": "v2"}
    play(made, {"do": "add_vhost", "vhost": "v2"}, declare, consume, {"do": "delete_vhost", "vhost": "v2"})
    assert not made.node.consumers.all
