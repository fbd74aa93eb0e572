"""A queue process takes the word only of channels that it knows; it dies in two ways (P14, H68, D4)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.report.transitions.node import ConsumerCancelled
from engine.storage.ledger import LedgerStorage

SECOND_US = 1_000_000


def holding(*channels: str) -> Cluster:
    """Return a node whose queue was killed after each channel got a message of three."""
    node = Cluster(parse({"version": 1, "profile": "real"}), LedgerStorage(), keep=10_000)
    play(node, {"do": "publish", "count": 3, "size_bytes": 10, "persistent": True, "confirm": True})
    play(node, *(get(each) for each in channels), {"do": "kill_queue"})
    return node


def play(node: Cluster, *commands: dict[str, Any]) -> None:
    for command in commands:
        node.submit(command)
        node.advance(node.now_us + SECOND_US)


def get(channel: str, count: int = 1, ack: bool = True) -> dict[str, Any]:
    return {"do": "get", "channel": channel, "count": count, "ack": ack}


def tag(verb: str, channel: str, number: int, **more: Any) -> dict[str, Any]:
    return {"do": verb, "channel": channel, "tag": number, **more}


def depth(node: Cluster) -> int:
    return node.queues["orders"].depth


@pytest.mark.parametrize("verb", [{"do": "ack_tag"}, {"do": "nack_tag", "requeue": False}])
def test_the_word_of_a_channel_that_is_not_known_settles_nothing(verb: dict[str, Any]) -> None:
    node = holding("c")
    play(node, get("e"), {**verb, "channel": "c", "tag": 1}, {"do": "close_channel", "name": "e"})
    assert depth(node) == 3


def test_an_old_tag_of_a_known_channel_settles_what_is_pending_under_its_number() -> None:
    node = holding("c")
    play(node, get("e"), get("c"), tag("ack_tag", "c", 1), {"do": "close_channel", "name": "e"})
    assert depth(node) == 1, "the message of e is gone, that of c is held"


def test_a_get_without_acknowledgement_makes_nobody_known() -> None:
    node = holding("c")
    play(node, get("e"), get("c", ack=False), tag("ack_tag", "c", 1), {"do": "close_channel", "name": "e"})
    assert depth(node) == 2


def test_a_consumer_makes_its_channel_known_also_without_messages() -> None:
    node = holding("c")
    play(node, get("e", 3), {"do": "consume", "name": "t", "channel": "c"}, tag("ack_tag", "c", 1))
    play(node, {"do": "cancel", "name": "t"}, {"do": "close_channel", "name": "e"})
    assert depth(node) == 2


def test_who_settled_a_message_under_its_old_tag_does_not_hold_it_under_the_new_one() -> None:
    node = holding("c")
    play(node, get("c"), tag("nack_tag", "c", 1), get("e"), tag("ack_tag", "c", 2))
    play(node, {"do": "close_channel", "name": "c"}, {"do": "close_channel", "name": "e"})
    assert depth(node) == 3, "c was not known any more as it acknowledged the new tag"


def test_a_channel_that_closes_gives_back_no_old_tags() -> None:
    node = holding("c")
    play(node, get("e"), {"do": "close_channel", "name": "c"})
    assert depth(node) == 2, "what e holds did not come back"
    play(node, tag("ack_tag", "e", 1), {"do": "close_channel", "name": "e"})
    assert depth(node) == 2


def test_of_several_methods_the_first_ones_come_from_a_channel_that_still_holds_something() -> None:
    node = holding("c")
    play(node, get("e"), get("c"), {"do": "ack", "channel": "c", "count": 2})
    play(node, {"do": "close_channel", "name": "e"})
    assert depth(node) == 1


def test_a_transaction_holds_its_acknowledgements_until_it_commits() -> None:
    node = holding("c")
    play(node, get("e"), {"do": "tx_select", "channel": "c"}, get("c"), tag("ack_tag", "c", 2))
    play(
        node,
        tag("ack_tag", "c", 1),
        {"do": "tx_commit", "channel": "c"},
        {"do": "close_channel", "name": "e"},
    )
    assert depth(node) == 1


@pytest.mark.parametrize("ack", ["each", "multiple", "auto"])
@pytest.mark.parametrize("profile", ["instant", "measured-vm"])
def test_a_consumer_goes_on_after_its_queue_was_killed(ack: str, profile: str) -> None:
    settings = {"work_profile": profile}
    node = Cluster(
        parse({"version": 1, "profile": "real", "settings": settings}), LedgerStorage(), keep=10_000
    )
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 10, "prefetch": 5, "ack": ack}
    play(
        node, {"do": "publish", "count": 100, "size_bytes": 10, "persistent": True, "confirm": True}, consumer
    )
    play(node, {"do": "kill_queue"})
    acked = node.consumers.all["c1"].acked
    node.advance(node.now_us + 20 * SECOND_US)
    found = node.consumers.all["c1"]
    assert found.running
    assert depth(node) == 0
    if ack != "auto":
        assert found.acked > acked
        assert found.delivered > 100, "what it held came again"


def test_an_error_cancels_the_consumers() -> None:
    node = Cluster(parse({"version": 1, "profile": "real"}), LedgerStorage(), keep=10_000)
    play(node, {"do": "set_consumer", "name": "c1", "rate_per_s": 1, "prefetch": 1})
    play(node, {"do": "kill_queue", "how": "error"})
    rows = node.log.since(0)
    assert rows is not None
    cancelled = [each for each in rows.rows if isinstance(each, ConsumerCancelled)]
    assert [(each.actor, each.rule, each.why["cause"]) for each in cancelled] == [("c1", "D4", "crash")]
    assert not node.consumers.all["c1"].running


def test_consumers_that_want_so_are_cancelled_also_where_their_queue_was_killed() -> None:
    node = Cluster(parse({"version": 1, "profile": "real"}), LedgerStorage(), keep=10_000)
    play(node, {"do": "set_consumer", "name": "c1", "rate_per_s": 1, "cancel_on_failover": True})
    play(node, {"do": "kill_queue"})
    assert not node.consumers.all["c1"].running


@pytest.mark.parametrize(("profile", "gets"), [("real", 8), ("4.0.5", 0), ("4.3.6", 0)])
def test_a_queue_declared_before_the_commit_gets_what_went_to_its_name(profile: str, gets: int) -> None:
    """D13, W229: 3.x looks for the queue at the commit, 4.x at the publish."""
    node = Cluster(
        parse({"version": 1, "profile": profile, "topology": {"queues": []}}), LedgerStorage(), keep=10_000
    )
    play(
        node,
        {"do": "tx_select", "channel": "c"},
        {"do": "publish", "channel": "c", "count": 8, "size_bytes": 10, "routing_key": "late"},
        {"do": "declare_queue", "name": "late", "durable": True, "arguments": {}},
        {"do": "tx_commit", "channel": "c"},
    )
    assert node.queues["late"].depth == gets
