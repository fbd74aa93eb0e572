"""Lines that change something, `eval` too: how numbers are read, the command for each, and what rabbitmqctl prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.amqp.policies import Policy, PolicyRefused, checked
from engine.broker.commands.base import bytes_of
from engine.broker.control.report import LiveValues
from engine.ctl.listings import STATUS_LINE, status_terms, used
from engine.ctl.releases import (
    BAD_VALUE,
    NODE_NAME,
    SOFTWARE,
    UNREACHABLE,
    CtlRefused,
    NotHere,
    release_shown,
)
from engine.ctl.reports import ALARMS, cluster_names, erlang_term, memory_terms
from engine.ctl.request import VHOST, Request
from engine.reading.message_places import declared, state_of, vhosts_of
from engine.values.errors import CommandError

FRACTION: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
BELOW: Final = re.compile(r"-[0-9]{1,15}")
PARTS: Final = re.compile(r"(?P<number>[+-]?[0-9]+)(?P<more>\.[0-9]+)?(?P<rest>.*)", re.DOTALL)
NOT_WATERMARKS: Final = re.compile(r"[0-9]+[kK]iB")
"""Units that the disk limit accepts and the watermark does not."""


def _fraction(request: Request, text: str) -> float:
    if FRACTION.fullmatch(text) is None:
        raise request.invalid("Bad argument.", BAD_VALUE)
    return float(text)


def _watermark_bytes(request: Request, text: str) -> int:
    found = PARTS.fullmatch(text)
    if found is None:
        raise request.invalid("Bad argument.", BAD_VALUE)
    if found["more"]:
        raise request.invalid("Bad argument: The threshold should be an integer.", BAD_VALUE)
    if BELOW.fullmatch(text):
        raise NotHere("rabbitmqctl ends with a stack trace at an absolute value below 0", SOFTWARE)
    try:
        if NOT_WATERMARKS.fullmatch(text):
            raise CommandError("no_amount", text=text)
        return bytes_of(text)
    except CommandError:
        raise request.invalid("Bad argument: Invalid units.", BAD_VALUE) from None


def _limit_bytes(request: Request, text: str) -> int:
    """Return the bytes of a disk limit; a negative number means no limit."""
    try:
        return 0 if BELOW.fullmatch(text) else bytes_of(text)
    except CommandError:
        raise request.invalid("Bad argument.", BAD_VALUE) from None


State = Mapping[str, Any]


class Change(msgspec.Struct, frozen=True):
    """A command for the node, and what rabbitmqctl prints before and after it is done."""

    command: dict[str, Any]
    heading: str
    done: str = ""


def _two(request: Request, keyword: str) -> bool:
    """Return whether the line has the keyword and a value after it."""
    first, *more = request.arguments
    if first == keyword and not more:
        raise request.invalid("not enough arguments.")
    if first != keyword and more:
        raise request.invalid("too many arguments.")
    return first == keyword


def _watermark(request: Request, _: State, __: LiveValues) -> Change:
    value: Any
    if _two(request, "absolute"):
        value = {"absolute": _watermark_bytes(request, request.arguments[1])}
        shown = f"{request.arguments[1]} bytes"
    else:
        value = _fraction(request, request.arguments[0])
        shown = request.arguments[0]
        if not 0.0 <= value <= 1.0:
            raise request.invalid(
                "Bad argument: The threshold should be a fraction between 0.0 and 1.0", BAD_VALUE
            )
    command = {"do": "set", "name": "vm_memory_high_watermark", "value": value}
    return Change(command, f"Setting memory threshold on {NODE_NAME} to {shown} ...")


def _disk_limit(request: Request, _: State, __: LiveValues) -> Change:
    value: dict[str, Any]
    if _two(request, "mem_relative"):
        part = _fraction(request, request.arguments[1])
        value, shown = {"mem_relative": part}, f"{request.arguments[1]} times the total RAM"
        if not 0.0 <= part < float("inf"):
            raise request.invalid("Bad argument.", BAD_VALUE)
    else:
        value = {"absolute": _limit_bytes(request, request.arguments[0])}
        shown = f"{request.arguments[0]} bytes"
    command = {"do": "set", "name": "disk_free_limit", "value": value}
    return Change(command, f"Setting disk free limit on {NODE_NAME} to {shown} ...")


def _set_policy(request: Request, state: State, _: LiveValues) -> Change:
    name, pattern, text = request.arguments
    priority = request.options.get("priority", "0")
    heading = (
        f'Setting policy "{name}" for pattern "{pattern}" to "{text}" with priority "{priority}" '
        f'for vhost "{request.vhost}" ...'
    )
    facts = request.facts
    try:
        # The decoder of 3.x takes texts in single quotes, too.
        definition = json.loads(text.replace("'", '"') if facts.single_quotes and '"' not in text else text)
    except ValueError:
        raise request.refused(heading, facts.no_json(text)) from None
    if request.vhost not in vhosts_of(state):
        raise request.no_vhost(heading)
    if isinstance(definition, list):
        raise NotHere("the broker fails at a list in the place of a definition; write a map", UNREACHABLE)
    if not isinstance(definition, dict):
        raise request.failed(heading, f"Validation failed\n\ndefinition must be a dictionary: {text}\n")
    fields: dict[str, Any] = {
        "name": name,
        "pattern": pattern,
        "definition": definition,
        "priority": int(priority),
        "apply_to": request.options.get("apply-to", "all"),
    }
    try:
        checked(Policy(**fields), release_shown(state).amqp.validation)
    except PolicyRefused as error:
        if error.code != "broker_refuses":
            raise NotHere(f"{error}") from error
        raise request.failed(heading, f"Validation failed\n\n{error}\n") from error
    return Change({"do": "set_policy", **fields}, heading)


def _clear_policy(request: Request, state: State, _: LiveValues) -> Change:
    name = request.arguments[0]
    heading = f'Clearing policy "{name}" on vhost "{request.vhost}" ...'
    if name not in state["node"].get("policies", {}):
        raise request.failed(heading, "Parameter does not exist")
    return Change({"do": "clear_policy", "name": name}, heading)


def _purge(request: Request, state: State, _: LiveValues) -> Change:
    name = request.arguments[0]
    heading = f"Purging queue '{name}' in vhost '{request.vhost}' ..."
    if name not in declared(state):
        raise request.refused(heading, request.facts.refusals["purge_queue missing"])
    return Change({"do": "purge", "queue": name}, heading)


def _delete(request: Request, state: State, live: LiveValues) -> Change:
    name = request.arguments[0]
    conditions = [
        words
        for flag, words in (("if-empty", "if queue is empty"), ("if-unused", "if queue is unused"))
        if flag in request.options
    ]
    heading = " ".join(
        [f"Deleting queue '{name}' on vhost '{request.vhost}'", " and ".join(conditions), "..."]
    ).replace("  ", " ")
    refusals = request.facts.refusals
    if name not in declared(state):
        raise request.refused(heading, refusals["delete_queue missing"])
    ready = state["queues"][name]["counters"]["len"]
    where = {"name": name, "vhost": request.vhost}
    if "if-empty" in request.options and ready:
        raise request.refused(heading, refusals["delete_queue filled"].of(**where))
    if "if-unused" in request.options and used(state, live, name):
        raise request.refused(heading, refusals["delete_queue used"].of(**where))
    command = {
        "do": "delete_queue",
        "name": name,
        "if_unused": "if-unused" in request.options,
        "if_empty": "if-empty" in request.options,
    }
    return Change(command, heading, f"Queue was successfully deleted with {ready} {request.facts.deleted}\n")


def _sync(request: Request, state: State, _: LiveValues) -> Change:
    name = request.arguments[0]
    heading = f"Synchronising queue '{name}' in vhost '{request.vhost}' ..."
    _mirrored(request, state, heading)
    return Change({"do": "sync_queue", "queue": name}, heading)


def _cancel_sync(request: Request, state: State, _: LiveValues) -> Change:
    name = request.arguments[0]
    heading = f"Stopping synchronising queue '{name}' in vhost '{request.vhost}' ..."
    if name in declared(state) and not declared(state)[name].get("mirrors"):
        raise CtlRefused(f"{'' if request.quiet else heading}\nnot_syncing\n".lstrip("\n"), 0)
    _mirrored(request, state, heading)
    return Change({"do": "cancel_sync_queue", "queue": name}, heading)


def _mirrored(request: Request, state: State, heading: str) -> None:
    queue = declared(state).get(request.arguments[0])
    if queue is None:
        raise request.failed(heading, "not_found")
    if "mirrors" not in queue:
        raise request.failed(heading, "not_mirrored")


def _add_vhost(request: Request, _: State, __: LiveValues) -> Change:
    name = request.arguments[0]
    lost = [f"--{each}" for each in ("description", "tags", "default-queue-type") if each in request.options]
    remark = f"Waterline: not kept here: {', '.join(lost)}\n" if lost else ""
    return Change({"do": "add_vhost", "vhost": name}, f'Adding vhost "{name}" ...', remark)


def _delete_vhost(request: Request, state: State, _: LiveValues) -> Change:
    name = request.arguments[0]
    heading = f'Deleting vhost "{name}" ...'
    if name not in vhosts_of(state):
        raise request.no_vhost(heading, name)
    if name == VHOST:
        raise NotHere(f"every session has the virtual host {VHOST}; it was not deleted")
    return Change({"do": "delete_vhost", "vhost": name}, heading)


_CHANGES: Final[dict[str, Callable[[Request, State, LiveValues], Change]]] = {
    "set_vm_memory_high_watermark": _watermark,
    "set_disk_free_limit": _disk_limit,
    "add_vhost": _add_vhost,
    "delete_vhost": _delete_vhost,
    "set_policy": _set_policy,
    "clear_policy": _clear_policy,
    "purge_queue": _purge,
    "delete_queue": _delete,
    "sync_queue": _sync,
    "cancel_sync_queue": _cancel_sync,
    "stop_app": lambda *_: Change({"do": "stop_app"}, f"Stopping rabbit application on node {NODE_NAME} ..."),
    "start_app": lambda *_: Change({"do": "start_app"}, f"Starting node {NODE_NAME} ..."),
}


def change_of(request: Request, state: State, live: LiveValues) -> Change:
    """Return what a line changes. Raises CtlRefused when rabbitmqctl or the node would not do it."""
    change = _CHANGES[request.name](request, state_of(state, request.vhost), live)
    if "vhost" not in request.usage.options or request.vhost == VHOST:
        return change
    return msgspec.structs.replace(change, command={**change.command, "vhost": request.vhost})


RATIO: Final = "vm_memory_high_watermark_paging_ratio"
WATERMARK: Final = "vm_memory_high_watermark"
GET: Final = re.compile(rf"application:get_env\(rabbit,({RATIO}|{WATERMARK})\)\.?")
SET: Final = re.compile(rf"application:set_env\(rabbit,{RATIO},({FRACTION.pattern})\)\.?")
MNESIA: Final = "rabbit_mnesia:"
LITERAL: Final = re.compile(r"([a-z]\w{0,60}|[1-9]\d{0,15}|0)\.")
"""Expressions that evaluate to themselves."""


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
    "vm_memory_monitor:get_vm_memory_high_watermark()": lambda state: erlang_term(
        state["node"]["settings"][WATERMARK]
    ),
    "vm_memory_monitor:get_memory_limit()": lambda state: state["node"]["memory"]["limit"],
    "rabbit_mnesia:cluster_nodes(running)": lambda state: f"[{','.join(cluster_names(state)[1])}]",
    "rabbit_nodes:cluster_name()": lambda _: f'<<"{NODE_NAME}">>',
    "node()": lambda _: NODE_NAME,
    "rabbit_alarm:get_alarms()": _alarms,
    "rabbit_mnesia:status()": _cluster,
}
"""Expressions without spaces, and what they read."""


def evaluated(request: Request, state: State, live: LiveValues) -> str | Change:
    """Return what an expression evaluates to, or what it changes. Raises NotHere: the console does not support it."""
    text = re.sub(r"\s", "", request.arguments[0])
    if not text.endswith("."):
        raise request.invalid('"syntax error before: "')
    if LITERAL.fullmatch(text):
        return f"{text[:-1]}\n"
    settings = state["node"]["settings"]
    if (found := GET.fullmatch(text)) is not None:
        return f"{{ok,{erlang_term(settings[found[1]])}}}\n" if _has(request, found[1]) else "undefined\n"
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
