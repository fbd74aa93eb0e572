"""One learner who is wrong on purpose: a question back, a hint, a second try on other numbers, then the solution."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from playground.exercises import catalog
from playground.exercises.kinds import grade, kind_of, solution_of
from playground.exercises.models import Attempt, Work
from playground.exercises.schema import Exercise
from tests.helpers.wrong_answers import wrong_answer
from tests.unit.exercises.test_variants import wrong_answers
from tests.web.test_exercises import address, begin, posted

KINDS = {
    "choice": "where-next",
    "number": "read-back",
    "order": "order-of-taking",
    "several": "who-is-blocked",
    "match": "four-letters",
    "broker": "requeue-place",
}


def wrong_of(exercise: Exercise) -> Any:
    """Return an answer that is wrong in this variant, to the first step where there are steps."""
    if exercise.kind == "broker":
        first = next(each for each in exercise.wrong if each.step == 0)
        return wrong_answer(exercise, first)[0]
    found = wrong_answers(exercise, solution_of(exercise))
    return next(each for each in found if not grade(exercise, each).passed)


def page_of(client: Client, slug: str) -> str:
    return client.get(address(slug)).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "slug"), KINDS.items())
def test_a_learner_is_wrong_twice_and_then_told(client: Client, kind: str, slug: str) -> None:
    first = catalog.exercise(slug)
    assert first.kind == kind
    begin(client, slug)
    given = wrong_of(first)
    assert client.post(address(slug, "answer"), posted(slug, given)).status_code == 302
    page = page_of(client, slug)
    assert "Why do you think so?" in page, "the question back"
    whole = [given] if kind == "broker" else given
    feedback = grade(first, whole).feedback[0]
    said = first.en.feedback.get(feedback) or str(kind_of(first).feedback[feedback])
    assert escape(said) in page.partition("A hint about this answer")[2], "a hint about this very answer"
    assert escape(first.en.explain) not in page
    assert client.post(address(slug, "solution")).status_code == 409
    client.post(address(slug, "why"), {"why": "I thought so"})
    assert Attempt.objects.get().why == "I thought so"
    client.post(address(slug, "hint"))
    assert escape(first.en.hints[0]) in page_of(client, slug)

    client.post(address(slug, "again"))
    work = Work.objects.get(exercise=slug)
    second = catalog.variant(slug, work.variant)
    assert second.scenario != first.scenario or second.go_on != first.go_on, "another variant"
    assert client.post(address(slug, "answer"), posted(slug, wrong_of(second))).status_code == 302
    page = page_of(client, slug)
    assert "Why do you think so?" not in page
    assert (escape(second.en.explain) in page) == (kind not in {"broker", "order"}), (
        "these can be tried again"
    )
    assert client.post(address(slug, "solution")).status_code == 302
    page = page_of(client, slug)
    solution = page.partition("Solution, computed from the run")[2]
    for line in kind_of(second).solution_lines(second, second.en):
        assert escape(line) in solution
