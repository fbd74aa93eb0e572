"""The few expressions of `rabbitmqctl eval` that runbooks use: the paging ratio, which no other line can change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.broker.control.report import LiveValues
from engine.ctl.amounts import FRACTION
from engine.ctl.changes import Change
from engine.ctl.errors import NotHere
from engine.ctl.listings import STATUS_LINE, status_terms
from engine.ctl.memory import memory_terms
from engine.ctl.reports import ALARMS, cluster_names
from engine.ctl.request import Request
from engine.ctl.usage import NODE_NAME

RATIO: Final = "vm_memory_high_watermark_paging_ratio"
WATERMARK: Final = "vm_memory_high_watermark"
State = Mapping[str, Any]
GET: Final = re.compile(rf"application:get_env\(rabbit,({RATIO}|{WATERMARK})\)\.?")
SET: Final = re.compile(rf"application:set_env\(rabbit,{RATIO},({FRACTION.pattern})\)\.?")
MNESIA: Final = "rabbit_mnesia:"
LITERAL: Final = re.compile(r"([a-z]\w{0,60}|[1-9]\d{0,15}|0)\.")
"""What evaluates to itself."""


def _alarms(state: State) -> str:
    found = state["node"].get("alarms", {})
    rings = (f"{{{{resource_limit,{name},{NODE_NAME}}},[]}}" for name in ALARMS if found.get(name))
    return f"[{','.join(rings)}]"


def _cluster(state: State) -> str:
    nodes, running = (",".join(each) for each in cluster_names(state))
    return (
        f"[{{nodes,[{{disc,[{nodes}]}}]}},\n {{running_nodes,[{running}]}},\n "
        f'{{cluster_name,<<"{NODE_NAME}">>}},\n {{partitions,[]}}]'
    )


READS: Final[Mapping[str, Callable[[State], Any]]] = {
    "vm_memory_monitor:get_vm_memory_high_watermark()": lambda state: _number(
        state["node"]["settings"][WATERMARK]
    ),
    "vm_memory_monitor:get_memory_limit()": lambda state: state["node"]["memory"]["limit"],
    "rabbit_mnesia:cluster_nodes(running)": lambda state: f"[{','.join(cluster_names(state)[1])}]",
    "rabbit_nodes:cluster_name()": lambda _: f'<<"{NODE_NAME}">>',
    "node()": lambda _: NODE_NAME,
    "rabbit_alarm:get_alarms()": _alarms,
    "rabbit_mnesia:status()": _cluster,
}
"""Expressions without a blank, and what they read."""


def evaluated(request: Request, state: State, live: LiveValues) -> str | Change:
    """Return what an expression evaluates to, or what it changes.

    Raises:
        NotHere: it is none of those that are played.
    """
    text = re.sub(r"\s", "", request.arguments[0])
    if not text.endswith("."):
        raise request.invalid('"syntax error before: "')
    if LITERAL.fullmatch(text):
        return f"{text[:-1]}\n"
    settings = state["node"]["settings"]
    if (found := GET.fullmatch(text)) is not None:
        return f"{{ok,{_number(settings[found[1]])}}}\n" if _has(request, found[1]) else "undefined\n"
    if (found := SET.fullmatch(text)) is not None:
        if not _has(request, RATIO):
            raise NotHere(
                f"RabbitMQ {request.facts.version} has no paging, and nothing that reads this; nothing was changed"
            )
        return Change({"do": "set", "name": RATIO, "value": float(found[1])}, "", "ok\n")
    if text == "rabbit_vm:memory().":
        return f"{memory_terms(request.facts, state)}\n"
    if text == re.sub(r"\s", "", STATUS_LINE):
        return status_terms(request.facts, state, live)
    if (read := READS.get(text[:-1])) is not None and (request.facts.mnesia or MNESIA not in text):
        return f"{read(state)}\n"
    raise NotHere(
        "of eval only a few expressions are played: get_env and set_env of the paging ratio, get_env of the watermark, "
        "what vm_memory_monitor says of both, node(), rabbit_alarm:get_alarms(), rabbit_mnesia:status(), "
        f"rabbit_vm:memory() and {STATUS_LINE}"
    )


def _has(request: Request, setting: str) -> bool:
    return setting != RATIO or request.facts.pages


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        ((kind, amount),) = value.items()
        return f"{{{kind},{amount}}}"
    return str(value)
