"""docs/transitions.md: every kind of transition as a table to read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Final, get_args

from engine.report.transitions.base import Group, Transition
from engine.transitions import all_kinds
from playground.catalogue.fields import fields_of

TITLES: Final[dict[str, str]] = {
    "messages": "The way of messages",
    "memory": "What leaves RAM and comes back",
    "files": "Files on disk",
    "node": "The node and what is around its queues",
}

HEAD: Final = """# Transitions

Every change that the engine makes is one of these. The state after it is the state before, folded with it
(`engine/folding.py`, `static/js/model/reduce.js`). On the wire and in the digest a transition is a row: its kind, the
rule that caused it, then the fields in this order.

*Log* says how the page's log shows it: an *event* has a line, a *detail* has one on demand, a *step* has none. *Weight*
says how much it explains among what comes at once. *Function* is the broker's own that does the same, *setting* is the
one that governs it.

Written by `manage.py catalogue` from the classes that `engine/transitions.py` lists: change those, not this page.
"""

COLUMNS: Final = """| kind | fields (units) | what happened | log | weight | function | setting |
|---|---|---|---|---|---|---|
"""

_FOLD: Final = re.compile(r"\s*Fold:.*", re.DOTALL)


def page() -> str:
    """Return the text of docs/transitions.md."""
    return HEAD + "".join(_section(group) for group in get_args(Group))


def _section(group: str) -> str:
    kinds = sorted(
        (kind for kind in all_kinds() if kind.about.group == group), key=lambda kind: kind.__name__
    )
    return f"\n## {TITLES[group]}\n\n{COLUMNS}" + "".join(_line(kind) for kind in kinds)


def _line(kind: type[Transition]) -> str:
    about = kind.about
    cells = (
        kind.__name__,
        ", ".join(_fields(kind)),
        _sentence(kind),
        about.shown,
        str(about.weight or ""),
        f"`{about.function}`" if about.function else "",
        f"`{about.setting}`" if about.setting else "",
    )
    return f"| {' | '.join(cells)} |\n"


def _fields(kind: type[Transition]) -> Iterator[str]:
    for field in fields_of(kind):
        if field.name not in {"rule", "why"}:
            yield f"{field.name} ({field.unit})" if field.unit not in {None, field.name} else field.name


def _sentence(kind: type[Transition]) -> str:
    """Return the first paragraph of the class's docstring, without how it is folded."""
    text = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0]
    return _FOLD.sub("", " ".join(text.split())).replace("|", "\\|")
