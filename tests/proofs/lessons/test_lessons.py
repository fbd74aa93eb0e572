"""Each stated misconception is shown by two exercises, and a learner shows none that they do not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.exercises import catalog
from playground.exercises.kinds import grade, solution_of
from tools.proofs.lessons import learners
from tools.proofs.lessons.__main__ import FEWEST, tables


@pytest.mark.parametrize("name", catalog.stated())
def test_two_exercises_show_a_misconception_and_no_other(name: str) -> None:
    places = {place.partition("/")[0] for place in catalog.stated()[name]}
    asked = learners.cases(catalog.exercise(each) for each in places)
    found = learners.detection(name, asked)
    assert len(found.by) >= FEWEST, found.by
    assert found.others == set()
    assert catalog.text(name, "zh-hant")


def test_the_tables_in_the_documents_are_of_today() -> None:
    """Each misconception stands there, and each exercise with what is right over twelve seeds."""
    told = (Path(__file__).resolve().parents[3] / "docs" / "lessons.md").read_text("utf-8")
    for name in catalog.stated():
        assert catalog.text(name, "en") in told
    counted = {each.slug for each in catalog.exercises().values() if each.kind in learners.COUNTED}
    assert {line.split(" | ")[0].strip("| ") for line in told.splitlines()} >= counted
    for each in ("where-next", "read-back"):
        found = learners.rights(catalog.exercise(each)).most_common()
        assert f"| {each} | {', '.join(f'{right} ({times})' for right, times in found)} |" in told


def test_who_knows_shows_none() -> None:
    asked = learners.cases([catalog.exercise("where-next"), catalog.exercise("which-survive")])
    assert [catalog.shown(each, grade(each, solution_of(each)).feedback) for each in asked] == [[]] * 6


def test_an_answer_belongs_to_one_misconception() -> None:
    every = [
        (place, feedback)
        for places in catalog.stated().values()
        for place, named in places.items()
        for feedback in named
    ]
    assert len(every) == len(set(every))
    for place, _feedback in every:
        slug, _slash, case = place.partition("/")
        assert not case or case in catalog.exercise(slug).cases


def test_a_case_goes_before_its_exercise() -> None:
    where_next = catalog.exercise("where-next")
    lazy = next(each for each in learners.cases([where_next]) if each.case == "lazy")
    assert catalog.shown(where_next, ["q4"]) == ["when-it-is-over"]
    assert catalog.shown(lazy, ["q4"]) == ["lazy-arrival"]


def test_an_answer_that_is_right_too_often_is_found() -> None:
    """Twelve right of sixteen is no chance among four answers; four of sixteen is."""
    assert learners.gained([(1, 0.25)] * 12 + [(0, 0.25)] * 4).gains
    assert not learners.gained([(1, 0.25)] * 4 + [(0, 0.25)] * 12).gains


def test_a_misconception_that_one_exercise_shows_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stated, first = {"first-in": {"first-in": ("q1",)}}, catalog.exercise("first-in")
    monkeypatch.setattr(catalog, "stated", lambda: stated)
    monkeypatch.setattr(catalog, "exercises", lambda: {"first-in": first})
    _lines, faults = tables(["first-in"])
    assert "first-in: only 1 exercises show it" in faults
