"""An exercise as it is shown to somebody who works on it, and how an answer moves the work on, without a database.

Today's release is told beside it where it does otherwise. Before exercises with several steps come worked examples that
fade: all done, then all but the last, then the exercise. Each step has a name, its subgoal. A file in
`data/*/examples` names the exercise and has each number twice: for the example that is done, and for the one whose last
step is left. What each step brings the engine finds.
"""

from __future__ import annotations

import datetime as dt
import tomllib
from functools import cache
from typing import Any, Final, NamedTuple
from zlib import crc32

import msgspec
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from playground import verdicts
from playground.exercises import catalog, limits, readings, selectors
from playground.exercises.authors import PostedForm
from playground.exercises.grading import BadAnswer, GradedVerdict, TooLong
from playground.exercises.kinds import GiveUp, KindProgress, grade, kind_of, never
from playground.exercises.kinds.kind import FadedKind
from playground.exercises.schema import Exercise, FadedExample, NumberedExample
from playground.exercises.selectors import AnsweredExercise, WorkedExercise
from playground.exercises.variants import another_case, with_numbers
from playground.storybook import other_release
from playground.storybook.cards import SUBJECTS
from playground.storybook.story import in_language
from playground.texts import PageMessage, RequestRefused


class NoExample(LookupError):
    """There is no example before this exercise."""


@cache
def _plain() -> dict[str, dict[str, Any]]:
    found = (
        catalog.with_nulls(tomllib.loads(path.read_text("utf-8")))
        for path in sorted(catalog.FOLDER.glob("*/examples/*.toml"))
    )
    return {each["exercise"]: each for each in found}


def slugs() -> frozenset[str]:
    """Return the exercises before which there is an example."""
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
    """Return what the page of an example needs.

    Args:
        posted: the learner's last step, if there is one.

    Raises NoExample.
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
            shown["verdict"] = selectors.shown_verdict(left.exercise, texts, attempt, locked=False, told=True)
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
    """One difference on the release.

    Args:
        verdict: of a subject; empty for a feature that the run uses.
        title, address: of the subject's page, which leads to the run that shows it.
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
    if other_release.shown_release({**scenario, "settings": settings}).storage is release.storage:
        return []
    whole = {**scenario, "settings": settings, "commands": scenario.get("commands", ())}
    said = [
        ReleaseDifference(
            str(PageMessage(other_release.GONE[feature], release=release.name, rule=release.gone[feature]))
        )
        for feature in other_release.used(whole)
        if feature in release.gone
    ]
    return said + _of_subjects(found)


def _of_subjects(found: Exercise) -> list[ReleaseDifference]:
    subjects = dict.fromkeys(
        subject.number for rule in found.rules if (subject := verdicts.of_rule(rule)) is not None
    )
    rows = []
    for number in list(subjects)[:MOST]:
        today = verdicts.todays_verdicts()[number]
        if today.verdict != "true":
            slug = verdicts.verdicts()[number].slug
            rows.append(
                ReleaseDifference(
                    in_language(today.finding),
                    today.verdict,
                    str(SUBJECTS[number]),
                    reverse("subject", args=[slug]),
                )
            )
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
    return bool(work.done_at or work.failures >= limits.TRIES_BEFORE_SOLUTION)


def graded(exercise: Exercise, whole: Any, give_up: GiveUp = never) -> GradedVerdict:
    """Grade an answer.

    Args:
        exercise: in the variant that is worked on.
        whole: the answer as its kind wants it.
        give_up: whether grading takes too long by now.

    Raises Refused when it cannot be graded: malformed, or too long.
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
    """Forget what was answered, which could be copied otherwise; return another variant of the exercise, if it has any.

    Attempts and hints stay counted.
    """
    work.locked, work.steps, work.earlier = False, [], work.attempts
    if (exercise.variants or exercise.cases) and work.attempts:
        seed = crc32(f"{work.learner_id} {work.exercise} {work.attempts}".encode())
        work.variant = another_case(seed % MOST_VARIANTS + 1, work.variant, len(exercise.cases))
    return catalog.variant(work.exercise, work.variant)


def reason(text: str) -> str:
    """Return the line that a learner wrote, bounded, without what cannot be printed."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[: limits.WHY_LETTERS]


def address(exercise: Exercise) -> str:
    return reverse("exercise", args=[exercise.unit, exercise.slug])


def context(
    found: Exercise, work: WorkedExercise | None, attempt: AnsweredExercise | None, language: str
) -> dict[str, Any]:
    """Return what the templates of an exercise need.

    Args:
        found: in the variant that is worked on.
        work: None before one has begun.
        attempt: the latest answer.
    """
    texts = found.texts(language)
    following = catalog.next_after(found.slug)
    unit_slugs = catalog.unit(found.unit).exercises
    far = progress(work) if work else KindProgress()
    reading = readings.before(found.slug)
    is_held = work is not None and held(found, work)
    anew = work is not None and work.earlier > 0 and attempt is None
    told = work is not None and may_see_solution(work)
    return {
        "exercise": found,
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "kind": selectors.kind(found),
        "reading": reading.texts(language).title if reading else "",
        "example": found.slug in slugs(),
        "place": unit_slugs.index(found.slug) + 1 if found.slug in unit_slugs else 1,
        "of": len(unit_slugs) or 1,
        "unit_title": catalog.unit(found.unit).texts(language).title,
        "work": work,
        "other_numbers": bool(found.variants and work and work.attempts),
        "other_cases": bool(found.cases and work and work.attempts),
        "state": selectors.state_of(work),
        "done": bool(work and work.done_at),
        "explained": work is not None and not anew and told and (work.done_at is not None or far.locked),
        "told": told,
        "otherwise": otherwise(found),
        "today": verdicts.TODAYS.name,
        "held": is_held,
        "hints": texts.hints[: work.hints] if work else (),
        "hints_left": len(texts.hints) - work.hints if work else len(texts.hints),
        "verdict": selectors.shown_verdict(found, texts, attempt, locked=far.locked, told=told)
        if attempt
        else None,
        "solution": selectors.shown_solution(found, language)
        if work and work.solution_shown and not anew
        else None,
        "may_see_solution": told,
        "answer": selectors.answer_form(found, texts, far) if work else None,
        "runs_on": is_held or (attempt is not None and far.locked),
        "next": {"address": address(following), "title": following.texts(language).title}
        if following
        else None,
    }
