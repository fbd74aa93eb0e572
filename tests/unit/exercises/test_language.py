"""The language of conditions and measures, and the bounds of a playback."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from playground.exercises import catalog
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.grading.events import EventForm
from playground.exercises.grading.language import Condition, Malformed, Measure
from playground.exercises.grading.playback import Playback
from playground.exercises.kinds import grade, solution_of

FACTS = {"queue": {"q4": 3, "delta": 0, "target": None}, "alarm": False, "seen": {"Published": 2}}
LATER = {"queue": {"q4": 1, "delta": 5, "target": None}, "alarm": True, "seen": {"Published": 3}}


def holds(form: Any, *moments: dict[str, Any]) -> bool:
    condition = Condition(form)
    for facts in moments:
        condition.see(facts)
    return condition.now(moments[-1])


@pytest.mark.parametrize(
    ("form", "held"),
    [
        (["queue.q4", "==", 3], True),
        (["queue.q4", ">", "@queue.delta"], True),
        (["queue.nothing", ">", 1], False),
        (["queue.target", "<", 1], False),
        (["seen.Acked", "==", 0], True),
        ({"all": [["alarm", "==", False], {"not": ["queue.q4", "==", 1]}]}, True),
        ({"any": [["alarm", "==", True], ["queue.q4", "==", 1]]}, False),
    ],
)
def test_a_condition_looks_at_one_moment(form: Any, held: bool) -> None:
    assert holds(form, FACTS) is held


def test_ever_and_always_look_at_the_whole_run() -> None:
    assert holds({"ever": ["queue.q4", "==", 3]}, FACTS, LATER)
    assert not holds({"ever": ["queue.q4", "==", 9]}, FACTS, LATER)
    assert holds({"always": ["queue.q4", ">=", 1]}, FACTS, LATER)
    assert not holds({"always": ["alarm", "==", False]}, FACTS, LATER, FACTS)


def test_measures() -> None:
    most, least = Measure({"most": "queue.q4"}), Measure({"least": "queue.q4"})
    for facts in (FACTS, LATER):
        most.see(facts)
        least.see(facts)
    assert (most.now(LATER), least.now(LATER)) == (3, 1)
    assert Measure({"minus": ["queue.delta", "queue.q4"]}).now(LATER) == 4
    assert Measure({"sum": ["queue.delta", 2]}).now(LATER) == 7


@pytest.mark.parametrize(
    "form",
    [
        ["queue.q4", "is", 1],
        ["queue.q4"],
        ["__class__", "==", 1],
        ["queue.__class__.__mro__.x.y.z", "==", 1],
        {"all": []},
        {"eval": "1"},
        "queue.q4",
        {"not": {"not": {"not": {"not": {"not": {"not": {"not": ["a", "==", 1]}}}}}}},
    ],
)
def test_what_is_no_condition_is_refused(form: Any) -> None:
    with pytest.raises(Malformed):
        Condition(form)


@pytest.mark.parametrize("form", [True, None, {"most": 3}, {"exec": "x"}, "a b"])
def test_what_is_no_measure_is_refused(form: Any) -> None:
    with pytest.raises(Malformed):
        Measure(form)


def test_an_event_must_be_one_of_the_engines() -> None:
    with pytest.raises((Malformed, msgspec.ValidationError)):
        EventForm(kind="Explode")
    with pytest.raises((Malformed, msgspec.ValidationError)):
        EventForm(kind="Fetched", where={"colour": "red"})


SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 1_000_000, "do": "publish", "count": 30, "size_bytes": 6000}],
    "until_us": 3_000_000,
}


def test_a_playback_equals_the_run_however_it_is_cut() -> None:
    whole, cut = Playback(SCENARIO), Playback(SCENARIO)
    facts = whole.play(3_000_000)
    for at_us in range(0, 3_000_001, 250_000):
        last = cut.play(at_us)
    assert last == facts
    assert cut.node.log.digest == whole.node.log.digest
    assert facts["queue"]["delta"] == sum(place == "delta" for place in facts["queue"]["place"].values())


def test_a_playback_gives_up_when_told_to() -> None:
    with pytest.raises(TooLong):
        Playback(SCENARIO, give_up=lambda: True).play(3_000_000)


def test_a_playback_takes_only_so_many_messages() -> None:
    flood = [(1_000_000, {"do": "publish", "count": 19_000, "size_bytes": 10})] * 2
    with pytest.raises(TooLong):
        Playback({**SCENARIO, "profile": "real", "commands": []}, flood).play(2_000_000)


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


def test_the_brokers_steps_tell_what_the_engine_moved() -> None:
    exercise = catalog.exercise("first-paging")
    verdict = grade(exercise, solution_of(exercise)[:1])
    assert not verdict.passed
    assert verdict.step == 1
    assert ("Q46", "AlphasPushed", "q4", "q3", 4, 5) in verdict.moves
