"""Let what a compiled class makes be pickled, as a checkpoint of a run is: in the copy that is compiled.

A compiled object has no dictionary of its attributes, and making one calls its `__init__`; so pickle would write a
checkpoint that nobody can read. The compiler mends that where a decorator asks for it. The sources do without.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

from tools.compiled_records import FUTURE, first_line

ASKED: Final = "@mypyc_attr(serializable=True, allow_interpreted_subclasses=True)"
"""The second word as well: without it this mypyc never calls the `__init__` of a class that it lets be pickled."""
OWN_WAY: Final = ("Protocol", "NamedTuple", "TypedDict", "Enum", "Exception", "Error")
"""How the names of bases end whose classes the compiler leaves to Python."""


def let_pickle(path: Path) -> None:
    """Ask in a module's file, which is changed, that its classes can be pickled; lines keep their numbers.

    A class has an empty line or a comment above it: there the decorator goes.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).split("[")[0] for base in node.bases]
            if not any(base.endswith(OWN_WAY) for base in bases):
                lines[first_line(node) - 2] = ASKED
    if ASKED in lines:
        lines[lines.index(FUTURE)] += "; from mypy_extensions import mypyc_attr"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
