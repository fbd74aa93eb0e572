"""Sessions that take no commands for a while, such as those of a class that listens to its teacher.

And those that wait for an answer: they stop at a moment, and nobody may take them along yet, as a copy could be
played on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

from playground.models import Session
from playground.texts.page_message import PageMessage, RequestRefused

Reason = Callable[[str], PageMessage | None]
"""Returns why a session cannot be copied or exported now; None if it can."""

Wait = Callable[[Session], int | None]
"""Returns the virtual time at which a session waits for an answer; None if it waits for none."""

_waits: list[Wait] = []
_reasons: list[tuple[Reason, bool]] = []
_held: dict[str, tuple[frozenset[str], float]] = {}
"""The sessions of each key, and until when they are held."""


def hold(key: str, sessions: Iterable[str], lasts_s: float = math.inf) -> list[str]:
    """Hold these sessions under a key, in place of those before; return the ones that were not held yet."""
    wanted = frozenset(sessions)
    new = [each for each in wanted if not _holds(key, each)]
    _held[key] = wanted, time.monotonic() + lasts_s
    return sorted(new)


def release(key: str) -> None:
    """Let the sessions of a key go on."""
    _held.pop(key, None)


def is_held(session: str) -> bool:
    """Return whether somebody holds a session."""
    return any(_holds(key, session) for key in _held)


def _holds(key: str, session: str) -> bool:
    sessions, until_s = _held.get(key, (frozenset(), 0.0))
    return session in sessions and time.monotonic() < until_s


def register_wait(wait: Wait) -> None:
    """Ask this before a session's run is made: it goes as far as that, and no further."""
    if wait not in _waits:
        _waits.append(wait)


def waits_at_us(session: Session) -> int | None:
    """Return the first virtual time at which a session waits for an answer; None if there is none."""
    return min((at_us for wait in _waits if (at_us := wait(session)) is not None), default=None)


def register(reason: Reason, *, links: bool = True) -> None:
    """Ask this before anybody takes a session along; with `links`, also before a link to it is made."""
    if (reason, links) not in _reasons:
        _reasons.append((reason, links))


def check_may_leave(session: str, *, link: bool = False) -> None:
    """Raise `RequestRefused` if a session cannot be shared, forked or taken away now.

    Args:
        link: only a link is made: whoever opens it begins the same run, and is asked the same.
    """
    for reason, links in _reasons:
        why_not = reason(session) if links or not link else None
        if why_not is not None:
            raise RequestRefused(why_not)
