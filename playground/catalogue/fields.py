"""The fields of the engine's values, with their types as a type checker for JavaScript reads them, and their units."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.report.transitions.base import UNITS, Transition

NOTHING: Final = msgspec.NODEFAULT
VALUES: Final = "Values"
"""The type of a table whose values have no types of their own: each name has its own kind of value."""


class TransitionField(msgspec.Struct, frozen=True):
    """One field.

    Args:
        name: as in the class.
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
