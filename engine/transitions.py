"""Every change the engine can make, as immutable values over extents.

A transition reports what changed, names the rule that caused it (`rule`) and carries the numbers that made it fire
(`why`). State after = fold(state before, transitions): see `engine.report.fold`, and static/js/model/reduce.js for its
twin. On the wire and in the digest a transition is one row: [kind, rule, fields..., why].

A kind is one class in a module of `MODULES`, and `about` has what is known of it. The page's module of kinds and the
tables in docs/transitions.md are written from these classes: `manage.py catalogue`.
"""

from __future__ import annotations

from typing import Final

from engine.classic_v1.transitions.index import *
from engine.classic_v1.transitions.messages import *
from engine.classic_v1.transitions.queue import *
from engine.classic_v1.transitions.stops import *
from engine.classic_v1.transitions.stores import *
from engine.classic_v2.transitions.files import *
from engine.classic_v2.transitions.messages import *
from engine.classic_v2.transitions.stores import *
from engine.report.transitions.amqp import *
from engine.report.transitions.base import UNITS, About, Transition, Why
from engine.report.transitions.messages import *
from engine.report.transitions.mirrors import *
from engine.report.transitions.node import *
from engine.report.transitions.queue import *
from engine.report.transitions.stops import *
from engine.report.transitions.stores import *
from engine.version_choice.transitions.conversion import *

__all__ = ["UNITS", "About", "Transition", "Why", "all_kinds", "fields_of"]

MODULES: Final = (
    "engine.report.transitions.amqp",
    "engine.report.transitions.messages",
    "engine.report.transitions.mirrors",
    "engine.report.transitions.node",
    "engine.report.transitions.queue",
    "engine.report.transitions.stops",
    "engine.report.transitions.stores",
    "engine.classic_v1.transitions.index",
    "engine.classic_v1.transitions.messages",
    "engine.classic_v1.transitions.queue",
    "engine.classic_v1.transitions.stops",
    "engine.classic_v1.transitions.stores",
    "engine.classic_v2.transitions.files",
    "engine.classic_v2.transitions.messages",
    "engine.classic_v2.transitions.stores",
    "engine.version_choice.transitions.conversion",
)
"""Where the kinds are defined, in the order in which documents list them."""


def all_kinds() -> list[type[Transition]]:
    """Return every concrete transition class, in an order that is always the same."""
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
    """Return the field names of a kind, in row order (without the kind itself)."""
    return kind.__struct_fields__
