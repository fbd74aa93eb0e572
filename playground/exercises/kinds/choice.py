"""Predict: choose the one thing that will be so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from playground.exercises.grading import BadAnswer, GradedVerdict
from playground.exercises.kinds.kind import GiveUp, only_line
from playground.exercises.kinds.options import OptionsKind, holding, ids, lanes_of
from playground.texts.page_message import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.posted import PostedForm
    from playground.exercises.schema import Exercise

TEXT = 60


class ChoiceKind(OptionsKind):
    """Exactly one option holds."""

    name = "choice"
    author_label = _("predict: one comes true")

    def read(self, posted: PostedForm) -> str:
        """Read the chosen answer."""
        answer = posted.get("answer", "")[:TEXT]
        if not answer:
            raise RequestRefused(_("Choose one of the answers first."))
        return answer

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge the id of an option; a wrong option's own text is its feedback."""
        if not isinstance(answer, str) or answer not in ids(exercise):
            raise BadAnswer("choose one of the options")
        (right,) = holding(exercise, give_up)
        passed = answer == right
        return GradedVerdict(passed, () if passed else (answer,), only_line(self, answer, right), answer)

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse where not exactly one option holds."""
        right = holding(made, give_up)
        if len(right) != 1:
            raise RequestRefused(
                _("Exactly one option must come true in the run; here it is %(count)s."), count=len(right)
            )

    def predicted_lanes(self, exercise: Exercise, lines: Sequence[dict[str, Any]]) -> dict[str, int]:
        """Return the lanes that the chosen option speaks of."""
        (line,) = lines
        return next((lanes_of(each.when) for each in exercise.form.options if each.id == line["yours"]), {})

    def solution(self, exercise: Exercise) -> str:
        """Return the option that holds."""
        (right,) = holding(exercise)
        return right
