"""Work on exercises: beginning, answering, hints, the solution, beginning again, deleting."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition
from playground.exercises import catalog, learners, limits, task
from playground.exercises.grading import BadAnswer, GradedVerdict, TooLong
from playground.exercises.kinds import kind_of
from playground.exercises.models import Attempt, Learner, Work
from playground.exercises.schema import MADE, Exercise
from playground.exercises.selectors import reviews_after
from playground.exercises.task import held, progress
from playground.hosting.real_engine import door
from playground.jobs.job import RUN, BoundedJob, job
from playground.limits import request_callers, work_places
from playground.models import Session
from playground.records import kept_bytes, kept_runs
from playground.records.kept_runs import delete_sessions
from playground.sessions import live_hosts
from playground.texts import PageMessage, RequestRefused


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


def open_stage(exercise: Exercise, work: Work) -> None:
    """Begin the session that belongs to the state of the work; the one before goes. Whoever calls this saves the work.

    Where there was one before, call it in the transaction that saves the work.
    """
    scenario, past_us = kind_of(exercise).stage(exercise, progress(work))
    titled = {**scenario, "title": exercise.en.title}
    before, work.session = work.session, kept_runs.start_session(door().check(titled), reached_us=past_us)
    if before is not None:
        kept_runs.delete_sessions(Session.objects.filter(pk=before.pk))


def log_of(session: Session, goals: Sequence[Condition] = ()) -> dict[str, Any]:
    """Return the record of a session up to now, and what its engine finds of the goals; see `kinds.kind.Log`.

    Raises TimeoutError when the session is too busy to say where it is.
    """
    moment = live_hosts.moment(session.public_id, goals)
    if moment is not None:
        commands, until_us = moment.commands, moment.at_us
    else:
        record = kept_runs.remembered(session.public_id)
        commands, until_us = record.commands, record.reached_us
    log = {"commands": [{**command, "at_us": at_us} for at_us, command in commands], "until_us": until_us}
    return log if moment is None else {**log, "found": moment.found}


R = TypeVar("R")
CHECKED_EACH: Final = 10
"""Of so many answers to an exercise it is asked for one whether there is room for more."""


def begin(learner: Learner, exercise: Exercise) -> Work:
    """Return the learner's work on an exercise, with a session to work in."""
    _pass_gates(learner, exercise)
    try:
        with transaction.atomic():
            work, _created = Work.objects.get_or_create(learner=learner, exercise=exercise.slug)
    except IntegrityError:
        work = Work.objects.get(learner=learner, exercise=exercise.slug)
    if work.session is None:
        open_stage(catalog.variant(work.exercise, work.variant), work)
    _touch(work, "session")
    return work


def answer(work: Work, exercise: Exercise, given: Any) -> GradedVerdict:
    """Grade an answer and keep it.

    Raises Refused when it cannot be graded: malformed, too many, too long, or the class is frozen.
    """
    _pass_gates(work.learner, exercise)
    limits.take_attempt(work.learner_id)
    if work.attempts >= limits.ATTEMPTS:
        raise RequestRefused(
            _("This exercise has had %(most)s answers, which is the limit. Look at the solution."),
            most=limits.ATTEMPTS,
        )
    if work.attempts % CHECKED_EACH == CHECKED_EACH - 1:
        kept_bytes.check(request_callers.present())
    whole = _whole_answer(work, exercise, given)
    with _place(exercise, whole):
        verdict = _done(exercise, whole, graded)
    _keep(work, exercise, verdict, given)
    learners.worked.send(Work, work=work, learner=work.learner)
    return verdict


def _whole_answer(work: Work, exercise: Exercise, given: Any) -> Any:
    return kind_of(exercise).whole_answer(
        exercise, given, task.progress(work), lambda goals: _log(work, goals)
    )


def _place(exercise: Exercise, whole: Any) -> contextlib.AbstractContextManager[None]:
    """Hold a place for repeating a run, where one is needed: `Known` takes its own."""
    needed = exercise.unit == MADE or kind_of(exercise).repeats(whole)
    return work_places.for_present() if needed else contextlib.nullcontext()


def _out_of_time() -> Callable[[], bool]:
    """Return what ends a run that takes too long; its time begins when it is asked first, not in a queue."""
    begun: list[float] = []

    def is_over() -> bool:
        if not begun:
            begun.append(time.monotonic())
        return time.monotonic() > begun[0] + limits.GRADING_S

    return is_over


def _log(work: Work, goals: Sequence[Condition]) -> dict[str, Any]:
    if work.session is None:
        raise RequestRefused(_("The session is gone. Begin again."))
    try:
        return log_of(work.session, goals)
    except TimeoutError:
        raise RequestRefused(_("The session is busy. Pause it, and try again.")) from None


def _done(exercise: Exercise, whole: Any, work: BoundedJob[[Exercise, Any], R]) -> R:
    """Judge an answer: as a job where that plays what a stranger wrote, not an exercise that comes with the server."""
    strange = exercise.unit == MADE or (kind_of(exercise).is_played and kind_of(exercise).repeats(whole))
    return work(exercise, whole) if strange else work.function(exercise, whole)


@job(RUN)
def graded(exercise: Exercise, whole: Any) -> GradedVerdict:
    """Grade an answer. Raises Refused."""
    return task.graded(exercise, whole, _out_of_time())


@job(RUN)
def stands(exercise: Exercise, whole: Any) -> dict[str, Any] | None:
    """Return how an answer stands that is being made; None where that cannot be said."""
    try:
        return kind_of(exercise).standing(exercise, whole, _out_of_time())
    except (BadAnswer, TooLong):
        return None


def standing(work: Work, exercise: Exercise) -> dict[str, Any] | None:
    """Return how the answer stands that somebody is making in the session; nothing is counted or kept."""
    if work.done_at is None and learners.closed(work.learner, exercise.slug) is not None:
        return None
    whole = _whole_answer(work, exercise, None)
    with _place(exercise, whole):
        return _done(exercise, whole, stands)


COUNTED: Final = ("attempts", "failures", "reviews", "wrong", "right_at")
"""What an answer counts on from; another one may have come meanwhile."""


def _keep(work: Work, exercise: Exercise, verdict: GradedVerdict, given: Any) -> None:
    """Record an answer with all that it changes, or nothing: the run goes on where it allows that."""
    now = timezone.now()
    with transaction.atomic():
        work.refresh_from_db(fields=COUNTED, from_queryset=Work.objects.select_for_update())
        work.reviews = reviews_after(work, verdict.wrong, now)
        work.attempts += 1
        work.failures += verdict.wrong
        work.wrong, work.right_at = verdict.wrong, work.right_at if verdict.wrong else now
        Attempt.objects.create(
            work=work,
            number=work.attempts,
            passed=verdict.passed,
            tally=verdict.tally[:255],
            verdict=msgspec.to_builtins(verdict),
        )
        if task.move_on(work, exercise, verdict, given, now):
            open_stage(exercise, work)
        work.touched = now
        moved_on = ("locked", "steps", "done_at", "right_first", "session", "touched")
        work.save(update_fields=[*COUNTED, *moved_on])


def hint(work: Work, exercise: Exercise) -> None:
    _pass_gates(work.learner, exercise)
    if work.hints < len(exercise.en.hints):
        work.hints += 1
        work.save(update_fields=["hints"])
    _touch(work)


def show_solution(work: Work, exercise: Exercise) -> None:
    """Show the solution, once there was a second try. Raises RequestRefused."""
    _pass_gates(work.learner, exercise)
    if not task.may_see_solution(work):
        raise RequestRefused(_("The solution comes after a second try."))
    work.solution_shown = True
    work.save(update_fields=["solution_shown"])
    _touch(work)


def keep_reason(work: Work, exercise: Exercise, why: str) -> None:
    """Keep in the learner's own record why they gave their latest answer."""
    _pass_gates(work.learner, exercise)
    latest = work.answers.filter(number=work.attempts)
    latest.update(why=task.reason(why))


def again(work: Work, exercise: Exercise) -> None:
    """Begin the exercise again with a fresh session and, where it has variants, other numbers."""
    _pass_gates(work.learner, exercise)
    found = task.begin_again(work, exercise)
    with transaction.atomic():
        open_stage(found, work)
        work.save(update_fields=["locked", "steps", "earlier", "variant", "session"])
    _touch(work)


def delete_learner(learner: Learner) -> None:
    sessions = list(learner.works.exclude(session=None).values_list("session_id", flat=True))
    learners.worked.send(Learner, learner=learner, work=None)
    learner.delete()
    delete_sessions(Session.objects.filter(pk__in=sessions))


def _touch(work: Work, *changed: str) -> None:
    work.touched = timezone.now()
    work.save(update_fields=["touched", *changed])
    learners.worked.send(Work, work=work, learner=work.learner)


def _pass_gates(learner: Learner, exercise: Exercise) -> None:
    reason = learners.closed(learner, exercise.slug)
    if reason is not None:
        raise RequestRefused(reason)
