"""The page's module of rows: a decoder for each kind of transition, and the places in rows of a table."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.classic_v1.fold import IndexEntry, StoreFile, StoreRow
from engine.report.transitions.base import Transition
from engine.transitions import all_kinds
from engine.values import extents
from engine.values.extents import DeltaExtent, Extent
from playground.catalogue import javascript as js
from playground.catalogue.fields import TransitionField, fields_of

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


def module() -> str:
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
    """Return the places of a shape's fields in its rows."""
    about = (shape.__doc__ or "").strip().split("\n")[0]
    places = {script_name(field.name): at for at, field in enumerate(fields_of(shape))}
    return f"\n/** {about} */\nexport const {name} = Object.freeze({js.literal(places)});\n"


def _decoder(kind: type[Transition]) -> str:
    named = ", ".join(_read(at, field) for at, field in enumerate(fields_of(kind), start=1))
    return f"  {kind.__name__}: (row) => ({{ kind: {js.literal(kind.__name__)}, {named} }}),\n"


def _read(at: int, field: TransitionField) -> str:
    """Return one property; where the engine may leave a value out, so may a row that was written by hand."""
    given = "" if field.default is msgspec.NODEFAULT else f" ?? {js.literal(_plain(field.default))}"
    return f"{script_name(field.name)}: row[{at}]{given}"


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value)
