"""What the page knows of the wire: a decoder for each kind of transition, places in rows, and JSDoc types."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, get_args

import msgspec

from engine.backing_queue.message_places import MessagePlace
from engine.classic_v1.fold import IndexEntry, StoreFile, StoreRow
from engine.report.transitions.base import UNITS, About, Transition
from engine.transitions import all_kinds
from engine.values import extents
from engine.values.extents import DeltaExtent, Extent
from engine.values.stretches import Range
from playground.catalogue import javascript as js
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

SHAPES: Final[dict[str, type[msgspec.Struct]]] = {
    "EXTENT": Extent,
    "DELTA": DeltaExtent,
    "ENTRY": IndexEntry,
    "STORE_ROW": StoreRow,
    "STORE_FILE": StoreFile,
}
"""Rows of the state's tables, by the name under which the page has their places."""

FLAGS: Final = ("PERSISTENT", "IN_RAM", "IN_STORE", "INDEXED", "HOME_STORE")
"""Bits of an extent's flags that the page reads, by their names in engine/values/extents.py."""

DECODE: Final = """
/**
 * A transition by the names of its fields, from its row. Raises when the kind is unknown: a gap would lie.
 *
 * @param {TransitionRow} row
 * @returns {Transition}
 */
export function decode(row) {
  const decoder = DECODERS[row[0]];
  if (!decoder) throw new TypeError(`unknown transition ${row[0]}`);
  return decoder(row);
}
"""


def rows_module() -> str:
    """Return the text of static/js/model/catalogue/rows.js."""
    return "".join(
        [
            js.head(
                "Rows by the names of their fields.",
                "engine/transitions.py, engine/values/extents.py and engine/folding.py",
            ),
            *(_places(name, shape) for name, shape in SHAPES.items()),
            "\n/** Bits of an extent's flags. */\n",
            *(f"export const {name} = {getattr(extents, name)};\n" for name in FLAGS),
            '\n/** @import { Transition, TransitionRow } from "./types.js" */\n',
            "\n/** @type {Record<string, (row: TransitionRow) => Transition>} */\n",
            "const DECODERS = {\n",
            *(_decoder(kind) for kind in sorted(all_kinds(), key=lambda kind: kind.__name__)),
            "};\n",
            DECODE,
        ]
    )


def script_name(name: str) -> str:
    """Return a field's name as the page has it: Python's `bytes_` only avoids a word of Python's own."""
    return name.rstrip("_")


def _places(name: str, shape: type[msgspec.Struct]) -> str:
    about = (shape.__doc__ or "").strip().split("\n")[0]
    places = {script_name(field.name): at for at, field in enumerate(fields_of(shape))}
    return f"\n/** {about} */\nexport const {name} = Object.freeze({js.literal(places)});\n"


def _decoder(kind: type[Transition]) -> str:
    named = ", ".join(_read(at, field) for at, field in enumerate(fields_of(kind), start=1))
    return f"  {kind.__name__}: (row) => ({{ kind: {js.literal(kind.__name__)}, {named} }}),\n"


def _read(at: int, field: TransitionField) -> str:
    """Return one property; where the engine may leave a value out, so may a row that was written by hand."""
    given = (
        "" if field.default is msgspec.NODEFAULT else f" ?? {js.literal(msgspec.to_builtins(field.default))}"
    )
    return f"{script_name(field.name)}: row[{at}]{given}"


NOTHING: Final = msgspec.NODEFAULT
VALUES: Final = "Values"
"""The type of a table whose values have no types of their own: each name has its own kind of value."""


class TransitionField(msgspec.Struct, frozen=True):
    """One field.

    Args:
        type: in the notation of JSDoc, as the field is on the wire.
        unit: None for a text or a table.
        default: NODEFAULT where it must be given.
    """

    name: str
    type: str
    unit: str | None
    default: Any


def fields_of(struct: type[msgspec.Struct]) -> Iterator[TransitionField]:
    """Yield the fields of a class whose values are rows, in the order of the row."""
    info = msgspec.inspect.type_info(struct)
    if not isinstance(info, msgspec.inspect.StructType):
        raise TypeError(f"{struct} is no class of rows")
    units = {**UNITS, **struct.about.units} if issubclass(struct, Transition) else UNITS
    for each in info.fields:
        unit = units.get(each.name) if _is_number(each.type) else None
        default = each.default
        if each.default_factory is not NOTHING:
            default = each.default_factory()
        yield TransitionField(each.name, type_of(each.type), unit, default)


def _is_number(found: msgspec.inspect.Type) -> bool:
    if isinstance(found, msgspec.inspect.UnionType):
        return any(_is_number(each) for each in found.types)
    return isinstance(found, msgspec.inspect.IntType | msgspec.inspect.FloatType)


def _is_plain(found: msgspec.inspect.Type) -> bool:
    """Return whether a value may be a number as well as a text."""
    kinds = (
        {type(each) for each in found.types}
        if isinstance(found, msgspec.inspect.UnionType)
        else {type(found)}
    )
    return msgspec.inspect.AnyType in kinds or {msgspec.inspect.IntType, msgspec.inspect.StrType} <= kinds


def type_of(found: msgspec.inspect.Type) -> str:
    """Return a type in the notation of JSDoc; a row of an array-like class has the class's name."""
    match found:
        case msgspec.inspect.StructType(cls=cls):
            return cls.__name__
        case msgspec.inspect.UnionType() | msgspec.inspect.LiteralType():
            return " | ".join(dict.fromkeys(_alternatives(found)))
        case msgspec.inspect.TupleType(item_types=items):
            return f"[{', '.join(type_of(each) for each in items)}]"
        case msgspec.inspect.VarTupleType(item_type=item) | msgspec.inspect.ListType(item_type=item):
            inside = type_of(item)
            return f"({inside})[]" if " | " in inside else f"{inside}[]"
        case msgspec.inspect.DictType(value_type=value):
            return VALUES if _is_plain(value) else f"Record<string, {type_of(value)}>"
        case _:
            return _PLAIN[type(found)]


def _alternatives(found: msgspec.inspect.UnionType | msgspec.inspect.LiteralType) -> list[str]:
    if isinstance(found, msgspec.inspect.LiteralType):
        return [json.dumps(each) for each in found.values]
    return [type_of(each) for each in found.types]


_PLAIN: Final[dict[type, str]] = {
    msgspec.inspect.IntType: "number",
    msgspec.inspect.FloatType: "number",
    msgspec.inspect.StrType: "string",
    msgspec.inspect.BoolType: "boolean",
    msgspec.inspect.NoneType: "null",
    msgspec.inspect.AnyType: "unknown",
}


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
