"""JSDoc types of all that comes over the wire, for the checker of the page's scripts."""

from __future__ import annotations

from typing import Final, get_args

import msgspec

from engine.ranges import Range
from engine.transitions import Transition, all_kinds
from playground.catalogue import javascript as js
from playground.catalogue.fields import Field, fields_of
from playground.catalogue.messages import (
    Binding,
    HostMessage,
    IndexState,
    NodeState,
    QueueState,
    State,
    StoreState,
)
from playground.catalogue.rows import SHAPES, script_name

STATES: Final = (IndexState, QueueState, StoreState, Binding, NodeState, State)
MORE: Final[dict[type[msgspec.Struct], str]] = {QueueState: " & Record<string, any>"}
"""What else an object of this type may have."""


def module() -> str:
    """Return the text of static/js/model/catalogue/types.js."""
    kinds = sorted(all_kinds(), key=lambda kind: kind.__name__)
    messages = get_args(HostMessage)
    shapes: list[type[msgspec.Struct]] = [*SHAPES.values(), Range]
    return "".join(
        [
            js.head(
                "Types of rows, transitions, states and messages, for comments: `import(...)`. Nothing of it runs.",
                "the engine's classes and playground/catalogue/messages.py",
            ),
            *(_typedef(shape.__name__, _tuple(shape)) for shape in shapes),
            _typedef("TransitionRow", "[kind: string, rule: string, ...fields: any[]]"),
            *(_typedef(kind.__name__, _transition(kind)) for kind in kinds),
            _typedef("Transition", " | ".join(kind.__name__ for kind in kinds)),
            *(_typedef(state.__name__, _object(state)) for state in STATES),
            *(_typedef(message.__name__, _object(message)) for message in messages),
            _typedef("HostMessage", " | ".join(message.__name__ for message in messages)),
            "\nexport {};\n",
        ]
    )


def _typedef(name: str, text: str) -> str:
    return f"\n/** @typedef {{{text}}} {name} */\n"


def _tuple(shape: type[msgspec.Struct]) -> str:
    return f"[{', '.join(f'{script_name(field.name)}: {field.type}' for field in fields_of(shape))}]"


def _transition(kind: type[Transition]) -> str:
    return _named(
        f'kind: "{kind.__name__}"', *(f"{script_name(each.name)}: {each.type}" for each in fields_of(kind))
    )


def _object(struct: type[msgspec.Struct]) -> str:
    tag = struct.__struct_config__.tag
    told = (f't: "{tag}"',) if tag is not None else ()
    return _named(*told, *(f"{_key(each)}: {each.type}" for each in fields_of(struct))) + MORE.get(struct, "")


def _named(*parts: str) -> str:
    return f"{{ {', '.join(parts)} }}"


def _key(field: Field) -> str:
    return field.name if field.default is msgspec.NODEFAULT else f"{field.name}?"
