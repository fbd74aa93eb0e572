"""Predict: how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Measure, MeasureGauge
from playground.exercises import authors
from playground.exercises.grading import BadAnswer, GradedVerdict, KnownAnswers
from playground.exercises.kinds.kind import GiveUp, PredictionKind, never, only_line, play
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise


SLIPS = range(2, 5)
"""Rows of an author's form for wrong numbers; the first row says what is counted."""


class WrongNumber(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong number that a known misunderstanding leads to, computed from the run as well."""

    id: Id
    measure: Measure


class NumberForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The measure, and the largest allowed number."""

    measure: Measure
    most: int = 1_000_000
    slips: tuple[WrongNumber, ...] = ()


class NumberKind(PredictionKind):
    """A whole number, measured in the run."""

    name = "number"
    author_label = _("predict a number")
    form = NumberForm
    feedback = {
        "_too-high": _("Too many. Compare your number with what the engine did, and find the difference."),
        "_too-low": _("Too few. Compare your number with what the engine did, and find the difference."),
    }

    def read(self, posted: PostedForm) -> int:
        """Read `answer=12`."""
        text = posted.get("answer", "").strip()
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise RequestRefused(_("Give a whole number."))
        return int(text)

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge a number: a known slip has its own feedback."""
        if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer <= exercise.form.most:
            raise BadAnswer(f"give a whole number from 0 to {exercise.form.most}")
        right, slips = _numbers.answer(exercise, give_up)
        passed = answer == right
        feedback = [name for name, value in slips.items() if value == answer != right]
        if not passed and not feedback:
            feedback = ["_too-high" if answer > right else "_too-low"]
        return GradedVerdict(passed, tuple(feedback[:1]), only_line(self, answer, right), str(answer))

    def solution(self, exercise: Exercise) -> int:
        return _numbers.answer(exercise, never)[0]

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        slips: list[dict[str, Any]] = []
        for row in SLIPS:
            wrong, text = authors.text_of(posted, f"value-{row}", 9), authors.text_of(posted, f"text-{row}")
            if not wrong and not text:
                continue
            if not (wrong.isascii() and wrong.isdigit() and text):
                raise RequestRefused(_("A wrong number needs a whole number and its feedback."))
            slips.append({"id": f"slip-{row}", "measure": int(wrong)})
            texts["feedback"][f"slip-{row}"] = text
        asked = {"measure": authors.measure(run, posted.get("observable-1", "")), "slips": slips}
        return {"number": asked, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {"slips": list(SLIPS), "scene": authors.scene_of(run)}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse an exercise whose right number is too large or listed as wrong."""
        right = self.solution(made)
        if not self.grade(made, right, give_up).passed:
            raise RequestRefused(authors.TOO_LONG)
        if right in [slip.measure for slip in made.form.slips]:
            raise RequestRefused(
                _("A wrong number must differ from the run's result: %(number)s."), number=right
            )


def _measured(exercise: Exercise, give_up: GiveUp) -> tuple[int, dict[str, int]]:
    """Return the right number, and those of the known slips."""
    form = exercise.form
    gauges = {"": MeasureGauge(form.measure), **{slip.id: MeasureGauge(slip.measure) for slip in form.slips}}
    moment = play(exercise, gauges.values(), give_up).last
    values = {name: gauge.value(moment) for name, gauge in gauges.items()}
    return values.pop(""), values


_numbers = KnownAnswers(_measured)
