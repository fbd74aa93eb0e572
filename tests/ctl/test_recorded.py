"""Every recorded line gets the answer that rabbitmqctl gave, character for character."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.broker.commands import scenario
from engine.ctl.console import Answer, ask
from engine.ctl.operator import operated
from engine.storage.ledger import LedgerStorage

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
UNORDERED = ("list_queues", "list_exchanges", "list_bindings", "list_policies")
"""Listings whose rows the broker gives in the order of a hash table."""
OWN_TIME = "stop_app"


def made_state() -> dict[str, Any]:
    """Return the state of a node on which the same was done as on the real one (see `record._fill`)."""
    node = operated(
        scenario.parse(
            {
                "version": 1,
                "profile": "real",
                "seed": 1,
                "commands": [],
                "until_us": 1,
                "topology": {"queues": [{"name": "orders"}, {"name": "lazy"}]},
            }
        ),
        LedgerStorage(),
    )
    node.submit({"do": "publish", "count": 3, "size_bytes": 100})
    node.submit({"do": "publish", "count": 1, "size_bytes": 100, "routing_key": "lazy"})
    node.advance(100_000)
    node.submit({"do": "set_consumer", "name": "c1", "prefetch": 2, "ack": "each", "rate_per_s": 1})
    node.advance(200_000)
    state = node.snapshot()
    state["queues"]["lazy"]["arguments"] = {"x-queue-mode": "lazy", "x-max-length": 100}
    state["node"]["exchanges"] = {
        "events": {"type": "topic", "durable": True, "auto_delete": False, "internal": False}
    }
    state["node"]["bindings"] = [
        {"exchange": "events", "queue": "orders", "routing_key": "a.#", "arguments": {}},
        {
            "exchange": "amq.headers",
            "queue": "lazy",
            "routing_key": "",
            "arguments": {"kind": "big", "x-match": "any"},
        },
    ]
    del state["node"]["actors"]["burst"]  # the recording has one connection
    return state


def _changed(state: dict[str, Any], line: str) -> None:
    """Do to the state what the line did to the real node, as far as later lines show it."""
    word = line.split()
    if line.startswith("set_policy short"):
        definition = {"max-length": 5, "overflow": "reject-publish"}
        state["node"]["policies"] = {
            "short": {"pattern": "^or", "definition": definition, "priority": 3, "apply_to": "queues"}
        }
        state["queues"]["orders"]["policy"] = "short"
    elif word[:2] == ["clear_policy", "short"]:
        state["node"]["policies"] = {}
        state["queues"]["orders"]["policy"] = None
    elif line == "purge_queue lazy":
        state["queues"]["lazy"]["counters"]["len"] = 0
    elif word[0] == "delete_queue" and "lazy" in word:
        state["queues"].pop("lazy", None)
    elif line == OWN_TIME:
        state["node"]["app"] = {"runs": False}
    elif line == "start_app":
        state["node"].pop("app", None)
        state["node"]["actors"].clear()


def _comparable(line: str, text: str) -> list[str]:
    lines = text.splitlines()
    if any(name in line for name in UNORDERED) and not text.startswith("Error"):
        return sorted(row.removeprefix(",") for row in lines)
    return lines


def test_every_line_is_answered_as_the_broker_does():
    state = made_state()
    wrong = []
    for recorded in RECORDED:
        line = recorded["line"]
        found = ask(line, state, 0)
        if (
            _comparable(line, found.text) != _comparable(line, recorded["text"])
            or found.code != recorded["code"]
        ):
            wrong.append(
                f"$ {line}\nbroker {recorded['code']}:\n{recorded['text']}\nhere {found.code}:\n{found.text}"
            )
        _changed(state, line)
    assert not wrong, "\n----\n".join(wrong)
    assert len(RECORDED) > 50


def test_all_commands_were_recorded_but_those_that_differ_by_design():
    recorded = {word for each in RECORDED for word in each["line"].split()}
    from engine.ctl.usage import USAGES

    of_clusters = {"cluster_status", "sync_queue", "cancel_sync_queue"}  # see test_cluster
    assert set(USAGES) - recorded == of_clusters


@pytest.mark.parametrize("prefix", ["rabbitmqctl ", "sudo rabbitmqctl ", "  "])
def test_the_program_may_be_written_before_the_command(prefix):
    state = made_state()
    assert ask(f"{prefix}list_queues", state, 0) == ask("list_queues", state, 0)
    assert isinstance(ask("help", state, 0), Answer)
