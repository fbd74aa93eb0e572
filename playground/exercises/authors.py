"""Parts of the forms in which authors ask about a session's run.

A run is cut in two: up to where the learner stands, and what comes after. Observable values of a moment are listed and
shown for selection. The kinds of exercises build their forms from these.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import msgspec
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import CLASSIC_V2, VARIABLE_QUEUE
from engine.reading.conditions import MeasureGauge
from engine.reading.message_places import placements, shown_queue
from engine.replay import WatchedState
from playground.exercises import schema
from playground.exercises.grading import GradedRun, RunEvent, TooLong
from playground.exercises.schema import SUM
from playground.texts import RequestRefused

RUN_KEYS = ("version", "profile", "settings", "seed", "topology")
MOST_COMMANDS = 200
REST_US = 2_000_000
"""How long a run goes on after its last command."""


class AuthoredRun(msgspec.Struct, frozen=True):
    """All commands of a session with absolute times. `scenario`: what the run begins with, without commands.
    `commands`: ascending by time. `at_us`: where the learner stands. `end_us`: where the run ends.
    """

    scenario: dict[str, Any]
    commands: tuple[dict[str, Any], ...]
    at_us: int
    end_us: int

    def before(self) -> dict[str, Any]:
        given = [each for each in self.commands if each["at_us"] <= self.at_us]
        return {**self.scenario, "commands": given, "until_us": self.at_us}

    def after(self) -> list[dict[str, Any]]:
        return [each for each in self.commands if each["at_us"] > self.at_us]

    def whole(self) -> dict[str, Any]:
        return {**self.scenario, "commands": list(self.commands), "until_us": self.end_us}

    def events(self) -> list[RunEvent]:
        """Return what happens after the learner's moment. Raises RequestRefused."""
        try:
            playback = GradedRun(self.whole())
            playback.go(self.at_us)
            begun = len(playback.events)
            playback.go(self.end_us)
        except TooLong:
            raise RequestRefused(TOO_LONG) from None
        return playback.events[begun:]


def command_line(command: dict[str, Any]) -> str:
    """Return a command as one line: when, what, with which values."""
    given = {name: value for name, value in command.items() if name not in {"at_us", "do"}}
    size = (
        f"{given.pop('count')} × {given.pop('size_bytes')} B" if {"count", "size_bytes"} <= set(given) else ""
    )
    values = ", ".join(filter(None, [size, *(_value(name, value) for name, value in given.items())]))
    return f"{command['at_us'] / 1_000_000:g} s  {command['do'].replace('_', ' ')} {values}".strip()


def _value(name: str, value: Any) -> str:
    """Return a value of a command in words; a flag gives its meaning, or nothing if it changes nothing."""
    if isinstance(value, bool):
        return str(FLAGS.get(name, {}).get(value, name.replace("_", " ") if value else ""))
    return f"{name.replace('_', ' ')} {'∞' if value is None else value}"


def of_session(
    scenario: dict[str, Any], log: dict[str, Any], at_us: int | None, frozen_us: int | None = None
) -> AuthoredRun:
    """Return the run of a session. `scenario`: the session's own, with the commands that it began with. `log`: what
    was given since, as `stages.log_of` returns it. `at_us`: where the learner stands; None is just before the last
    command. `frozen_us`: where the run ended when the author began to ask; None is now. The session may go on
    meanwhile. Raises RequestRefused: it has too many commands.
    """
    commands = sorted([*scenario.get("commands", ()), *log["commands"]], key=lambda each: each["at_us"])
    if frozen_us is not None:
        commands = [each for each in commands if each["at_us"] <= frozen_us]
    if len(commands) > MOST_COMMANDS:
        raise RequestRefused(TOO_MANY, most=MOST_COMMANDS)
    last = commands[-1]["at_us"] if commands else 0
    end_us = max(log["until_us"], last + REST_US)
    if frozen_us is not None:
        end_us = max(last, min(end_us, frozen_us))
    stand = max(0, last - 1) if at_us is None else min(at_us, end_us)
    plain = {name: scenario[name] for name in RUN_KEYS if name in scenario}
    return AuthoredRun(plain, tuple(commands), stand, end_us)


PostedForm: TypeAlias = MultiValueDict
"""The fields of a form: Django's QueryDict, or what a browser sends its own app."""

TEXT, SHORT = 3000, 300
"""Most characters of a long and of a short text."""


def text_of(posted: PostedForm, name: str, most: int = SHORT) -> str:
    return posted.get(name, "").strip()[:most]


def condition(posted: PostedForm, row: int, run: AuthoredRun) -> dict[str, Any]:
    """Return the condition of a row about a run. Raises `Refused`, which says what is missing."""
    return condition_of(
        run,
        posted.get(f"observable-{row}", ""),
        posted.get(f"op-{row}", "=="),
        posted.get(f"value-{row}", "").strip(),
        posted.get(f"message-{row}", "").strip(),
    )


def go_on(run: AuthoredRun) -> dict[str, Any]:
    return {"commands": run.after(), "until_us": run.end_us}


FLAGS = {
    "persistent": {True: _("persistent"), False: _("transient")},
    "running": {True: _("running"), False: _("stopped")},
    "ack": {True: _("with acks"), False: _("without acks")},
    "confirm": {True: _("with confirms"), False: ""},
}
"""The meaning of a command's flag, set or not."""
TOO_LONG = _(
    "This run is too long for an exercise. Begin a new session, and do only what the exercise needs."
)
TOO_MANY = _("An exercise has at most %(most)s commands. Begin a new session, and do only what it needs.")
NO_TITLE = _("The title is missing: give the exercise one.")
NO_TASK = _("The task is missing: say what the learner sees and is asked.")
NO_EXPLANATION = _("The explanation is missing: a sentence that is shown with the answer.")
NO_NUMBER = _("Choose what is counted.")
RANGE = _(
    "%(name)s is usually %(usual)s. Give the range of whole numbers around it from which it may be drawn."
)
MOST_VARIANTS = _(
    "The ranges have %(count)s combinations; %(most)s are the most that are checked. Make them smaller."
)
VARIANT = _("With other numbers (%(numbers)s): %(problem)s")
NOTHING_AFTER = _("Nothing was done after this moment. Choose an earlier one.")
NO_EXERCISE = _("This is not an exercise: %(problem)s")
NO_JSON = _("it is not JSON")
NOT_PASSED = _("Its own solution does not pass.")
TOO_MANY_MADE = _("You have made %(most)s exercises, which is the limit. Delete one first.")

OPS = ("==", "!=", ">", ">=", "<", "<=")


class ObservableValue(msgspec.Struct, frozen=True):
    """An observable value. `path`: in a state; `%s` stands for the number of a message. `compared`: the kind of
    value to compare with: a number, yes or no, or a place.
    """

    path: str
    label: Any
    compared: str = "number"


OF_ALL: dict[str, ObservableValue] = {
    "ready": ObservableValue("queue.ready", _("messages that are ready")),
    "unacked": ObservableValue("queue.unacked", _("unacknowledged messages")),
    "alpha": ObservableValue("queue.alpha", "alpha"),
    "gamma": ObservableValue("queue.gamma", "gamma"),
    "place": ObservableValue("queue.place.%s", _("the place of message number …"), "place"),
    "persistent-bytes": ObservableValue("stores.persistent.file_bytes", _("bytes in the persistent store")),
    "transient-bytes": ObservableValue("stores.transient.file_bytes", _("bytes in the transient store")),
    "memory-alarm": ObservableValue("node.alarms.memory", _("the memory alarm is set"), "yes or no"),
    "deleted": ObservableValue("happened.FileDeleted", _("store files deleted so far")),
    "confirms": ObservableValue("happened.ConfirmsSent", _("confirms sent so far")),
    "kills": ObservableValue("stopped.kill", _("kills of the node so far")),
    "power-cuts": ObservableValue("stopped.power", _("power cuts so far")),
}
OF_KIND: dict[str, dict[str, ObservableValue]] = {
    VARIABLE_QUEUE: {
        "beta": ObservableValue("queue.beta", "beta"),
        "index-bytes": ObservableValue(
            "queue.index.journal_and_buffer_bytes", _("bytes in the journal and its buffer")
        ),
        "reads": ObservableValue("happened.DeltaRead", _("reads from delta so far")),
        "combined": ObservableValue("happened.FilesCombined", _("combinations of two files so far")),
    },
    CLASSIC_V2: {
        "window": ObservableValue("queue.counters.window", _("L: how many messages one load asks for")),
        "waiting-bytes": ObservableValue(
            "queue.files.waiting_bytes", _("bytes that wait to be written to .qs")
        ),
        "loads": ObservableValue("happened.TailLoaded", _("loads from the tail so far")),
        "compacted": ObservableValue("happened.FileCompacted", _("store files compacted so far")),
    },
}
"""Values that only one kind of queue has, in addition to its places."""


@cache
def observables_of_kind(kind: str) -> dict[str, ObservableValue]:
    """Return the values of a kind of queue: first its lanes, then its counters."""
    lies = schema.of_kind(kind)
    return {
        **{lane: ObservableValue(f"queue.lanes.{lane}.messages", lane) for lane in lies.lanes},
        **{place: ObservableValue(f"queue.{place}.count", place) for place in lies.counted},
        **OF_ALL,
        **OF_KIND.get(kind, {}),
    }


def observables_of(run: AuthoredRun) -> dict[str, ObservableValue]:
    return observables_of_kind(schema.places_of(run.scenario).kind)


SUM_CHARACTERS = 20


def condition_of(run: AuthoredRun, observable: str, op: str, value: str, message: str = "") -> dict[str, Any]:
    """Return a condition about a run, or raise `RequestRefused` where it is not complete."""
    asked = observables_of(run).get(observable)
    if asked is None or op not in OPS:
        raise RequestRefused(_("Choose what the condition is about."))
    path = asked.path
    if asked.compared == "place":
        places = schema.places_of(run.scenario).answers
        if not _whole(message) or value not in places:
            raise RequestRefused(
                _("A message has a number, and a place: %(places)s."), places=", ".join(places)
            )
        return {"path": path % _number(message), "op": "!=" if op == "!=" else "==", "value": value}
    if asked.compared == "yes or no":
        return {"path": path, "op": "==", "value": value != "no"}
    if not _whole(value):
        raise RequestRefused(_("Compare with a whole number."))
    return {"path": path, "op": op, "value": _number(value)}


def _whole(text: str) -> bool:
    digits = text.isascii() and text.isdigit() and len(text) <= 9
    return digits or (len(text) <= SUM_CHARACTERS and SUM.fullmatch(text) is not None)


def _number(text: str) -> int | str:
    """Return a number, or the sum of letters that stands for one (`{a-2}`)."""
    return int(text) if text.isdigit() else text


def measure(run: AuthoredRun, observable: str) -> str:
    """Return the path of a counter of a run. Raises `RequestRefused`."""
    asked = observables_of(run).get(observable)
    if asked is None or asked.compared != "number":
        raise RequestRefused(NO_NUMBER)
    return asked.path


class ScenePoint(msgspec.Struct, frozen=True):
    """Something on the stage that a condition can be about. `observable`: its name in `observables.of_run`.
    `label`: how the builder calls it. `now`: its value where the learner stands, as text. `then`: its value at the
    end of the run: what a true condition compares with. `message`: the number of the message, where it is one.
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


def scene_of(run: AuthoredRun) -> AuthoredScene:
    """Return the selectable values of a run's stage. Raises `RequestRefused` if the run is too long."""
    stage = schema.places_of(run.scenario).stage
    known = observables_of(run)
    asked = {name: observable for name, observable in known.items() if observable.compared != "place"}
    gauges = {name: MeasureGauge(observable.path) for name, observable in asked.items()}
    playback = GradedRun(run.whole(), (), gauges.values())
    try:
        moment = playback.go(run.at_us)
        now, placed = _values(asked, gauges, moment), _placed(moment)
        moment = playback.go(run.end_us)
        then, comes_to = _values(asked, gauges, moment), _placed(moment)
    except TooLong:
        raise RequestRefused(TOO_LONG) from None
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
    asked: dict[str, ObservableValue], gauges: dict[str, MeasureGauge], moment: WatchedState
) -> dict[str, str]:
    found: dict[str, Any] = {name: gauge.value(moment) for name, gauge in gauges.items()}
    return {
        name: ("yes" if value else "no") if asked[name].compared == "yes or no" else str(value or 0)
        for name, value in found.items()
    }


def _placed(moment: WatchedState) -> dict[str, str]:
    queue = shown_queue(moment)
    return {} if queue is None else placements(queue)
