"""The live session beside an exercise: which scenario it runs, from where to where, and who may command it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition
from playground.exercises import catalog
from playground.exercises.kinds import kind_of
from playground.exercises.models import Work
from playground.exercises.schema import Exercise
from playground.exercises.task import held, progress
from playground.hosting.real_engine import door
from playground.models import Session
from playground.records import selectors, services
from playground.sessions import owner_address
from playground.texts.page_message import PageMessage


def holds_us(session: Session) -> int | None:
    """Return how far the run of a session may go before there is an answer; None where nobody owes one."""
    return int(session.scenario["until_us"]) if _is_held(Work.objects.filter(session=session)) else None


def _is_held(works: QuerySet[Work]) -> bool:
    """Return whether this work, if there is any, owes an answer."""
    work = works.first()
    return work is not None and held(catalog.variant(work.exercise, work.variant), work)


def used() -> QuerySet[Any]:
    """Return the keys of the sessions that belong to somebody's work."""
    return Work.objects.exclude(session=None).values("session")


def waits(public_id: str) -> PageMessage | None:
    """Return why nobody may make a copy of a session now: the copy could be played on, and show the answer."""
    if not _is_held(Work.objects.filter(session__public_id=public_id)):
        return None
    return PageMessage(_("This run waits for your answer. Answer first, then share or export it."))


def open_stage(exercise: Exercise, work: Work) -> Session:
    """Begin the session that belongs to the state of the work; the one before goes."""
    scenario, past_us = kind_of(exercise).stage(exercise, progress(work))
    titled = {**scenario, "title": exercise.en.title}
    session = services.start_session(door().check(titled))
    if past_us:
        session.reached_us = past_us
        session.save(update_fields=["reached_us"])
    before, work.session = work.session, session
    work.save(update_fields=["session"])
    if before is not None:
        services.delete_sessions(Session.objects.filter(pk=before.pk))
    return session


def log_of(session: Session, goals: Sequence[Condition] = ()) -> dict[str, Any]:
    """Return the record of a session up to now, and what its engine finds of the goals; see `kinds.kind.Log`.

    Raises TimeoutError when the session is too busy to say where it is.
    """
    moment = owner_address.moment(session.public_id, goals)
    if moment is not None:
        commands, until_us = moment.commands, moment.at_us
    else:
        record = selectors.remembered(session.public_id)
        commands, until_us = record.commands, record.reached_us
    log = {"commands": [{**command, "at_us": at_us} for at_us, command in commands], "until_us": until_us}
    return log if moment is None else {**log, "found": moment.found}
