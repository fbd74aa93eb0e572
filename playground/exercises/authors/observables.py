"""Observable values of a moment of a run: lanes, messages, counters and events, each with a path and words."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import CLASSIC_V2, VARIABLE_QUEUE
from playground.exercises import place_names
from playground.exercises.authors import words
from playground.exercises.authors.runs import AuthoredRun
from playground.exercises.variants import SUM
from playground.texts.page_message import RequestRefused

OPS = ("==", "!=", ">", ">=", "<", "<=")


class ObservableValue(msgspec.Struct, frozen=True):
    """An observable value.

    Args:
        path: in a state; `%s` stands for the number of a message.
        label: in the builder.
        compared: the kind of value to compare with: a number, yes or no, or a place.
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
def of_kind(kind: str) -> dict[str, ObservableValue]:
    """Return the values of a kind of queue: first its lanes, then its counters."""
    lies = place_names.of_kind(kind)
    return {
        **{lane: ObservableValue(f"queue.lanes.{lane}.messages", lane) for lane in lies.lanes},
        **{place: ObservableValue(f"queue.{place}.count", place) for place in lies.counted},
        **OF_ALL,
        **OF_KIND.get(kind, {}),
    }


def of_run(run: AuthoredRun) -> dict[str, ObservableValue]:
    """Return what can be asked of a run, by its release."""
    return of_kind(place_names.of_run(run.scenario).kind)


SUM_CHARACTERS = 20


def condition(run: AuthoredRun, observable: str, op: str, value: str, message: str = "") -> dict[str, Any]:
    """Return a condition about a run, or raise `RequestRefused` where it is not complete."""
    asked = of_run(run).get(observable)
    if asked is None or op not in OPS:
        raise RequestRefused(_("Choose what the condition is about."))
    path = asked.path
    if asked.compared == "place":
        places = place_names.of_run(run.scenario).answers
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
    asked = of_run(run).get(observable)
    if asked is None or asked.compared != "number":
        raise RequestRefused(words.NO_NUMBER)
    return asked.path
