"""Queues stop and start (S234, Q62)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.extents import DeltaExtent


class QueueStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue process ended: clean, crash, kill or power (S234). Fold: everything of the queue is forgotten."""

    about: ClassVar[About] = About(group="node", function="terminate", fold="state", weight=9)

    queue: str
    how: str


class QueueStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue process started: of a new queue, or of one that is recovered (Q62)."""

    about: ClassVar[About] = About(group="node", function="init", fold="state", weight=10)

    queue: str
    mode: str
    durable: bool
    record: DeltaExtent
    values: Why
