"""Every change the engine can make, as immutable values over extents.

A transition reports what changed, names the rule that caused it (`rule`) and carries the numbers that made it fire
(`why`). State after = fold(state before, transitions): see `engine.fold`, and static/js/model/reduce.js for its twin.
On the wire and in the digest a transition is one row: [kind, rule, fields..., why].

A kind is one class in a module of this package, and `about` has what is known of it. The page's module of kinds and
the tables in docs/transitions.md are written from these classes: `manage.py catalogue`.
"""

from __future__ import annotations

from engine.transitions.amqp import *
from engine.transitions.base import UNITS, About, Transition, Why
from engine.transitions.index import *
from engine.transitions.messages import *
from engine.transitions.mirrors import *
from engine.transitions.node import *
from engine.transitions.queue import *
from engine.transitions.stops import *
from engine.transitions.stores import *

__all__ = ["UNITS", "About", "Transition", "Why", "all_kinds", "fields_of"]


def all_kinds(root: type[Transition] = Transition) -> list[type[Transition]]:
    """Return every concrete transition class, in an order that is always the same."""
    kinds: list[type[Transition]] = []
    for kind in root.__subclasses__():
        if hasattr(kind, "about"):
            kinds.append(kind)
        kinds.extend(all_kinds(kind))
    return kinds


def fields_of(kind: type[Transition]) -> tuple[str, ...]:
    """Return the field names of a kind, in row order (without the kind itself)."""
    return kind.__struct_fields__
