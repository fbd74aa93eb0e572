"""Who may command a session: the browser that began it. Everybody with the address may watch."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from django.core import signing

from playground.callers import request_callers
from playground.models import Session

LISTED = 20


PLAY_SALT = "a frame may play its session"


PLAY_S = 24 * 3600


def claim(browser: MutableMapping[str, Any], session: Session) -> None:
    number = request_callers.visitor(browser)
    if session.visitor != number:
        session.visitor = number
        session.save(update_fields=["visitor"])


def owned(browser: Mapping[str, Any]) -> list[str]:
    """Return the sessions that a browser began, the latest first."""
    number = request_callers.known_visitor(browser)
    if not number:
        return []
    found = Session.objects.filter(visitor=number).order_by("-created", "-pk")
    return list(found.values_list("public_id", flat=True)[:LISTED])


def began(browser: Mapping[str, Any], session: Session) -> bool:
    """Return whether a browser began a session that was read just now."""
    return request_callers.known_visitor(browser) == session.visitor != ""


def owns(browser: Mapping[str, Any], public_id: str) -> bool:
    number = request_callers.known_visitor(browser)
    return bool(number) and Session.objects.filter(public_id=public_id, visitor=number).exists()


def play_key(public_id: str) -> str:
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
