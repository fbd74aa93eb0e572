"""Who may command a session: the browser that began it. Everybody with the address may watch.

A browser is known by a number in its signed cookie, which never changes, and the database remembers which sessions it
began: two pages that begin one at the same moment cannot forget each other's.

A frame on another site has no cookie: it gets a signed key, with which its socket may let time pass, and no more.
So does the page of an exercise whose run waits for an answer: the run stops by itself where the answer is owed.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from django.core import signing

from playground.callers import browser_visitor
from playground.models import Session

LISTED = 20
PLAY_SALT = "a frame may play its session"
PLAY_S = 24 * 3600


def claim(browser: MutableMapping[str, Any], public_id: str) -> None:
    """Remember that a browser began a session."""
    Session.objects.filter(public_id=public_id).update(visitor=browser_visitor.visitor(browser))


def owned(browser: Mapping[str, Any]) -> list[str]:
    """Return the sessions that a browser began, the latest first."""
    number = browser_visitor.known_visitor(browser)
    if not number:
        return []
    found = Session.objects.filter(visitor=number).order_by("-created", "-pk")
    return list(found.values_list("public_id", flat=True)[:LISTED])


def owns(browser: Mapping[str, Any], public_id: str) -> bool:
    """Return whether a browser may command a session."""
    number = browser_visitor.known_visitor(browser)
    return bool(number) and Session.objects.filter(public_id=public_id, visitor=number).exists()


def play_key(public_id: str) -> str:
    """Return the key with which whoever holds it may play a session."""
    return signing.dumps(public_id, salt=PLAY_SALT)


def holds_key(query: bytes, public_id: str) -> bool:
    """Return whether a socket's address has the key of this session."""
    given = parse_qs(query[:1000].decode("ascii", "replace")).get("key", [""])[0]
    if not given:
        return False
    try:
        return bool(signing.loads(given, salt=PLAY_SALT, max_age=PLAY_S) == public_id)
    except signing.BadSignature:
        return False
