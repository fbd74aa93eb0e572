"""Consumers keep the rate that was set, whatever profile, prefetch and acknowledgements; or the limit has a name.

A real 3.10.8 node with such clients holds 80, 150, 250 and 400 messages a second at prefetch 20, and 224 of 250 and
369 of 400 at prefetch 1.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.costs import PROFILES
from engine.releases import RELEASES
from engine.storage.ledger import LedgerStorage

SECONDS: Final = 10
SECOND_US: Final = 1_000_000
TOLERANCE: Final = 0.02
WORK_US: Final = 150
"""Work of all processes together for one message and its acknowledgement, at most."""
BUSY: Final = 0.9
"""The share of ten seconds that the processors' work takes where they are what limits a rate."""
ACKS: Final = ("each", "multiple", "auto")
OFF_THE_GRID: Final = (80, 150, 190, 250, 400, 900)
REAL: Final = tuple(each.profiles["real"] for each in RELEASES.values())
"""The real scale of each release; whatever its queue is made of, consumers keep their rates."""


def waiting(profile: str, count: int, release: str = "real", **more: Any) -> Cluster:
    """Return a node in whose queue so many messages wait, and whose processes are at rest."""
    asked_for = {"work_profile": profile, "ram_bytes": 2**36, **more}
    node = Cluster(parse({"version": 1, "profile": release, "settings": asked_for}), LedgerStorage())
    node.submit({"do": "publish", "count": count, "size_bytes": 100})
    node.advance(20 * SECOND_US)
    assert node.queues["orders"].depth == count
    return node


def consume(node: Cluster, rate: int, **more: Any) -> None:
    node.submit({"do": "set_consumer", "name": "c1", "rate_per_s": rate, **more})


def finished(node: Cluster, seconds: int) -> int:
    """Let time pass; return how many messages the consumer finished in it."""
    consumer = node.consumers.all["c1"]
    before = consumer.delivered - consumer.holding
    node.advance(node.now_us + seconds * SECOND_US)
    return consumer.delivered - consumer.holding - before


def busy_s(node: Cluster) -> float:
    """Return the seconds that the busiest process worked."""
    ids = ("queue:orders", "channel:c1", "writer:c1")
    found = [node.processes.get(each) for each in ids]
    return max((each.busy_us / SECOND_US for each in found if each is not None), default=0.0)


def by_prefetch(profile: str, rate: int, most: int) -> float:
    """Return the rate that so many messages under way allow: with one, a client waits for each (P13)."""
    trip_us = PROFILES[profile].trip_us
    if not trip_us or not most:
        return rate
    round_us = trip_us + WORK_US
    alone = SECOND_US / (SECOND_US / rate + round_us)
    return alone if most == 1 else min(rate, max(alone, most / 2 * SECOND_US / round_us))


def check(profile: str, rate: int, prefetch: int, ack: str, release: str = "real", **more: Any) -> None:
    node = waiting(profile, rate * (SECONDS + 1) + 100, release)
    before_s = busy_s(node)
    consume(node, rate, prefetch=prefetch, ack=ack, **more)
    found = finished(node, SECONDS)
    limits = {"rate": rate, "prefetch": rate if ack == "auto" else by_prefetch(profile, rate, prefetch)}
    if busy_s(node) - before_s > BUSY * SECONDS:
        limits["processors"] = 0
    name = min(limits, key=lambda each: limits[each])
    least, most = limits[name] * SECONDS * (1 - TOLERANCE) - 1, rate * SECONDS * (1 + TOLERANCE)
    assert least <= found <= most, f"{found / SECONDS} a second, limited by {name} to {limits[name]}"


@pytest.mark.parametrize(
    ("rate", "prefetch", "ack"),
    [
        pytest.param(rate, prefetch, ack, marks=() if (first + second + third) % 3 == 0 else pytest.mark.soak)
        for first, rate in enumerate(OFF_THE_GRID)
        for second, prefetch in enumerate((1, 2, 20))
        for third, ack in enumerate(ACKS)
    ],
)
def test_rates_off_the_grid_of_ticks_are_held(rate: int, prefetch: int, ack: str) -> None:
    """Each two of the three together; the long tests take all three."""
    check("instant", rate, prefetch, ack)


@pytest.mark.parametrize("release", REAL)
@pytest.mark.parametrize(("profile", "ack"), [("instant", "each"), ("measured-vm", "multiple")])
def test_every_release_keeps_a_rate_off_the_grid(release: str, profile: str, ack: str) -> None:
    check(profile, 150, 20, ack, release)


@pytest.mark.parametrize(("rate", "real"), [(250, 224), (400, 369)])
def test_a_consumer_that_waits_for_each_message_is_as_slow_as_on_a_real_node(rate: int, real: int) -> None:
    node = waiting("measured-vm", rate * SECONDS)
    consume(node, rate)
    assert finished(node, SECONDS) / SECONDS == pytest.approx(real, rel=0.06)


@pytest.mark.parametrize("trip_us", [1, 1200, 20_000])
def test_a_client_that_is_further_away_waits_longer_for_each_message(trip_us: int) -> None:
    rate = 250
    node = waiting("measured-vm", rate * SECONDS, client_trip_us=trip_us)
    consume(node, rate)
    least = SECOND_US / (SECOND_US / rate + trip_us + WORK_US)
    assert least <= finished(node, SECONDS) / SECONDS <= SECOND_US / (SECOND_US / rate + trip_us)


CONSUMERS: Final = {
    "profile": st.sampled_from(sorted(PROFILES)),
    "rate": st.integers(1, 600) | st.sampled_from(OFF_THE_GRID),
    "prefetch": st.sampled_from([0, 1, 2, 3]) | st.integers(0, 300),
    "ack": st.sampled_from(ACKS),
    "release": st.sampled_from(REAL),
}


@settings(max_examples=8, deadline=None)
@given(**CONSUMERS)
def test_the_rate_over_ten_seconds_is_what_was_set(
    profile: str, rate: int, prefetch: int, ack: str, release: str
) -> None:
    check(profile, rate, prefetch, ack, release)


@pytest.mark.soak
@settings(max_examples=400, deadline=None)
@given(**CONSUMERS)
def test_many_rates_over_ten_seconds_are_what_was_set(
    profile: str, rate: int, prefetch: int, ack: str, release: str
) -> None:
    check(profile, rate, prefetch, ack, release)


@settings(max_examples=6, deadline=None)
@given(
    profile=st.sampled_from(sorted(PROFILES)),
    rate=st.integers(600, 20_000),
    prefetch=st.sampled_from([0]) | st.integers(30, 1000),
    ack=st.sampled_from(ACKS),
    release=st.sampled_from(REAL),
)
def test_high_rates_are_held_with_room_for_enough_messages(
    profile: str, rate: int, prefetch: int, ack: str, release: str
) -> None:
    check(profile, rate, prefetch, ack, release)


@pytest.mark.parametrize("profile", ["instant", "measured-vm"])
@pytest.mark.parametrize("limit", [3, 7])
def test_a_limit_of_the_channel_does_not_slow_a_consumer_down(profile: str, limit: int) -> None:
    check(profile, 190, 0, "each", channel_prefetch=limit)


@pytest.mark.parametrize("profile", ["instant", "measured-vm"])
def test_a_new_rate_holds_from_now_on_and_nothing_is_made_up_for(profile: str) -> None:
    node = waiting(profile, 10_000)
    consume(node, 80, prefetch=20)
    assert finished(node, SECONDS) == pytest.approx(800, rel=TOLERANCE)
    consume(node, 400, prefetch=20)
    assert finished(node, SECONDS) == pytest.approx(4000, rel=TOLERANCE)
    consume(node, 30, prefetch=20)
    assert finished(node, SECONDS) == pytest.approx(300, rel=TOLERANCE)


def test_a_rate_that_is_changed_often_still_lets_the_consumer_finish() -> None:
    node = waiting("instant", 100)
    consume(node, 1)
    found = 0
    for step in range(100):
        found += finished(node, 1) if step % 10 == 9 else 0
        node.advance(node.now_us + 100_000)
        consume(node, 1 + step % 2)
    assert found >= 10


def test_who_had_nothing_to_do_makes_nothing_up_for_it() -> None:
    node = waiting("instant", 1)
    consume(node, 10, prefetch=20)
    node.advance(node.now_us + 30 * SECOND_US)
    node.submit({"do": "publish", "count": 100, "size_bytes": 100})
    assert finished(node, 5) == pytest.approx(50, abs=1)
