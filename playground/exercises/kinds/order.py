"""Put in order: the learner's sequence beside the one in which the engine's transitions came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from playground.exercises import authors
from playground.exercises.authors import AuthoredRun
from playground.exercises.grading import (
    BadAnswer,
    EventForm,
    GradedVerdict,
    KnownAnswers,
    RunEvent,
    VerdictLine,
)
from playground.exercises.kinds.kind import MOST_PARTS, ExerciseKind, GiveUp, KindProgress, never, play
from playground.exercises.schema import Id, SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts


MOST_ITEMS = 8
"""Events that an author can choose."""


class OrderItem(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An item to put in order.

    Args:
        event: its event in the run; an item without an event in the run is a distractor.
        after: items that must come before it; by default all that happen before it in the run.
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
        """Return the ids of what happens, in the order of the run."""
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
        """Return the lines, sorted by their words so that the file's order gives nothing away."""
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
    """Return the kinds that must come before each kind.

    A later instant waits for an earlier one. Within one instant the parts of the broker (messages, memory, files,
    node) go their own ways, and only what one part does is one after the other; the author may correct it.
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

    Raises:
        BadAnswer: the answer is no list of different items.
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
