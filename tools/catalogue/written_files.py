"""The files that are written from what Python has, and which of them are out of date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tools.catalogue.coverage import coverage_page
from tools.catalogue.script_modules import (
    kinds_module,
    lanes_module,
    rows_module,
    transitions_page,
    types_module,
)

FILES: Final[dict[str, Callable[[], str]]] = {
    "static/js/model/catalogue/kinds.js": kinds_module,
    "static/js/model/catalogue/places.js": lanes_module,
    "static/js/model/catalogue/rows.js": rows_module,
    "static/js/model/catalogue/types.js": types_module,
    "docs/transitions.md": transitions_page,
    "docs/coverage-of-the-articles.md": coverage_page,
}
"""Path in the repository -> the function that makes the file's text."""


def stale(root: Path) -> list[str]:
    held = {path: root / path for path in FILES}
    return [path for path, at in held.items() if not at.exists() or at.read_text("utf-8") != FILES[path]()]


def write(root: Path) -> list[str]:
    for path in (paths := stale(root)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(FILES[path](), "utf-8")
    return paths
