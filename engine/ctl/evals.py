"""The few expressions of `rabbitmqctl eval` that runbooks use: the paging ratio, which no other line can change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.ctl.amounts import FRACTION
from engine.ctl.changes import Change
from engine.ctl.errors import NotHere
from engine.ctl.health import raised
from engine.ctl.memory import memory_terms
from engine.ctl.request import Request
from engine.ctl.status import cluster_names
from engine.ctl.usage import NODE_NAME

RATIO: Final = "vm_memory_high_watermark_paging_ratio"
WATERMARK: Final = "vm_memory_high_watermark"
GET: Final = re.compile(rf"application:get_env\(rabbit,({RATIO}|{WATERMARK})\)\.?")
SET: Final = re.compile(rf"application:set_env\(rabbit,{RATIO},({FRACTION.pattern})\)\.?")


def _alarms(state: Mapping[str, Any]) -> str:
    return f"[{','.join(f'{{{{resource_limit,{name},{NODE_NAME}}},[]}}' for name in raised(state))}]"


def _cluster(state: Mapping[str, Any]) -> str:
    nodes, running = (",".join(each) for each in cluster_names(state))
    return (
        f"[{{nodes,[{{disc,[{nodes}]}}]}},\n {{running_nodes,[{running}]}},\n "
        f'{{cluster_name,<<"{NODE_NAME}">>}},\n {{partitions,[]}}]'
    )


LITERAL: Final = re.compile(r"([a-z]\w{0,60}|[1-9]\d{0,15}|0)\.")
"""What evaluates to itself."""
READS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    r"vm_memory_monitor:get_vm_memory_high_watermark\(\)": lambda state: _number(
        state["node"]["settings"][WATERMARK]
    ),
    r"vm_memory_monitor:get_memory_limit\(\)": lambda state: state["node"]["memory"]["limit"],
    r"rabbit_mnesia:cluster_nodes\(running\)": lambda state: f"[{','.join(cluster_names(state)[1])}]",
    r"rabbit_nodes:cluster_name\(\)": lambda _: f'<<"{NODE_NAME}">>',
    r"node\(\)": lambda _: NODE_NAME,
    r"rabbit_alarm:get_alarms\(\)": _alarms,
    r"rabbit_mnesia:status\(\)": _cluster,
    r"rabbit_vm:memory\(\)": memory_terms,
}
"""Expressions without a blank, and what they read."""


def evaluated(request: Request, state: Mapping[str, Any]) -> str | Change:
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
        return f"{{ok,{_number(settings[found[1]])}}}\n"
    if (found := SET.fullmatch(text)) is not None:
        return Change({"do": "set", "name": RATIO, "value": float(found[1])}, "", "ok\n")
    for pattern, read in READS.items():
        if re.fullmatch(rf"{pattern}\.?", text):
            return f"{read(state)}\n"
    raise NotHere(
        "of eval only a few expressions are played: get_env and set_env of the paging ratio, get_env of the watermark, "
        "what vm_memory_monitor says of both, node(), rabbit_alarm:get_alarms(), rabbit_mnesia:status() and "
        "rabbit_vm:memory()"
    )


def _number(value: Any) -> str:
    if isinstance(value, Mapping):
        ((kind, amount),) = value.items()
        return f"{{{kind},{amount}}}"
    return str(value)
