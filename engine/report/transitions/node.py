"""Nodes, their actors, and the members of mirrored queues change (H1-H90)."""

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


class NodeStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A node of the cluster stopped; `how` is clean, kill or power (H71, H74)."""

    about: ClassVar[About] = About(group="node", function="on_node_down", weight=9)

    node: str
    how: str


class NodeStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A node of the cluster runs again (H17, H72)."""

    about: ClassVar[About] = About(group="node", function="on_vhost_up", weight=7)

    node: str


class MirrorJoined(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A mirror was added, empty, as the youngest member (H13, H17). why: how many messages of the master it lacks."""

    about: ClassVar[About] = About(
        group="node", function="add_mirror", weight=7, units={"depth_delta": "messages"}
    )

    queue: str
    node: str
    why: Why = {}


class MirrorLeft(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A mirror left the queue: dropped, crashed, refused or gone with its node (H14, H61, H64)."""

    about: ClassVar[About] = About(group="node", function="remove_from_queue", weight=7)

    queue: str
    node: str
    how: str


class MirrorSynchronised(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A mirror is synchronised: by its depth, it has what the master has (H41)."""

    about: ClassVar[About] = About(group="node", function="record_synchronised", weight=6)

    queue: str
    node: str


class QueuePromoted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A mirror became the master, with the messages that it has (H62).

    Fold: the queue shown as `source` is shown as `queue`. why: lost, how many messages of the old master it lacks.
    """

    about: ClassVar[About] = About(
        group="node", function="promote_me", fold="state", weight=10, units={"lost": "messages"}
    )

    queue: str
    node: str
    source: str
    why: Why = {}


class RingSent(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A master sent instructions around the ring (H25, H26). why: left (its length then), ack."""

    about: ClassVar[About] = About(
        group="messages", function="broadcast", shown="detail", units={"hops": "hops", "body_bytes": "bytes"}
    )

    queue: str
    node: str
    instruction: str
    count: int
    hops: int
    body_bytes: int
    why: Why = {}


class SyncStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A synchronisation began: its mirrors threw away what they had, and the queue does nothing else (H52, H56)."""

    about: ClassVar[About] = About(group="node", function="sync_mirrors", weight=8)

    queue: str
    mirrors: tuple[str, ...]


class SyncEnded(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A synchronisation is over: done, cancelled, or nobody was left (H54, H58). why: messages that were sent."""

    about: ClassVar[About] = About(
        group="node", function="sync_mirrors", weight=8, units={"sent": "messages"}
    )

    queue: str
    how: str
    why: Why = {}
