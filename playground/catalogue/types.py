"""JSDoc types of all that comes over the wire, for the checker of the page's scripts."""

from __future__ import annotations

from typing import Final, get_args

import msgspec

from engine.backing_queue.message_places import MessagePlace
from engine.report.transitions.base import About, Transition
from engine.transitions import all_kinds
from engine.values.stretches import Range
from playground.catalogue import javascript as js
from playground.catalogue.fields import VALUES, TransitionField, fields_of
from playground.catalogue.messages import (
    BindingState,
    FilesState,
    HostMessage,
    IndexState,
    NodeState,
    QueueSnapshot,
    RunSnapshot,
    StoreSnapshot,
)
from playground.catalogue.rows import SHAPES, script_name

STATES: Final = (IndexState, FilesState, QueueSnapshot, StoreSnapshot, BindingState, NodeState, RunSnapshot)
MORE: Final[dict[type[msgspec.Struct], str]] = {
    QueueSnapshot: f" & {VALUES}",
    About: " & { queue?: boolean }",
}
"""What else an object of this type may have."""

OF_KINDS: Final = {
    "Kind": 'Transition["kind"]',
    "TransitionOf<K>": "Extract<Transition, { kind: K }>",
    "Handlers": "{ [K in Kind]?: (state: RunSnapshot, t: TransitionOf<K>) => void }",
}
"""Types made from the kinds of transitions: their names, the transition of one kind, a fold for some of the kinds."""


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
            _typedef(VALUES, "Record<string, any>"),
            *(_typedef(shape.__name__, _tuple(shape)) for shape in shapes),
            _typedef("TransitionRow", "[kind: string, rule: string, ...fields: any[]]"),
            *(_typedef(kind.__name__, _transition(kind)) for kind in kinds),
            _typedef("Transition", " | ".join(kind.__name__ for kind in kinds)),
            _typedef("AnyTransition", _any_of(kinds)),
            *(_typedef(name, text) for name, text in OF_KINDS.items()),
            _typedef(About.__name__, _object(About)),
            _typedef(MessagePlace.__name__, _whole(MessagePlace)),
            *(_typedef(state.__name__, _object(state)) for state in STATES),
            *(_typedef(message.__name__, _object(message)) for message in messages),
            _typedef("HostMessage", " | ".join(message.__name__ for message in messages)),
            "\nexport {};\n",
        ]
    )


def _typedef(name: str, text: str) -> str:
    """Return a type with its name; a name with a letter in angle brackets is of any one kind of transition."""
    plain, _, letter = name.rstrip(">").partition("<")
    template = f"@template {{Kind}} {letter} " if letter else ""
    return f"\n/** {template}@typedef {{{text}}} {plain} */\n"


def _tuple(shape: type[msgspec.Struct]) -> str:
    return f"[{', '.join(f'{script_name(field.name)}: {field.type}' for field in fields_of(shape))}]"


def _transition(kind: type[Transition]) -> str:
    return _named(
        f'kind: "{kind.__name__}"', *(f"{script_name(each.name)}: {each.type}" for each in fields_of(kind))
    )


def _any_of(kinds: list[type[Transition]]) -> str:
    """Return the type of a transition of which nobody has asked the kind: it may have any field of any kind."""
    found: dict[str, dict[str, None]] = {}
    for kind in kinds:
        for each in fields_of(kind):
            found.setdefault(script_name(each.name), {}).update(dict.fromkeys(each.type.split(" | ")))
    rule = found.pop("rule")
    optional = (f"{name}?: {' | '.join(types)}" for name, types in found.items())
    return _named("kind: Kind", f"rule: {' | '.join(rule)}", *optional)


def _object(struct: type[msgspec.Struct]) -> str:
    tag = struct.__struct_config__.tag
    tag_field = (f't: "{tag}"',) if tag is not None else ()
    return _named(*tag_field, *(f"{_key(each)}: {each.type}" for each in fields_of(struct))) + MORE.get(
        struct, ""
    )


def _whole(struct: type[msgspec.Struct]) -> str:
    """Return the type of an object that is written with all its fields, whether they have a usual value or not."""
    return _named(*(f"{field.name}: {field.type}" for field in fields_of(struct)))


def _named(*parts: str) -> str:
    return f"{{ {', '.join(parts)} }}"


def _key(field: TransitionField) -> str:
    return field.name if field.default is msgspec.NODEFAULT else f"{field.name}?"
