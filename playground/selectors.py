"""Reads from the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.db.models import Q

from playground.hosting.book import Remembered
from playground.models import CommandRecord, Scenario, Session


def session_by_id(public_id: str) -> Session | None:
    """Return a session, or None when there is none (any more)."""
    return Session.objects.select_related("origin").filter(public_id=public_id).first()


def session_exists(public_id: str) -> bool:
    """Tell whether there is such a session."""
    return Session.objects.filter(public_id=public_id).exists()


def latest_of(public_ids: Sequence[str]) -> Session | None:
    """Return the one of these sessions that was seen last."""
    return Session.objects.filter(public_id__in=public_ids).order_by("-last_seen").first()


def commands_of(session: Session) -> list[tuple[int, dict[str, Any]]]:
    """Return when each command was given, and what it was."""
    records = CommandRecord.objects.filter(session=session).order_by("sequence")
    return list(records.values_list("at_us", "command"))


def remembered(public_id: str) -> Remembered:
    """Return all that is on record of a session."""
    session = Session.objects.select_related("origin").get(public_id=public_id)
    return Remembered(
        scenario=session.scenario,
        commands=commands_of(session),
        reached_us=session.reached_us,
        digest=session.digest,
        engine_version=session.engine_version,
        recorded_by=session.origin.engine_version if session.origin else session.engine_version,
        waits=bool(session.origin and session.origin.story),
    )


def library() -> list[Scenario]:
    """Return the ready scenarios, in the order of their slugs."""
    return list(Scenario.objects.filter(slug__isnull=False).order_by("slug"))


def scenario_by_name(name: str) -> Scenario | None:
    """Return a scenario by its short id or, for a library one, its slug."""
    return Scenario.objects.filter(Q(short_id=name) | Q(slug=name)).first()


def scenario_body(scenario: Scenario) -> dict[str, Any]:
    """Return a kept scenario as an object, with the digest of its run."""
    return {**orjson.loads(scenario.body), "digest": scenario.digest or None}
