"""The ready scenarios: data files in `playground/scenarios`. One file is one entry; its name is the entry's slug."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from playground.storybook.entry import BadScenario, LibraryEntry, read

FOLDER = Path(__file__).resolve().parents[1] / "scenarios"


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.json"))


def entries() -> list[LibraryEntry]:
    """Return every ready scenario, in the order of the subjects that they begin with."""
    with os.scandir(FOLDER) as found:
        version = frozenset(
            (each.name, each.stat().st_mtime_ns) for each in found if each.name.endswith(".json")
        )
    return list(_in_order(version))


@lru_cache(maxsize=1)
def _in_order(version: frozenset[tuple[str, int]]) -> list[LibraryEntry]:
    """Return the entries of files by name and time of change, which decide when all are put in order again."""
    return sorted((_load(FOLDER / name, time_ns) for name, time_ns in version), key=_order)


def load(path: Path) -> LibraryEntry:
    """Return the entry of a file, read again when it has changed. Raises BadScenario."""
    return _load(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=200)
def _load(path: Path, _changed_ns: int) -> LibraryEntry:
    entry = read(path.read_bytes())
    if entry.slug != path.stem:
        raise ValueError(f"{path}: the slug must be {path.stem}, as the file's name")
    return entry


def entry(slug: str) -> LibraryEntry | None:
    return next((each for each in entries() if each.slug == slug), None)


def after(slug: str | None) -> LibraryEntry | None:
    """Return the ready scenario that comes next in the library, or None."""
    every = entries()
    place = next((at for at, each in enumerate(every) if each.slug == slug), None)
    return None if place is None or place + 1 == len(every) else every[place + 1]


def _order(each: LibraryEntry) -> tuple[int, str]:
    return (*each.story.subjects, 99)[0], each.slug


__all__ = ["FOLDER", "BadScenario", "after", "entries", "entry", "files", "load"]

KEY: Final = "opened"
MOST: Final = 300
"""Of a browser's scenarios; the oldest is forgotten first."""


def slugs(browser: MutableMapping[str, Any]) -> list[str]:
    return [each for each in browser.get(KEY, []) if isinstance(each, str)]


def note(browser: MutableMapping[str, Any], slug: str) -> None:
    known = slugs(browser)
    if slug and slug not in known:
        browser[KEY] = [*known, slug][-MOST:]
