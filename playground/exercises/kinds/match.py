"""Match: choose an answer for each of several things."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition, ConditionWatch
from playground.exercises import authors, variants
from playground.exercises.grading import BadAnswer, GradedVerdict, KnownAnswers, VerdictLine
from playground.exercises.kinds.broker import MESSAGE, place_word
from playground.exercises.kinds.kind import MOST_PARTS, GiveUp, KindProgress, PredictionKind, never, play
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts

ROWS = range(1, 7)
"""Messages whose place an author can ask for."""


class MatchItem(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Something that gets one answer: the one whose condition holds. Answers without a condition are wrong here."""

    id: Id
    when: dict[Id, Condition]


class MatchForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same answers for each item; an answer may be right for several items, or for none."""

    items: tuple[MatchItem, ...]
    answers: tuple[Id, ...]


class MatchKind(PredictionKind):
    """An answer for each item."""

    name = "match"
    label = author_label = _("match")
    form = MatchForm
    votable = False

    def read(self, posted: PostedForm) -> dict[str, str]:
        """Read `match-photos=beta` for each item."""
        given = {}
        for name, value in list(posted.items())[:MOST_PARTS]:
            item = re.fullmatch(r"match-([a-z0-9-]{1,41})", name)
            if item and not value:
                raise RequestRefused(_("Choose an answer for each line first."))
            if item:
                given[item[1]] = value
        return given

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        """Return the items and the answers in words, in the file's order."""
        form: MatchForm = exercise.form
        return {
            "lines": [(item.id, self.about(texts, item.id)) for item in form.items],
            "answers": [(name, self.value_text(texts, name)) for name in form.answers],
        }

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge the answers by item; the items with a wrong one are the feedback."""
        form: MatchForm = exercise.form
        names = [item.id for item in form.items]
        if not isinstance(answer, dict) or set(answer) != set(names):
            raise BadAnswer("give each item an answer")
        if not all(value in form.answers for value in answer.values()):
            raise BadAnswer("choose among the answers")
        right = self._right(exercise, give_up)
        lines = tuple(
            VerdictLine(name, answer[name], right[name], answer[name] == right[name]) for name in names
        )
        wrong = tuple(line.about for line in lines if not line.right)
        return GradedVerdict(not wrong, wrong, lines, " ".join(f"{name}:{answer[name]}" for name in names))

    def solution(self, exercise: Exercise) -> dict[str, str]:
        return self._right(exercise, never)

    def _right(self, exercise: Exercise, give_up: GiveUp) -> dict[str, str]:
        return {item: right for item, (right,) in _holding.answer(exercise, give_up).items()}

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [self._pair(texts, item, right) for item, right in self.solution(exercise).items()]

    def tally_text(self, texts: ExerciseTexts, tally: str) -> str:
        pairs = [part.partition(":") for part in tally.split(" ")]
        return " · ".join(self._pair(texts, item, answer) for item, _colon, answer in pairs)

    def prediction_beside(
        self, texts: ExerciseTexts, lines: Sequence[dict[str, Any]]
    ) -> tuple[str, str] | None:
        yours, engine = (
            " · ".join(self._pair(texts, line["about"], line[side]) for line in lines)
            for side in ("yours", "engine")
        )
        return yours, engine

    def value_text(self, texts: ExerciseTexts, value: Any) -> str:
        """Return an answer in words: the file's, or the name of a place."""
        return texts.words.get(value) or place_word(value)

    def _pair(self, texts: ExerciseTexts, item: str, answer: str) -> str:
        return f"{self.about(texts, item)} → {self.value_text(texts, answer)}"

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read the numbers of messages: the answers are the places where each may be."""
        items = []
        answers = variants.places_of(run.scenario).answers
        for row in ROWS:
            number = authors.text_of(posted, f"message-{row}")
            if not number and not posted.get(f"observable-{row}", ""):
                continue
            name = f"message-{row}"
            when = {place: authors.condition_of(run, "place", "==", place, number) for place in answers}
            items.append({"id": name, "when": when})
            texts["words"][name] = authors.text_of(posted, f"text-{row}") or str(MESSAGE % {"number": number})
            texts["feedback"][name] = texts["explain"]
        if len(items) < 2:
            raise RequestRefused(_("Choose two to six messages."))
        return {"match": {"items": items, "answers": answers}, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        return {"rows": list(ROWS), "scene": authors.scene_of(run)}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse an item for which not exactly one answer holds: a message that never came is nowhere."""
        for item, holding in _holding.answer(made, give_up).items():
            if len(holding) != 1:
                raise RequestRefused(
                    _("Exactly one answer must come true for this line: %(line)s"),
                    line=self.about(made.en, item),
                )


def _held(exercise: Exercise, give_up: GiveUp) -> Mapping[str, Sequence[str]]:
    """Return for each item those of the answers whose condition holds at the end of the run."""
    form: MatchForm = exercise.form
    watches = {
        item.id: {name: ConditionWatch(when) for name, when in item.when.items() if name in form.answers}
        for item in form.items
    }
    moment = play(exercise, (each for row in watches.values() for each in row.values()), give_up).last
    return {
        item: [name for name, watch in row.items() if watch.holds(moment)] for item, row in watches.items()
    }


_holding = KnownAnswers(_held)
