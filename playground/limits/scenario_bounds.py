"""What visitors' scenarios may ask of this server: the bounds of commands, and those of the files that settings make.

Ready scenarios and exercises are the project's own and are not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import resolve
from playground.limits.session_limits import SessionLimits, beyond, too_unequal
from playground.texts.page_message import PageMessage, RequestRefused

MOST_FILES: Final = 5000
"""Segments, and store files, of one session: with more, each message costs more than the one before it."""
ACTORS: Final = frozenset({"set_publisher", "set_consumer"})


def problems(scenario: dict[str, Any], limits: SessionLimits) -> Iterator[tuple[str, PageMessage]]:
    """Find everything in a checked scenario that exceeds the limits, each with its path.

    Args:
        scenario: in full, as the door's `check` returns it.
        limits: of this server.
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
