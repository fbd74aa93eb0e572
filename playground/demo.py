"""The run that the first page shows at once: a backlog sinks and drains, then one grows, and it ends at its peak."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from playground import ownership, services
from playground.doors import door
from playground.models import Session

KEY = "demo"

SCENARIO: dict[str, Any] = {
    "version": 1,
    "title": "",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [
        {"at_us": 300_000, "do": "publish", "count": 6, "size_bytes": 6000},
        {
            "at_us": 2_500_000,
            "do": "set_publisher",
            "name": "p1",
            "rate_per_s": 12,
            "size_bytes": 6000,
            "persistent": True,
            "confirm": True,
            "running": True,
        },
        {
            "at_us": 11_000_000,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 22,
            "prefetch": 4,
            "ack": "each",
        },
        {"at_us": 15_000_000, "do": "remove", "name": "p1"},
        {"at_us": 26_000_000, "do": "remove", "name": "c1"},
        {"at_us": 28_000_000, "do": "publish", "count": 40, "size_bytes": 6000},
    ],
    "until_us": 34_000_000,
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
    ownership.claim(browser, session.public_id)
    browser[KEY] = session.public_id
    return session


def adopt(browser: MutableMapping[str, Any], public_id: str) -> None:
    """Who opens the demo in the playground keeps it; the first page makes another one next time."""
    if browser.get(KEY) == public_id:
        del browser[KEY]
