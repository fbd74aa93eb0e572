"""A browser is known by a number in its signed cookie, which never changes."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, MutableMapping
from typing import Any

KEY = "visitor"


def visitor(browser: MutableMapping[str, Any]) -> str:
    """Return the number of a browser, which it gets at its first visit."""
    if not known_visitor(browser):
        browser[KEY] = secrets.token_hex(8)
    return known_visitor(browser)


def known_visitor(browser: Mapping[str, Any]) -> str:
    """Return the number that a browser has, or nothing."""
    found = browser.get(KEY, "")
    return found if isinstance(found, str) else ""
