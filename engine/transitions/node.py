"""The node and its actors change."""

from __future__ import annotations

from typing import Any

from engine.transitions.base import Transition, Why


class NodeChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A number, a setting or a state of the node differs. `part`: settings, memory, disk, alarms, clock.

    Fold: state["node"][part][name] = value for each of `values`.
    """

    part: str
    values: Why
    why: Why = {}


class ActorChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A publisher, consumer, connection or process differs. Fold: merged into node.actors[actor]; None removes it."""

    actor: str
    values: dict[str, Any] | None
    why: Why = {}


class ProcessChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A process of the broker differs, as far as it is told (P6, F3).

    Fold: merged into node.processes[process]; None removes it.
    """

    process: str
    values: dict[str, Any] | None
    why: Why = {}


class ConnectionBlocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """connection.blocked left for a client that announced the capability (A5)."""

    actor: str
    reason: str
    why: Why = {}


class ConnectionUnblocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """connection.unblocked left for a client: no alarm is set any more (A5)."""

    actor: str
    why: Why = {}


class ConfirmsSent(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Publisher confirms left for a publisher (K1, K8)."""

    actor: str
    count: int
    why: Why = {}
