"""Which ready scenarios a browser has opened: the library marks them. Nothing else is kept of it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

KEY: Final = "opened"
MOST: Final = 300
"""Of a browser's scenarios; the oldest is forgotten first."""


def slugs(browser: MutableMapping[str, Any]) -> list[str]:
    """Return the scenarios in the order in which they were first opened."""
    return [each for each in browser.get(KEY, []) if isinstance(each, str)]


def note(browser: MutableMapping[str, Any], slug: str) -> None:
    """Remember that a scenario was opened."""
    known = slugs(browser)
    if slug and slug not in known:
        browser[KEY] = [*known, slug][-MOST:]
