"""Values that an author can select: each message in its lane and each counter, before and after an answer."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.reading.measures import MeasureGauge
from engine.reading.message_places import placements, shown_queue
from engine.replay import WatchedState
from playground.exercises import place_names
from playground.exercises.authors import observables, words
from playground.exercises.authors.runs import AuthoredRun
from playground.exercises.grading import GradedRun, TooLong
from playground.texts.page_message import RequestRefused


class ScenePoint(msgspec.Struct, frozen=True):
    """Something on the stage that a condition can be about.

    Args:
        observable: its name in `observables.of_run`.
        label: how the builder calls it.
        now: its value where the learner stands, as text.
        then: its value at the end of the run: what a true condition compares with.
        message: the number of the message, where it is one.
    """

    observable: str
    label: str
    now: str
    then: str
    message: str = ""


class AuthoredScene(msgspec.Struct, frozen=True):
    """The lanes from the tail to the head with the messages in them, and the counters below."""

    lanes: list[tuple[ScenePoint, list[ScenePoint]]]
    elsewhere: list[tuple[str, list[ScenePoint]]]
    counters: list[ScenePoint]


def of_run(run: AuthoredRun) -> AuthoredScene:
    """Return the selectable values of a run's stage. Raises `RequestRefused` if the run is too long."""
    stage = place_names.of_run(run.scenario).stage
    known = observables.of_run(run)
    asked = {name: observable for name, observable in known.items() if observable.compared != "place"}
    gauges = {name: MeasureGauge(observable.path) for name, observable in asked.items()}
    playback = GradedRun(run.whole(), (), gauges.values())
    try:
        moment = playback.go(run.at_us)
        now, placed = _values(asked, gauges, moment), _placed(moment)
        moment = playback.go(run.end_us)
        then, comes_to = _values(asked, gauges, moment), _placed(moment)
    except TooLong:
        raise RequestRefused(words.TOO_LONG) from None
    points = {name: ScenePoint(name, str(each.label), now[name], then[name]) for name, each in asked.items()}
    members: dict[str, list[ScenePoint]] = {}
    for number, place in reversed(placed.items()):  # as on the stage: the newest on the left
        point = ScenePoint("place", str(known["place"].label), place, comes_to.get(number, "gone"), number)
        members.setdefault(place, []).append(point)
    lanes = [(points[lane], members.get(lane, [])) for lane in stage]
    elsewhere: list[tuple[str, list[ScenePoint]]] = [
        (place, members[place]) for place in ("unacked", "gone") if place in members
    ]
    counters = [point for name, point in points.items() if name not in stage]
    return AuthoredScene(lanes, elsewhere, counters)


def _values(
    asked: dict[str, observables.ObservableValue], gauges: dict[str, MeasureGauge], moment: WatchedState
) -> dict[str, str]:
    found: dict[str, Any] = {name: gauge.value(moment) for name, gauge in gauges.items()}
    return {
        name: ("yes" if value else "no") if asked[name].compared == "yes or no" else str(value or 0)
        for name, value in found.items()
    }


def _placed(moment: WatchedState) -> dict[str, str]:
    queue = shown_queue(moment)
    return {} if queue is None else placements(queue)
