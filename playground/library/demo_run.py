"""The run that the first page shows at once: one message goes all the way through RAM, disk and back to a consumer."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from playground.hosting.real_engine import door
from playground.models import Session
from playground.records import services, session_ownership

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
    session_ownership.claim(browser, session.public_id)
    browser[KEY] = session.public_id
    return session


def adopt(browser: MutableMapping[str, Any], public_id: str) -> None:
    """Who opens the demo in the playground keeps it; the first page makes another one next time."""
    if browser.get(KEY) == public_id:
        del browser[KEY]
