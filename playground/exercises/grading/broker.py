"""Be the broker: where the learner put each message, beside where the engine's transitions put it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from engine.transitions import Shift
from playground.exercises.grading.facts import PENDING
from playground.exercises.grading.playback import Event, Playback
from playground.exercises.grading.verdict import BadAnswer, Line, Verdict

if TYPE_CHECKING:
    from playground.exercises.schema import Exercise

PLACES = ("q1", "q2", "delta", "q3", "q4", "unacked", "gone")
Placement = dict[str, str]
"""Where each message is, by its number."""


class Stage(msgspec.Struct, frozen=True):
    """One step: where the messages were, where the engine put them, and by which moves."""

    before: Placement
    after: Placement
    moves: tuple[tuple[str, str, str, str, int, int], ...]


def stages(exercise: Exercise, give_up: Callable[[], bool] = lambda: False) -> list[Stage]:
    """Return all steps as the engine does them. New messages stand before their step where they arrive: outside."""
    assert exercise.broker is not None  # noqa: S101 - the schema's test sees to it
    playback = Playback(exercise.full_scenario(), give_up=give_up)
    before = _placed(playback.play(exercise.scenario["until_us"]))
    found = []
    for step in exercise.broker.steps:
        begin = len(playback.events)
        after = _placed(playback.play(step.until_us))
        start = {seq: before.get(seq, "arriving") for seq in after}
        found.append(Stage(start, after, tuple(_moves(playback.events[begin:]))))
        before = after
    return found


def _placed(facts: dict[str, Any]) -> Placement:
    places: Placement = facts["queue"]["place"]
    return places


def _moves(events: Sequence[Event]) -> list[tuple[str, str, str, str, int, int]]:
    moves = []
    for event in events:
        shift = event.transition
        if isinstance(shift, Shift) and shift.extents:
            first, last = shift.extents[0].start, shift.extents[-1].end - 1
            moves.append((shift.rule, event.kind, _name(shift.source), _name(shift.to), first, last))
    return moves


def _name(place: str | None) -> str:
    return "unacked" if place in PENDING else place or "outside"


def solution(exercise: Exercise) -> list[Placement]:
    """Return the right placements, one for each step."""
    return [stage.after for stage in stages(exercise)]


def grade(exercise: Exercise, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    """Judge the last of the placements given; the ones before it must be right as well."""
    found = stages(exercise, give_up)
    if not isinstance(answer, list) or not 1 <= len(answer) <= len(found):
        raise BadAnswer("give one placement for each step")
    for number, (placement, stage) in enumerate(zip(answer, found, strict=False)):
        _check(placement, stage)
        wrong = [seq for seq, place in stage.after.items() if placement[seq] != place]
        if wrong:
            lines = tuple(Line(seq, placement[seq], stage.after[seq], False) for seq in wrong)
            return Verdict(
                False,
                (_slip(wrong[0], placement, stage),),
                lines,
                f"{number + 1}: {_said(lines)}",
                number,
                stage.moves,
            )
    done = len(answer)
    return Verdict(done == len(found), (), (), f"{done}", done, found[done - 1].moves)


def _check(placement: Any, stage: Stage) -> None:
    if not isinstance(placement, dict) or set(placement) != set(stage.after):
        raise BadAnswer("say of every message where it is")
    if not all(place in PLACES for place in placement.values()):
        raise BadAnswer("a message is in q1, q2, delta, q3 or q4, unacked or gone")


def _slip(seq: str, placement: Placement, stage: Stage) -> str:
    """Return what kind of mistake the first wrong message is."""
    if placement[seq] == stage.before[seq]:
        return "_stayed"
    return "_moved" if stage.after[seq] == stage.before[seq] else "_elsewhere"


def _said(lines: Sequence[Line]) -> str:
    return " ".join(f"{line.about}→{line.yours}" for line in lines[:4])
