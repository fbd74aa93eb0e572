"""Exchanges that only 4.x has: what clients see of them."""

from __future__ import annotations

from typing import Any

import pytest

from tools.proofs.stories.engine import EnginePlayer


def played(release: str, *steps: dict[str, Any]) -> list[Any]:
    """Return what clients see of each step."""
    player = EnginePlayer(release)
    player.begin()
    return [player.take(step) for step in steps]


def declared(kind: str, *queues: str) -> list[dict[str, Any]]:
    """Return the steps that bind queues to an exchange of a type."""
    return [
        {"do": "declare_exchange", "name": "x", "type": kind},
        *({"do": "declare_queue", "name": name, "durable": True} for name in queues),
        *({"do": "bind", "exchange": "x", "queue": name, "routing_key": ""} for name in queues),
    ]


@pytest.mark.parametrize("release", ["4.0.5", "4.3.6"])
def test_a_burst_is_shared_among_the_queues_of_an_exchange_that_draws(release: str) -> None:
    """W231: each message goes to one queue; the broker draws it, here they are taken in turn."""
    whole = {"do": "publish", "sizes": [7] * 10, "together": True, "exchange": "x", "routing_key": "any"}
    single = {"do": "publish", "sizes": [1, 2], "exchange": "x", "routing_key": "k", "confirm": True}
    seen = played(release, *declared("x-local-random", "a", "b", "c"), whole, single)
    shares = {name: ready for name, (ready, _) in seen[-2].queues.items()}
    assert sum(shares.values()) == 10
    assert set(shares.values()) == {3, 4}
    assert seen[-1].confirmed == 2
    assert sum(ready for ready, _ in seen[-1].queues.values()) == 12


@pytest.mark.parametrize("release", ["4.0.5", "4.3.6"])
def test_what_an_exchange_that_draws_does_not_take(release: str) -> None:
    """W231: a binding key, and another exchange behind it."""
    begun = declared("x-local-random", "a")
    key = {"do": "bind", "exchange": "x", "queue": "a", "routing_key": "k"}
    other = {"do": "bind_exchange", "source": "x", "destination": "amq.fanout", "routing_key": ""}
    unbound = {"do": "publish", "sizes": [1], "exchange": "x", "routing_key": "", "mandatory": True}
    seen = played(release, *begun, key, other, {"do": "delete_queue", "name": "a"}, unbound)
    words = "PRECONDITION_FAILED - Non empty binding 'k' key not permitted"
    assert seen[-4].closed == [("hand", 406, words)]
    assert seen[-3].closed == [("hand", 406, "PRECONDITION_FAILED - Destination not found")]
    assert seen[-1].returned == [("x", "", 1)]


def test_the_log_s_exchange_may_be_bound_on_4_3_alone() -> None:
    """W231: nobody may publish to it, and nothing comes of it here."""
    bind = {"do": "bind", "exchange": "amq.rabbitmq.log", "queue": "a", "routing_key": "#"}
    publish = {
        "do": "publish",
        "sizes": [1],
        "exchange": "amq.rabbitmq.log",
        "routing_key": "",
        "confirm": True,
    }
    queue = {"do": "declare_queue", "name": "a", "durable": True}
    for release in ("3.8.9", "3.10.8", "4.0.5"):
        seen = played(release, queue, bind)
        assert [code for _, code, _ in seen[1].closed] == [404]
    seen = played("4.3.6", queue, bind, publish, {"do": "restart", "kind": "clean"}, bind)
    assert not seen[1].closed
    assert [code for _, code, _ in seen[2].closed] == [403]
    assert not seen[4].closed


@pytest.mark.parametrize("release", ["3.8.9", "3.10.8", "4.0.5", "4.3.6"])
def test_small_properties_that_clients_send(release: str) -> None:
    """P18: an expiration with a sign, a fast reply that nobody waits for, a header without a name."""
    seen = played(
        release,
        {"do": "declare_queue", "name": "q", "durable": True},
        {"do": "publish", "sizes": [1], "routing_key": "q", "expiration": "+5", "confirm": True},
        {"do": "wait", "ms": 100},
        {
            "do": "publish",
            "sizes": [2],
            "routing_key": "q",
            "properties": {"reply_to": "amq.rabbitmq.reply-to"},
            "confirm": True,
        },
        {"do": "publish", "sizes": [3], "routing_key": "q", "headers": {"": 1}, "confirm": True},
        {"do": "get", "queue": "q"},
    )
    assert (seen[1].confirmed, seen[2].queues) == (1, {"q": (0, 0)})
    words = "PRECONDITION_FAILED - fast reply consumer does not exist"
    assert seen[3].closed == [("publisher", 406, words)]
    assert seen[5].deliveries[0].headers == {"": 1}
