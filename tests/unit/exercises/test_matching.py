"""Match: each item gets the one answer whose condition holds."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from playground.exercises import catalog
from playground.exercises.grading import BadAnswer
from playground.exercises.kinds import grade, kind_of, solution_of
from playground.exercises.schema import Exercise
from playground.texts import RequestRefused

RIGHT = {"notes": "alpha", "receipts": "alpha", "photos": "beta", "orders": "gamma", "archive": "delta"}
"""An answer may be right for several items."""


@pytest.fixture
def letters() -> Exercise:
    return catalog.exercise("four-letters")


def test_the_right_answers_are_those_that_hold_in_the_run(letters: Exercise) -> None:
    assert solution_of(letters) == RIGHT
    assert grade(letters, RIGHT).passed


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_with_other_numbers_the_letters_are_the_same(seed: int) -> None:
    assert solution_of(catalog.variant("four-letters", seed)) == RIGHT


def test_each_wrong_item_has_its_line_and_its_feedback(letters: Exercise) -> None:
    verdict = grade(letters, {**RIGHT, "photos": "gamma", "archive": "alpha"})
    assert verdict.feedback == ("photos", "archive")
    assert [(line.about, line.yours, line.engine) for line in verdict.lines if not line.right] == [
        ("photos", "gamma", "beta"),
        ("archive", "alpha", "delta"),
    ]


@pytest.mark.parametrize("answer", [None, [], {}, {"notes": "alpha"}, {**RIGHT, "notes": "epsilon"}])
def test_an_answer_that_is_not_whole_is_not_judged(letters: Exercise, answer: object) -> None:
    with pytest.raises(BadAnswer):
        grade(letters, answer)


def test_the_form_of_the_page_is_read(letters: Exercise) -> None:
    posted = QueryDict(mutable=True)
    posted.update({f"match-{item}": answer for item, answer in RIGHT.items()} | {"other": "x"})
    assert kind_of(letters).read(posted) == RIGHT
    posted["match-notes"] = ""
    with pytest.raises(RequestRefused):
        kind_of(letters).read(posted)


def test_a_counted_answer_is_shown_in_words(letters: Exercise) -> None:
    words = kind_of(letters).tally_text(letters.en, grade(letters, RIGHT).tally)
    assert words.startswith("notes: 1\u202f000 bytes, transient → alpha · receipts")
