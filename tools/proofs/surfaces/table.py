"""The table's file: what probes answered, noted by the tests that ask them, and what it must have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from playground.views.fidelity import FILE
from playground.web.fidelity_figures import FOLDER
from tools.proofs.surfaces.columns import Column

PATH: Final = FOLDER / FILE
PROPERTY: Final = "surface"
"""Under this name a test notes its cell: `python -m tools.proofs.surfaces` gathers them."""


def kept() -> dict[str, Any]:
    """Return the table that is in the repository."""
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def note(record_property: Callable[[str, object], None], surface: str, column: Column, answer: str) -> None:
    """Note a cell, and hold it to the table; a probe that raises has no cell."""
    record_property(PROPERTY, [surface, column.name, answer])
    found = kept()["surfaces"].get(surface, {}).get(column.name)
    assert answer == found, f"the table has {found}; `make surfaces` writes it anew"
