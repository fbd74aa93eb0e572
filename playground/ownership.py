"""Who may command a session: the browser that began it, by its signed cookie. Everybody with the address may watch.

A frame on another site has no cookie: it gets a signed key, with which its socket may let time pass, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from django.core import signing

KEY = "sessions"
REMEMBERED = 20
PLAY_SALT = "a frame may play its session"
PLAY_S = 24 * 3600


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


def play_key(public_id: str) -> str:
    """Return the key with which whoever holds it may play a session."""
    return signing.dumps(public_id, salt=PLAY_SALT)


def holds_key(query: bytes, public_id: str) -> bool:
    """Tell whether a socket's address has the key of this session."""
    given = parse_qs(query[:1000].decode("ascii", "replace")).get("key", [""])[0]
    if not given:
        return False
    try:
        return bool(signing.loads(given, salt=PLAY_SALT, max_age=PLAY_S) == public_id)
    except signing.BadSignature:
        return False
