"""The bytes that a caller's data take, and their bound, which is checked before anything is made. The data of
one browser are bounded, and those of all browsers of an address or class. The library's scenarios are free.
Rows are charged with about what a database takes for them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Sum, When
from django.utils.translation import gettext_lazy as _

from playground.limits import request_callers, session_limits
from playground.limits.request_callers import RequestCaller
from playground.models import CommandRecord, OwnSweep, Scenario, ScenarioText, Session
from playground.records import kept_runs, paused_sessions
from playground.texts import RequestRefused

SESSION_BYTES: Final = 4096
"""A session with its first commands."""
LINK_BYTES: Final = 1024
BLOCK_BYTES: Final = 4096
"""Of commands, for which a session is charged at once."""
MOST_RECORD_BYTES: Final = 1024 * 1024
"""Of the commands of one session."""
UNUSED_S: Final = 24 * 3600.0
"""A session in which nobody did anything goes so long after it was opened last."""
UNUSED_IN_NEED_S: Final = 3600.0
"""The same where its class or address has no room."""
FRESH_S: Final = 20.0
"""How long a measurement holds. A class that works would be measured several times a second otherwise."""
MOST_MEASURED: Final = 10_000

FULL = _(
    "What this browser began here takes %(used_mib)s of %(most_mib)s MiB. Delete your "
    "sessions that you do not need, and try again."
)
GROUP_FULL = _(
    "What your class or network began here takes %(used_mib)s of %(most_mib)s MiB. Delete "
    "your sessions that you do not need. Sessions without commands are deleted after an hour."
)
RECORD_FULL = _(
    "The commands of this session take %(most_mib)s MiB, its limit. Share it, and go on in a new one."
)


class NoRoom(RequestRefused):
    """A caller has no room left."""


More = Callable[[dict[str, str]], int]
"""Returns the bytes of what else is kept of a visitor or a group, given as fields of a model."""
_more: list[More] = []


def register(more: More) -> None:
    if more not in _more:
        _more.append(more)


def of_group(group: str) -> int:
    """Return the bytes of a group, by the trace that is kept of it."""
    return _used({"group": group}) + sum(each({"group": group}) for each in _more) if group else 0


def of_visitor(visitor: str) -> int:
    return _used({"visitor": visitor}) if visitor else 0


def _used(whose: dict[str, str]) -> int:
    sessions, links = Session.objects.filter(**whose), Scenario.objects.filter(**whose, slug=None)
    free = Scenario.objects.exclude(slug=None).values("text")
    texts = ScenarioText.objects.filter(Q(pk__in=sessions.values("text")) | Q(pk__in=links.values("text")))
    counted = sessions.aggregate(count=Count("pk"), size=Sum("record_bytes"))
    return (
        SESSION_BYTES * counted["count"]
        + (counted["size"] or 0)
        + LINK_BYTES * links.count()
        + (texts.exclude(pk__in=free).aggregate(size=Sum("size_bytes"))["size"] or 0)
        + (OwnSweep.objects.filter(**whose).aggregate(size=Sum("size_bytes"))["size"] or 0)
    )


_measured: dict[tuple[Callable[[str], int], str], tuple[float, int]] = {}
"""When it was measured what a browser or a group has, and that with what it was charged for since."""


def forget() -> None:
    _measured.clear()


def _lately(of: Callable[[str], int], name: str, most: int, more: int) -> int:
    """Return what a browser or a group has: as measured a while ago where that was less than half of `most`. `more`:
    bytes for which it is charged now.
    """
    now_s = time.monotonic()
    at_s, used = _measured.get((of, name), (-math.inf, 0))
    if now_s - at_s > FRESH_S or 2 * used >= most:
        at_s, used = now_s, of(name)
    if len(_measured) >= MOST_MEASURED:
        forget()
    _measured[of, name] = at_s, used + more
    return used


def check(caller: RequestCaller) -> None:
    """Raise `NoRoom` where a caller has no room for one thing more."""
    _check(caller.visitor, request_callers.trace_of(caller.group), SESSION_BYTES)


def _check(visitor: str, group: str, more: int) -> None:
    bounds = session_limits.current()
    used = _lately(of_visitor, visitor, bounds.kept_per_visitor, more)
    if used >= bounds.kept_per_visitor:
        raise NoRoom(FULL, used=used, most=bounds.kept_per_visitor)
    used = _lately(of_group, group, bounds.kept_per_address, more)
    if used >= bounds.kept_per_address and kept_runs.delete_unused_unseen_for(UNUSED_IN_NEED_S, group):
        used = of_group(group)
    if used >= bounds.kept_per_address:
        raise NoRoom(GROUP_FULL, used=used, most=bounds.kept_per_address)


def charge(public_id: str, size_bytes: int) -> None:
    """Charge for commands of a session before they are given; raise `NoRoom` where there is no room for them."""
    session = Session.objects.only("visitor", "group", "record_bytes").get(public_id=public_id)
    if session.record_bytes + size_bytes > MOST_RECORD_BYTES:
        raise NoRoom(RECORD_FULL, most=MOST_RECORD_BYTES)
    _check(session.visitor, session.group, size_bytes)
    with transaction.atomic():
        Session.objects.filter(pk=session.pk).update(record_bytes=F("record_bytes") + size_bytes)


def sessions_of(browser: Mapping[str, Any]) -> QuerySet[Session]:
    """Return what a browser began and may delete, the latest first, with `text_bytes` and whether each was `used`."""
    free = Scenario.objects.exclude(slug=None).filter(text=OuterRef("text"))
    found = Session.objects.filter(visitor=request_callers.known_visitor(browser)).exclude(visitor="")
    return (
        kept_runs.without_use(found)
        .select_related("origin")
        .annotate(
            used=Exists(CommandRecord.objects.filter(session=OuterRef("pk"))),
            text_bytes=Case(
                When(Exists(free), then=0), default=F("text__size_bytes"), output_field=IntegerField()
            ),
        )
        .order_by("-last_seen", "-pk")
    )


def goes_at(session: Session) -> datetime:
    """Return when a session of `sessions_of` goes if nobody opens it."""
    predicted = session.predicted not in (None, paused_sessions.SKIPPED)
    if predicted or session.used:
        return session.last_seen + timedelta(days=session_limits.current().keep_days)
    return session.last_seen + timedelta(seconds=UNUSED_S)


def shown(caller: RequestCaller) -> dict[str, Any]:
    """Return what a page says of it, in bytes."""
    bounds = session_limits.current()
    return {
        "visitor": of_visitor(caller.visitor),
        "most_of_visitor": bounds.kept_per_visitor,
        "group": of_group(request_callers.trace_of(caller.group)),
        "most_of_group": bounds.kept_per_address,
    }
