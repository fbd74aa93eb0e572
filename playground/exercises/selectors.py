"""Reads: what a page shows of units, exercises and somebody's work, and which exercises from before are due again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from playground.exercises import catalog
from playground.exercises.kinds import KindProgress, kind_of
from playground.exercises.kinds.broker import place_word
from playground.exercises.schema import Exercise, ExerciseTexts, LessonUnit

if TYPE_CHECKING:
    from playground.exercises.models import Learner, Work


class WorkedExercise(Protocol):
    """Somebody's work on one exercise: a row of the database, or what a browser remembers."""

    exercise: str
    learner_id: Any
    attempts: int
    failures: int
    wrong: bool
    done_at: dt.datetime | None
    right_first: bool
    variant: int
    earlier: int
    hints: int
    solution_shown: bool
    steps: Any
    locked: bool
    touched: dt.datetime
    right_at: dt.datetime | None
    reviews: int


class AnsweredExercise(Protocol):
    """One answer and its grading."""

    number: int
    passed: bool
    verdict: Any
    why: str


def feedback(exercise: Exercise, texts: ExerciseTexts, name: str) -> str:
    """Return the text of a feedback id: the exercise's own, or its kind's for such a mistake."""
    return texts.feedback.get(name) or str(kind_of(exercise).feedback.get(name, name))


def kind(exercise: Exercise) -> str:
    return str(kind_of(exercise).label)


DONE = ("first", "later")
"""States of an exercise that is done."""


def works_of(learner: Learner | None) -> dict[str, Work]:
    return {work.exercise: work for work in learner.works.all()} if learner else {}


def work_on(learner: Learner | None, slug: str) -> Work | None:
    if learner is None:
        return None
    return learner.works.select_related("session__text", "learner").filter(exercise=slug).first()


def state_of(work: WorkedExercise | None) -> str:
    """Return how far somebody is: none, working, wrong (the last answer), first (right first time) or later."""
    if work is None:
        return "none"
    if work.done_at:
        return "first" if work.right_first else "later"
    return "wrong" if work.wrong else "working"


LATER = 0.6
"""What an exercise counts that was right later; right first time counts 1."""


def score(work: WorkedExercise) -> float | None:
    """Return what somebody's work on an exercise counts, 0 to 1; None before there is an answer."""
    if work.done_at:
        return 1.0 if work.right_first else LATER
    return 0.0 if work.attempts else None


def units(learner: Learner | None, language: str) -> list[dict[str, Any]]:
    """Return the units with their exercises and the learner's progress."""
    works = works_of(learner)
    found = []
    for number, unit in enumerate(catalog.units(), 1):
        found.append(unit_row(unit, str(number), catalog.of_unit(unit.slug), works, language))
    return found


def go_on(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the exercise with which a learner goes on: the first that is not done in the first unit that is not.

    Args:
        listed: the units, as `units` returns them.

    Returns:
        Its row with the unit's slug and title, and whether anything was begun before; None where all is done.
    """
    begun = any(row["state"] != "none" for unit in listed for row in unit["exercises"])
    for unit in listed:
        for row in unit["exercises"]:
            if row["state"] not in DONE:
                return {**row, "unit": unit["slug"], "unit_title": unit["title"], "begun": begun}
    return None


def unit_row(
    unit: LessonUnit,
    number: str,
    exercises: Sequence[Exercise],
    works: Mapping[str, WorkedExercise],
    language: str,
) -> dict[str, Any]:
    """Return a unit with some of its exercises and somebody's progress in them."""
    rows: list[dict[str, Any]] = []
    for place, exercise in enumerate(exercises, 1):
        work = works.get(exercise.slug)
        rows.append(
            {
                "slug": exercise.slug,
                "number": f"{number}.{place}" if number else str(place),
                "title": exercise.texts(language).title,
                "kind": kind(exercise),
                "minutes": exercise.minutes,
                "state": state_of(work),
                "attempts": work.attempts if work else 0,
            }
        )
    texts = unit.texts(language)
    return {
        "slug": unit.slug,
        "number": number,
        "title": texts.title,
        "goal": texts.goal,
        "exercises": rows,
        "done": sum(row["state"] in DONE for row in rows),
        "minutes": sum(int(row["minutes"]) for row in rows),
    }


def last_attempt(work: Work | None) -> AnsweredExercise | None:
    """Return the latest answer since one began, or began again: an older one speaks of other numbers."""
    return work.answers.filter(number__gt=work.earlier).order_by("-number").first() if work else None


def shown_verdict(
    exercise: Exercise, texts: ExerciseTexts, attempt: AnsweredExercise, *, locked: bool, told: bool
) -> dict[str, Any]:
    """Return an attempt in words: what was predicted beside what happened, once the learner may be told.

    Args:
        locked: whether the run goes on past the answer.
        told: whether the learner has had a second try, or was right.
    """
    verdict, kind = attempt.verdict, kind_of(exercise)
    return {
        "passed": attempt.passed,
        "number": attempt.number,
        "why": attempt.why,
        "feedback": [feedback(exercise, texts, name) for name in verdict["feedback"]],
        "lines": [
            {
                "about": kind.about(texts, line["about"]),
                "yours": kind.value_text(texts, line["yours"]),
                "engine": kind.value_text(texts, line["engine"]),
                "right": line["right"],
            }
            for line in verdict["lines"][: kind.lines_shown]
        ],
        "engine_shown": kind.shows_engine(attempt.passed, told=told),
        "prediction": kind.prediction_beside(texts, verdict["lines"]) if locked else None,
        "predicted_lanes": kind.predicted_lanes(exercise, verdict["lines"]) if locked else {},
        "step": verdict["step"],
        "moves": [] if verdict["feedback"] else shown_moves(verdict["moves"]),
    }


def shown_moves(moves: list[Any]) -> list[dict[str, Any]]:
    """Return what the engine moved, in words."""
    return [
        {
            "rule": rule,
            "kind": kind,
            "source": place_word(source),
            "to": place_word(to),
            "first": first,
            "last": last,
        }
        for rule, kind, source, to, first, last in moves
    ]


def shown_solution(exercise: Exercise, language: str) -> list[str]:
    return kind_of(exercise).solution_lines(exercise, exercise.texts(language))


def answer_form(exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any] | None:
    """Return what the form of an exercise shows, its template first; None when there is nothing left to answer."""
    kind = kind_of(exercise)
    if kind.is_over(exercise, progress):
        return None
    return {
        "template": kind.template,
        "button": kind.button,
        "help": kind.help,
        **kind.page(exercise, texts, progress),
    }


Worked = TypeVar("Worked", bound=WorkedExercise)

QUESTIONS: Final = 5
"""So many at a visit."""

FIRST_REST: Final = {"wrong": 0, "later": 1, "first": 2}
"""Where an exercise begins in `RESTS`: the further the surer its answer was."""
RESTS: Final = (timedelta(hours=8), *(timedelta(days=days) for days in (1, 3, 7, 16, 35, 80)))
"""How long an exercise rests after it was touched, as in Leitner's boxes: a step longer after each right review."""


def sureness(work: WorkedExercise) -> str:
    """Return how sure somebody's last answer was: wrong, later (right, but not at once) or first."""
    if work.wrong:
        return "wrong"
    return "first" if work.right_first and not work.failures else "later"


def rest(work: WorkedExercise) -> timedelta:
    return RESTS[min(FIRST_REST[sureness(work)] + work.reviews, len(RESTS) - 1)]


def reviews_after(work: WorkedExercise, wrong: bool, now: datetime) -> int:
    """Return how many reviews in a row were right, with an answer that was just graded.

    A right answer is a review only where the last right one is as old as the exercise rests. A wrong one begins anew.
    """
    if wrong:
        return 0
    return work.reviews + (work.right_at is not None and now - work.right_at >= rest(work))


def due(works: Iterable[Worked], now: datetime) -> list[Worked]:
    """Return what is to be asked again: what was answered wrong first, then what rests longest; five at most."""
    rested = [
        work
        for work in works
        if work.attempts and work.exercise in catalog.exercises() and now - work.touched >= rest(work)
    ]
    return sorted(rested, key=lambda work: (not work.wrong, work.touched))[:QUESTIONS]


def rows(works: Iterable[WorkedExercise], now: datetime, language: str) -> list[dict[str, Any]]:
    found = []
    for work in due(works, now):
        exercise = catalog.exercise(work.exercise)
        found.append(
            {
                "slug": exercise.slug,
                "unit": exercise.unit,
                "title": exercise.texts(language).title,
                "kind": kind(exercise),
                "minutes": exercise.minutes,
                "state": state_of(work),
                "last": work.touched,
            }
        )
    return found
