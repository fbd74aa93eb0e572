"""Predict: choose all that will be so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from playground.exercises.grading import BadAnswer, GradedVerdict, VerdictLine
from playground.exercises.kinds.kind import MOST_PARTS, GiveUp
from playground.exercises.kinds.options import OptionsKind, holding, ids
from playground.texts.page_message import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.posted import PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts

TEXT = 60


class SeveralKind(OptionsKind):
    """Any number of options holds."""

    name = "several"
    author_label = _("predict: all that come true")
    between = " · "

    def read(self, posted: PostedForm) -> list[str]:
        """Read `answer=small&answer=large`; none is an answer as well."""
        return [each[:TEXT] for each in posted.getlist("answer")[:MOST_PARTS]]

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge a list of ids; the options that were wrongly chosen or left out are the feedback."""
        names = ids(exercise)
        if (
            not isinstance(answer, list)
            or not set(map(str, answer)) <= set(names)
            or len(answer) > len(names)
        ):
            raise BadAnswer("choose among the options")
        right = set(holding(exercise, give_up))
        lines = tuple(
            VerdictLine(name, name in answer, name in right, (name in answer) == (name in right))
            for name in names
        )
        wrong = tuple(line.about for line in lines if not line.right)
        return GradedVerdict(
            not wrong, wrong, lines, " ".join(name for name in names if name in answer) or "-"
        )

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse where all options hold, or none."""
        if not 0 < len(holding(made, give_up)) < len(made.form.options):
            raise RequestRefused(_("Some of the options must come true in the run, and some must not."))

    def solution(self, exercise: Exercise) -> list[str]:
        """Return the options that hold."""
        return holding(exercise)

    def parts(self, tally: str) -> list[str]:
        """Return the chosen options; an empty choice counts for none."""
        return [] if tally == "-" else tally.split(" ")

    def prediction_beside(
        self, texts: ExerciseTexts, lines: Sequence[dict[str, Any]]
    ) -> tuple[str, str] | None:
        """Return the chosen options and those that hold."""
        chosen, holding_ = (
            self.between.join(self.about(texts, line["about"]) for line in lines if line[side]) or "–"
            for side in ("yours", "engine")
        )
        return chosen, holding_

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        """Return a line for each option that holds."""
        return [texts.words[name] for name in self.solution(exercise)]
