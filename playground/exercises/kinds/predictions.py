"""Predictions that the engine's run decides: a number, options, an answer for each thing, an order."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from engine.reading.conditions import Condition, ConditionWatch, Measure, MeasureGauge
from playground.exercises import authors, schema
from playground.exercises.authors import AuthoredRun
from playground.exercises.grading import (
    BadAnswer,
    EventForm,
    GradedVerdict,
    KnownAnswers,
    RunEvent,
    VerdictLine,
)
from playground.exercises.kinds.acting import MESSAGE, place_word
from playground.exercises.kinds.kind import (
    MOST_PARTS,
    BesideRun,
    ExerciseKind,
    GiveUp,
    KindProgress,
    PredictionKind,
    VerdictLines,
    never,
    only_line,
    play,
)
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts


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
        order = shuffled(exercise, progress.seed)
        return [(name, letter, texts.words[name]) for letter, name in zip(LETTERS, order, strict=False)]

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        return {"options": self.listed(exercise, texts, progress)}

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read a text, a condition and feedback of each option."""
        options = []
        for row in self.author_rows:
            text = authors.text_of(posted, f"text-{row}")
            if not text:
                continue
            name = f"option-{row}"
            options.append({"id": name, "when": authors.condition(posted, row, run)})
            texts["words"][name] = text
            texts["feedback"][name] = authors.text_of(posted, f"feedback-{row}") or texts["explain"]
        if len(options) < 2:
            raise RequestRefused(_("Write two to six options, each with a condition."))
        return {self.name: {"options": options}, "go_on": authors.go_on(run)}


def shuffled(exercise: Exercise, seed: str) -> list[str]:
    """Return the ids of the options in an order that this seed always gives."""
    order = ids(exercise)
    random.Random(f"{seed} {exercise.slug}").shuffle(order)
    return order


def ids(exercise: Exercise) -> list[str]:
    return [option.id for option in exercise.form.options]


def holding(exercise: Exercise, give_up: GiveUp = never) -> list[str]:
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

    def predicted_lanes(self, exercise: Exercise, lines: VerdictLines) -> dict[str, int]:
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
        return [] if tally == "-" else tally.split(" ")

    def prediction_beside(self, texts: ExerciseTexts, lines: VerdictLines) -> BesideRun:
        chosen, holding_ = (
            self.between.join(self.about(texts, line["about"]) for line in lines if line[side]) or "–"
            for side in ("yours", "engine")
        )
        return chosen, holding_

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [texts.words[name] for name in self.solution(exercise)]


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
        return {item: right for item, (right,) in _matching.answer(exercise, give_up).items()}

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [self._pair(texts, item, right) for item, right in self.solution(exercise).items()]

    def tally_text(self, texts: ExerciseTexts, tally: str) -> str:
        pairs = [part.partition(":") for part in tally.split(" ")]
        return " · ".join(self._pair(texts, item, answer) for item, _colon, answer in pairs)

    def prediction_beside(self, texts: ExerciseTexts, lines: VerdictLines) -> BesideRun:
        yours, engine = (
            " · ".join(self._pair(texts, line["about"], line[side]) for line in lines)
            for side in ("yours", "engine")
        )
        return yours, engine

    def value_text(self, texts: ExerciseTexts, value: Any) -> str:
        return texts.words.get(value) or place_word(value)

    def _pair(self, texts: ExerciseTexts, item: str, answer: str) -> str:
        return f"{self.about(texts, item)} → {self.value_text(texts, answer)}"

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read the numbers of messages: the answers are the places where each may be."""
        items = []
        answers = schema.places_of(run.scenario).answers
        for row in self.author_rows:
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

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse an item for which not exactly one answer holds: a message that never came is nowhere."""
        for item, holding in _matching.answer(made, give_up).items():
            if len(holding) != 1:
                raise RequestRefused(
                    _("Exactly one answer must come true for this line: %(line)s"),
                    line=self.about(made.en, item),
                )


def _matched(exercise: Exercise, give_up: GiveUp) -> Mapping[str, Sequence[str]]:
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


_matching = KnownAnswers(_matched)

MOST_ITEMS = 8
"""Events that an author can choose."""


class OrderItem(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An item to put in order. `event`: its event in the run; an item without an event in the run is a distractor.
    `after`: items that must come before it; by default all that happen before it in the run.
    """

    id: Id
    event: EventForm | None = None
    after: tuple[Id, ...] | None = None


class OrderForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Events to be put in the order of the run, with distractors among them."""

    items: tuple[OrderItem, ...]


class OrderKind(ExerciseKind):
    """The events of a run, some of which never happen."""

    name = "order"
    label = author_label = _("put in order")
    form = OrderForm
    button = _("Check the order")
    feedback = {
        "_missing": _("Something is missing from your order."),
        "_out-of-order": _("Everything that happens is there, but not in this order."),
    }

    def read(self, posted: PostedForm) -> list[str]:
        """Read `position-confirm=3` for each item; 0 or nothing leaves it out."""
        found: list[tuple[int, str]] = []
        for name, value in list(posted.items())[:MOST_PARTS]:
            item = re.fullmatch(r"position-([a-z0-9-]{1,41})", name)
            if item and re.fullmatch(r"[1-9][0-9]?", value):
                found.append((int(value), item[1]))
        if not found:
            raise RequestRefused(_("Put at least one line in its place."))
        return [item for _position, item in sorted(found)]

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        return judge(exercise.form.items, _right.answer(exercise, give_up), answer)

    def solution(self, exercise: Exercise) -> list[str]:
        return list(_right.answer(exercise, never))

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        return [texts.words[name] for name in self.solution(exercise)]

    def after(self, given: Any, verdict: GradedVerdict, progress: KindProgress) -> KindProgress:
        """Let the run go on once the order is right."""
        return progress._replace(locked=progress.locked or verdict.passed)

    def shows_engine(self, passed: bool, *, told: bool) -> bool:
        """Show the right places only when the order is right; before, they could be copied."""
        return passed

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        items = [(each.id, texts.words[each.id]) for each in exercise.form.items]
        return {"lines": sorted(items, key=lambda item: item[1])}

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Read which events are put in order, after which others each may come, and lines that never happen."""
        known = {each.kind: each for each in happened(run.events())}
        chosen = [name for name in known if posted.get(f"event-{name}", "")]
        if not 2 <= len(chosen) <= MOST_ITEMS:
            raise RequestRefused(_("Choose two to eight events that happen after this moment."))
        derived = causes([known[name] for name in chosen])
        ids = {name: f"event-{at}" for at, name in enumerate(chosen, 1)}
        items: list[dict[str, Any]] = []
        for name in chosen:
            given = posted.getlist(f"after-{name}") if posted.get("corrected", "") else derived[name]
            after = [ids[each] for each in given if each in ids and chosen.index(each) < chosen.index(name)]
            items.append({"id": ids[name], "event": _found_again(known[name], run), "after": after})
            texts["words"][ids[name]] = authors.text_of(posted, f"words-{name}") or name
        for at in (1, 2):
            text = authors.text_of(posted, f"never-{at}")
            if text:
                items.append({"id": f"never-{at}"})
                texts["words"][f"never-{at}"] = text
                texts["feedback"][f"never-{at}"] = texts["explain"]
        return {"order": {"items": items}, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        events = happened(run.events())
        after = causes(events)
        return {"events": [(each.kind, after[each.kind]) for each in events]}


def sequence(items: Sequence[OrderItem], events: Sequence[RunEvent]) -> list[str]:
    """Return the ids of the items that happen, in the order of the run."""
    numbers = {}
    for item in items:
        event = item.event.first_in(events) if item.event else None
        if event is not None:
            numbers[item.id] = event.number
    return sorted(numbers, key=numbers.__getitem__)


def _sequence(exercise: Exercise, give_up: GiveUp) -> tuple[str, ...]:
    return tuple(sequence(exercise.form.items, play(exercise, (), give_up).events))


_right = KnownAnswers(_sequence)


def happened(events: Sequence[RunEvent]) -> list[RunEvent]:
    """Return the first event of each kind, in the order of the run: what can be put in order."""
    firsts: dict[str, RunEvent] = {}
    for each in events:
        if each.transition.about.shown != "step":
            firsts.setdefault(each.kind, each)
    return list(firsts.values())


def causes(events: Sequence[RunEvent]) -> dict[str, list[str]]:
    """Return the kinds that must come before each kind. A later instant waits for an earlier one. Within one
    instant the parts of the broker (messages, memory, files, node) go their own ways, and only what one part does
    is one after the other; the author may correct it.
    """
    found: dict[str, list[str]] = {}
    for at, event in enumerate(events):
        group = event.transition.about.group
        found[event.kind] = [
            before.kind
            for before in events[:at]
            if before.at_us < event.at_us or before.transition.about.group == group
        ]
    return found


def _found_again(event: RunEvent, run: AuthoredRun) -> dict[str, Any]:
    """Return how the grader finds an event again: the same kind may have happened before the learner's moment."""
    whole = AuthoredRun(run.scenario, run.commands, 0, run.end_us).events()
    before = sum(other.kind == event.kind and other.number < event.number for other in whole)
    return {"kind": event.kind, "nth": before + 1}


def predecessors(items: Sequence[OrderItem], right: Sequence[str]) -> dict[str, set[str]]:
    """Return what must be before each item that happens: in a chain of causes, all of the chain."""
    listed = {item.id: item.after for item in items}
    found: dict[str, set[str]] = {}
    for at, name in enumerate(right):
        after = listed[name]
        direct = right[:at] if after is None else after
        found[name] = set(direct).union(*(found.get(cause, set()) for cause in direct))
    return found


def judge(items: Sequence[OrderItem], right: Sequence[str], answer: Any) -> GradedVerdict:
    """Compare a list of ids with the right one: what does not happen, what is missing, what is before its cause.
    Raises BadAnswer: the answer is no list of different items.
    """
    names = {item.id for item in items}
    if not isinstance(answer, list) or not all(isinstance(each, str) and each in names for each in answer):
        raise BadAnswer("put the items in order")
    if len(set(answer)) != len(answer):
        raise BadAnswer("each item stands once")
    imagined = [name for name in answer if name not in right]
    missing = [name for name in right if name not in answer]
    causes = predecessors(items, right)
    late = [
        name
        for at, name in enumerate(answer)
        if name in right and causes[name].intersection(answer[at + 1 :])
    ]
    places = {name: number for number, name in enumerate(right, 1)}
    wrong = {*imagined, *late}
    # What waits for nothing before it may stand elsewhere than in this run, and is right there.
    lines = [
        VerdictLine(name, number, places.get(name) if name in wrong else number, name not in wrong)
        for number, name in enumerate(answer, 1)
    ]
    lines += [VerdictLine(name, None, places[name], False) for name in missing]
    feedback = imagined[:1] or (["_missing"] if missing else []) or (["_out-of-order"] if late else [])
    return GradedVerdict(not feedback, tuple(feedback), tuple(lines), " ".join(answer) or "-")
