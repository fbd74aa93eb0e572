"""Predict: choose the one thing that will be so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from playground.exercises.grading import BadAnswer, Verdict
from playground.exercises.kinds.ghosts import lanes_of
from playground.exercises.kinds.kind import GiveUp, only_line
from playground.exercises.kinds.options import OptionsKind, holding, ids
from playground.messages import Refused

if TYPE_CHECKING:
    from playground.exercises.posted import Posted
    from playground.exercises.schema import Exercise

TEXT = 60


class Choice(OptionsKind):
    """Exactly one option holds."""

    name = "choice"
    author_label = _("predict: one comes true")

    def read(self, posted: Posted) -> str:
        """Read which of the answers was chosen."""
        answer = posted.get("answer", "")[:TEXT]
        if not answer:
            raise Refused(_("Choose one of the answers first."))
        return answer

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> Verdict:
        """Judge the id of an option; a wrong option's own text is its feedback."""
        if not isinstance(answer, str) or answer not in ids(exercise):
            raise BadAnswer("choose one of the options")
        (right,) = holding(exercise, give_up)
        passed = answer == right
        return Verdict(passed, () if passed else (answer,), only_line(self, answer, right), answer)

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse where not exactly one option holds."""
        right = holding(made, give_up)
        if len(right) != 1:
            raise Refused(
                _("Exactly one option must come true in the run; here it is %(count)s."), count=len(right)
            )

    def ghost_lanes(self, exercise: Exercise, lines: Sequence[dict[str, Any]]) -> dict[str, int]:
        """Return the lanes that the chosen option speaks of."""
        (line,) = lines
        return next((lanes_of(each.when) for each in exercise.form.options if each.id == line["yours"]), {})

    def solution(self, exercise: Exercise) -> str:
        """Return the option that holds."""
        (right,) = holding(exercise)
        return right
