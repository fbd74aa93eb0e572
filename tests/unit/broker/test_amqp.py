"""What clients do in AMQP's words: routing, channels, tags, confirms, closing."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ChannelClosed,
    ConfirmsForgotten,
    ConfirmsSent,
    ConnectionClosed,
    ConsumerCancelled,
    NacksSent,
    Unroutable,
)
from engine.report.transitions.queue import QueueStopped, RefCountChanged
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError, ScenarioError
from tests.helpers.following import Follower

SECOND = 1_000_000
FANOUT = {
    "queues": [{"name": "orders"}, {"name": "slow"}],
    "exchanges": [{"name": "logs", "type": "fanout"}, {"name": "news", "type": "topic"}],
    "bindings": [
        {"exchange": "logs", "queue": "orders"},
        {"exchange": "logs", "queue": "slow"},
        {"exchange": "news", "queue": "slow", "routing_key": "eu.#"},
    ],
}


def follow(topology: dict[str, Any] | None = FANOUT, **settings: Any) -> Follower:
    scenario = {"version": 1, "profile": "classroom", "settings": settings}
    if topology is not None:
        scenario["topology"] = topology
    return Follower(Cluster(parse(scenario), LedgerStorage(), keep=100_000))


def burst(exchange: str, key: str, count: int, size_bytes: int = 100, **more: Any) -> dict[str, Any]:
    return {
        "do": "publish", "count": count, "size_bytes": size_bytes, "exchange": exchange, "routing_key": key, **more
    }  # fmt: skip


def all_of(follower: Follower, kind: type[Transition]) -> list[Any]:
    rows = follower.node.log.since(0)
    assert rows is not None
    return [each for each in rows.rows if type(each) is kind]


def ready(follower: Follower) -> dict[str, int]:
    return {name: queue.depth for name, queue in follower.node.queues.items()}


def hand(follower: Follower) -> dict[str, Any]:
    found: dict[str, Any] = follower.node.snapshot()["node"]["actors"]["hand"]
    return found


# --- routing ---------------------------------------------------------------------------------------------------------


def test_an_exchange_brings_messages_to_its_queues() -> None:
    follower = follow()
    follower.submit(burst("logs", "whatever", 3))
    follower.submit(burst("news", "eu.de", 2))
    follower.submit(burst("", "orders", 1))
    assert ready(follower) == {"orders": 4, "slow": 5}
    follower.submit({"do": "unbind", "exchange": "logs", "queue": "orders"})
    follower.submit(burst("logs", "", 1))
    assert ready(follower) == {"orders": 4, "slow": 6}
    bindings = follower.node.snapshot()["node"]["bindings"]
    assert [(each["exchange"], each["queue"]) for each in bindings] == [("logs", "slow"), ("news", "slow")]


def test_one_body_in_two_queues_is_written_once() -> None:
    """S142: the second queue's write counts a reference; the file goes when both have acknowledged."""
    follower = follow()
    follower.submit(burst("logs", "", 4, 6000, persistent=True, confirm=True))
    rows = follower.node.snapshot()["stores"]["persistent"]["rows"]
    assert [(row[1], row[2]) for row in rows] == [(4, 2)]
    follower.submit({"do": "get", "count": 4, "ack": False, "queue": "orders"})
    assert [row[2] for row in follower.node.snapshot()["stores"]["persistent"]["rows"]] == [1]
    follower.submit({"do": "get", "count": 4, "ack": False, "queue": "slow"})
    assert next(t.ref_count for t in all_of(follower, RefCountChanged)) == 2
    follower.node.verify()
    follower.advance(SECOND)
    follower.submit({"do": "restart", "kind": "kill"})
    assert ready(follower) == {"orders": 0, "slow": 0}


def test_shared_bodies_survive_a_crash_with_their_references() -> None:
    """S117, D1: references are counted from both indexes."""
    follower = follow()
    follower.submit(burst("logs", "", 4, 6000, persistent=True, confirm=True))
    follower.submit({"do": "get", "count": 2, "ack": False, "queue": "slow"})
    follower.advance(SECOND)
    follower.submit({"do": "restart", "kind": "kill"})
    assert ready(follower) == {"orders": 4, "slow": 2}
    rows = follower.node.snapshot()["stores"]["persistent"]["rows"]
    assert sorted((row[1], row[2]) for row in rows) == [(2, 1), (2, 2)]


def test_what_no_queue_gets() -> None:
    """K10, P16: mandatory messages come back, and both kinds are confirmed at once."""
    follower = follow()
    follower.submit(burst("news", "us", 2, mandatory=True, confirm=True))
    follower.submit(burst("news", "us", 3))
    assert [(t.count, t.returned) for t in all_of(follower, Unroutable)] == [(2, True), (3, False)]
    assert [(t.rule, t.count) for t in all_of(follower, ConfirmsSent)] == [("K1", 2)]
    assert ready(follower) == {"orders": 0, "slow": 0}


def test_publishing_to_no_exchange_closes_the_channel() -> None:
    follower = follow()
    publisher = {"do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 10, "exchange": "none"}
    follower.submit(publisher)
    follower.advance(SECOND)
    [closed] = all_of(follower, ChannelClosed)
    assert (closed.actor, closed.code) == ("p1", 404)
    actor = follower.node.snapshot()["node"]["actors"]["p1"]
    assert (actor["state"], actor["channel_state"]) == ("stopped", "closed")
    follower.submit({**publisher, "exchange": "logs"})
    follower.advance(SECOND)
    assert ready(follower)["slow"] > 5
    assert follower.node.snapshot()["node"]["actors"]["p1"]["channel_state"] == "open"


# --- confirms --------------------------------------------------------------------------------------------------------


def test_a_publish_is_confirmed_when_all_its_queues_have() -> None:
    """K10: also when one of them needs no disk."""
    topology = {**FANOUT, "queues": [{"name": "orders"}, {"name": "slow", "durable": False}]}
    follower = follow(topology)
    follower.submit(burst("logs", "", 3, persistent=True, confirm=True))
    [sent] = all_of(follower, ConfirmsSent)
    assert (sent.rule, sent.count, sent.why["multiple_to"], sent.why["singles"]) == ("K8", 3, 3, 0)
    follower.submit(burst("logs", "", 1, persistent=True, confirm=True))
    assert all_of(follower, ConfirmsSent)[-1].why["singles"] == 1


def test_a_crashed_queue_nacks_what_it_had_not_confirmed() -> None:
    """K10."""
    follower = follow(work_profile="hdd")
    follower.submit(burst("", "orders", 5, 6000, persistent=True, confirm=True))
    follower.advance(300)
    follower.submit({"do": "kill_queue", "queue": "orders"})
    follower.advance(SECOND)
    sent = sum(t.count for t in all_of(follower, ConfirmsSent))
    nacked = all_of(follower, NacksSent)
    assert all(t.why["cause"] == "crashed" for t in nacked)
    assert sent + sum(t.count for t in nacked) == 5
    assert nacked


# --- channels --------------------------------------------------------------------------------------------------------


def test_delivery_tags_count_per_channel() -> None:
    """P14: multiple covers all up to the tag; an unknown one is 406 and closes the channel, which requeues."""
    follower = follow()
    follower.submit(burst("logs", "", 6))
    follower.submit({"do": "get", "count": 2, "queue": "orders"})
    follower.submit({"do": "get", "count": 3, "queue": "slow"})
    follower.submit({"do": "ack_tag", "tag": 3, "multiple": True})
    assert ready(follower) == {"orders": 4, "slow": 3}
    assert hand(follower)["unacked"] == 2
    follower.submit({"do": "ack_tag", "tag": 5})
    assert hand(follower)["unacked"] == 1
    follower.submit({"do": "ack_tag", "tag": 5})
    [closed] = all_of(follower, ChannelClosed)
    assert (closed.actor, closed.code, closed.text) == (
        "hand", 406, "PRECONDITION_FAILED - unknown delivery tag 5"
    )  # fmt: skip
    assert hand(follower)["unacked"] == 0
    assert ready(follower) == {"orders": 4, "slow": 4}
    follower.submit({"do": "get", "count": 1, "queue": "slow"})
    assert hand(follower)["next_tag"] == 2
    assert hand(follower)["redelivered"] == 1


def test_nack_returns_or_ends_messages() -> None:
    """P11, P15: what returned is redelivered."""
    follower = follow()
    follower.submit(burst("logs", "", 6))
    follower.submit({"do": "get", "count": 4})
    follower.submit({"do": "nack", "count": 2, "multiple": True})
    follower.submit({"do": "reject", "count": 2, "requeue": False})
    assert ready(follower)["orders"] == 4
    follower.submit({"do": "get", "count": 4})
    assert hand(follower)["redelivered"] == 2


def test_prefetch_of_a_channel_is_shared() -> None:
    """P13: two manual consumers on the hand's channel together hold no more than its limit."""
    follower = follow()
    follower.submit(burst("logs", "", 9))
    for name, queue in (("c1", "orders"), ("c2", "slow")):
        follower.submit(
            {"do": "set_consumer", "name": name, "queue": queue, "ack": "manual", "prefetch": 3, "channel_prefetch": 4}
        )  # fmt: skip
    assert hand(follower)["unacked"] == 4
    follower.submit({"do": "ack", "count": 2})
    assert hand(follower)["unacked"] == 4


def test_consumers_of_higher_priority_come_first() -> None:
    """P12."""
    follower = follow()
    for name, priority in (("low", 0), ("high", 7)):
        follower.submit(
            {"do": "set_consumer", "name": name, "ack": "manual", "prefetch": 3, "priority": priority}
        )
    follower.submit(burst("", "orders", 4))
    actors = follower.node.snapshot()["node"]["actors"]
    assert (actors["high"]["unacked"], actors["low"]["unacked"]) == (3, 1)


def test_cancel_leaves_what_is_held() -> None:
    """P11: a cancelled consumer finishes it; a closed channel requeues it."""
    follower = follow()
    follower.submit(burst("", "orders", 8))
    follower.submit({"do": "set_consumer", "name": "c1", "prefetch": 5, "rate_per_s": 10})
    follower.submit({"do": "set_consumer", "name": "c2", "prefetch": 2, "rate_per_s": 1})
    follower.submit({"do": "cancel", "name": "c1"})
    assert ready(follower)["orders"] == 1
    follower.advance(800_000)
    assert follower.node.snapshot()["node"]["actors"]["c1"]["acked"] == 5
    follower.submit({"do": "close_channel", "name": "c2"})
    assert ready(follower)["orders"] == 3
    assert [t.actor for t in all_of(follower, ConsumerCancelled)] == ["c1"]
    assert [(t.actor, t.code) for t in all_of(follower, ChannelClosed)] == [("c2", 200)]


def test_an_exclusive_consumer_is_alone() -> None:
    """P18: a second one gets 403."""
    follower = follow()
    follower.submit({"do": "set_consumer", "name": "c1", "exclusive": True})
    follower.submit({"do": "set_consumer", "name": "c2"})
    [closed] = all_of(follower, ChannelClosed)
    assert (closed.actor, closed.code) == ("c2", 403)
    assert follower.node.snapshot()["node"]["actors"]["c2"]["channel_state"] == "closed"


# --- declarations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"do": "declare_queue", "name": "orders", "durable": False}, 406),
        ({"do": "declare_queue", "name": "none", "passive": True}, 404),
        ({"do": "declare_queue", "name": "amq.x"}, 403),
        ({"do": "declare_exchange", "name": "logs", "type": "direct"}, 406),
        ({"do": "bind", "exchange": "none", "queue": "orders"}, 404),
        ({"do": "delete_queue", "name": "orders", "if_empty": True}, 406),
        ({"do": "get", "count": 1, "queue": "none"}, 404),
        ({"do": "purge", "queue": "none"}, 404),
    ],
)
def test_what_amqp_refuses_closes_the_channel(command: dict[str, Any], code: int) -> None:
    """P18, P19: with its code and words; what the channel held is requeued, and the session goes on."""
    follower = follow()
    follower.submit(burst("", "orders", 3))
    follower.submit({"do": "get", "count": 2})
    assert follower.submit(command)
    [closed] = all_of(follower, ChannelClosed)
    assert (closed.actor, closed.code) == ("hand", code)
    assert ready(follower)["orders"] == 3


def test_exclusive_queues_go_with_their_connection() -> None:
    """P18: never durable, and 405 for others."""
    follower = follow()
    follower.submit({"do": "declare_queue", "name": "mine", "exclusive": True})
    assert follower.node.snapshot()["queues"]["mine"]["exclusive"]
    assert not follower.node.snapshot()["queues"]["mine"]["durable"]
    follower.submit({"do": "set_consumer", "name": "c1", "queue": "mine"})
    assert [(t.actor, t.code) for t in all_of(follower, ChannelClosed)] == [("c1", 405)]
    follower.submit({"do": "remove", "name": "hand"})
    assert [(t.actor, t.code) for t in all_of(follower, ConnectionClosed)] == [("hand", 200)]
    assert "mine" not in ready(follower)


def test_auto_delete_and_expiring_queues_go_by_themselves() -> None:
    """P18: after the last consumer, never before the first; and when nobody uses it for long."""
    follower = follow()
    follower.submit({"do": "declare_queue", "name": "auto", "auto_delete": True})
    follower.submit({"do": "declare_queue", "name": "short", "arguments": {"x-expires": 500}})
    follower.advance(400_000)
    assert {"auto", "short"} <= ready(follower).keys()
    follower.submit({"do": "declare_queue", "name": "short", "arguments": {"x-expires": 500}})
    follower.advance(400_000)
    assert "short" in ready(follower)
    follower.advance(200_000)
    assert "short" not in ready(follower)
    follower.submit({"do": "set_consumer", "name": "c1", "queue": "auto"})
    follower.submit({"do": "set_consumer", "name": "c2", "queue": "auto"})
    follower.submit({"do": "cancel", "name": "c1"})
    assert "auto" in ready(follower)
    follower.submit({"do": "remove", "name": "c2"})
    assert "auto" not in ready(follower)
    stops = [(t.queue, t.how) for t in all_of(follower, QueueStopped)]
    assert stops == [("short", "expired"), ("auto", "auto_delete")]


def test_impossible_commands_change_nothing() -> None:
    follower = follow()
    for command in (
        {"do": "cancel", "name": "nobody"},
        {"do": "close_channel", "name": "nobody"},
        {"do": "clear_policy", "name": "none"},
        {"do": "set_policy", "name": "p", "pattern": "(", "definition": {"max-length": 1}},
        {"do": "nack", "count": 1},
        {"do": "publish", "count": 1, "size_bytes": 1, "headers": {"a": {"nested": [1.5]}}},
    ):
        assert not follower.submit(command)


def test_a_topology_that_amqp_would_refuse_is_no_scenario() -> None:
    with pytest.raises(ScenarioError, match="topology: NOT_FOUND - no queue 'none' in vhost '/'"):
        follow({"bindings": [{"exchange": "amq.fanout", "queue": "none"}]})
    with pytest.raises(ScenarioError, match=r"topology\.queues has a twice"):
        follow({"queues": [{"name": "a"}, {"name": "a"}]})


def test_limits_count_every_copy() -> None:
    """A message that goes to two queues needs room for two."""
    follower = follow(max_messages=10)
    assert not follower.submit(burst("logs", "", 6))
    assert follower.submit(burst("logs", "", 5))
    with pytest.raises(CommandError, match="publish at most 0"):
        follower.node.submit(burst("logs", "", 1))


def test_a_channel_that_closes_while_confirms_are_awaited_forgets_them() -> None:
    follower = follow(work_profile="hdd")
    follower.submit(burst("logs", "", 4, 100, persistent=True, confirm=True))
    follower.advance(4_000)  # the channel has published them, the disk has not written them
    awaited = follower.node.snapshot()["node"]["actors"]["burst"]["unconfirmed"]
    assert awaited == 4
    follower.submit({"do": "close_channel", "name": "burst"})
    follower.advance(SECOND)
    assert [(t.rule, t.actor, t.count) for t in all_of(follower, ConfirmsForgotten)] == [("K10", "burst", 4)]
    assert all_of(follower, ConfirmsSent) == []
    assert ready(follower) == {"orders": 4, "slow": 4}, "the messages are there all the same"
    follower.submit({"do": "close_channel", "name": "burst"})
    assert len(all_of(follower, ConfirmsForgotten)) == 1


@pytest.mark.parametrize(
    ("copies", "kind"), [(5, "signedint"), ("text", "longstr"), (None, "void"), ({"a": 1}, "table")]
)
def test_a_cc_header_that_is_no_list_is_no_message(copies: object, kind: str) -> None:
    node = operated(parse({"version": 1, "profile": "real", "until_us": 1}), LedgerStorage())
    node.submit({"do": "publish", "count": 1, "size_bytes": 1, "headers": {"CC": copies, "BCC": copies}})
    assert [queue.depth for queue in node.queues.values()] == [0]
    closed = [row for row in node.log.since(0).rows if isinstance(row, ChannelClosed)]
    words = f'PRECONDITION_FAILED - invalid message: {{unacceptable_type_in_header,"CC",{kind}}}'
    assert [(row.code, row.text) for row in closed] == [(406, words)]


def test_what_is_no_text_in_a_cc_header_names_no_key() -> None:
    node = operated(parse({"version": 1, "profile": "real", "until_us": 1}), LedgerStorage())
    node.submit({"do": "publish", "count": 1, "size_bytes": 1, "headers": {"CC": [1, None, "nowhere"]}})
    assert [queue.depth for queue in node.queues.values()] == [1]


def test_no_wait_spares_the_answer_to_a_success_and_never_an_error() -> None:
    """P18."""
    follower = follow()
    for command in (
        {"do": "declare_exchange", "name": "shop"},
        {"do": "declare_queue", "name": "invoices"},
        {"do": "bind", "exchange": "shop", "queue": "invoices", "routing_key": "paid"},
    ):
        follower.submit({**command, "no_wait": True, "channel": "app"})
    actor = follower.node.snapshot()["node"]["actors"]["app"]
    assert actor["unanswered"] == 3
    follower.submit({"do": "declare_queue", "name": "other", "channel": "app"})
    follower.submit(
        {"do": "declare_queue", "name": "invoices", "durable": False, "no_wait": True, "channel": "app"}
    )
    assert [t.code for t in all_of(follower, ChannelClosed)] == [406]
    assert follower.node.snapshot()["node"]["actors"]["app"]["unanswered"] == 3
