"""Who may command a session: the browser that began it, by its signed cookie. Everybody with the address may watch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "sessions"
REMEMBERED = 20


def claim(browser: Any, public_id: str) -> None:
    """Remember in the browser's cookie that it began a session; the oldest are forgotten."""
    browser[KEY] = [public_id, *(each for each in owned(browser) if each != public_id)][:REMEMBERED]


def owned(browser: Mapping[str, Any]) -> list[str]:
    """Return the sessions that a browser began, the latest first."""
    found = browser.get(KEY, [])
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def owns(browser: Mapping[str, Any], public_id: str) -> bool:
    """Tell whether a browser may command a session."""
    return public_id in owned(browser)
