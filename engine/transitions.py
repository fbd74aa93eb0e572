"""All kinds of transitions, those that all queues share and those of each generation, and their fold.

A transition reports what changed, names the rule that caused it (`rule`) and carries the numbers that made it fire
(`why`). State after = fold(state before, transitions): see `engine.folding`, for which a generation registers tables of
its own kinds, and static/js/model/reduce.js for its twin. On the wire and in the digest a transition is one row:
[kind, rule, fields..., why].

A kind is one class in a module of `MODULES`, and `about` describes it. `python -m tools.catalogue` writes the
page's module of kinds and the tables in docs/transitions.md from these classes.
"""

from __future__ import annotations

from typing import Final

from engine.folding import RunState, empty_state, fold, fold_all, own_part, rows_of, to_json
from engine.generations import KINDS
from engine.report import transitions as common
from engine.report.transitions.base import Transition

__all__ = [
    "MODULES",
    "RunState",
    "all_kinds",
    "empty_state",
    "fields_of",
    "fold",
    "fold_all",
    "own_part",
    "rows_of",
    "to_json",
]

MODULES: Final = tuple(module.__name__ for module in (*common.MODULES, *KINDS))
"""The modules of kinds, in the order of the documents."""


def all_kinds() -> list[type[Transition]]:
    """Return every concrete transition class, in a fixed order."""
    place = {module: at for at, module in enumerate(MODULES)}
    return sorted(_below(Transition), key=lambda kind: place.get(kind.__module__, len(place)))


def _below(root: type[Transition]) -> list[type[Transition]]:
    kinds: list[type[Transition]] = []
    for kind in root.__subclasses__():
        if hasattr(kind, "about"):
            kinds.append(kind)
        kinds.extend(_below(kind))
    return kinds


def fields_of(kind: type[Transition]) -> tuple[str, ...]:
    return kind.__struct_fields__
