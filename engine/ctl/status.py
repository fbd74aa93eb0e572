"""`rabbitmqctl status`: the parts of it that a node in virtual time has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.ctl.listings import NOTHING_MORE, connections
from engine.ctl.memory import amounts, largest_first, strategy_of
from engine.ctl.request import Request
from engine.ctl.usage import NODE_NAME, node_name
from engine.reading.hosts import vhosts_of
from engine.reading.places import declared

ALARMS: Final = {"memory": "Memory alarm", "disk": "Free disk space alarm"}


def status(request: Request, state: Mapping[str, Any], now_us: int) -> str:
    """Return what rabbitmqctl prints.

    Raises CtlRefused for a unit that does not exist.
    """
    amount = amounts(request)
    node = state["node"]
    memory, strategy = node["memory"], strategy_of(state)
    sections = [
        (
            "Runtime",
            [
                f"Uptime (seconds): {now_us // 1_000_000}",
                "RabbitMQ version: 3.10.8",
                f"Node name: {NODE_NAME}",
            ],
        ),
        ("Alarms", _alarms(node.get("alarms", {}))),
        (
            "Memory",
            [
                f"Total memory used: {amount(memory['process_memory'])}",
                f"Calculation strategy: {strategy}",
                f"Memory high watermark setting: {_watermark(node, amount)}, computed to: {amount(memory['limit'])}",
                "",
                *(f"{name}: {amount(size)} ({share} %)" for name, size, share in largest_first(state)),
            ],
        ),
        ("Free Disk Space", _disk(node["disk"], amount)),
        (
            "Totals",
            [
                f"Connection count: {len(connections(state, NOTHING_MORE))}",
                f"Queue count: {len(declared(state))}",
                f"Virtual host count: {len(vhosts_of(state))}",
            ],
        ),
    ]
    return "\n".join("\n".join([title, "", *lines, ""]) for title, lines in sections)


def _alarms(alarms: Mapping[str, Any]) -> list[str]:
    return [f"{ALARMS[each]} on node {NODE_NAME}" for each in ALARMS if alarms.get(each)] or ["(none)"]


def _watermark(node: Mapping[str, Any], amount: Any) -> str:
    value = node["settings"].get("vm_memory_high_watermark")
    if isinstance(value, Mapping):
        return str(amount(value["absolute"]))
    return f"{value} of available memory"


def _disk(disk: Mapping[str, Any], amount: Any) -> list[str]:
    if "limit" not in disk:
        return [f"Written by this node: {amount(disk['used_bytes'])}"]
    return [
        f"Low free disk space watermark: {amount(disk['limit'])}",
        f"Free disk space: {amount(disk['free'])}",
    ]


def cluster_names(state: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the names of the nodes that there are, and of those that run."""
    cluster = state["node"].get("cluster", {})
    names = sorted(name.removesuffix("_up") for name in cluster if name.endswith("_up"))
    running = [node_name(name) for name in names if cluster[f"{name}_up"]] or [NODE_NAME]
    return [node_name(name) for name in names] or [NODE_NAME], running


def cluster_status(request: Request, state: Mapping[str, Any]) -> str:
    """Return which nodes there are and which run."""
    nodes, running = cluster_names(state)
    heading = "" if request.quiet else f"Cluster status of node {running[0]} ...\n"
    parts = {"Basics": [f"Cluster name: {NODE_NAME}"], "Disk Nodes": nodes, "Running Nodes": running}
    return heading + "\n\n".join("\n".join([name, "", *lines]) for name, lines in parts.items()) + "\n"
