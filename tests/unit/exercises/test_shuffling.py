"""The place of the right option gives nothing away: each learner has an own order, each vote one for everybody."""

from __future__ import annotations

from collections import Counter

import pytest

from playground.exercises import catalog
from playground.exercises.kinds import KindProgress, kind_of, solution_of
from playground.exercises.schema import Exercise

CHOICES = [each for each in catalog.exercises().values() if each.kind == "choice"]
LEARNERS = 60


def order(exercise: Exercise, seed: str) -> list[str]:
    """Return the options as a page shows them."""
    page = kind_of(exercise).page(exercise, exercise.en, KindProgress(seed=seed))
    assert [letter for _name, letter, _text in page["options"]] == list("ABCDEF"[: len(page["options"])])
    return [name for name, _letter, _text in page["options"]]


def test_the_right_option_stands_everywhere_equally_often() -> None:
    """Over the catalogue and many learners each of the first four places has its share, give or take a third."""
    places: Counter[int] = Counter()
    fair: Counter[int] = Counter()
    for exercise in CHOICES:
        right = solution_of(exercise)
        for learner in range(LEARNERS):
            shown = order(exercise, f"learner {learner}")
            places[shown.index(right)] += 1
            for place in range(len(shown)):
                fair[place] += 1
    for place, chances in fair.items():
        options = len(CHOICES[0].form.options)
        assert places[place] == pytest.approx(chances / options, rel=0.35), (place, places)


@pytest.mark.parametrize("exercise", CHOICES, ids=lambda each: each.slug)
def test_each_exercise_has_the_right_option_in_every_place(exercise: Exercise) -> None:
    right = solution_of(exercise)
    found = {order(exercise, f"vote {vote}").index(right) for vote in range(40)}
    assert found == set(range(len(exercise.form.options)))


def test_a_learner_and_a_vote_keep_their_order() -> None:
    exercise = catalog.exercise("tail-or-head")
    assert order(exercise, "vote 7") == order(exercise, "vote 7")
    assert len({tuple(order(exercise, f"learner {learner}")) for learner in range(20)}) > 5
