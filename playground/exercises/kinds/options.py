"""Options of a prediction: each has a condition, and the engine's run shows which of them hold."""

from __future__ import annotations

import random
import re
import string
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition, ConditionWatch
from playground.exercises.authors import fields, scene
from playground.exercises.kinds.kind import GiveUp, KindProgress, PredictionKind, never, play
from playground.exercises.known_answers import KnownAnswers
from playground.exercises.schema import Id, SchemaPart
from playground.texts.page_message import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors.runs import AuthoredRun
    from playground.exercises.posted import PostedForm
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
        """Return the options as they are listed."""
        return {"options": self.listed(exercise, texts, progress)}

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read a text, a condition and feedback of each option."""
        options = []
        for row in ROWS:
            text = fields.text_of(posted, f"text-{row}")
            if not text:
                continue
            name = f"option-{row}"
            options.append({"id": name, "when": fields.condition(posted, row, run)})
            texts["words"][name] = text
            texts["feedback"][name] = fields.text_of(posted, f"feedback-{row}") or texts["explain"]
        if not 2 <= len(options) <= len(ROWS):
            raise RequestRefused(_("Write two to six options, each with a condition."))
        return {self.name: {"options": options}, "go_on": fields.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        """Return the rows, and what can be pointed at."""
        return {"rows": list(ROWS), "scene": scene.of_run(run)}


def shuffled(exercise: Exercise, seed: str) -> list[str]:
    """Return the ids of the options in an order that this seed always gives."""
    order = ids(exercise)
    random.Random(f"{seed} {exercise.slug}").shuffle(order)
    return order


def ids(exercise: Exercise) -> list[str]:
    """Return the ids of the options in the file's order."""
    return [option.id for option in exercise.form.options]


def holding(exercise: Exercise, give_up: GiveUp = never) -> list[str]:
    """Return the ids of the options whose condition holds."""
    return list(_holding.answer(exercise, give_up))


def _held(exercise: Exercise, give_up: GiveUp) -> tuple[str, ...]:
    options = {option.id: ConditionWatch(option.when) for option in exercise.form.options}
    moment = play(exercise, options.values(), give_up).last
    return tuple(name for name, option in options.items() if option.holds(moment))


_holding = KnownAnswers(_held)
