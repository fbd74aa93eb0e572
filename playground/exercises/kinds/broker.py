"""Be the broker: where the learner put each message, beside where the engine's transitions put it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.reading.message_places import placements, shown_queue
from engine.replay import WatchedState
from engine.report.transitions.queue import Shift
from playground.exercises import authors, variants
from playground.exercises.authors import command_line
from playground.exercises.grading import (
    BadAnswer,
    GradedRun,
    GradedVerdict,
    KnownAnswers,
    RunEvent,
    VerdictLine,
)
from playground.exercises.kinds.kind import (
    MOST_PARTS,
    ExampleState,
    FadedKind,
    GiveUp,
    KindProgress,
    Log,
    never,
)
from playground.exercises.schema import SchemaPart
from playground.texts import RequestRefused

if TYPE_CHECKING:
    from playground.exercises.authors import AuthoredRun, PostedForm
    from playground.exercises.schema import Exercise, ExerciseTexts, NumberedExample

PLACE_WORDS = {
    "unacked": _("unacknowledged"),
    "gone": _("gone"),
    "arriving": _("arriving"),
    "outside": _("outside"),
}
"""Sub-queues are called the same in every language."""
MOST_STEPS = 8
"""Steps of an exercise that an author makes."""
MOST_MOVED = 40
"""Messages that somebody moves by hand."""
Placement = dict[str, str]
"""The place of each message, by its number."""


class BrokerStep(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step of the broker's work: the run up to here."""

    until_us: int


class BrokerForm(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The learner moves messages; each step is compared with what the engine's transitions do."""

    steps: tuple[BrokerStep, ...]


class BrokerStage(msgspec.Struct, frozen=True):
    """One step: where the messages were, where the engine put them, and by which moves."""

    before: Placement
    after: Placement
    moves: tuple[tuple[str, str, str, str, int, int], ...]


class BrokerKind(FadedKind):
    """Step by step, each message to its place."""

    name = "broker"
    label = author_label = _("be the broker")
    form = BrokerForm
    button = _("Check this step")
    example_template = "exercises/kinds/example/broker.html"
    example_missing = _("Say of every message where it is.")
    on_paper = False
    lines_shown = 1  # the first difference is enough to think about; the rest is for the next try
    feedback = {
        "_stayed": _("A message that you left where it was has moved."),
        "_moved": _("A message that you moved has stayed where it was."),
        "_elsewhere": _("A message did move, but to another place."),
    }

    def read(self, posted: PostedForm) -> Placement:
        """Read the place of each message, such as `place-7=gone`."""
        placed = {}
        for name, value in list(posted.items())[:MOST_PARTS]:
            found = re.fullmatch(r"place-([0-9]{1,4})", name)
            if found and variants.is_known(value):
                placed[found[1]] = value
        return placed

    def whole_answer(self, exercise: Exercise, given: Any, progress: KindProgress, log: Log) -> Any:
        """Return the placements of the steps so far, and this one."""
        if self.is_over(exercise, progress):
            raise RequestRefused(_("All steps are done. Begin again to repeat them."))
        return [*progress.steps, given]

    def after(self, given: Any, verdict: GradedVerdict, progress: KindProgress) -> KindProgress:
        if verdict.step > len(progress.steps):
            return progress._replace(steps=(*progress.steps, given))
        return progress

    def is_over(self, exercise: Exercise, progress: KindProgress) -> bool:
        return len(progress.steps) >= len(exercise.form.steps)

    def stage(self, exercise: Exercise, progress: KindProgress) -> tuple[dict[str, Any], int]:
        """Return the run up to the current step, past the previous one."""
        ends = [exercise.scenario["until_us"], *(step.until_us for step in exercise.form.steps)]
        done = len(progress.steps)
        until_us = ends[done]
        commands = [each for each in exercise.full_scenario()["commands"] if each["at_us"] <= until_us]
        scenario = {**exercise.scenario, "commands": commands, "until_us": until_us}
        return scenario, ends[done - 1] if done else 0

    def page(self, exercise: Exercise, texts: ExerciseTexts, progress: KindProgress) -> dict[str, Any]:
        """Return the current step: its text, and the places of the messages."""
        number = len(progress.steps)
        return {
            "number": number + 1,
            "text": texts.steps[number],
            "placed": stages(exercise)[number].before,
            "places": [(place, place_word(place)) for place in variants.places_of(exercise.scenario).answers],
        }

    def grade(self, exercise: Exercise, answer: Any, give_up: GiveUp) -> GradedVerdict:
        """Judge the last of the placements given; the ones before it must be right as well."""
        found, places = stages(exercise, give_up), variants.places_of(exercise.scenario).answers
        if not isinstance(answer, list) or not 1 <= len(answer) <= len(found):
            raise BadAnswer("give one placement for each step")
        for number, (placement, stage) in enumerate(zip(answer, found, strict=False)):
            _check(placement, stage, places)
            wrong = [seq for seq, place in stage.after.items() if placement[seq] != place]
            if wrong:
                lines = tuple(VerdictLine(seq, placement[seq], stage.after[seq], False) for seq in wrong)
                return GradedVerdict(
                    False,
                    (_slip(wrong[0], placement, stage),),
                    lines,
                    f"{number + 1}: {' '.join(f'{line.about}→{line.yours}' for line in lines[:4])}",
                    number,
                    stage.moves,
                )
        done = len(answer)
        return GradedVerdict(done == len(found), (), (), f"{done}", done, found[done - 1].moves)

    def solution(self, exercise: Exercise) -> list[Placement]:
        return [stage.after for stage in stages(exercise)]

    def solution_lines(self, exercise: Exercise, texts: ExerciseTexts) -> list[str]:
        """Return a line for each step: what happened, and where each message is."""
        return [
            f"{step} → {'; '.join(_members(exercise, placement))}"
            for step, placement in zip(texts.steps, self.solution(exercise), strict=True)
        ]

    def example_steps(self, example: NumberedExample, language: str) -> list[ExampleState]:
        exercise = example.exercise
        return [
            ExampleState(
                step,
                _members(exercise, stage.after),
                tuple(dict.fromkeys(rule for rule, *_rest in stage.moves)),
            )
            for step, stage in zip(exercise.texts(language).steps, stages(exercise), strict=True)
        ]

    def example_page(
        self, example: NumberedExample, language: str, given: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the last step as the exercise asks it, with the places given so far."""
        page = self.page(example.exercise, example.exercise.texts(language), self._all_but_last(example))
        placed = page["placed"].items()
        return {**page, "rows": [(seq, at, given.get(f"place-{seq}", at)) for seq, at in placed]}

    def example_verdict(self, example: NumberedExample, posted: PostedForm) -> GradedVerdict:
        """Judge the last placement, behind the right ones."""
        return self.grade(example.exercise, [*self._all_but_last(example).steps, self.read(posted)], never)

    def _all_but_last(self, example: NumberedExample) -> KindProgress:
        return KindProgress(tuple(self.solution(example.exercise)[:-1]))

    def about(self, texts: ExerciseTexts, name: str) -> str:
        return str(MESSAGE % {"number": name})

    def value_text(self, texts: ExerciseTexts, value: Any) -> str:
        return place_word(str(value))

    def draft(self, posted: PostedForm, run: AuthoredRun, texts: dict[str, Any]) -> dict[str, Any]:
        """Make a step of each instant at which commands were given; read what the learner reads of it."""
        after = run.after()
        if not after:
            raise RequestRefused(authors.NOTHING_AFTER)
        starts = sorted({each["at_us"] for each in after})[:MOST_STEPS]
        ends = [*(at_us - 1 for at_us in starts[1:]), run.end_us]
        for number, start in enumerate(starts, 1):
            lines = "; ".join(command_line(each) for each in after if each["at_us"] == start)
            texts["steps"].append(authors.text_of(posted, f"step-{number}") or lines)
        return {"broker": {"steps": [{"until_us": end} for end in ends]}, "go_on": authors.go_on(run)}

    def offers(self, run: AuthoredRun) -> dict[str, Any]:
        """Return the commands after the learner's moment, in lines."""
        return {"steps": [(at, command_line(each)) for at, each in enumerate(run.after()[:MOST_STEPS], 1)]}

    def prove(self, made: Exercise, give_up: GiveUp) -> None:
        """Refuse an exercise with no message to move, or with too many."""
        most = max(len(stage.after) for stage in stages(made, give_up))
        if not 1 <= most <= MOST_MOVED:
            raise RequestRefused(
                _("By hand, at most %(most)s messages can be moved; here there are %(count)s."),
                most=MOST_MOVED,
                count=most,
            )


MESSAGE = _("message %(number)s")


def _members(exercise: Exercise, placement: Placement) -> list[str]:
    found = {place: [seq for seq, at in placement.items() if at == place] for place in placement.values()}
    order = variants.places_of(exercise.scenario).answers
    return [f"{place_word(place)}: {', '.join(found[place])}" for place in order if place in found]


def place_word(name: str) -> str:
    return str(PLACE_WORDS.get(name, name))


def stages(exercise: Exercise, give_up: GiveUp = never) -> list[BrokerStage]:
    """Return all steps as the engine does them. New messages are before their step where they arrive: outside."""
    return _stages.answer(exercise, give_up)


def _played(exercise: Exercise, give_up: GiveUp) -> list[BrokerStage]:
    playback = GradedRun(exercise.full_scenario(), give_up=give_up)
    before = _placed(playback.go(exercise.scenario["until_us"]))
    held = variants.places_of(exercise.scenario).held
    found = []
    for step in exercise.form.steps:
        begin = len(playback.events)
        after = _placed(playback.go(step.until_us))
        start = {seq: before.get(seq, "arriving") for seq in after}
        found.append(BrokerStage(start, after, tuple(_moves(playback.events[begin:], held))))
        before = after
    return found


_stages = KnownAnswers(_played)


def _placed(moment: WatchedState) -> Placement:
    queue = shown_queue(moment)
    return {} if queue is None else placements(queue)


def _moves(events: Sequence[RunEvent], held: tuple[str, ...]) -> list[tuple[str, str, str, str, int, int]]:
    moves = []
    for event in events:
        shift = event.transition
        if isinstance(shift, Shift) and shift.extents:
            first, last = shift.extents[0].start, shift.extents[-1].end - 1
            moves.append(
                (shift.rule, event.kind, _name(shift.source, held), _name(shift.to, held), first, last)
            )
    return moves


def _name(place: str | None, held: tuple[str, ...]) -> str:
    return "unacked" if place in held else place or "outside"


def _check(placement: Any, stage: BrokerStage, places: tuple[str, ...]) -> None:
    if not isinstance(placement, dict) or set(placement) != set(stage.after):
        raise BadAnswer("say of every message where it is")
    if not all(place in places for place in placement.values()):
        raise BadAnswer(f"a message is in one of {', '.join(places)}")


def _slip(seq: str, placement: Placement, stage: BrokerStage) -> str:
    """Return what kind of mistake the first wrong message is."""
    if placement[seq] == stage.before[seq]:
        return "_stayed"
    return "_moved" if stage.after[seq] == stage.before[seq] else "_elsewhere"
