"""An exercise as it is shown to somebody who works on it, how an answer moves the work on, and what goes round it.

Today's release is told beside it where it does otherwise. Before exercises with several steps come worked examples that
fade: all done, then all but the last, then the exercise. Each step has a name, its subgoal. A file in
`data/*/examples` names the exercise and has each number twice: for the example that is done, and for the one whose last
step is left. What each step brings the engine finds.

A reading's sentence about what the broker does cites rules, and where it speaks of the run it has claims: they hold at
the end of the run, with whatever numbers, and a test plays it to see. What carries over names its source.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple
from zlib import crc32

import msgspec
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from engine.broker.commands.settings import release_of
from engine.reading.conditions import Condition, ConditionWatch
from playground import verdicts
from playground.exercises import catalog
from playground.exercises.authors import PostedForm
from playground.exercises.catalog import AnsweredExercise, WorkedExercise
from playground.exercises.grading import BadAnswer, GradedRun, GradedVerdict, KnownAnswers, TooLong
from playground.exercises.kinds import GiveUp, KindProgress, grade, kind_of, never
from playground.exercises.kinds.kind import FadedKind
from playground.exercises.schema import (
    DrawnVariant,
    Exercise,
    ExerciseTexts,
    FadedExample,
    Id,
    NumberedExample,
    SchemaPart,
    Text,
    TranslatedPart,
    another_case,
    with_numbers,
)
from playground.jobs import RUN, job
from playground.limits import rate_limits
from playground.limits.work_places import GateBusy
from playground.storybook import rehearsal
from playground.storybook.cards import MemoryLevel, StagePicture, memory_of, picture_of
from playground.storybook.story import in_language
from playground.texts import RequestRefused

ATTEMPTS = 200
"""Answers to one exercise."""
TRIES_BEFORE_SOLUTION = 2
"""Wrong answers before the explanation and the solution of what was not answered right."""
WHY_LETTERS = 200
GRADING_S = 5.0
"""Real time that grading one answer may take."""


def take_attempt(learner_id: int) -> None:
    """Take one of the learner's attempts, or raise `RequestRefused`."""
    if not rate_limits.take("attempts", str(learner_id)):
        raise RequestRefused(_("Too many answers at once. Think a little, and try again in a minute."))


SYSTEMS: Final = {
    "v2": "https://www.rabbitmq.com/docs/classic-queues",
    "quorum": "https://www.rabbitmq.com/docs/quorum-queues",
    "log": "https://kafka.apache.org/documentation/#design",
}
"""What a reading compares with, and where its own documentation is."""


class NoReading(LookupError):
    """There is no reading before this exercise."""


class BadNumber(ValueError):
    """A number cannot be drawn so."""


class ReadingSentence(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One sentence: the rules that it rests on, and what must hold in the run if it is true."""

    id: Id
    rules: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    claims: tuple[Condition, ...] = ()


class ReadingTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reading in one language."""

    title: Text
    terms: dict[str, Text]
    numbers: dict[str, Text]
    sentences: dict[str, Text]
    carries: dict[str, Text]


class UnitReading(TranslatedPart[ReadingTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One page before one or several exercises. `exercises`: before which it is read. `numbers`: those that the
    reader can drag, and from where to where. `scenario`: the run beside the text, with the numbers in it.
    `sentences`: what is claimed of the run, in order.
    """

    exercises: Annotated[tuple[Id, ...], msgspec.Meta(min_length=1)]
    numbers: Annotated[dict[str, DrawnVariant], msgspec.Meta(min_length=1, max_length=3)]
    scenario: dict[str, Any]
    sentences: tuple[ReadingSentence, ...]
    slug: str = ""


@cache
def _plain_readings() -> dict[str, dict[str, Any]]:
    return {path.stem: catalog.in_file(path) for path in sorted(catalog.FOLDER.glob("*/readings/*.toml"))}


@cache
def readings() -> dict[str, UnitReading]:
    return {slug: reading(slug, {}) for slug in _plain_readings()}


def before(exercise: str) -> UnitReading | None:
    return next((each for each in readings().values() if exercise in each.exercises), None)


def reading(slug: str, numbers: Mapping[str, int]) -> UnitReading:
    """Return a reading with these numbers; what is not given is as usual. Raises NoReading, and BadNumber for a
    number that it does not have or that is out of its range.
    """
    if slug not in _plain_readings():
        raise NoReading(slug)
    plain = _plain_readings()[slug]
    drawn = msgspec.convert(plain["numbers"], dict[str, DrawnVariant])
    for name, number in numbers.items():
        if name not in drawn or number not in drawn[name].choices:
            raise BadNumber(f"{name} cannot be {number}")
    chosen = {name: numbers.get(name, each.usual) for name, each in drawn.items()}
    rest = with_numbers({name: part for name, part in plain.items() if name != "numbers"}, chosen)
    return msgspec.convert({**rest, "numbers": plain["numbers"], "slug": slug}, UnitReading)


class ReadingRun(msgspec.Struct, frozen=True):
    """The run beside a reading: transitions with their times, and which sentences hold in it."""

    at_us: list[int]
    rows: msgspec.Raw | list[Any]
    until_us: int
    holds: dict[str, bool]


@job(RUN)
def run(slug: str, numbers: tuple[tuple[str, int], ...]) -> bytes:
    """Play the run of a reading with these numbers to its end; return it as JSON, see `ReadingRun`."""
    found = reading(slug, dict(numbers))
    watches = {each.id: [ConditionWatch(claim) for claim in each.claims] for each in found.sentences}
    playback = GradedRun(found.scenario, (), [each for several in watches.values() for each in several])
    moment = playback.go(found.scenario["until_us"])
    return msgspec.json.encode(
        ReadingRun(
            at_us=[event.at_us for event in playback.events],
            rows=[event.transition for event in playback.events],
            until_us=found.scenario["until_us"],
            holds={name: all(each.holds(moment) for each in several) for name, several in watches.items()},
        )
    )


class DrawnStage(NamedTuple):
    """The stage where the learner stands, how full the node's memory is, and the name of its release."""

    picture: StagePicture
    memory: MemoryLevel
    release: str


def stage_of(exercise: Exercise) -> DrawnStage:
    """Return the stage where the learner stands. Raises TooLong, and what a run of somebody's own making raises."""
    return _stages.answer(exercise, never)


def stage_with_messages(exercise: Exercise) -> DrawnStage | None:
    """Return the same; None without messages, or where it cannot be played now."""
    try:
        found = stage_of(exercise)
    except (RequestRefused, GateBusy, TooLong):
        return None
    return found if found.picture.held else None


def _drawn(exercise: Exercise, give_up: GiveUp) -> DrawnStage:
    run = GradedRun(exercise.scenario, give_up=give_up)
    run.go(exercise.scenario["until_us"])
    state = run.node.snapshot()
    release = release_of(exercise.scenario["profile"], state["node"]["settings"]).name
    return DrawnStage(picture_of(state) or StagePicture([]), memory_of(state), release)


_stages = KnownAnswers(_drawn)


class CourseLesson(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is done in a lesson: units, single exercises, a test; and exercises at home."""

    units: tuple[Id, ...] = ()
    exercises: tuple[Id, ...] = ()
    test: Literal["before", "after", "exam"] | None = None
    home: tuple[Id, ...] = ()


class PlanTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan in one language."""

    title: Text
    prerequisites: Text
    goals: tuple[Text, ...]


class CoursePlan(TranslatedPart[PlanTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan of one lesson or many."""

    lessons: tuple[CourseLesson, ...]


@cache
def plans() -> tuple[CoursePlan, ...]:
    return msgspec.convert(catalog.in_file(catalog.FOLDER / "plans.toml")["plans"], tuple[CoursePlan, ...])


def plan_rows(language: str) -> list[dict[str, Any]]:
    def named(slugs: tuple[str, ...]) -> list[tuple[str, str, str]]:
        found = [catalog.exercise(slug) for slug in slugs]
        return [(each.unit, each.slug, each.texts(language).title) for each in found]

    return [
        {
            "texts": plan.texts(language),
            "lessons": [
                {
                    "test": each.test,
                    "units": [(slug, catalog.unit(slug).texts(language).title) for slug in each.units],
                    "exercises": named(each.exercises),
                    "home": named(each.home),
                }
                for each in plan.lessons
            ],
        }
        for plan in plans()
    ]


def slides(unit: str, language: str) -> dict[str, Any]:
    """Return the slides of a unit: one for each exercise, with what the teacher says beside it. Raises NoExercise."""
    found = catalog.unit(unit)
    return {
        "unit": found.texts(language),
        "language": language,
        "slides": [_slide(each, each.texts(language), language) for each in catalog.of_unit(unit)],
    }


def _slide(exercise: Exercise, texts: ExerciseTexts, language: str) -> dict[str, Any]:
    kind = kind_of(exercise)
    page = kind.page(exercise, texts, KindProgress())
    lines = [text for _id, _letter, text in kind.listed(exercise, texts, KindProgress())]
    return {
        "title": texts.title,
        "kind": catalog.kind(exercise),
        "minutes": exercise.minutes,
        "task": texts.task.split("\n\n"),
        "lines": lines or [text for _id, text in page.get("lines", page.get("goals", ()))],
        "steps": texts.steps,
        "stage": stage_of(exercise),
        "misconception": texts.misconception,
        "solution": catalog.shown_solution(exercise, language),
        "explain": texts.explain,
    }


def offline_page(unit: str, language: str, style: str, script: str) -> str:
    """Return the slides of a unit as one page that needs nothing else."""
    return render_to_string(
        "exercises/slides.html", slides(unit, language) | {"style": style, "script": script}
    )


class NoExample(LookupError):
    """There is no example before this exercise."""


@cache
def _plain() -> dict[str, dict[str, Any]]:
    found = map(catalog.in_file, sorted(catalog.FOLDER.glob("*/examples/*.toml")))
    return {each["exercise"]: each for each in found}


def slugs() -> frozenset[str]:
    return frozenset(_plain())


@cache
def examples(slug: str) -> tuple[NumberedExample, NumberedExample]:
    """Return the example that is done, and the one with a step left. Raises NoExample."""
    if slug not in _plain():
        raise NoExample(slug)
    plain = _plain()[slug]
    rows = [{name: pair[at] for name, pair in plain["numbers"].items()} for at in range(2)]
    done, left = (
        NumberedExample(msgspec.convert(with_numbers(plain, row), FadedExample), catalog.numbered(slug, row))
        for row in rows
    )
    return done, left


def kind_before(slug: str) -> FadedKind:
    """Return the kind of an exercise before which there is an example. Raises NoExample."""
    kind = kind_of(catalog.exercise(slug))
    if not isinstance(kind, FadedKind):
        raise NoExample(slug)
    return kind


def example_context(slug: str, language: str, posted: PostedForm | None) -> dict[str, Any]:
    """Return what the page of an example needs. `posted`: the learner's last step, if there is one. Raises
    NoExample.
    """
    _done, left = examples(slug)
    usual, kind = catalog.exercise(slug), kind_before(slug)
    texts = left.exercise.texts(language)
    done_part, left_part = _parts(slug, language)
    given = dict(posted.items()) if posted else {}
    shown: dict[str, Any] = {"verdict": None, "problem": ""}
    if posted:
        try:
            verdict = kind.example_verdict(left, posted)
            attempt = ExampleAnswer(verdict.passed, msgspec.to_builtins(verdict))
            shown["verdict"] = catalog.shown_verdict(left.exercise, texts, attempt, locked=False, told=True)
        except BadAnswer:
            shown["problem"] = kind.example_missing
    return {
        "exercise": usual,
        "title": usual.texts(language).title,
        "done": done_part,
        "left": left_part,
        "last": {"template": kind.example_template, **kind.example_page(left, language, given)},
        **shown,
    }


class ExampleAnswer(msgspec.Struct):
    """The learner's last step, as a verdict is shown."""

    passed: bool
    verdict: dict[str, Any]
    number: int = 1
    why: str = ""


@cache
def _parts(slug: str, language: str) -> list[dict[str, Any]]:
    """Return task and steps of both examples, each step with its name, its reason, and what the engine did."""
    kind, found = kind_before(slug), []
    for example in examples(slug):
        exercise, texts = example.exercise, example.faded.texts(language)
        played = kind.example_steps(example, language)
        steps = [
            {"name": name, "reason": reason, "what": what, "state": state, "rules": rules}
            for name, reason, (what, state, rules) in zip(texts.steps, texts.reasons, played, strict=True)
        ]
        found.append({"task": (texts.task or exercise.texts(language).task).split("\n\n"), "steps": steps})
    return found


MOST = 2
"""Subjects that one exercise speaks of: those of its first rules."""


class ReleaseDifference(NamedTuple):
    """One difference on the release. `verdict`: of a subject; empty for a feature that the run uses. `title`,
    `address`: of the subject's page, which leads to the run that shows it.
    """

    text: str
    verdict: str = ""
    title: str = ""
    address: str = ""


def otherwise(found: Exercise) -> list[ReleaseDifference]:
    """Return what is otherwise on today's release; nothing for an exercise that is of its storage itself."""
    scenario = found.full_scenario()
    release = verdicts.TODAYS
    settings = scenario.get("settings") or {}
    if rehearsal.shown_release({**scenario, "settings": settings}).storage is release.storage:
        return []
    whole = {**scenario, "settings": settings, "commands": scenario.get("commands", ())}
    rows = [ReleaseDifference(str(each)) for each in rehearsal.gone_of(whole, release)]
    named = filter(None, map(verdicts.of_rule, found.rules))
    for subject in list({each.number: each for each in named}.values())[:MOST]:
        today = verdicts.todays_verdicts()[subject.number]
        if today.verdict != "true":
            address = reverse("subject", args=[subject.slug])
            finding = in_language(today.finding)
            rows.append(ReleaseDifference(finding, today.verdict, subject.title, address))
    return rows


MOST_VARIANTS: Final = 1_000_000
"""Seeds go from 1 up to this."""


def progress(work: WorkedExercise) -> KindProgress:
    return KindProgress(tuple(work.steps), work.locked, f"learner {work.learner_id}")


def held(exercise: Exercise, work: WorkedExercise) -> bool:
    """Return whether the run stands still until there is an answer: then its session can only be watched."""
    return kind_of(exercise).is_held(progress(work))


def may_see_solution(work: WorkedExercise) -> bool:
    """Return whether the solution may be shown: after a right answer, or a second try."""
    return bool(work.done_at or work.failures >= TRIES_BEFORE_SOLUTION)


def graded(exercise: Exercise, whole: Any, give_up: GiveUp = never) -> GradedVerdict:
    """Grade an answer. `exercise`: in the variant that is worked on. `whole`: the answer as its kind wants it.
    `give_up`: whether grading takes too long by now. Raises Refused when it cannot be graded: malformed, or too
    long.
    """
    try:
        return grade(exercise, whole, give_up)
    except BadAnswer:
        raise RequestRefused(
            _("The answer is not complete. Fill in everything that is asked, and send it again.")
        ) from None
    except TooLong:
        raise RequestRefused(_("The session is too long to be checked. Begin again, and do less.")) from None


def move_on(
    work: WorkedExercise, exercise: Exercise, verdict: GradedVerdict, given: Any, now: dt.datetime
) -> bool:
    """Note what a graded answer changes; return whether the run beside the task becomes another."""
    if verdict.passed and work.done_at is None:
        work.done_at = now
        work.right_first = not work.failures and not work.solution_shown
    before = progress(work)
    after = kind_of(exercise).after(given, verdict, before)
    work.locked, work.steps = after.locked, list(after.steps)
    return after != before


def begin_again(work: WorkedExercise, exercise: Exercise) -> Exercise:
    """Forget what was answered, which could be copied otherwise; return another variant of the exercise, if it has
    any. Attempts and hints stay counted.
    """
    work.locked, work.steps, work.earlier = False, [], work.attempts
    if (exercise.variants or exercise.cases) and work.attempts:
        seed = crc32(f"{work.learner_id} {work.exercise} {work.attempts}".encode())
        work.variant = another_case(seed % MOST_VARIANTS + 1, work.variant, len(exercise.cases))
    return catalog.variant(work.exercise, work.variant)


def reason(text: str) -> str:
    """Return the line that a learner wrote, bounded, without what cannot be printed."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:WHY_LETTERS]


def address(exercise: Exercise) -> str:
    return reverse("exercise", args=[exercise.unit, exercise.slug])


def context(
    found: Exercise, work: WorkedExercise | None, attempt: AnsweredExercise | None, language: str
) -> dict[str, Any]:
    """Return what the templates of an exercise need. `found`: in the variant that is worked on. `work`: None before
    one has begun. `attempt`: the latest answer.
    """
    texts = found.texts(language)
    following = catalog.next_after(found.slug)
    unit_slugs = catalog.unit(found.unit).exercises
    far = progress(work) if work else KindProgress()
    reading = before(found.slug)
    is_held = work is not None and held(found, work)
    anew = work is not None and work.earlier > 0 and attempt is None
    told = work is not None and may_see_solution(work)
    return {
        "exercise": found,
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "kind": catalog.kind(found),
        "reading": reading.texts(language).title if reading else "",
        "example": found.slug in slugs(),
        "place": unit_slugs.index(found.slug) + 1 if found.slug in unit_slugs else 1,
        "of": len(unit_slugs) or 1,
        "unit_title": catalog.unit(found.unit).texts(language).title,
        "work": work,
        "other_numbers": bool(found.variants and work and work.attempts),
        "other_cases": bool(found.cases and work and work.attempts),
        "state": catalog.state_of(work),
        "done": bool(work and work.done_at),
        "explained": work is not None and not anew and told and (work.done_at is not None or far.locked),
        "told": told,
        "otherwise": otherwise(found),
        "today": verdicts.TODAYS.name,
        "held": is_held,
        "hints": texts.hints[: work.hints] if work else (),
        "hints_left": len(texts.hints) - work.hints if work else len(texts.hints),
        "verdict": catalog.shown_verdict(found, texts, attempt, locked=far.locked, told=told)
        if attempt
        else None,
        "solution": catalog.shown_solution(found, language)
        if work and work.solution_shown and not anew
        else None,
        "may_see_solution": told,
        "answer": catalog.answer_form(found, texts, far) if work else None,
        "runs_on": is_held or (attempt is not None and far.locked),
        "next": {"address": address(following), "title": following.texts(language).title}
        if following
        else None,
    }
