"""The lines that answer with a sentence or a fixed list: checks of the node, users, permissions, versions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.ctl.accounts import ACCOUNTS
from engine.ctl.errors import NotHere
from engine.ctl.health import HEALTH
from engine.ctl.listings import NOTHING_MORE, connections
from engine.ctl.memory import memory_breakdown
from engine.ctl.parameters import PARAMETERS
from engine.ctl.request import Request
from engine.ctl.status import cluster_names
from engine.ctl.usage import NODE_NAME

State = Mapping[str, Any]
VERSION: Final = "3.10.8"

PID: Final = re.compile(r"<[^<>]+\.\d+\.\d+\.\d+>")
ALSO_JSON: Final = ("ping", "check_running", "is_running")
"""Sentences that are a message in JSON, too."""

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


def _online(request: Request, state: State) -> tuple[str, str]:
    count = request.arguments[0]
    _, running = cluster_names(state)
    if not count.isdecimal() or int(count) > len(running):
        raise NotHere("no line waits here: nodes are started on the page")
    seconds = request.options.get("timeout", "300")
    return (
        f"Will wait for at least {count} nodes to join the cluster of {NODE_NAME}. Timeout: {seconds} seconds.",
        "",
    )


def _close(request: Request, state: State) -> tuple[str, str]:
    """Answer as the broker where there is nothing to close: a client is closed on the page, where it is seen."""
    found = connections(state, NOTHING_MORE)
    if request.name == "close_connection":
        pid, reason = request.arguments
        heading = f"Closing connection {pid}, reason: {reason}..."
        if not PID.fullmatch(pid):
            raise request.failed(heading, f'Error:\n{{:invalid_pid_syntax, "{pid}"}}')
        wanted = [each for each in found if each["pid"].text == pid]
        done = ""
    else:
        everywhere = "global" in request.options
        where = "" if everywhere else f" in vhost {request.vhost}"
        heading = f"Closing all connections{where}, reason: {request.arguments[0]}..."
        wanted = [each for each in found if everywhere or each["vhost"] == request.vhost]
        if request.options.get("limit") == "0":
            wanted = []
        done = "Closed 0 connections"
    if wanted:
        raise NotHere(
            "connections are closed on the page: remove the client, or close its channel; none was closed"
        )
    return heading, done


def _forget(request: Request, state: State) -> tuple[str, str]:
    if "offline" in request.options:
        raise request.refusal(": this command requires the target node to be stopped.")
    name = request.arguments[0]
    nodes, _ = cluster_names(state)
    if name in nodes:
        raise NotHere("the nodes of a session stay in their cluster")
    reason = "{:not_a_cluster_node, 'The node selected is not in the cluster.'}"
    raise request.failed(f"Removing node {name} from the cluster", reason)


def _hipe(_: Request, __: State) -> tuple[str, str]:
    return "", "This command is a no-op. HiPE is no longer supported by modern Erlang versions"


def _hashes(_: Request, __: State) -> tuple[str, str]:
    first = "blake2s,blake2b,sha3_512,sha3_384,sha3_256,sha3_224,sha512,sha384,sha256,"
    return "Listing supported hash algorithms ...", f"[{first}\n sha224,sha,ripemd160,md5,md4]"


SAYINGS: Final[dict[str, Saying]] = {
    "ping": _ping,
    "version": _version,
    "await_startup": _nothing,
    "force_gc": _force_gc,
    "node_health_check": _health,
    "await_online_nodes": _online,
    "close_connection": _close,
    "close_all_connections": _close,
    "forget_cluster_node": _forget,
    "hipe_compile": _hipe,
    "list_hashes": _hashes,
    "memory_breakdown": memory_breakdown,
    **HEALTH,
    **ACCOUNTS,
    **PARAMETERS,
}


def answer(request: Request, state: State) -> str:
    """Return what a line says.

    Raises:
        CtlRefused: a check fails.
    """
    if "details" in request.options:
        raise NotHere(f"{request.name} has no details here")
    heading, text = SAYINGS[request.name](request, state)
    if request.formatter == "json" and request.name in ALSO_JSON:
        message: dict[str, Any] = {"message": text}
        if request.name == "is_running":
            message["result"] = True
        return json.dumps(message, separators=(",", ":")) + "\n"
    if request.formatter == "json" and request.name == "memory_breakdown":
        return f"{text}\n"
    if request.formatter != "table":
        raise NotHere(f"{request.name} is printed as text only here")
    parts = [text] if request.quiet or not heading else [heading, text]
    return "".join(f"{each}\n" for each in parts if each)
