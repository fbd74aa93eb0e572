"""JavaScript modules that Python writes, in the project's own style: kinds of transitions, and lanes of queues."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec

from engine.backing_queue.message_places import VARIABLE_QUEUE, MessagePlace
from engine.backing_queue.stores import SYNC_INTERVAL_US
from engine.generations import PLACES
from engine.releases import RELEASES
from engine.report.transitions.base import UNITS, Group, Transition
from engine.transitions import all_kinds, fields_of

HEAD: Final = (
    "/** {about}\n *\n * Written by `manage.py catalogue` from {source}: change that, not this file. */\n"
)

_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*\Z")


def head(about: str, source: str) -> str:
    """Return the comment at the top of a generated module."""
    return HEAD.format(about=about, source=source)


def literal(value: Any) -> str:
    """Return plain data as one line of JavaScript; names stand without quotes where they can."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key(name)}: {literal(each)}" for name, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(literal(each) for each in value)}]"
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    return name if _NAME.match(name) else json.dumps(name)


def table(name: str, about: str, rows: Mapping[str, Any], type_: str) -> str:
    """Return an exported object, one line for each of `rows`, whose values have this type."""
    lines = "".join(f"  {key(each)}: {literal(value)},\n" for each, value in rows.items())
    return f"\n{comment(about, type_)}export const {name} = {{\n{lines}}};\n"


def comment(about: str, type_: str) -> str:
    """Return the comment before a table: what it is, and the type of its values."""
    return f"/**\n * {about}\n * @type {{Record<string, {type_}>}}\n */\n"


def kinds_module() -> str:
    """Return the text of static/js/model/catalogue/kinds.js."""
    return "".join(
        [
            head("What is known of each kind of transition.", "engine/transitions.py"),
            table(
                "KINDS",
                "The fields of `About` in engine/report/transitions/base.py; one that is left out has no effect.",
                {
                    kind.__name__: _row_of(kind)
                    for kind in sorted(all_kinds(), key=lambda kind: kind.__name__)
                },
                'import("./types.js").About',
            ),
            table(
                "UNITS",
                "Units of fields and of the numbers in `why`, by name; a kind may differ.",
                UNITS,
                "string",
            ),
            f"\n/** What the log may be filtered by. */\nexport const GROUPS = {literal(get_args(Group))};\n",
        ]
    )


def _row_of(kind: type[Transition]) -> dict[str, Any]:
    """Return what differs from the default, and the group, which every kind names."""
    plain = msgspec.structs.asdict(kind.about)
    usual = msgspec.structs.asdict(type(kind.about)(group=kind.about.group))
    given = {name: value for name, value in plain.items() if name == "group" or value != usual[name]}
    return given | ({"queue": True} if "queue" in fields_of(kind) else {})


def lanes_module() -> str:
    """Return the text of static/js/model/catalogue/places.js."""
    return "".join(
        [
            head("Where the messages of a queue can lie.", "engine/backing_queue/places"),
            "\n/** The backing queue of a queue whose settings name no other. */\n",
            f"export const USUAL = {literal(VARIABLE_QUEUE)};\n",
            "\n/** How long a store waits for more before it syncs (K6). */\n",
            f"export const STORE_SYNC_MS = {SYNC_INTERVAL_US // 1000};\n",
            "\n",
            comment(
                "The places of each, from the tail to the head; then those of unacknowledged messages.",
                'import("./types.js").MessagePlace[]',
            ),
            "export const PLACES = {\n",
            *(
                f"  {key(name)}: [\n{_rows(places)}  ],\n"
                for name, places in sorted(PLACES.items(), key=_usual_first)
            ),
            "};\n",
            "\n",
            comment(
                "What releases have no more, each with the rule that says so, by their series.",
                "Record<string, string>",
            ),
            "export const GONE = {\n",
            *(
                f"  {literal(each.series)}: {literal(dict(each.gone))},\n"
                for each in RELEASES.values()
                if each.gone
            ),
            "};\n",
        ]
    )


def _usual_first(entry: tuple[str, tuple[MessagePlace, ...]]) -> tuple[bool, str]:
    return entry[0] != VARIABLE_QUEUE, entry[0]


def _rows(places: tuple[MessagePlace, ...]) -> str:
    return "".join(f"    {literal(msgspec.structs.asdict(each))},\n" for each in places)
