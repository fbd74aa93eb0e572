"""The console: a line in, what rabbitmqctl prints out. What a line changes is a command of the node, done elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.broker.control.report import Live
from engine.ctl.changes import Change, change_of
from engine.ctl.errors import CtlRefused
from engine.ctl.listings import LISTINGS, NOTHING_MORE
from engine.ctl.printing import print_rows
from engine.ctl.request import Request, columns_of, parse
from engine.ctl.status import cluster_status, status
from engine.ctl.usage import NODE_NAME, USAGES, help_on, overview
from engine.values.errors import CommandError

NOT_RUNNING = (
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
        if request.usage.changes:
            change = change_of(request, state, live)
            heading = "" if request.quiet else f"{change.heading}\n"
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
        if not request.usage.changes:
            raise CommandError("only_asks", line=request.name)
        _check_running(request, state)
        change: Change = change_of(request, state, live)
    except CtlRefused as refused:
        raise CommandError("broker_refuses", words=refused.text.strip()) from refused
    return change.command


def _check_running(request: Request, state: Mapping[str, Any]) -> None:
    if request.usage.needs_app and not state["node"].get("app", {}).get("runs", True):
        raise request.refusal(NOT_RUNNING)


def _help(request: Request) -> str:
    if not request.arguments:
        return overview()
    name = request.arguments[0]
    if name not in USAGES:
        raise CtlRefused(f"Error:\n\nCommand '{name}' not found.\n")
    return help_on(name)


def _listing(request: Request, state: Mapping[str, Any], now_us: int, live: Live) -> str:
    if request.name == "status":
        heading = "" if request.quiet else f"Status of node {NODE_NAME} ...\n"
        return heading + status(request, state, now_us)
    if request.name == "cluster_status":
        return cluster_status(request, state)
    rows_of, banner = LISTINGS[request.name]
    vhost = request.options.get("vhost", "/")
    columns = columns_of(request)
    rows = (
        rows_of(state, live) if vhost == "/" or request.name in ("list_connections", "list_channels") else []
    )
    text = print_rows(request, columns, [[row.get(name) for name in columns] for row in rows])
    if request.name == "list_policies" and not rows and request.options.get("formatter") != "json":
        text = "\n"
    if request.quiet or request.options.get("formatter") == "json":
        return text
    timeout = float(request.options.get("timeout", "60"))
    return f"{banner.format(vhost=vhost, timeout=timeout)}\n{text}"
