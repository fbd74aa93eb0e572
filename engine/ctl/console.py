"""The console takes a line and returns what rabbitmqctl prints; a node with a console carries out what lines change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import ParsedScenario
from engine.broker.control.report import LiveValues
from engine.ctl.changes import change_of, evaluated
from engine.ctl.listings import LISTINGS, NOTHING_MORE, listed
from engine.ctl.releases import USAGES, CtlRefused, NotHere, facts_of
from engine.ctl.reports import REPORTS
from engine.ctl.request import Request, parse
from engine.storage.port import Storage
from engine.values.errors import CommandError

NOT_RUNNING: Final = (
    ": this command requires the 'rabbit' app to be running on the target node. Start it with "
    "'rabbitmqctl start_app'."
)


class Answer(msgspec.Struct, frozen=True):
    """What a line prints. `changes`: whether the line changes something; a command `ctl` with the same line
    then does it. `code`: rabbitmqctl's exit code, 0 when all is well.
    """

    text: str
    changes: bool = False
    code: int = 0


def ask(line: str, state: Mapping[str, Any], now_us: int, live: LiveValues = NOTHING_MORE) -> Answer:
    """Return what a line prints, and change nothing.

    Args:
        line: as typed, with or without `rabbitmqctl` before it.
        state: a snapshot of the node, whose settings name its release.
        now_us: its time, microseconds since its start.
        live: values that no snapshot contains.
    """
    try:
        request = parse(line, facts_of(state))
        if request.name == "help":
            return Answer(_help(request))
        _check_running(request, state)
        result = evaluated(request, state, live) if request.name == "eval" else None
        if isinstance(result, str):
            return Answer(result)
        if result is not None or request.usage.changes:
            change = result or change_of(request, state, live)
            heading = f"{change.heading}\n" if change.heading and not request.quiet else ""
            return Answer(heading + change.done, changes=True)
        if request.name in LISTINGS:
            return Answer(listed(request, state, live))
        return Answer(REPORTS[request.name](request, state, now_us, live))
    except CtlRefused as refused:
        return Answer(refused.text, code=refused.code)


def command_of(line: str, state: Mapping[str, Any], live: LiveValues = NOTHING_MORE) -> dict[str, Any]:
    """Return the node's command for a line that changes something. Raises CommandError when rabbitmqctl would
    refuse the line, or when it changes nothing.
    """
    try:
        request = parse(line, facts_of(state))
        result = evaluated(request, state, live) if request.name == "eval" else None
        if isinstance(result, str) or not (result or request.usage.changes):
            raise CommandError("only_asks", line=request.name)
        _check_running(request, state)
        change = result or change_of(request, state, live)
    except CtlRefused as refused:
        raise CommandError("broker_refuses", words=refused.text.strip()) from refused
    return change.command


def operated(scenario: ParsedScenario, storage: Storage, keep: int = 2048) -> Cluster:
    """Return a node whose command `ctl` carries out lines of rabbitmqctl; arguments as for Cluster."""
    return Cluster(scenario, storage, keep, command_of)


def ask_node(node: Cluster, line: str) -> Answer:
    """Return what a line of rabbitmqctl prints, and change nothing; the command `ctl` makes changes."""
    return ask(line, node.snapshot(), node.now_us, node.live())


def _check_running(request: Request, state: Mapping[str, Any]) -> None:
    if request.usage.needs_app and not state["node"].get("app", {}).get("runs", True):
        raise request.complaint(NOT_RUNNING)


def _help(request: Request) -> str:
    known = request.facts.commands[request.program]
    if not request.arguments:
        width = max(map(len, USAGES))
        lines = [
            f"   {name:<{width}}  {usage.about}" for name, usage in sorted(USAGES.items()) if name in known
        ]
        head = (
            f"Usage\n\n{request.program} [--node <node>] [--longnames] [--quiet] <command> [<argument> ...]\n"
        )
        return (
            f"{head}\nWaterline plays these commands of RabbitMQ {request.facts.version}:\n\n"
            + "\n".join(lines)
            + "\n"
        )
    name = request.arguments[0]
    if name not in known:
        raise CtlRefused(f"Error:\n\nCommand '{name}' not found.\n")
    if name not in USAGES:
        raise NotHere(
            f"RabbitMQ {request.facts.version} has the command '{name}'; Waterline has no such part", 0
        )
    usage = request.facts.usage(name)
    columns = request.facts.columns.get(name)
    shown = f"Columns: {' '.join(columns)}\n" if columns else ""
    return f"Usage\n\n{usage.line(name, request.program)}\n\n{usage.about}\n{shown}"
