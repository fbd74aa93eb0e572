"""What can be asked of a moment of a run: lanes, messages, counters and events, each with a path and words."""

from __future__ import annotations

from typing import Any

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.places import VARIABLE_QUEUE, counted, listed, ready
from engine.generations import PLACES as OF_QUEUES
from playground.exercises.authors import words
from playground.exercises.variants import SUM
from playground.messages import Refused

OPS = ("==", "!=", ">", ">=", "<", "<=")


class Observable(msgspec.Struct, frozen=True):
    """One thing that can be asked.

    Args:
        path: where it is in a moment; `%s` stands for the number of a message.
        label: how the builder calls it.
        compared: what it is compared with: a number, yes or no, or a place.
    """

    path: str
    label: Any
    compared: str = "number"


USUAL = OF_QUEUES[VARIABLE_QUEUE]
STAGE = ready(USUAL)
"""The lanes from the tail to the head."""
LANES = tuple(lane for lane in STAGE if lane in listed(USUAL))
OBSERVABLES: dict[str, Observable] = {
    **{lane: Observable(f"queue.lanes.{lane}.messages", lane) for lane in LANES},
    **{place: Observable(f"queue.{place}.count", place) for place in counted(USUAL)},
    "ready": Observable("queue.ready", _("messages that are ready")),
    "unacked": Observable("queue.unacked", _("unacknowledged messages")),
    "alpha": Observable("queue.alpha", "alpha"),
    "beta": Observable("queue.beta", "beta"),
    "gamma": Observable("queue.gamma", "gamma"),
    "place": Observable("queue.place.%s", _("the place of message number …"), "place"),
    "persistent-bytes": Observable("stores.persistent.file_bytes", _("bytes in the persistent store")),
    "transient-bytes": Observable("stores.transient.file_bytes", _("bytes in the transient store")),
    "index-bytes": Observable(
        "queue.index.journal_and_buffer_bytes", _("bytes in the journal and its buffer")
    ),
    "memory-alarm": Observable("node.alarms.memory", _("the memory alarm is set"), "yes or no"),
    "reads": Observable("happened.DeltaRead", _("reads from delta so far")),
    "combined": Observable("happened.FilesCombined", _("combinations of two files so far")),
    "deleted": Observable("happened.FileDeleted", _("store files deleted so far")),
    "confirms": Observable("happened.ConfirmsSent", _("confirms sent so far")),
    "kills": Observable("stopped.kill", _("kills of the node so far")),
    "power-cuts": Observable("stopped.power", _("power cuts so far")),
}
SUM_CHARACTERS = 20
PLACES = (*LANES, *counted(USUAL), "unacked", "gone")


def condition(observable: str, op: str, value: str, message: str = "") -> dict[str, Any]:
    """Return a condition, or raise `Refused` where it is not complete."""
    asked = OBSERVABLES.get(observable)
    if asked is None or op not in OPS:
        raise Refused(_("Choose what the condition is about."))
    path = asked.path
    if asked.compared == "place":
        if not _whole(message) or value not in PLACES:
            raise Refused(_("A message has a number, and a place: %(places)s."), places=", ".join(PLACES))
        return {"path": path % _number(message), "op": "!=" if op == "!=" else "==", "value": value}
    if asked.compared == "yes or no":
        return {"path": path, "op": "==", "value": value != "no"}
    if not _whole(value):
        raise Refused(_("Compare with a whole number."))
    return {"path": path, "op": op, "value": _number(value)}


def _whole(text: str) -> bool:
    digits = text.isascii() and text.isdigit() and len(text) <= 9
    return digits or (len(text) <= SUM_CHARACTERS and SUM.fullmatch(text) is not None)


def _number(text: str) -> int | str:
    """Return a number, or the sum of letters that stands for one (`{a-2}`)."""
    return int(text) if text.isdigit() else text


def measure(observable: str) -> str:
    """Return the path of something that is counted, or raise `Refused`."""
    asked = OBSERVABLES.get(observable)
    if asked is None or asked.compared != "number":
        raise Refused(words.NO_NUMBER)
    return asked.path
