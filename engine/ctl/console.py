"""The console: a line in, what rabbitmqctl prints out. What a line changes is a command of the node, done elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.broker.control.report import Live
from engine.ctl.accounts import check_known
from engine.ctl.changes import change_of
from engine.ctl.errors import CtlRefused, NotHere
from engine.ctl.evals import evaluated
from engine.ctl.listings import LISTINGS, NOTHING_MORE
from engine.ctl.printing import print_rows
from engine.ctl.reports import as_json, environment, report
from engine.ctl.request import PLAIN, Request, columns_of, parse
from engine.ctl.sayings import SAYINGS, answer
from engine.ctl.status import cluster_status, status
from engine.ctl.usage import COMMANDS, NODE_NAME, OVERVIEWS, USAGES, help_on
from engine.reading.hosts import state_of, vhosts_of
from engine.values.errors import CommandError

CHECK_VHOST: Final = (
    "list_policies",
    "list_permissions",
    "list_topic_permissions",
    "list_parameters",
    "list_operator_policies",
)
"""Listings that ask first whether there is such a virtual host; the others find nothing in one that is not there."""
EVERYWHERE: Final = ("list_connections", "list_channels", "list_vhosts")
"""Listings of the whole node."""
OF_USER: Final = ("list_user_permissions", "list_user_topic_permissions")
"""Listings about the user that they name."""
OF_PARAMETERS: Final = (
    "list_policies",
    "list_parameters",
    "list_operator_policies",
    "list_topic_permissions",
    "list_user_topic_permissions",
)
"""Listings that print an empty line where there is nothing."""
UNKNOWN: Final = frozenset(
    "consumer_utilisation consumer_capacity client_properties connected_at recv_oct recv_cnt send_oct send_cnt "
    "send_pend timeout head_message_timestamp exclusive_consumer_pid exclusive_consumer_tag owner_pid".split()
)
"""Columns that the broker fills and a node in virtual time does not have; a remark says so."""
STILL_RUNS: Final = (
    ": this command requires the 'rabbit' app to be stopped on the target node. Stop it with "
    "'rabbitmqctl stop_app'."
)
NOT_RUNNING: Final = (
    ": this command requires the 'rabbit' app to be running on the target node. Start it with "
    "'rabbitmqctl start_app'."
)


class Answer(msgspec.Struct, frozen=True):
    """What a line prints.

    Args:
        text: what rabbitmqctl prints.
        changes: the line changes something, which a command `ctl` with the same line does.
        code: rabbitmqctl's exit code, 0 when all is well.
    """

    text: str
    changes: bool = False
    code: int = 0


def ask(line: str, state: Mapping[str, Any], now_us: int, live: Live = NOTHING_MORE) -> Answer:
    """Return what a line prints; nothing changes.

    Args:
        line: as typed, with or without `rabbitmqctl` before it.
        state: a snapshot of the node.
        now_us: its time, microseconds since it began.
        live: what no snapshot contains.
    """
    try:
        request = parse(line)
        if request.name == "help":
            return Answer(_help(request))
        _check_running(request, state)
        if request.name in SAYINGS:
            return Answer(answer(request, state))
        result = evaluated(request, state) if request.name == "eval" else None
        if isinstance(result, str):
            return Answer(result)
        if result is not None or request.usage.changes:
            change = result or change_of(request, state, live)
            heading = f"{change.heading}\n" if change.heading and not request.quiet else ""
            return Answer(heading + change.done, changes=True)
        return Answer(_listing(request, state, now_us, live))
    except CtlRefused as refused:
        return Answer(refused.text, code=refused.code)


def command_of(line: str, state: Mapping[str, Any], live: Live = NOTHING_MORE) -> dict[str, Any]:
    """Return the node's command for a line that changes something.

    Raises CommandError when rabbitmqctl would refuse the line, or when it changes nothing.
    """
    try:
        request = parse(line)
        result = evaluated(request, state) if request.name == "eval" else None
        if isinstance(result, str) or not (result or request.usage.changes):
            raise CommandError("only_asks", line=request.name)
        _check_running(request, state)
        change = result or change_of(request, state, live)
    except CtlRefused as refused:
        raise CommandError("broker_refuses", words=refused.text.strip()) from refused
    return change.command


def _check_running(request: Request, state: Mapping[str, Any]) -> None:
    if request.usage.needs_app and not state["node"].get("app", {}).get("runs", True):
        raise request.refusal(NOT_RUNNING)
    if request.usage.needs_stopped:
        if state["node"].get("app", {}).get("runs", True):
            raise request.refusal(STILL_RUNS)
        raise NotHere(f"{request.name} is not played here: the nodes of a session stay in their cluster")


def _help(request: Request) -> str:
    if not request.arguments:
        return OVERVIEWS[request.program]
    name = request.arguments[0]
    if name not in COMMANDS[request.program]:
        raise CtlRefused(f"Error:\n\nCommand '{name}' not found.\n")
    remark = "" if name in USAGES else f"Waterline: {name} is not played here\n"
    return help_on(name, request.program) + remark


def _report(request: Request, state: Mapping[str, Any], now_us: int, live: Live) -> str | None:
    """Return what a report prints, None for another line."""
    if request.name in ("status", "cluster_status") and request.formatter != "table":
        return as_json(request, state, now_us)
    if request.name == "environment":
        return environment(request, state)
    if request.name == "report":
        return report(request, state, now_us, live)
    if request.name == "status":
        heading = "" if request.quiet else f"Status of node {NODE_NAME} ...\n"
        return heading + status(request, state, now_us)
    if request.name == "cluster_status":
        return cluster_status(request, state)
    return None


def _listing(request: Request, state: Mapping[str, Any], now_us: int, live: Live) -> str:
    whole = _report(request, state, now_us, live)
    if whole is not None:
        return whole
    rows_of, banner = LISTINGS[request.name]
    user = request.arguments[0] if request.name in OF_USER else ""
    seconds = float(request.options.get("timeout", "60"))
    heading = banner.format(vhost=request.vhost, timeout=seconds, user=user)
    if user:
        check_known(request, heading, user)
    if request.vhost not in vhosts_of(state) and request.name in CHECK_VHOST:
        raise request.no_vhost(heading)
    columns = columns_of(request)
    if "vhost" in request.usage.options and request.name not in EVERYWHERE:
        state, live = state_of(state, request.vhost), live.of_host(request.vhost)
    rows = rows_of(state, live)
    if request.name == "list_queues":
        rows = [row for row in rows if _is_wanted(request, row)]
    if not rows and request.name in OF_PARAMETERS:
        text = {"json": "[]\n", "csv": "\n\n\n"}.get(request.formatter, "\n")
    else:
        text = print_rows(request, columns, [[row.get(name) for name in columns] for row in rows])
    if not (request.quiet or request.formatter in PLAIN):
        text = f"{heading}\n{text}"
    unknown = [name for name in columns if rows and name in UNKNOWN and any(name not in row for row in rows)]
    if unknown and request.formatter not in PLAIN:
        text += f"Waterline: not known here: {', '.join(unknown)}\n"
    return text


def _is_wanted(request: Request, row: Mapping[str, Any]) -> bool:
    """Return whether a queue is listed: with --offline those that are down, with --online the others."""
    down: bool = row["state"] == "down"
    if "offline" in request.options and "online" not in request.options:
        return down
    return "online" not in request.options or "offline" in request.options or not down
