"""The exercises and units, read once from the data files beside this module; what a page shows of them and of
somebody's work; and which exercises from before are due again.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

import msgspec

from playground.exercises.kinds import KINDS, KindProgress, kind_of
from playground.exercises.kinds.acting import place_word
from playground.exercises.schema import (
    MADE,
    Exercise,
    ExerciseTexts,
    Id,
    LessonUnit,
    UnitTexts,
    drawn_of,
    filled,
    with_numbers,
)

if TYPE_CHECKING:
    from playground.exercises.models import Learner, Work


FOLDER = Path(__file__).resolve().parent / "data"


class NoExercise(LookupError):
    """An exercise or unit does not exist."""


def with_nulls(value: Any) -> Any:
    """Return data in which a setting's value "none" is None, which TOML cannot write."""
    if isinstance(value, list):
        return [with_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: None if name == "value" and each == "none" else with_nulls(each) for name, each in value.items()
    }


def in_file(path: Path) -> dict[str, Any]:
    """Return what a data file has."""
    found: dict[str, Any] = with_nulls(tomllib.loads(path.read_text("utf-8")))
    return found


@cache
def units() -> tuple[LessonUnit, ...]:
    """Return the units in the order in which they are taught."""
    files = sorted(FOLDER.glob("*/unit.toml"), key=lambda path: int(path.parent.name.partition("-")[0]))
    return tuple(msgspec.convert(in_file(path), LessonUnit) for path in files)


@cache
def exercises() -> dict[str, Exercise]:
    """Return every exercise by its slug, in the order of the units."""
    return {slug: read(plain) for slug, plain in _plain().items()}


@cache
def _plain() -> dict[str, dict[str, Any]]:
    return {
        slug: {**in_file(next(FOLDER.glob(f"*/{slug}.toml"))), "slug": slug, "unit": unit.slug}
        for unit in units()
        for slug in unit.exercises
    }


Source = Callable[[str], dict[str, Any] | None]
_sources: list[Source] = []


def register(source: Source) -> None:
    """Ask this for the content of exercises that are in no file."""
    if source not in _sources:
        _sources.append(source)


@lru_cache(maxsize=500)
def _made(slug: str) -> Exercise:
    return read(_made_plain(slug))


def _made_plain(slug: str) -> dict[str, Any]:
    for source in _sources:
        plain = source(slug)
        if plain is not None:
            return plain
    raise NoExercise(slug)


def forget_made() -> None:
    _made.cache_clear()
    variant.cache_clear()


def find(slug: str) -> Exercise | None:
    try:
        return exercise(slug)
    except NoExercise:
        return None


@lru_cache(maxsize=500)
def variant(slug: str, seed: int) -> Exercise:
    """Return an exercise in the case and with the numbers that a seed draws; 0 is as usual."""
    usual = exercise(slug)
    if not seed or not (usual.variants or usual.cases):
        return usual
    return read(_plain().get(slug) or _made_plain(slug), seed)


def numbered(slug: str, numbers: dict[str, int]) -> Exercise:
    """Return the file's own case of an exercise with these numbers; what is not given is as usual."""
    plain = {name: part for name, part in _plain()[slug].items() if name != "cases"}
    usual = {name: each.usual for name, each in drawn_of(plain).items()}
    return read(with_numbers(plain, {**usual, **numbers}))


def read(plain: dict[str, Any], seed: int = 0) -> Exercise:
    """Return the exercise that a file holds; its kind reads the table that has the kind's name. Raises
    msgspec.ValidationError if it is not an exercise.
    """
    plain = filled(plain, seed)
    kind = KINDS.get(plain.get("kind", ""))
    if kind is None:
        raise msgspec.ValidationError(f"no kind is called {plain.get('kind')!r}; known: {', '.join(KINDS)}")
    common = {name: value for name, value in plain.items() if name != kind.name}
    form = msgspec.convert(plain.get(kind.name, {}), kind.form)
    return msgspec.structs.replace(msgspec.convert(common, Exercise), form=form)


def exercise(slug: str) -> Exercise:
    """Return an exercise, or raise `NoExercise`."""
    return exercises().get(slug) or _made(slug)


def unit(slug: str) -> LessonUnit:
    """Return a unit, or raise `NoExercise`."""
    for each in (*units(), made_unit()):
        if each.slug == slug:
            return each
    raise NoExercise(slug)


@cache
def made_unit() -> LessonUnit:
    """Return the unit to which made exercises belong; it lists none, for each is found by its own address."""

    def texts(title: str, goal: str) -> UnitTexts:
        return UnitTexts(title=title, goal=goal, before=goal, timing=(goal,), discussion=(goal,))

    return LessonUnit(
        slug=MADE,
        exercises=(),
        en=texts("Made by teachers", "Exercises that a teacher made from a session."),
        zh_hans=texts("教师自制", "教师用自己的会话制作的练习。"),
        zh_hant=texts("教師自製", "教師用自己的工作階段製作的練習。"),
    )


def of_unit(slug: str) -> list[Exercise]:
    return [exercise(each) for each in unit(slug).exercises]


def next_after(slug: str) -> Exercise | None:
    """Return the exercise after this one, across units."""
    slugs = list(exercises())
    if slug not in slugs:
        return None
    at = slugs.index(slug) + 1
    return exercises()[slugs[at]] if at < len(slugs) else None


@cache
def stated() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, by the name of a misconception, the feedback that shows it in each exercise or case."""
    return msgspec.convert(in_file(FOLDER / "misconceptions.toml"), dict[str, dict[str, tuple[str, ...]]])


@cache
def _shown() -> dict[tuple[str, str], str]:
    """Return the misconception of an exercise, or one case of it, and a feedback."""
    return {
        (place, feedback): name
        for name, places in stated().items()
        for place, every in places.items()
        for feedback in every
    }


def shown(exercise: Exercise, feedback: Iterable[str]) -> list[str]:
    """Return the misconceptions that the feedback of a verdict shows, in the exercise's present case."""
    places = f"{exercise.slug}/{exercise.case}", exercise.slug
    found = (
        next((_shown()[place, each] for place in places if (place, each) in _shown()), None)
        for each in feedback
    )
    return list(dict.fromkeys(each for each in found if each))


def text(name: str, language: str) -> str:
    """Return a misconception in words: the sentence of the exercise that has its name."""
    return exercise(name).texts(language).misconception


def asked_by(slug: str) -> list[str]:
    """Return the misconceptions that wrong answers to an exercise may show."""
    return [
        name for name, places in stated().items() if slug in {place.partition("/")[0] for place in places}
    ]


Form = Literal["before", "after"]
FORMS: Final[tuple[Form, ...]] = ("before", "after")


class InventoryItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The item of a subject. `subject`: its number. `exercise`: the name of the exercise that asks about it.
    `other`: the case of one of the forms, the other has the file's own; None where the forms differ in numbers.
    """

    subject: int
    exercise: Id
    other: Id | None = None

    def seed(self, form: Form) -> int:
        """Return the seed of the variant that a form asks: with other numbers than the exercise, and the other form."""
        cases = exercise(self.exercise).cases
        has_own = (self.subject % 2 == 1) == (form == "before")
        case = 0 if has_own or self.other is None else cases.index(self.other) + 1
        return (1 + FORMS.index(form)) * (len(cases) + 1) + case


@cache
def items() -> tuple[InventoryItem, ...]:
    return msgspec.convert(in_file(FOLDER / "inventory.toml")["items"], tuple[InventoryItem, ...])


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
    return learner.works.select_related("session__text").filter(exercise=slug).first()


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


def unit_rows(works: Mapping[str, WorkedExercise], language: str) -> list[dict[str, Any]]:
    return [
        unit_row(unit, str(number), of_unit(unit.slug), works, language)
        for number, unit in enumerate(units(), 1)
    ]


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
        row = {
            "number": f"{number}.{place}" if number else str(place),
            "attempts": work.attempts if work else 0,
        }
        rows.append(_row(exercise, work, language) | row)
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


def _row(exercise: Exercise, work: WorkedExercise | None, language: str) -> dict[str, Any]:
    return {
        "slug": exercise.slug,
        "title": exercise.texts(language).title,
        "kind": kind(exercise),
        "minutes": exercise.minutes,
        "state": state_of(work),
    }


def last_attempt(work: Work | None) -> AnsweredExercise | None:
    """Return the latest answer since one began, or began again: an older one speaks of other numbers."""
    return work.answers.filter(number__gt=work.earlier).order_by("-number").first() if work else None


def shown_verdict(
    exercise: Exercise, texts: ExerciseTexts, attempt: AnsweredExercise, *, locked: bool, told: bool
) -> dict[str, Any]:
    """Return an attempt in words: what was predicted beside what happened, once the learner may be told. `locked`:
    whether the run goes on past the answer. `told`: whether the learner has had a second try, or was right.
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
        "moves": [
            {"rule": rule, "source": place_word(source), "to": place_word(to), "first": first, "last": last}
            for rule, _kind, source, to, first, last in (() if verdict["feedback"] else verdict["moves"])
        ],
    }


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
    """Return how many reviews in a row were right, with an answer that was just graded. A right answer is a review
    only where the last right one is as old as the exercise rests. A wrong one begins anew.
    """
    if wrong:
        return 0
    return work.reviews + (work.right_at is not None and now - work.right_at >= rest(work))


def due(works: Iterable[Worked], now: datetime) -> list[Worked]:
    """Return what is to be asked again: what was answered wrong first, then what rests longest; five at most."""
    rested = [
        work
        for work in works
        if work.attempts and work.exercise in exercises() and now - work.touched >= rest(work)
    ]
    return sorted(rested, key=lambda work: (not work.wrong, work.touched))[:QUESTIONS]


def rows(works: Iterable[WorkedExercise], now: datetime, language: str) -> list[dict[str, Any]]:
    return [
        _row(asked, work, language) | {"unit": asked.unit, "last": work.touched}
        for work in due(works, now)
        for asked in [exercise(work.exercise)]
    ]
