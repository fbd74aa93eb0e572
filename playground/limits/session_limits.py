"""A session's limits, and the check of commands against them. The engine decides whether a command makes
sense; this module only decides whether the server can afford it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.client_commands import unpack
from engine.broker.commands.settings import resolve
from engine.values.errors import ValueRefused
from playground.limits.session_bounds import SessionBounds, number_of
from playground.texts import PageMessage, RequestRefused


class SessionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of settings.WATERLINE; the page shows them."""

    max_disk_bytes: int
    max_messages: int
    max_unequal: int = 50_000
    """Messages of a scenario, or of a burst, that have sizes or expirations of their own: each is work of its own."""
    max_size_bytes: int
    max_rate_per_s: int
    max_actors: int
    max_transitions: int
    max_commands: int
    max_virtual_s: int
    commands_per_s: int
    command_bytes: int
    scenario_bytes: int
    sessions_per_process: int
    sessions_per_address: int = 64
    """Sessions that one address keeps awake; fewer than all, so that others get in as well."""
    sockets_per_session: int
    """Of people who watch; its owner's are not counted."""
    sockets_per_visitor: int = 16
    sockets_per_address: int = 512
    new_per_minute: int
    reads_per_minute: int
    launches_per_minute: int = 600
    """Log-ins and launches from learning platforms: two for each person, and a class is behind one address."""
    past_per_minute: int = 60
    """Runs that are repeated up to a moment of the past for one address."""
    past_s: int = 10
    """Longest time that one such repetition may take."""
    wake_s: int = 300
    """Longest time that repeating a session may take when it wakes."""
    idle_s: int
    hidden_s: int = 300
    """A session whose pages are all in the background for so long sleeps until one of them is in the foreground."""
    unwatched_s: int
    keep_days: int
    links_days: int = 365
    """A link that nobody opens for so long is deleted."""
    kept_bytes: int = 2 * 1024**3
    """What all links may take together; then those go that nobody has opened for the longest time."""
    kept_per_visitor: int = 32 * 1024**2
    """What one browser's sessions, links and sweeps may take."""
    kept_per_address: int = 128 * 1024**2
    """The same for one address, or one class."""
    sweep_cells: int = 100
    """Runs of a sweep of a visitor's own workload."""
    sweep_s: int = 90
    """About how many seconds of one core they may take; a sweep that takes three times as long is ended."""
    large_sweep_cells: int = 5000
    large_sweep_s: int = 3600
    """The same for one that runs as a Spark job, where the operator allows it."""
    sweeps_waiting: int = 8
    """Sweeps of all visitors that run or wait."""
    sweeps_per_visitor: int = 10
    """Sweeps that are kept for a browser; the oldest goes."""
    workers: int
    """Processes that run engines; 0 runs them in a thread of the server."""

    def bounds(self) -> SessionBounds:
        """Return those that whoever plays a session must know."""
        return SessionBounds(**{name: getattr(self, name) for name in SessionBounds.__struct_fields__})

    def public(self) -> dict[str, int]:
        hidden = (
            "workers max_unequal sessions_per_process sessions_per_address sockets_per_visitor "
            "sockets_per_address new_per_minute reads_per_minute launches_per_minute past_per_minute past_s "
            "wake_s hidden_s kept_bytes kept_per_visitor kept_per_address sweep_cells sweep_s large_sweep_cells "
            "large_sweep_s sweeps_waiting sweeps_per_visitor"
        ).split()
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in hidden}


def current() -> SessionLimits:
    return msgspec.convert(settings.WATERLINE, SessionLimits)


DEPTH = 6
TEXT_CHARACTERS = 255
VALUES = 200
INTEGER = 2**53
DRAIN_PER_S = 1_000_000
"""A consumer may take what comes: there is never more of that than publishers send."""


def check_shape(value: Any, depth: int = DEPTH) -> int:
    """Refuse what no command can contain: deep nesting, long texts, numbers that are none. Return its size."""
    if depth == 0:
        raise RequestRefused(_("The command is nested too deeply. Send it flat, as the examples do."))
    if isinstance(value, dict | list):
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        total = 1 + sum(check_shape(part, depth - 1) for part in parts)
        if total > VALUES:
            raise RequestRefused(_("The command has more than %(most)s values. Send fewer."), most=VALUES)
        return total
    if isinstance(value, str) and len(value) > TEXT_CHARACTERS:
        raise RequestRefused(
            _("A text in the command is longer than %(most)s characters."), most=TEXT_CHARACTERS
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise RequestRefused(_("A number in the command is infinite or not a number."))
    if isinstance(value, int) and abs(value) > INTEGER:
        raise RequestRefused(
            _("A number in the command is too large. The largest is %(most)s."), most=INTEGER
        )
    return 1


def check_command(command: dict[str, Any], limits: SessionLimits, given: int) -> None:
    """Refuse a command that this server cannot afford, `given` others before it. What a session holds already counts
    where that is known: see `hosting.run.check_burst`.
    """
    check_shape(command)
    if not isinstance(command.get("do"), str):
        raise RequestRefused(_('The command has no verb: "do" must be a text such as "publish".'))
    if "at_us" in command:
        raise RequestRefused(_("A command takes effect at once: leave out at_us."))
    if given >= limits.max_commands:
        raise RequestRefused(
            _(
                "This session has taken %(most)s commands, which is its limit. Share it, and go on in a new one."
            ),
            most=limits.max_commands,
        )
    found = beyond(command, limits)
    if found is not None:
        raise RequestRefused(found[1])


def unequal_count(command: dict[str, Any]) -> float:
    """Return how many messages of a burst have sizes or expirations of their own."""
    return number_of(command, "count") if command.get("sizes") or command.get("expirations") else 0


def too_unequal(commands: Any, limits: SessionLimits) -> PageMessage | None:
    """Return that commands have more messages that differ than this server takes, before any column is unpacked.
    `commands`: of a scenario that nobody has checked yet.
    """
    given = commands if isinstance(commands, list) else []
    count = sum(unequal_count(each) for each in given if isinstance(each, dict))
    if count <= limits.max_unequal:
        return None
    text = _(
        "This server takes up to %(most)s messages with sizes or expirations of their own, not %(count)s. Choose "
        "fewer, or give more of them the same."
    )
    return PageMessage(text, count=count, most=limits.max_unequal)


def _largest(command: dict[str, Any]) -> int:
    """Return the largest of the sizes that a burst has for each of its messages; 0 where the engine refuses them."""
    try:
        return max(unpack(str(command["sizes"]), int(number_of(command, "count"))), default=0)
    except ValueRefused:
        return 0


def beyond(command: dict[str, Any], limits: SessionLimits) -> tuple[str, PageMessage] | None:
    """Return which value of a command is more than this server takes, and the words for it. It holds for commands
    that are given and for those in a scenario alike.
    """
    unequal = too_unequal([command], limits)
    if unequal is not None:
        return "count", unequal
    bounds = {
        "count": limits.max_messages,
        "size_bytes": limits.max_size_bytes,
        "rate_per_s": DRAIN_PER_S if command["do"] == "set_consumer" else limits.max_rate_per_s,
    }
    for name, most in bounds.items():
        value = number_of(command, name)
        if name == "size_bytes" and command.get("sizes"):
            value = _largest(command)
        if value > most:
            text = _("%(name)s is %(value)s; this server takes up to %(most)s. Choose a smaller value.")
            return name, PageMessage(text, name=name, value=value, most=most)
    return None


MOST_FILES: Final = 5000
"""Segments, and store files, of one session: with more, each message costs more than the one before it."""
ACTORS: Final = frozenset({"set_publisher", "set_consumer"})


def problems(scenario: dict[str, Any], limits: SessionLimits) -> Iterator[tuple[str, PageMessage]]:
    """Find everything in a checked scenario that exceeds the limits, each with its path. `scenario`: in full, as the
    door's `check` returns it.
    """
    unequal = too_unequal(scenario["commands"], limits)
    if unequal is not None:
        yield "commands", unequal
        return
    names: set[str] = set()
    for number, command in enumerate(scenario["commands"]):
        found = beyond(command, limits)
        if found is not None:
            yield f"commands[{number}].{found[0]}", found[1]
        if command["do"] in ACTORS:
            names.add(str(command.get("name")))
    if len(names) > limits.max_actors:
        text = _("The scenario has %(count)s publishers and consumers; this server takes up to %(most)s.")
        yield "commands", PageMessage(text, count=len(names), most=limits.max_actors)
    yield from _files(scenario, limits)


def _files(scenario: dict[str, Any], limits: SessionLimits) -> Iterator[tuple[str, PageMessage]]:
    queue, node = resolve(scenario["profile"], scenario["settings"])
    messages = min(node.max_messages, limits.max_messages)
    for name, value, all_in_all in (
        ("segment_entry_count", queue.segment_entry_count, messages),
        ("msg_store_file_size_limit", queue.msg_store_file_size_limit, limits.max_disk_bytes),
    ):
        least = -(-all_in_all // MOST_FILES)
        if value < least:
            text = _(
                "%(name)s is %(value)s, so a session could need more than %(most)s files; this server takes at "
                "least %(least)s."
            )
            yield f"settings.{name}", PageMessage(text, name=name, value=value, most=MOST_FILES, least=least)


def check(scenario: dict[str, Any], limits: SessionLimits) -> None:
    """Raise `RequestRefused` for the first thing that a checked scenario asks too much."""
    for _path, message in problems(scenario, limits):
        raise RequestRefused(message)
