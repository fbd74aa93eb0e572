"""Reads from the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.db.models import Q

from playground.hosting.session_record import RecordedSession
from playground.models import CommandRecord, Scenario, Session
from playground.records import paused_sessions

ROW_BYTES = 64
"""Of a row of a record, beside its command."""
UNDO = {"do": "undo"}
"""The row of a record that takes the command before it back. No engine has a command of this name."""


def session_by_id(public_id: str) -> Session | None:
    return Session.objects.select_related("origin", "text").filter(public_id=public_id).first()


def session_exists(public_id: str) -> bool:
    return Session.objects.filter(public_id=public_id).exists()


def latest_of(public_ids: Sequence[str]) -> Session | None:
    """Return the one of these sessions that was seen last."""
    return Session.objects.filter(public_id__in=public_ids).order_by("-last_seen").first()


def latest_of_all(public_ids: Sequence[str], most: int) -> list[Session]:
    """Return those of these sessions that were seen last, the latest first, `most` of them."""
    return list(
        Session.objects.select_related("text").filter(public_id__in=public_ids).order_by("-last_seen")[:most]
    )


def rows_of(session: Session) -> list[tuple[int, dict[str, Any]]]:
    """Return every row of a session's record: when it was written, and its content."""
    records = CommandRecord.objects.filter(session=session).order_by("sequence")
    return list(records.values_list("at_us", "command"))


def record_bytes(command: dict[str, Any]) -> int:
    """Return about how many bytes a command takes on record."""
    return ROW_BYTES + len(orjson.dumps(command))


def commands_of(session: Session) -> list[tuple[int, dict[str, Any]]]:
    """Return when each command was given, and what it was, without those that were taken back."""
    return standing(rows_of(session))


def standing(rows: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the commands of a record that no undo took back."""
    found: list[tuple[int, dict[str, Any]]] = []
    for at_us, command in rows:
        if command != UNDO:
            found.append((at_us, command))
        elif found:
            found.pop()
    return found


def reached(session: Session, commands: Sequence[tuple[int, dict[str, Any]]]) -> tuple[int, str]:
    """Return how far a session with these commands has come, and the run's digest there; empty if it is not on record.

    A command is on record at once, how far the run came only now and then: the last command may be later.
    """
    last_us = commands[-1][0] if commands else 0
    return (session.reached_us, session.digest) if last_us <= session.reached_us else (last_us, "")


def remembered(public_id: str) -> RecordedSession:
    session = Session.objects.select_related("origin", "text").get(public_id=public_id)
    rows = rows_of(session)
    commands = standing(rows)
    reached_us, digest = reached(session, commands)
    return RecordedSession(
        scenario=session.scenario,
        commands=commands,
        rows=len(rows),
        uncharged_bytes=max(0, sum(record_bytes(command) for _at_us, command in rows) - session.record_bytes),
        reached_us=reached_us,
        digest=digest,
        engine_version=session.engine_version,
        recorded_by=session.origin.engine_version if session.origin else session.engine_version,
        waits=bool(session.origin and session.origin.story),
        holds_us=paused_sessions.waits_at_us(session),
    )


def library() -> list[Scenario]:
    return list(Scenario.objects.select_related("text").filter(slug__isnull=False).order_by("slug"))


def scenario_by_name(name: str) -> Scenario | None:
    """Return a scenario by its short id or, for a library one, its slug."""
    return Scenario.objects.select_related("text").filter(Q(short_id=name) | Q(slug=name)).first()


def scenario_body(scenario: Scenario) -> dict[str, Any]:
    return {**orjson.loads(scenario.text.body), "digest": scenario.digest or None}
