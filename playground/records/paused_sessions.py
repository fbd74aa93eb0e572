"""Paused sessions, which take no commands: a class listens to its teacher, or a story waits for an answer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from playground.models import Scenario, Session
from playground.texts import PageMessage, RequestRefused

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
    _held.pop(key, None)


def is_held(session: str) -> bool:
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
    """Raise `RequestRefused` if a session cannot be shared, forked or taken away now. `link`: only a link is made:
    whoever opens it begins the same run, and is asked the same.
    """
    for reason, links in _reasons:
        why_not = reason(session) if links or not link else None
        if why_not is not None:
            raise RequestRefused(why_not)


SKIPPED: Final = -1
"""Stored in place of an option's number where somebody goes on without an answer, or the run has shown it already."""


def asked(origin: Scenario | None) -> dict[str, Any] | None:
    """Return the prediction that the story of a kept run asks for, if it asks for one."""
    found: dict[str, Any] | None = (origin.story or {}).get("prediction") if origin else None
    return found


def at_start(origin: Scenario | None, reached_us: int) -> int | None:
    """Return what a session that begins at this moment has answered; after the answer nothing is asked."""
    prediction = asked(origin)
    return SKIPPED if prediction and reached_us >= prediction["at_us"] else None


def holds_us(session: Session) -> int | None:
    """Return the virtual time at which a session waits for an answer; None when it waits for none."""
    prediction = asked(session.origin)
    if prediction is None or session.predicted is not None:
        return None
    return int(prediction.get("ask_at_us", 0))


def lock(public_id: str, option: int) -> None:
    """Lock an answer: the number of an option, or `SKIPPED`. The first one stands."""
    Session.objects.filter(public_id=public_id, predicted=None).update(predicted=option)


def waits(public_id: str) -> PageMessage | None:
    """Return why nobody may take a session along now: its run would go on elsewhere and show the answer."""
    session = Session.objects.select_related("origin").filter(public_id=public_id).first()
    if session is None or holds_us(session) is None:
        return None
    return PageMessage(
        _(
            "This run asks for your prediction first. Lock your prediction, or skip it; then share "
            "or export the run."
        )
    )
