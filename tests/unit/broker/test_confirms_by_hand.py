"""Confirm mode and consumer tags on channels by hand: what is shown of them; the stories hold them to the broker."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.ctl.console import ask_node, operated
from engine.report.transitions.node import ChannelClosed, ConfirmsForgotten, ConnectionClosed
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from tests.helpers.following import Follower


def node(**settings: Any) -> Follower:
    scenario = {
        "version": 1,
        "profile": "real",
        "topology": {"queues": [{"name": "q"}]},
        "settings": settings,
    }
    return Follower(operated(parse(scenario), LedgerStorage(), 100_000))


def publish(made: Follower, **words: Any) -> None:
    command = {
        "do": "publish",
        "count": 2,
        "size_bytes": 10,
        "routing_key": "q",
        "channel": "hand.2",
        **words,
    }
    assert made.submit(command)


def shown(made: Follower) -> dict[str, Any]:
    made.check()
    return dict(made.node.snapshot()["node"]["actors"]["hand.2"])


def test_confirm_select_holds_for_the_channel() -> None:
    made = node()
    publish(made)
    assert "confirm" not in shown(made)
    assert made.submit({"do": "confirm_select", "channel": "hand.2"})
    publish(made, persistent=True)
    made.advance(1_000_000)
    found = shown(made)
    assert (found["confirm"], found["published"], found["confirmed"], found["unconfirmed"]) == (True, 4, 2, 0)
    row = ask_node(made.node, "list_channels confirm messages_unconfirmed").text.splitlines()[-1]
    assert row.split("\t") == ["true", "0"]
    assert made.submit({"do": "close_channel", "name": "hand.2"})
    assert shown(made)["confirm"] is False


def test_a_publish_that_wants_a_confirm_selects_them() -> None:
    made = node()
    publish(made, confirm=True)
    publish(made)
    assert shown(made)["confirmed"] == 4


def test_confirms_of_a_closed_channel_are_forgotten() -> None:
    """What the channel waited for goes with it, and nothing of it comes later (K10)."""
    made = node(work_profile="measured-vm")
    publish(made, confirm=True, persistent=True, count=500)
    assert shown(made)["unconfirmed"] > 0
    assert made.submit({"do": "close_channel", "name": "hand.2"})
    made.advance(3_000_000)
    assert shown(made)["unconfirmed"] == 0
    rows = [row for row in made.node.log.since(0).rows if isinstance(row, ConfirmsForgotten)]
    assert [row.actor for row in rows] == ["hand.2"]


@pytest.mark.parametrize(
    ("verbs", "words"),
    [
        (("tx_select", "confirm_select"), "cannot switch from tx to confirm mode"),
        (("confirm_select", "tx_select"), "cannot switch from confirm to tx mode"),
    ],
)
def test_a_channel_has_one_of_both_modes(verbs: tuple[str, str], words: str) -> None:
    made = node()
    for verb in verbs:
        assert made.submit({"do": verb, "channel": "hand.2"})
    closed = [row for row in made.node.log.since(0).rows if isinstance(row, ChannelClosed)]
    assert [(row.actor, row.code, row.text) for row in closed] == [
        ("hand.2", 406, f"PRECONDITION_FAILED - {words}")
    ]


def test_a_tag_that_the_channel_has_closes_the_connection() -> None:
    made = node()
    consume = {"do": "consume", "name": "c", "queue": "q", "channel": "hand.2"}
    assert made.submit(consume)
    with pytest.raises(CommandError, match="c is already the name of another actor"):
        made.node.submit({**consume, "channel": "hand.3"})
    assert "hand.3" not in made.node.consumers.by_hand
    assert made.submit(consume)
    closed = [row for row in made.node.log.since(0).rows if isinstance(row, ConnectionClosed)]
    words = "NOT_ALLOWED - attempt to reuse consumer tag 'c'"
    assert [(row.actor, row.code, row.text) for row in closed] == [("hand.2", 530, words)]
    assert made.submit(consume), "a tag is free again when its channel is gone"
    assert made.node.consumers.all["c"].running


@pytest.mark.parametrize(
    "command",
    [
        {"do": "ack", "count": 3},
        {"do": "requeue", "count": 1},
        {"do": "declare_queue", "name": "q2", "arguments": {"x-queue-type": "quorum"}},
    ],
)
def test_a_refused_command_opens_no_channel(command: dict[str, Any]) -> None:
    """Else the run would differ from its replay, which has no refused commands."""
    made = node()
    assert not made.submit({**command, "channel": "hand.7"})
    made.check()
    assert "hand.7" not in made.node.consumers.by_hand


def test_a_limit_that_is_lifted_while_messages_wait_lets_them_go() -> None:
    """The queue that waits for room hears first, and no limit is room for all (P13); it once asked for ever."""
    made = node()
    assert made.submit({"do": "publish", "count": 5, "size_bytes": 10, "routing_key": "q"})
    consume = {"do": "consume", "queue": "q", "prefetch": 0, "channel": "hand.2"}
    assert made.submit({**consume, "name": "c", "channel_prefetch": 1})
    assert made.node.consumers.all["c"].holding == 1
    assert made.submit({"do": "qos", "prefetch": 0, "channel_wide": True, "channel": "hand.2"})
    assert made.node.consumers.all["c"].holding == 5


def test_a_policy_after_a_restart_concerns_no_queue_that_is_gone() -> None:
    made = node()
    assert made.submit({"do": "declare_queue", "name": "gone", "durable": False})
    assert made.submit({"do": "restart", "kind": "clean"})
    policy = {"do": "set_policy", "name": "p", "pattern": ".*", "definition": {"max-length": 2}}
    assert made.submit(policy)
    assert list(made.node.queues) == ["q"]
