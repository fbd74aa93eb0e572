"""The wrong answers that the files of exercises give, in the form that a grader takes."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.reading.conditions import Measure, MeasureGauge
from playground.exercises.grading import GradedRun
from playground.exercises.kinds import solution_of
from playground.exercises.kinds.acting import as_answer
from playground.exercises.schema import Exercise, WrongAnswer


def wrong_answer(exercise: Exercise, wrong: WrongAnswer) -> Any:
    """Return the answer that a file's entry stands for."""
    if exercise.kind == "reach":
        return as_answer(list(wrong.answer))
    if exercise.kind == "broker":
        steps = [dict(placement) for placement in solution_of(exercise)[: wrong.step + 1]]
        steps[wrong.step].update({str(seq): place for seq, place in wrong.moves})
        return steps
    if wrong.of is not None:
        gauge, scenario = MeasureGauge(msgspec.convert(wrong.of, Measure)), exercise.full_scenario()
        return gauge.value(GradedRun(scenario, (), [gauge]).go(scenario["until_us"]))
    return wrong.answer
