"""The node and its actors change."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.report.transitions.base import About, Transition, Why


class NodeChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A number, a setting or a state of the node changed. `part`: settings, memory, disk, alarms, clock.

    Fold: state["node"][part][name] = value for each of `values`.
    """

    about: ClassVar[About] = About(
        group="node",
        function="check_memory",
        fold="state",
        units={"process_memory": "bytes", "free": "bytes", "limit": "bytes"},
    )

    part: str
    values: Why
    why: Why = {}


class ActorChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A publisher, consumer, connection or process changed. Fold: merged into node.actors[actor]; None removes it."""

    about: ClassVar[About] = About(group="node", function="credit_flow", fold="state", shown="detail")

    actor: str
    values: dict[str, Any] | None
    why: Why = {}


class ProcessChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """What is shown of a process of the broker changed (P6, F3).

    Fold: merged into node.processes[process]; None removes it.
    """

    about: ClassVar[About] = About(group="node", function="credit_flow", fold="state")

    process: str
    values: dict[str, Any] | None
    why: Why = {}


class ConnectionBlocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The broker sent connection.blocked to a client that announced the capability (A5)."""

    about: ClassVar[About] = About(group="node", function="control_throttle")

    actor: str
    reason: str
    why: Why = {}


class ConnectionUnblocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The broker sent connection.unblocked to a client: no alarm is set any more (A5)."""

    about: ClassVar[About] = About(group="node", function="control_throttle")

    actor: str
    why: Why = {}


class ConfirmsSent(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The broker sent confirms to a publisher (K1, K8)."""

    about: ClassVar[About] = About(group="messages", function="confirm")

    actor: str
    count: int
    why: Why = {}
