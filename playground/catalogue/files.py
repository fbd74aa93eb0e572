"""The files that are written from the engine's classes: which they are, and whether they are up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from playground.catalogue import documents, javascript, types

FILES: Final[dict[str, Callable[[], str]]] = {
    "static/js/model/catalogue/kinds.js": javascript.kinds_module,
    "static/js/model/catalogue/places.js": javascript.lanes_module,
    "static/js/model/catalogue/rows.js": types.rows_module,
    "static/js/model/catalogue/types.js": types.module,
    "docs/transitions.md": documents.transitions_page,
    "docs/coverage-of-the-articles.md": documents.coverage_page,
}
"""Path in the repository -> the function that makes the file's text."""


def stale(root: Path) -> list[str]:
    """Return the paths of files that differ from what the classes say."""
    return [path for path, text in FILES.items() if _read(root / path) != text()]


def write(root: Path) -> list[str]:
    paths = stale(root)
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(FILES[path](), "utf-8")
    return paths


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None
