"""Order the events: the learner's sequence beside the one in which the engine's transitions came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from playground.exercises.grading.playback import Event, Playback
from playground.exercises.grading.verdict import BadAnswer, Line, Verdict

if TYPE_CHECKING:
    from playground.exercises.schema import Exercise, Item


def grade(exercise: Exercise, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    """Judge a sequence of events."""
    return judge(_items(exercise), _events(exercise, give_up), answer)


def solution(exercise: Exercise) -> list[str]:
    """Return the right sequence."""
    return sequence(_items(exercise), _events(exercise, lambda: False))


def _items(exercise: Exercise) -> Sequence[Item]:
    assert exercise.order is not None  # noqa: S101 - the schema's test sees to it
    return exercise.order.items


def _events(exercise: Exercise, give_up: Callable[[], bool]) -> list[Event]:
    scenario = exercise.full_scenario()
    playback = Playback(scenario, give_up=give_up)
    playback.play(scenario["until_us"])
    return playback.events


def sequence(items: Sequence[Item], events: Sequence[Event]) -> list[str]:
    """Return the ids of the items that happen, in the order of the run."""
    numbers = {}
    for item in items:
        event = item.event.first_in(events) if item.event else None
        if event is not None:
            numbers[item.id] = event.number
    return sorted(numbers, key=numbers.__getitem__)


def judge(items: Sequence[Item], events: Sequence[Event], answer: Any) -> Verdict:
    """Compare a list of ids with the run: what does not happen, what is missing, and the first one out of place."""
    names = {item.id for item in items}
    if not isinstance(answer, list) or not all(isinstance(each, str) and each in names for each in answer):
        raise BadAnswer("put the items in order")
    if len(set(answer)) != len(answer):
        raise BadAnswer("each item stands once")
    right = sequence(items, events)
    imagined = [name for name in answer if name not in right]
    missing = [name for name in right if name not in answer]
    kept = [name for name in answer if name in right]
    wanted = [name for name in right if name in answer]
    late = [name for name, other in zip(kept, wanted, strict=True) if name != other]
    places = {name: number for number, name in enumerate(right, 1)}
    lines = [
        Line(name, number, places.get(name), name not in imagined and name not in late)
        for number, name in enumerate(answer, 1)
    ]
    lines += [Line(name, None, places[name], False) for name in missing]
    feedback = imagined[:1] or (["_missing"] if missing else []) or (["_out-of-order"] if late else [])
    return Verdict(not feedback, tuple(feedback), tuple(lines), " ".join(answer) or "-")
