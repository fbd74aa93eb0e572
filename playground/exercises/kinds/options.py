"""Predictions with options: each has a condition, and the engine's run shows which hold. One or all are chosen."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition, ConditionWatch
from playground.exercises import authors
from playground.exercises.grading import BadAnswer, GradedVerdict, KnownAnswers, VerdictLine
from playground.exercises.kinds.kind import (
    MOST_PARTS,
    GiveUp,
    KindProgress,
    PredictionKind,
    never,
    only_line,
    play,
)
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts


LANE = re.compile(r"queue\.lanes\.(\w+)\.messages\Z")
COUNTED = re.compile(r"queue\.(\w+)\.count\Z")
PLACE = re.compile(r"queue\.place\.(\d+)\Z")


def lanes_of(condition: Condition) -> dict[str, int]:
    """Return how many messages each lane would have if a condition held, as far as it states this directly."""
    found: dict[str, int] = {}
    for each in condition.all or [condition]:
        if not isinstance(each.path, str):
            continue
        lane, counted, place = (pattern.match(each.path) for pattern in (LANE, COUNTED, PLACE))
        if lane and each.op == "==" and _is_count(each.value):
            found[lane[1]] = each.value  # type: ignore[assignment]  # _is_count
        elif counted and each.op in {"==", ">="} and _is_count(each.value):
            found[counted[1]] = each.value  # type: ignore[assignment]  # _is_count
        elif place and each.op == "==" and isinstance(each.value, str):
            found[each.value] = found.get(each.value, 0) + 1
    return found


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


LETTERS = string.ascii_uppercase
"""Spoken names of options: A, B, C, ..."""
ROWS = range(1, 7)
"""Options that an author can write."""


class AnswerOption(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One of several answers; it is right if its condition holds."""

    id: Id
    when: Condition


class OptionsForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question with answers to choose from."""

    options: tuple[AnswerOption, ...]


class OptionsKind(PredictionKind):
    """Code that questions with one and with several right answers share."""

    form = OptionsForm

    def listed(
        self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress
    ) -> list[tuple[str, str, str]]:
        """Return the options with their letters and words, in an order of the learner's or the vote's own."""
        order = shuffled(exercise, progress.seed)
        return [(name, letter, texts.words[name]) for letter, name in zip(LETTERS, order, strict=False)]

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        return {"options": self.listed(exercise, texts, progress)}

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read a text, a condition and feedback of each option."""
        options = []
        for row in ROWS:
            text = authors.text_of(posted, f"text-{row}")
            if not text:
                continue
            name = f"option-{row}"
            options.append({"id": name, "when": authors.condition(posted, row, run)})
            texts["words"][name] = text
            texts["feedback"][name] = authors.text_of(posted, f"feedback-{row}") or texts["explain"]
        if not 2 <= len(options) <= len(ROWS):
            raise RequestRefused(_("Write two to six options, each with a condition."))
        return {self.name: {"options": options}, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {"rows": list(ROWS), "scene": authors.scene_of(run)}


def shuffled(exercise: Exercise, seed: str) -> list[str]:
    """Return the ids of the options in an order that this seed always gives."""
    order = ids(exercise)
    random.Random(f"{seed} {exercise.slug}").shuffle(order)
    return order


def ids(exercise: Exercise) -> list[str]:
    return [option.id for option in exercise.form.options]


def holding(exercise: Exercise, give_up: GiveUp = never) -> list[str]:
    """Return the ids of the options whose condition holds."""
    return list(_holding.answer(exercise, give_up))


def _held(exercise: Exercise, give_up: GiveUp) -> tuple[str, ...]:
    options = {option.id: ConditionWatch(option.when) for option in exercise.form.options}
    moment = play(exercise, options.values(), give_up).last
    return tuple(name for name, option in options.items() if option.holds(moment))


_holding = KnownAnswers(_held)


TEXT = 60


class ChoiceKind(OptionsKind):
    """Exactly one option holds."""

    name = "choice"
    author_label = _("predict: one comes true")

    def read(self, posted: PostedForm) -> str:
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
        (line,) = lines
        return next((lanes_of(each.when) for each in exercise.form.options if each.id == line["yours"]), {})

    def solution(self, exercise: Exercise) -> str:
        (right,) = holding(exercise)
        return right


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
        return holding(exercise)

    def parts(self, tally: str) -> list[str]:
        """Return the chosen options; an empty choice counts for none."""
        return [] if tally == "-" else tally.split(" ")

    def prediction_beside(
        self, texts: ExerciseTexts, lines: Sequence[dict[str, Any]]
    ) -> tuple[str, str] | None:
        chosen, holding_ = (
            self.between.join(self.about(texts, line["about"]) for line in lines if line[side]) or "–"
            for side in ("yours", "engine")
        )
        return chosen, holding_

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [texts.words[name] for name in self.solution(exercise)]
