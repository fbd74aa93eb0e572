"""The ready scenarios: data files in `playground/scenarios`. One file is one entry; its name is the entry's slug."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from playground.hosting.real_engine import door
from playground.models import Session
from playground.records import services, session_leases
from playground.storybook.entry import BadScenario, LibraryEntry, read

FOLDER = Path(__file__).resolve().parents[1] / "scenarios"


def files() -> list[Path]:
    """Return the data files by their names."""
    return sorted(FOLDER.glob("*.json"))


def entries() -> list[LibraryEntry]:
    """Return every ready scenario, in the order of the subjects that they begin with."""
    return sorted((load(path) for path in files()), key=_order)


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
    """Return the ready scenario of this name, or None."""
    return next((load(path) for path in files() if path.stem == slug), None)


def after(slug: str | None) -> LibraryEntry | None:
    """Return the ready scenario that comes next in the library, or None."""
    every = entries()
    place = next((at for at, each in enumerate(every) if each.slug == slug), None)
    return None if place is None or place + 1 == len(every) else every[place + 1]


def _order(each: LibraryEntry) -> tuple[int, str]:
    return (*each.story.subjects, 99)[0], each.slug


__all__ = ["FOLDER", "BadScenario", "after", "entries", "entry", "files", "load"]


KEY = "demo"

FOLLOWED = 20
"""The message that the first page lights all the way: alpha, beta, delta, gamma, with the consumer."""

SCENARIO: dict[str, Any] = {
    "version": 1,
    "title": "",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [
        {"at_us": 600_000, "do": "publish", "count": 28, "size_bytes": 6000},
        {"at_us": 3_000_000, "do": "publish", "count": 24, "size_bytes": 6000, "persistent": True},
        {
            "at_us": 4_500_000,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 8,
            "prefetch": 4,
            "ack": "each",
        },
    ],
    "until_us": 9_000_000,
}


def session_for(browser: MutableMapping[str, Any], again: bool = False) -> Session:
    """Return the demo session of a browser: the one that it has, unless that is gone or it wants it `again`."""
    before = browser.get(KEY)
    found = Session.objects.filter(public_id=before).first() if isinstance(before, str) else None
    if found is not None and not again:
        return found
    if found is not None:
        services.delete_untouched(found)
    session = services.start_session(door().check(SCENARIO))
    session_leases.claim(browser, session.public_id)
    browser[KEY] = session.public_id
    return session


def adopt(browser: MutableMapping[str, Any], public_id: str) -> None:
    """Who opens the demo in the playground keeps it; the first page makes another one next time."""
    if browser.get(KEY) == public_id:
        del browser[KEY]
