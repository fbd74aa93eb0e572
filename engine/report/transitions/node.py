"""What clients and the node do: exchanges, bindings, policies, closing, returns, dead letters, alarms, actors."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.report.transitions.base import About, Transition, Why


class ExchangeDeclared(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """An exchange was declared. Fold: node.exchanges[exchange] = values."""

    about: ClassVar[About] = About(group="node", function="exchange_declare", fold="topology")

    exchange: str
    values: dict[str, Any]


class ExchangeDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """An exchange was deleted (D1). Fold: node.exchanges loses it."""

    about: ClassVar[About] = About(group="node", function="exchange_delete", fold="topology")

    exchange: str


class QueueBound(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue was bound to an exchange, or another exchange where `to` names one.

    Fold: node.bindings gets {exchange, queue, routing_key, arguments, to}.
    """

    about: ClassVar[About] = About(group="node", function="queue_bind", fold="topology")

    exchange: str
    queue: str
    routing_key: str
    arguments: dict[str, Any]
    to: str = "queue"


class QueueUnbound(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A binding was removed (D1). Fold: node.bindings loses the one with these fields."""

    about: ClassVar[About] = About(group="node", function="queue_unbind", fold="topology")

    exchange: str
    queue: str
    routing_key: str
    arguments: dict[str, Any]
    to: str = "queue"


class VhostAdded(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A virtual host was added, with stores of its own (S1). Fold: node.vhosts gains it."""

    about: ClassVar[About] = About(group="node", function="add_vhost", fold="state")

    vhost: str


class VhostDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A virtual host was deleted with all that is in it (S1). Fold: node.vhosts and the rest of its tables lose it."""

    about: ClassVar[About] = About(group="node", function="delete_vhost", fold="state")

    vhost: str


class HappenedElsewhere(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Something happened in another virtual host than the one that a page shows, which has this in its place.

    A node never reports it: see static/js/model/hosts.js.
    """

    about: ClassVar[About] = About(group="node", function="virtual_host")

    vhost: str
    what: str


class PolicySet(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A policy was set (P17). Fold: node.policies[policy] = values."""

    about: ClassVar[About] = About(group="node", function="set_policy", fold="topology")

    policy: str
    values: dict[str, Any]


class PolicyCleared(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A policy was cleared (P17). Fold: node.policies loses it."""

    about: ClassVar[About] = About(group="node", function="clear_policy", fold="topology")

    policy: str


class ChannelClosed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A channel was closed, for an error of its client unless `code` is 200; what it held is requeued (P11)."""

    about: ClassVar[About] = About(group="node", function="channel_close")

    actor: str
    code: int
    text: str


class ConnectionClosed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A connection was closed with its channel, for an error of its client unless `code` is 200."""

    about: ClassVar[About] = About(group="node", function="connection_close")

    actor: str
    code: int
    text: str


class ConsumerCancelled(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A consumer was cancelled: it asked for that, or its queue is gone. why: cause."""

    about: ClassVar[About] = About(group="node", function="basic_cancel")

    actor: str
    queue: str
    why: Why = {}


class Unroutable(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """No queue got these messages; `returned`: they were mandatory and went back to the publisher (K10)."""

    about: ClassVar[About] = About(group="messages", function="basic_return")

    actor: str
    count: int
    exchange: str
    routing_key: str
    returned: bool


class GotEmpty(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """basic.get found no message in the queue (P10)."""

    about: ClassVar[About] = About(group="messages", function="basic_get")

    actor: str
    queue: str


class NacksSent(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The broker sent basic.nack to a publisher: it did not take the messages (K10). why: cause, left."""

    about: ClassVar[About] = About(group="messages", function="send_nacks")

    actor: str
    count: int
    why: Why = {}


class ConfirmsForgotten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A channel closed while confirms were awaited: they are never sent, whatever became of the messages (K10)."""

    about: ClassVar[About] = About(group="messages", function="terminate", weight=4)

    actor: str
    count: int


class Committed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The broker sent tx.commit_ok to a publisher: all of its transaction is confirmed (D13). why: commits."""

    about: ClassVar[About] = About(group="messages", function="tx_commit")

    actor: str
    count: int
    why: Why = {}


class Rejected(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A full queue did not take messages: its overflow is reject-publish (P8). why: max_length, len, ..."""

    about: ClassVar[About] = About(group="messages", function="send_reject_publish")

    queue: str
    count: int
    why: Why = {}


class DeadLettered(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages that a queue dead-lettered were published again (P8, P9, P11).

    Args:
        reason: expired, rejected or maxlen.
        to: the queues that got them; empty when none did.
        why: count of queues left out because the message has been there.
    """

    about: ClassVar[About] = About(group="messages", function="dead_letter_publish")

    queue: str
    reason: str
    count: int
    exchange: str
    routing_key: str
    to: tuple[str, ...]
    why: Why = {}


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
