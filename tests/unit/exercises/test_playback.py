"""The bounds of a playback, and the forms of answers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.reading.message_places import placements
from playground.exercises import catalog
from playground.exercises.grading import MOST, BadAnswer, EventForm, GradedRun, KnownAnswers, TooLong
from playground.exercises.kinds import grade, solution_of


def test_an_event_must_be_one_of_the_engines() -> None:
    with pytest.raises((ValueError, msgspec.ValidationError)):
        EventForm(kind="Explode")
    with pytest.raises((ValueError, msgspec.ValidationError)):
        EventForm(kind="Fetched", where={"colour": "red"})


SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 1_000_000, "do": "publish", "count": 30, "size_bytes": 6000}],
    "until_us": 3_000_000,
}


def test_a_playback_equals_the_run_however_it_is_cut() -> None:
    whole, cut = GradedRun(SCENARIO), GradedRun(SCENARIO)
    result = whole.go(3_000_000)
    for at_us in range(0, 3_000_001, 250_000):
        last = cut.go(at_us)
    assert last == result
    assert cut.node.log.digest == whole.node.log.digest
    delta = [place for place in placements(result["queues"]["orders"]).values() if place == "delta"]
    assert len(delta) == result["queues"]["orders"]["counted"]["delta"][1]


def test_a_playback_gives_up_when_asked_to() -> None:
    with pytest.raises(TooLong):
        GradedRun(SCENARIO, give_up=lambda: True).go(3_000_000)


def test_a_playback_takes_only_so_many_messages() -> None:
    flood = [(1_000_000, {"do": "publish", "count": 19_000, "size_bytes": 10})] * 2
    with pytest.raises(TooLong):
        GradedRun({**SCENARIO, "profile": "real", "commands": []}, flood).go(2_000_000)


@pytest.mark.parametrize("answer", [None, 7, "", "nowhere", ["q4"], {"q4": 1}])
def test_a_choice_takes_only_its_options(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("first-in"), answer)


@pytest.mark.parametrize("answer", [None, True, -1, 2.5, "4", 10_000_000])
def test_a_number_is_a_number(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("read-back"), answer)


@pytest.mark.parametrize(
    "answer",
    [None, {}, {"commands": [], "until_us": "x"}, {"commands": ["x"], "until_us": 1}, {"commands": 3}],
)
def test_a_session_is_a_command_log(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("reach-delta"), answer)


@pytest.mark.parametrize("answer", [None, "confirm", ["confirm", "confirm"], ["nothing"], [1]])
def test_an_order_has_each_item_once(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("confirm-path"), answer)


@pytest.mark.parametrize("answer", [None, [], [{}], [{"0": "q4"}], [{}] * 9])
def test_a_placement_names_every_message(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("first-paging"), answer)


def test_a_message_cannot_be_put_nowhere() -> None:
    first = dict(solution_of(catalog.exercise("first-paging"))[0])
    first["0"] = "moon"
    with pytest.raises(BadAnswer):
        grade(catalog.exercise("first-paging"), [first])


def test_the_brokers_steps_show_what_the_engine_moved() -> None:
    exercise = catalog.exercise("first-paging")
    verdict = grade(exercise, solution_of(exercise)[:1])
    assert not verdict.passed
    assert verdict.step == 1
    assert ("Q46", "AlphasPushed", "q4", "q3", 4, 5) in verdict.moves


def test_what_the_engine_says_of_an_exercise_is_asked_once() -> None:
    asked: list[object] = []

    def ask(exercise: object, more: int) -> int:
        asked.append(exercise)
        if more < 0:
            raise TooLong
        return more

    known, one, other = KnownAnswers(ask), object(), object()
    assert (known.answer(one, 1), known.answer(one, 2), known.answer(other, 3)) == (1, 1, 3)
    third = object()
    with pytest.raises(TooLong):
        known.answer(third, -1)
    assert known.answer(third, 4) == 4, "a run that broke off is asked again"
    assert asked == [one, other, third, third]
    for number in range(MOST + 1):
        known.answer(object(), number)
    assert len(known._kept) == MOST
