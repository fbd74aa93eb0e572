"""The lines that answer with a sentence or a fixed list: checks of the node, users, permissions, versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.ctl.errors import CtlRefused
from engine.ctl.request import Request
from engine.ctl.status import memory_breakdown
from engine.ctl.usage import NODE_NAME

State = Mapping[str, Any]
FAILED: Final = 69
ALARMS: Final = {"memory": "memory", "disk": "disk"}
VERSION: Final = "3.10.8"

Saying = Callable[[Request, State], tuple[str, str]]
"""Returns the heading, which --quiet leaves out, and the answer."""


def _ping(_: Request, __: State) -> tuple[str, str]:
    heading = (
        f"Will ping {NODE_NAME}. This only checks if the OS process is running and registered with epmd. "
        "Timeout: 60000 ms."
    )
    return heading, "Ping succeeded"


def _version(_: Request, __: State) -> tuple[str, str]:
    return "", VERSION


def _nothing(_: Request, __: State) -> tuple[str, str]:
    return "", ""


def _force_gc(_: Request, __: State) -> tuple[str, str]:
    return "", f"Will ask all processes on node {NODE_NAME} to schedule a full sweep GC"


def _health(request: Request, _: State) -> tuple[str, str]:
    seconds = request.options.get("timeout", "70")
    deprecated = (
        "This command is DEPRECATED and will be removed in a future version.\n"
        "It performs intrusive, opinionated health checks and requires a fully booted node.\n"
        "Use one of the options covered in https://www.rabbitmq.com/monitoring.html#health-checks instead."
    )
    heading = f"{deprecated}\nTimeout: {seconds} seconds ...\nChecking health of node {NODE_NAME} ..."
    return heading, "Health check passed"


def _running(_: Request, __: State) -> tuple[str, str]:
    answer = f"RabbitMQ on node {NODE_NAME} is fully booted and running"
    return f"Checking if RabbitMQ is running on node {NODE_NAME} ...", answer


def _is_running(_: Request, __: State) -> tuple[str, str]:
    answer = f"RabbitMQ on node {NODE_NAME} is fully booted and running"
    return f"Asking node {NODE_NAME} for its status ...", answer


def _is_booting(_: Request, __: State) -> tuple[str, str]:
    answer = (
        f"RabbitMQ on node {NODE_NAME} is fully booted (check with is_running), stopped or has not started "
        "booting yet"
    )
    return f"Asking node {NODE_NAME} for its boot status ...", answer


def _virtual_hosts(_: Request, __: State) -> tuple[str, str]:
    answer = f"Node {NODE_NAME} reported all vhosts as running"
    return f"Checking if all vhosts are running on node {NODE_NAME} ...", answer


def _ports(_: Request, __: State) -> tuple[str, str]:
    heading = f"Testing TCP connections to all active listeners on node {NODE_NAME} ..."
    return heading, f"Successfully connected to ports 5672, 25672 on node {NODE_NAME}."


def _server_version(_: Request, __: State) -> tuple[str, str]:
    return f"Asking node {NODE_NAME} for its RabbitMQ version...", VERSION


def raised(state: State) -> list[str]:
    """Return the resources of which the node has an alarm (A1)."""
    alarms = state["node"].get("alarms", {})
    return [name for each, name in ALARMS.items() if alarms.get(each)]


def _local_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(request, state, "report any local resource alarms", "no local alarms", fails=True)


def _all_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(
        request, state, "report any local resource alarms", "no alarms, local or clusterwide", fails=True
    )


def _known_alarms(request: Request, state: State) -> tuple[str, str]:
    return _alarms(
        request, state, "report any known resource alarms", "no alarms, local or clusterwide", fails=False
    )


def _alarms(request: Request, state: State, ask: str, none: str, *, fails: bool) -> tuple[str, str]:
    """Return what is said of alarms; a check fails where there is one.

    Raises:
        CtlRefused: the check found one.
    """
    heading = f"Asking node {NODE_NAME} to {ask} ..."
    found = raised(state)
    if not found:
        return heading, f"Node {NODE_NAME} reported {none}"
    words = {"memory": "Memory alarm on node", "disk": "Free disk space alarm on node"}
    listed = "\n".join(f"{words[each]} {NODE_NAME}" for each in found)
    if not fails:
        return heading, listed
    before = "" if request.quiet else f"{heading}\n"
    raise CtlRefused(f"{before}Error:\n{listed}\n", FAILED)


SAYINGS: Final[dict[str, Saying]] = {
    "ping": _ping,
    "version": _version,
    "await_startup": _nothing,
    "force_gc": _force_gc,
    "node_health_check": _health,
    "check_running": _running,
    "is_running": _is_running,
    "is_booting": _is_booting,
    "check_virtual_hosts": _virtual_hosts,
    "server_version": _server_version,
    "check_port_connectivity": _ports,
    "check_local_alarms": _local_alarms,
    "check_alarms": _all_alarms,
    "alarms": _known_alarms,
    "memory_breakdown": memory_breakdown,
}


def answer(request: Request, state: State) -> str:
    """Return what a line says.

    Raises:
        CtlRefused: a check fails.
    """
    heading, text = SAYINGS[request.name](request, state)
    parts = [text] if request.quiet or not heading else [heading, text]
    return "".join(f"{each}\n" for each in parts if each)
