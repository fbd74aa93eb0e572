"""Every recorded line gets the answer that rabbitmqctl gave, character for character."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.amqp.policies import Policy, policy_of
from engine.broker.commands import scenario
from engine.ctl.console import Answer, ask, command_of
from engine.ctl.operator import operated
from engine.storage.ledger import LedgerStorage
from engine.values.errors import CommandError
from engine.values.labels import in_host

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text())
PARTS_OF_POLICIES = ("pattern", "definition", "priority", "apply_to")
UNORDERED = ("list_queues", "list_exchanges", "list_bindings", "list_policies")
"""Listings whose rows the broker gives in the order of a hash table."""
OWN_TIME = "stop_app"
LINE_DRAWING = str.maketrans(
    "lqwkxtnumvj", "\u250c\u2500\u252c\u2510\u2502\u251c\u253c\u2524\u2514\u2534\u2518"
)
"""The frames of a pretty table on a terminal without UTF-8."""

NOT_PLAYED = re.compile(
    r"trace_o|--formatter xml"
    r"|eval 'rabbit_vm|-n nope"
)
"""Lines that the broker does and Waterline does not: said as its own remark."""
OTHERWISE = {
    r"consumer_utilisation": "numbers of a real consumer",
    r"list_connections --formatter csv user state": "the real connection is blocking under the alarm of 200 MB",
    r"absolute -5": "the broker's own command line fails with a stack trace",
    r"memory_breakdown|get_memory_limit": "other parts, another machine",
    r"environment|^report|(status|cluster_status) --formatter": "a part of it, and a remark; see test_reports",
    r"^help|--help": "fewer commands, and no general options",
}
"""Lines that are answered otherwise, with the reason."""


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


def _set(state: dict[str, Any], command: dict[str, Any]) -> None:
    """Let a policy, or the paging ratio, be as a command says."""
    if command["do"] == "add_vhost":
        state["node"]["vhosts"] = ["/", command["vhost"]]
        return
    if command["do"] == "delete_vhost":
        del state["node"]["vhosts"]
        return
    policies = state["node"].setdefault("policies", {})
    if command["do"] == "set_policy":
        policies[in_host(command.get("vhost", "/"), command["name"])] = {
            name: command[name] for name in PARTS_OF_POLICIES
        }
    elif command["do"] == "clear_policy":
        policies.pop(in_host(command.get("vhost", "/"), command["name"]), None)
    elif command["do"] == "set":
        state["node"]["settings"][command["name"]] = command["value"]
    found = policy_of([Policy(name=name, **each) for name, each in policies.items()], "queues", "orders")
    state["queues"]["orders"]["policy"] = found.name if found else None


def changed(state: dict[str, Any], line: str) -> None:
    """Do to the state what the line did to the real node, as far as later lines show it."""
    word = line.split()
    if word[0] in {"set_policy", "clear_policy", "rabbitmqctl", "add_vhost", "delete_vhost"}:
        with suppress(CommandError):
            _set(state, command_of(line, state))
    elif line == "purge_queue lazy":
        state["queues"]["lazy"]["counters"]["len"] = 0
    elif word[0] == "delete_queue" and "lazy" in word:
        state["queues"].pop("lazy", None)
        bindings = state["node"]["bindings"]
        state["node"]["bindings"] = [each for each in bindings if each["queue"] != "lazy"]
    elif line == OWN_TIME:
        state["node"]["app"] = {"runs": False}
    elif line == "start_app":
        state["node"].pop("app", None)
        state["node"]["actors"].clear()


def comparable(line: str, text: str) -> list[str]:
    """Return the lines of an answer without ports, and in one order where the broker has none."""
    text = re.sub(r"(?<=ports )[0-9]+, [0-9]+|(?<=cluster-id-)\w+", "", text)
    text = re.sub(r"\x1b\(0(.*?)\x1b\(B", lambda frame: frame[1].translate(LINE_DRAWING), text)
    lines = [row for row in text.splitlines() if not row.startswith("/\tk10\t")]  # see OTHERWISE
    if any(name in line for name in UNORDERED) and not text.startswith("Error"):
        return sorted(row.removeprefix(",") for row in lines)
    return lines


def test_every_line_is_answered_as_the_broker_does():
    state = made_state()
    wrong = []
    for recorded in RECORDED:
        line = recorded["line"]
        found = ask(line, state, 0)
        if NOT_PLAYED.search(line):
            assert found.text.startswith("Waterline: "), f"{line}: {found.text}"
        elif any(re.search(pattern, line) for pattern in OTHERWISE):
            pass
        elif (
            comparable(line, found.text) != comparable(line, recorded["text"])
            or found.code != recorded["code"]
        ):
            wrong.append(
                f"$ {line}\nbroker {recorded['code']}:\n{recorded['text']}\nhere {found.code}:\n{found.text}"
            )
        changed(state, line)
    assert not wrong, "\n----\n".join(wrong)
    assert len(RECORDED) > 250


def test_all_commands_were_recorded_but_those_that_differ_by_design():
    recorded = {word for each in RECORDED for word in each["line"].split()}
    from engine.ctl.usage import USAGES

    assert set(USAGES) - recorded == set()


PREFIXES = (
    "rabbitmqctl ",
    "sudo rabbitmqctl ",
    "  ",
    "sudo -u rabbitmq /usr/sbin/rabbitmqctl ",
    "docker exec -it mq rabbitmqctl ",
    "kubectl -n prod exec mq-0 -- rabbitmqctl ",
    "docker-compose exec -T rabbit rabbitmqctl ",
    "ssh mq1 sudo rabbitmqctl ",
    "watch -n1 rabbitmqctl ",
    "rabbitmqctl.bat ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_program_may_be_written_before_the_command(prefix):
    state = made_state()
    assert ask(f"{prefix}list_queues", state, 0) == ask("list_queues", state, 0)
    assert isinstance(ask("help", state, 0), Answer)


def test_a_line_inside_a_shell_is_read():
    state = made_state()
    inside = "kubectl exec rabbitmq-0 -- bash -c 'rabbitmqctl list_queues name'"
    assert ask(inside, state, 0) == ask("list_queues name", state, 0)


@pytest.mark.parametrize(
    "line",
    [
        "list_queues | grep orders",
        "list_queues > out.txt",
        "list_queues 2>/dev/null",
        "stop_app && start_app",
        "rabbitmqadmin list queues",
        "rabbitmq-queues check_if_node_is_quorum_critical",
    ],
)
def test_what_a_shell_or_another_tool_does_is_said_as_a_remark_and_nothing_is_done(line):
    answer = ask(line, made_state(), 0)
    assert answer.text.startswith("Waterline: ")
    assert answer.code
    with pytest.raises(CommandError):
        command_of(line, made_state())
