"""One virtual host of a snapshot, with its own names; the node's parts stay. static/js/model/hosts.js is its
twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.values.labels import FIRST_HOST, bare, host_of

State = Mapping[str, Any]
TABLES: Final = ("actors", "exchanges", "policies")
ENDS: Final = ("exchange", "queue")
NAMED: Final = ("queue", "exchange", "part_of", "mirror_of")
"""Fields of a queue or an actor that are names in its virtual host."""


def vhosts_of(state: State) -> list[str]:
    """Return the names of the virtual hosts, the oldest first."""
    return list(state["node"].get("vhosts", (FIRST_HOST,)))


def state_of(state: State, vhost: str) -> State:
    """Return the part of a snapshot in one virtual host; empty if there is no such host."""
    if vhost == FIRST_HOST and "vhosts" not in state["node"]:
        return state
    node = {**state["node"], "vhost": vhost}
    for table in TABLES:
        if table in node:
            node[table] = _in(node[table], vhost)
    node["processes"] = {
        f"{kind}:{bare(name)}": each
        for id_, each in node["processes"].items()
        for kind, _, name in (id_.partition(":"),)
        if kind == "monitor" or host_of(name) == vhost
    }
    if vhost != FIRST_HOST:
        node["clock"] = {}  # of the first host's queue called orders
    if "bindings" in node:
        node["bindings"] = [
            {**each, **{end: bare(each[end]) for end in ENDS}}
            for each in node["bindings"]
            if host_of(each["queue"]) == vhost
        ]
    return {
        **state,
        "queues": _in(state["queues"], vhost),
        "stores": _in(state["stores"], vhost),
        "node": node,
    }


def host_shown(state: State) -> str:
    """Return the virtual host of a state."""
    return str(state["node"].get("vhost", FIRST_HOST))


def _in(table: Mapping[str, Any], vhost: str) -> dict[str, Any]:
    return {bare(name): _bared(value) for name, value in table.items() if host_of(name) == vhost}


def _bared(value: Any) -> Any:
    """Return the shown fields of a thing, with names as they are in its virtual host."""
    if not isinstance(value, Mapping):
        return value
    named = {key: bare(value[key]) for key in NAMED if isinstance(value.get(key), str)}
    return {**value, **named} if named else value
