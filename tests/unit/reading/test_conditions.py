"""The language of conditions and measures. The same cases run in JavaScript: tests/js/conditions.test.js."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.reading.conditions import Condition, ConditionWatch, Measure, MeasureGauge, holds

CASES = json.loads((Path(__file__).parents[2] / "web" / "condition_cases.json").read_text("utf-8"))


def read(form: Any) -> Condition:
    return msgspec.convert(form, Condition)


@pytest.mark.parametrize(("form", "expected"), CASES["cases"], ids=lambda case: json.dumps(case)[:60])
def test_a_condition_holds_in_a_state(form: Any, expected: bool) -> None:
    assert holds(read(form), CASES["state"]) is expected


@pytest.mark.parametrize(
    ("form", "moments", "expected"), CASES["runs"], ids=lambda case: json.dumps(case)[:60]
)
def test_ever_and_always_ask_every_moment(form: Any, moments: list[Any], expected: bool) -> None:
    watch = ConditionWatch(read(form))
    assert watch.needs_every_moment
    for moment in moments:
        watch.observe(moment)
    assert watch.holds(moments[-1]) is expected


def test_an_earlier_moment_is_looked_up() -> None:
    form = read({"path": "n", "op": ">", "value": {"path": "n", "at_us": 7}})
    assert holds(form, {"n": 8}, lambda reference: reference.at_us)
    assert not holds(form, {"n": 7}, lambda reference: reference.at_us)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"path": "a", "all": []},
        {"path": "a", "op": "in"},
        {"path": ""},
        {"path": "a", "value": [1]},
        {"eval": "1"},
        {"all": []},
        {"ever": {"path": "a"}, "always": {"path": "a"}},
        ["queue.ready", "==", 1],
        "queue.ready",
        {"not": {"not": {"not": {"not": {"not": {"path": "a", "value": 1}}}}}},
    ],
)
def test_what_is_no_condition_is_refused(form: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(form)


EARLY = {"queue": {"n": 3, "m": 0}}
LATE = {"queue": {"n": 1, "m": 5}}


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("queue.n", 1),
        (7, 7),
        ({"most": "queue.n"}, 3),
        ({"least": "queue.n"}, 1),
        ({"sum": ["queue.m", 2]}, 7),
        ({"minus": ["queue.m", "queue.n", {"most": "queue.n"}]}, 1),
    ],
)
def test_measures(form: Any, value: int) -> None:
    gauge = MeasureGauge(msgspec.convert(form, Measure))
    for moment in (EARLY, LATE):
        gauge.observe(moment)
    assert gauge.value(LATE) == value


@pytest.mark.parametrize(
    "form", [None, {"most": 3}, {"exec": "x"}, {"sum": []}, {"sum": [1], "minus": [1]}, [1], True]
)
def test_what_is_no_measure_is_refused(form: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(form, Measure)
