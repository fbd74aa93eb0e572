"""Writes to the database."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from playground.callers import request_callers
from playground.hosting import session_record
from playground.hosting.real_engine import door
from playground.limits import session_limits
from playground.models import CommandRecord, Lease, Scenario, ScenarioText, Session
from playground.records import paused_sessions, selectors

ID_LETTERS = 16
"""Some 79 bits: whoever has a session's address may watch it."""

RING_HOP_US = 2000
"""How long an instruction travels between two nodes of a new cluster: long enough to be seen."""


def blank_scenario(profile: str, nodes: int = 1) -> dict[str, Any]:
    """Return the scenario of a session in which nothing has happened yet, on one node or a cluster."""
    settings = {"settings": {"nodes": nodes, "ring_hop_us": RING_HOP_US}} if nodes > 1 else {}
    return door().check({"version": 1, "profile": profile, "until_us": 0} | settings)


def body_of(scenario: dict[str, Any]) -> str:
    """Return what is kept of a checked scenario: its canonical text, without the digest."""
    return session_record.canonical({**scenario, "digest": None})


def start_session(scenario: dict[str, Any], origin: Scenario | None = None, reached_us: int = 0) -> Session:
    """Begin a session with a checked scenario, at its beginning or as if it had been played up to `reached_us`."""
    public_id = "".join(secrets.choice(session_record.ALPHABET) for _each in range(ID_LETTERS))
    return Session.objects.create(
        public_id=public_id,
        text=ScenarioText.of(body_of(scenario)),
        recorded=scenario.get("digest") or "",
        group=request_callers.trace_of(request_callers.present().group),
        origin=origin,
        engine_version=door().version,
        reached_us=reached_us,
        predicted=paused_sessions.at_start(origin, reached_us),
    )


def replay_session(kept: Scenario, at_us: int = 0) -> Session:
    """Begin a session that repeats a kept scenario, at the moment `at_us` of it."""
    scenario = selectors.scenario_body(kept)
    return start_session(scenario, kept, min(at_us, scenario["until_us"]))


def delete_sessions(sessions: QuerySet[Session]) -> int:
    """Delete sessions with their records; return how many.

    A row that an owner is writing must be on record first, or not at all: a row that came in between would point
    to a session that is gone. So the leases are locked first, as for every write (see `leases.guard`).
    """
    with transaction.atomic():
        keys = list(sessions.values_list("pk", flat=True))
        leases = Lease.objects.filter(session__in=keys).order_by("session_id")
        list(leases.select_for_update(of=("self",)).values_list("epoch", flat=True))
        Session.objects.filter(pk__in=keys).delete()
    return len(keys)


def delete_untouched(session: Session) -> None:
    if not CommandRecord.objects.filter(session=session).exists():
        delete_sessions(Session.objects.filter(pk=session.pk))


def keep_scenario(
    scenario: dict[str, Any], engine_version: str | None = None, story: dict[str, Any] | None = None
) -> Scenario:
    """Return the kept form of a checked scenario; the same scenario, digest and story are kept once."""
    body = body_of(scenario)
    digest = scenario.get("digest") or ""
    version = engine_version or door().version
    # The digest belongs to the name: with another engine the same commands may be another run.
    name = f"{body}\n{digest}\n{version}" + (f"\n{session_record.canonical(story)}" if story else "")
    short_id = session_record.short_id(name)
    caller = request_callers.present()
    values = {"title": scenario["title"], "digest": digest, "engine_version": version, "story": story or None}
    values |= {"visitor": caller.visitor, "group": request_callers.trace_of(caller.group)}
    try:
        with transaction.atomic():
            kept = Scenario.objects.select_related("text").filter(short_id=short_id).first()
            is_new = kept is None
            if kept is None:
                text = ScenarioText.of(body)
                size_bytes = text.size_bytes + len(session_record.canonical(story or {}).encode())
                kept = Scenario.objects.create(short_id=short_id, text=text, size_bytes=size_bytes, **values)
    except IntegrityError:
        return Scenario.objects.get(short_id=short_id)
    if is_new:
        make_room_for_links(session_limits.current().kept_bytes, kept)
    else:
        touch_scenario(kept)
    return kept


def touch_scenario(kept: Scenario) -> None:
    """Note that somebody opened a kept scenario; once a day is enough."""
    now = timezone.now()
    if kept.last_seen < now - timedelta(days=1):
        Scenario.objects.filter(pk=kept.pk).update(last_seen=now)


def make_room_for_links(most_bytes: int, newest: Scenario) -> int:
    """Delete the links that nobody has opened for the longest time while all take more than this; return how many."""
    links = Scenario.objects.filter(slug=None)
    over = (links.aggregate(total=Sum("size_bytes"))["total"] or 0) - most_bytes
    going = []
    for pk, size_bytes in links.exclude(pk=newest.pk).order_by("last_seen").values_list("pk", "size_bytes"):
        if over <= 0:
            break
        going.append(pk)
        over -= size_bytes
    Scenario.objects.filter(pk__in=going).delete()
    return len(going)


def delete_links_unseen_for(days: int) -> int:
    """Delete the links that nobody has opened for so long; return how many. The library stays."""
    stale = Scenario.objects.filter(slug=None, last_seen__lt=timezone.now() - timedelta(days=days))
    count = stale.count()
    stale.delete()
    return count


def packed_name(kept: Scenario) -> str:
    """Return a name for what a kept scenario draws: the library's entries keep their address when they change."""
    return f"{kept.short_id} {kept.digest} {kept.engine_version}"


def put_in_library(slug: str, scenario: dict[str, Any], story: dict[str, Any] | None = None) -> Scenario:
    """Store this scenario as the library's entry of this name."""
    with transaction.atomic():
        text = ScenarioText.of(body_of(scenario))
        kept, _created = Scenario.objects.update_or_create(
            slug=slug,
            defaults={
                "short_id": session_record.short_id(f"library\n{slug}"),
                "title": scenario["title"],
                "text": text,
                "digest": scenario["digest"] or "",
                "engine_version": door().version,
                "story": story,
            },
        )
    return kept


def prune_library(slugs: set[str]) -> int:
    """Take the entries that are not among `slugs` out of the library; return how many. Links to them stay."""
    return Scenario.objects.filter(slug__isnull=False).exclude(slug__in=slugs).update(slug=None)


def delete_unused_unseen_for(seconds: float, group: str | None = None) -> int:
    """Delete the sessions in which nobody did anything, and that nobody has opened for so long; return how many.

    Args:
        group: only its sessions.
    """
    stale = Session.objects.filter(last_seen__lt=timezone.now() - timedelta(seconds=seconds))
    stale = stale.filter(Q(predicted=None) | Q(predicted=paused_sessions.SKIPPED))
    stale = stale.exclude(Exists(CommandRecord.objects.filter(session=OuterRef("pk"))))
    stale = without_use(stale)
    return delete_sessions(stale if group is None else stale.filter(group=group))


_uses: list[Callable[[], QuerySet[Any]]] = []


def register_use(sessions: Callable[[], QuerySet[Any]]) -> None:
    """Leave these sessions, given by their keys, to whoever needs them: nobody else deletes them."""
    if sessions not in _uses:
        _uses.append(sessions)


def without_use(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Return sessions without those that something else needs."""
    for used in _uses:
        sessions = sessions.exclude(pk__in=used())
    return sessions


def delete_texts_of_nothing() -> int:
    """Delete the texts of scenarios that no session and no link has any more; return how many."""
    return ScenarioText.objects.exclude(
        Exists(Session.objects.filter(text=OuterRef("pk")))
        | Exists(Scenario.objects.filter(text=OuterRef("pk")))
    ).delete()[0]


def delete_sessions_unseen_for(days: int) -> int:
    """Delete the sessions that nobody has opened for so long; return how many."""
    return delete_sessions(Session.objects.filter(last_seen__lt=timezone.now() - timedelta(days=days)))
