"""The page's module of kinds: what is known of each kind of transition, without its fields."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from engine.report.transitions.base import UNITS, Group, Transition
from engine.transitions import all_kinds, fields_of
from playground.catalogue import javascript as js


def kinds_module() -> str:
    """Return the text of static/js/model/catalogue/kinds.js."""
    return "".join(
        [
            js.head("What is known of each kind of transition.", "engine/transitions.py"),
            js.table(
                "KINDS",
                "The fields of `About` in engine/report/transitions/base.py; one that is left out has no effect.",
                {
                    kind.__name__: _row_of(kind)
                    for kind in sorted(all_kinds(), key=lambda kind: kind.__name__)
                },
                'import("./types.js").About',
            ),
            js.table(
                "UNITS",
                "Units of fields and of the numbers in `why`, by name; a kind may differ.",
                UNITS,
                "string",
            ),
            f"\n/** What the log may be filtered by. */\nexport const GROUPS = {js.literal(get_args(Group))};\n",
        ]
    )


def _row_of(kind: type[Transition]) -> dict[str, Any]:
    """Return what differs from the default, and the group, which every kind names."""
    plain = msgspec.structs.asdict(kind.about)
    usual = msgspec.structs.asdict(type(kind.about)(group=kind.about.group))
    given = {name: value for name, value in plain.items() if name == "group" or value != usual[name]}
    return given | ({"queue": True} if "queue" in fields_of(kind) else {})
