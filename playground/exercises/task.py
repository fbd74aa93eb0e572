"""An exercise as it is shown to somebody who works on it, and how an answer moves the work on, without a database.

A day's release that does otherwise is told beside it.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final, NamedTuple
from zlib import crc32

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from playground import verdicts
from playground.exercises import catalog, examples, limits, readings, selectors
from playground.exercises.grading import BadAnswer, GradedVerdict, TooLong
from playground.exercises.kinds import GiveUp, KindProgress, grade, kind_of, never
from playground.exercises.schema import Exercise
from playground.exercises.selectors import AnsweredExercise, WorkedExercise
from playground.exercises.variants import another_case
from playground.storybook import other_release
from playground.storybook.cards import SUBJECTS
from playground.storybook.story import in_language
from playground.texts.page_message import PageMessage, RequestRefused
from playground.verdicts import todays_broker

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
    release = todays_broker.TODAYS
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
        today = todays_broker.verdicts()[number]
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
    slugs = catalog.unit(found.unit).exercises
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
        "example": found.slug in examples.slugs(),
        "place": slugs.index(found.slug) + 1 if found.slug in slugs else 1,
        "of": len(slugs) or 1,
        "unit_title": catalog.unit(found.unit).texts(language).title,
        "work": work,
        "other_numbers": bool(found.variants and work and work.attempts),
        "other_cases": bool(found.cases and work and work.attempts),
        "state": selectors.state_of(work),
        "done": bool(work and work.done_at),
        "explained": work is not None and not anew and told and (work.done_at is not None or far.locked),
        "told": told,
        "otherwise": otherwise(found),
        "today": todays_broker.TODAYS.name,
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
