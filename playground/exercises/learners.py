"""Who is working, and the work: begun, answered, helped, begun again, imported, deleted.

A personal code is in the browser's signed cookie, its trace in the database. Anybody may have edited a file of
progress. So it only fills gaps, and is refused for learners of a class or a learning platform, who must answer
themselves.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition
from playground.exercises import catalog, task
from playground.exercises.catalog import reviews_after
from playground.exercises.grading import BadAnswer, GradedVerdict, TooLong
from playground.exercises.kinds import kind_of
from playground.exercises.models import Attempt, Learner, Work
from playground.exercises.schema import MADE, Exercise
from playground.exercises.task import ATTEMPTS, held, progress
from playground.hosting.real_engine import door
from playground.jobs import RUN, BoundedJob, job
from playground.limits import request_callers, work_places
from playground.models import Session
from playground.records import kept_bytes, kept_runs
from playground.records.kept_runs import delete_sessions
from playground.sessions import live_hosts
from playground.texts import PageMessage, RequestRefused
from playground.typed_texts import given_text

KEY = "learner"
NUMBER = "learner_number"
"""The signed cookie has the learner's number as well: a new personal code sends nobody out who is in."""
LEARNER_BYTES = 512
ANSWER_BYTES = 512
CODE_LETTERS = 12
"""Some 59 bits: nobody finds another one's work by trying."""


def new_code(letters: int = CODE_LETTERS) -> str:
    """Return a code, a personal one unless told otherwise, in groups that can be read out: k7f3-9xqm-2hdp."""
    text = kept_runs.new_id(letters)
    return "-".join(text[at : at + 4] for at in range(0, letters, 4))


def trace_of(code: str) -> str:
    """Return what is kept of a code, however it was typed."""
    letters = "".join(letter for letter in code.lower() if letter.isalnum())[:64]
    return salted_hmac("playground.exercises.learner", letters, algorithm="sha256").hexdigest()


def by_code(code: str) -> Learner | None:
    return Learner.objects.filter(code_trace=trace_of(code), leaving_at=None).first()


def current(browser: Any) -> Learner | None:
    number, code = browser.get(NUMBER), browser.get(KEY)
    if isinstance(number, int):
        return Learner.objects.filter(pk=number, leaving_at=None).first()
    return by_code(code) if isinstance(code, str) else None


def code_of(browser: Any) -> str:
    code = browser.get(KEY)
    return code if isinstance(code, str) else ""


def code_is_good(browser: Any) -> bool:
    """Return whether the code that a browser remembers still brings the work back, and was not replaced."""
    return by_code(code_of(browser)) is not None


def begin(browser: Any) -> Learner:
    """Return the browser's learner, a new one if there is none."""
    found = current(browser)
    if found is None:
        code = new_code()
        group = request_callers.trace_of(request_callers.present().group)
        found = Learner.objects.create(code_trace=trace_of(code), group=group)
        browser[KEY], browser[NUMBER] = code, found.pk
    else:
        Learner.objects.filter(pk=found.pk).update(last_seen=timezone.now())
    return found


def be(browser: Any, learner: Learner) -> None:
    """Let the browser be a learner who came without a personal code."""
    forget(browser)
    browser[NUMBER] = learner.pk
    Learner.objects.filter(pk=learner.pk).update(last_seen=timezone.now())


def remember(browser: Any, code: str) -> None:
    found = by_code(code)
    browser[KEY] = code
    browser.pop(NUMBER, None)
    if found is not None:
        browser[NUMBER] = found.pk


def forget(browser: Any) -> None:
    browser.pop(KEY, None)
    browser.pop(NUMBER, None)


def renew_code(learner: Learner) -> str:
    """Give a learner another code; the old one is of no use any more, but no browser is sent out."""
    code = new_code()
    learner.code_trace = trace_of(code)
    learner.save(update_fields=["code_trace"])
    return code


def bytes_of_learners(whose: dict[str, str]) -> int:
    """Return about how much the learners of a group and their answers take."""
    found = Learner.objects.filter(**whose)
    return (
        LEARNER_BYTES * found.count() + ANSWER_BYTES * Attempt.objects.filter(work__learner__in=found).count()
    )


worked = Signal()
"""Sent with `work` after it changed; and with `learner` alone when somebody deleted their work."""

Gate = Callable[[Learner, str, bool], PageMessage | None]
_gates: list[Gate] = []


def register(gate: Gate) -> None:
    """Ask this gate before each answer to an exercise, and, with True, before its page is shown."""
    if gate not in _gates:
        _gates.append(gate)


def closed(learner: Learner, slug: str, *, hidden: bool = False) -> PageMessage | None:
    """Return why a learner may not continue an exercise now, or with `hidden` not even see it; None if allowed."""
    return next((reason for gate in _gates if (reason := gate(learner, slug, hidden)) is not None), None)


MOST_BYTES: Final = 1_000_000
OLDEST: Final = timedelta(days=3650)
NO_LINES: Final = {"feedback": [], "lines": [], "step": 0, "moves": []}
"""A file has only the result of a verdict, not its lines."""

Text = Annotated[str, msgspec.Meta(max_length=255)]


class BroughtAnswer(msgspec.Struct, frozen=True):
    """One answer, as it is in the file of a person's data."""

    at: datetime
    passed: bool
    tally: Text = msgspec.field(name="said")


class ExercisesEntry(msgspec.Struct, frozen=True):
    """Somebody's work on one exercise."""

    exercise: Annotated[str, msgspec.Meta(max_length=60)]
    begun: datetime
    done: datetime | None
    right_first_time: bool
    solution_shown: bool
    hints: Annotated[int, msgspec.Meta(ge=0, le=4)]
    answers: Annotated[list[BroughtAnswer], msgspec.Meta(max_length=ATTEMPTS)]


class ExercisesFile(msgspec.Struct, frozen=True):
    """The part of the file of one's data that can be brought back."""

    format: Literal["waterline-person-1"]
    exercises: Annotated[list[ExercisesEntry], msgspec.Meta(max_length=500)]


def read(data: bytes) -> ExercisesFile:
    """Return the content of a file. Raises `RequestRefused` if it is not such a file, or too large."""
    if len(data) > MOST_BYTES:
        raise RequestRefused(_("The file is larger than %(most)s bytes."), most=MOST_BYTES)
    try:
        return msgspec.json.decode(given_text(data), type=ExercisesFile)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RequestRefused(
            _("This is not a file of your progress. Choose the file from “Export my progress”.")
        ) from None


def is_counted(learner: Learner) -> bool:
    """Return whether somebody else counts this learner's work: a class, or a learning platform."""
    return hasattr(learner, "student") or learner.seats.exists()


def bring(learner: Learner, file: ExercisesFile) -> int:
    """Import exercises that the learner has not worked on; return their number. Raises RequestRefused."""
    if is_counted(learner):
        raise RequestRefused(
            _("Your work belongs to a class or a learning platform, and cannot be imported from a file.")
        )
    with transaction.atomic():
        known = {*learner.works.values_list("exercise", flat=True)}
        found = 0
        for entry in file.exercises:
            if entry.exercise in known or entry.exercise not in catalog.exercises():
                continue
            if closed(learner, entry.exercise) is not None:
                continue
            known.add(entry.exercise)
            _keep(learner, entry)
            found += 1
    return found


def _keep(learner: Learner, entry: ExercisesEntry) -> None:
    times = [_bounded(each.at) for each in entry.answers]
    begun, done = _bounded(entry.begun), _bounded(entry.done) if entry.done and entry.answers else None
    failures = sum(not each.passed for each in entry.answers)
    work = Work.objects.create(
        learner=learner,
        exercise=entry.exercise,
        done_at=done,
        attempts=len(entry.answers),
        earlier=len(entry.answers),
        failures=failures,
        wrong=bool(entry.answers) and not entry.answers[-1].passed,
        right_first=bool(done) and entry.right_first_time and not failures and not entry.solution_shown,
        hints=min(entry.hints, len(catalog.exercise(entry.exercise).en.hints)),
        solution_shown=entry.solution_shown,
        statement_sent=True,
    )
    Work.objects.filter(pk=work.pk).update(begun=begun, touched=max([begun, *times]))
    answers = Attempt.objects.bulk_create(
        Attempt(
            work=work,
            number=number,
            passed=each.passed,
            tally="".join(letter for letter in each.tally if letter.isprintable()),
            verdict=NO_LINES,
        )
        for number, each in enumerate(entry.answers, 1)
    )
    for answer, at in zip(answers, times, strict=True):
        answer.at = at
    Attempt.objects.bulk_update(answers, ["at"])  # a row that is made gets the present time


def _bounded(at: datetime) -> datetime:
    """Return a time with its zone, not in the future and not older than anything done here."""
    now = timezone.now()
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(aware, now - OLDEST), now)


def holds_us(session: Session) -> int | None:
    """Return how far the run of a session may go before there is an answer; None where nobody owes one."""
    return int(session.scenario["until_us"]) if _is_held(Work.objects.filter(session=session)) else None


def _is_held(works: QuerySet[Work]) -> bool:
    """Return whether this work, if there is any, owes an answer."""
    work = works.first()
    return work is not None and held(catalog.variant(work.exercise, work.variant), work)


def used() -> QuerySet[Any]:
    return Work.objects.exclude(session=None).values("session")


def waits(public_id: str) -> PageMessage | None:
    """Return why nobody may make a copy of a session now: the copy could be played on, and show the answer."""
    if not _is_held(Work.objects.filter(session__public_id=public_id)):
        return None
    return PageMessage(_("This run waits for your answer. Answer first, then share or export it."))


def open_stage(exercise: Exercise, work: Work) -> None:
    """Begin the session that belongs to the state of the work; the one before goes. Whoever calls this saves the
    work. Where there was one before, call it in the transaction that saves the work.
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


def begin_work(learner: Learner, exercise: Exercise) -> Work:
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
    """Grade an answer and keep it. Raises Refused when it cannot be graded: malformed, too many, too long, or the
    class is frozen.
    """
    _pass_gates(work.learner, exercise)
    task.take_attempt(work.learner_id)
    if work.attempts >= task.ATTEMPTS:
        raise RequestRefused(
            _("This exercise has had %(most)s answers, which is the limit. Look at the solution."),
            most=task.ATTEMPTS,
        )
    if work.attempts % CHECKED_EACH == CHECKED_EACH - 1:
        kept_bytes.check(request_callers.present())
    whole = _whole_answer(work, exercise, given)
    with _place(exercise, whole):
        verdict = _done(exercise, whole, graded)
    _record(work, exercise, verdict, given)
    worked.send(Work, work=work, learner=work.learner)
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
        return time.monotonic() > begun[0] + task.GRADING_S

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
    if work.done_at is None and closed(work.learner, exercise.slug) is not None:
        return None
    whole = _whole_answer(work, exercise, None)
    with _place(exercise, whole):
        return _done(exercise, whole, stands)


COUNTED: Final = ("attempts", "failures", "reviews", "wrong", "right_at")
"""What an answer counts on from; another one may have come meanwhile."""


def _record(work: Work, exercise: Exercise, verdict: GradedVerdict, given: Any) -> None:
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
    worked.send(Learner, learner=learner, work=None)
    learner.delete()
    delete_sessions(Session.objects.filter(pk__in=sessions))


def _touch(work: Work, *changed: str) -> None:
    work.touched = timezone.now()
    work.save(update_fields=["touched", *changed])
    worked.send(Work, work=work, learner=work.learner)


def _pass_gates(learner: Learner, exercise: Exercise) -> None:
    reason = closed(learner, exercise.slug)
    if reason is not None:
        raise RequestRefused(reason)
