"""What clients and the node do: exchanges, bindings, policies, closing, returns, dead letters, alarms, actors."""

from __future__ import annotations

from typing import Any

from engine.report.transitions.base import About, Transition, Why


class ExchangeDeclared(Transition, frozen=True):
    """An exchange was declared. Fold: node.exchanges[exchange] = values."""

    about = About("node", "exchange_declare", "topology")
    exchange: str
    values: dict[str, Any]


class ExchangeDeleted(Transition, frozen=True):
    """An exchange was deleted (D1). Fold: node.exchanges loses it."""

    about = About("node", "exchange_delete", "topology")
    exchange: str


class QueueBound(Transition, frozen=True):
    """A queue was bound to an exchange, or another exchange where `to` names one.

    Fold: node.bindings gets {exchange, queue, routing_key, arguments, to}.
    """

    about = About("node", "queue_bind", "topology")
    exchange: str
    queue: str
    routing_key: str
    arguments: dict[str, Any]
    to: str = "queue"


class QueueUnbound(Transition, frozen=True):
    """A binding was removed (D1). Fold: node.bindings loses the one with these fields."""

    about = About("node", "queue_unbind", "topology")
    exchange: str
    queue: str
    routing_key: str
    arguments: dict[str, Any]
    to: str = "queue"


class VhostAdded(Transition, frozen=True):
    """A virtual host was added, with stores of its own (S1). Fold: node.vhosts gains it."""

    about = About("node", "add_vhost", "state")
    vhost: str


class VhostDeleted(Transition, frozen=True):
    """A virtual host was deleted with all that is in it (S1). Fold: node.vhosts and the rest of its tables lose it."""

    about = About("node", "delete_vhost", "state")
    vhost: str


class HappenedElsewhere(Transition, frozen=True):
    """Something happened in another virtual host than the one that a page shows, which has this in its place.

    A node never reports it: see static/js/model/hosts.js.
    """

    about = About("node", "virtual_host")
    vhost: str
    what: str


class PolicySet(Transition, frozen=True):
    """A policy was set (P17). Fold: node.policies[policy] = values."""

    about = About("node", "set_policy", "topology")
    policy: str
    values: dict[str, Any]


class PolicyCleared(Transition, frozen=True):
    """A policy was cleared (P17). Fold: node.policies loses it."""

    about = About("node", "clear_policy", "topology")
    policy: str


class ChannelClosed(Transition, frozen=True):
    """A channel was closed, for an error of its client unless `code` is 200; what it held is requeued (P11)."""

    about = About("node", "channel_close")
    actor: str
    code: int
    text: str


class ConnectionClosed(Transition, frozen=True):
    """A connection was closed with its channel, for an error of its client unless `code` is 200."""

    about = About("node", "connection_close")
    actor: str
    code: int
    text: str


class ConsumerCancelled(Transition, frozen=True):
    """A consumer was cancelled: it asked for that, or its queue is gone. why: cause."""

    about = About("node", "basic_cancel")
    actor: str
    queue: str
    why: Why = {}


class Unroutable(Transition, frozen=True):
    """No queue got these messages; `returned`: they were mandatory and went back to the publisher (K10)."""

    about = About("messages", "basic_return")
    actor: str
    count: int
    exchange: str
    routing_key: str
    returned: bool


class GotEmpty(Transition, frozen=True):
    """basic.get found no message in the queue (P10)."""

    about = About("messages", "basic_get")
    actor: str
    queue: str


class NacksSent(Transition, frozen=True):
    """The broker sent basic.nack to a publisher: it did not take the messages (K10). why: cause, left."""

    about = About("messages", "send_nacks")
    actor: str
    count: int
    why: Why = {}


class ConfirmsForgotten(Transition, frozen=True):
    """A channel closed while confirms were awaited: they are never sent, whatever became of the messages (K10)."""

    about = About("messages", "terminate", weight=4)
    actor: str
    count: int


class Committed(Transition, frozen=True):
    """The broker sent tx.commit_ok to a publisher: all of its transaction is confirmed (D13). why: commits."""

    about = About("messages", "tx_commit")
    actor: str
    count: int
    why: Why = {}


class Rejected(Transition, frozen=True):
    """A full queue did not take messages: its overflow is reject-publish (P8). why: max_length, len, ..."""

    about = About("messages", "send_reject_publish")
    queue: str
    count: int
    why: Why = {}


class DeadLettered(Transition, frozen=True):
    """Messages that a queue dead-lettered were published again (P8, P9, P11).

    Args:
        reason: expired, rejected or maxlen.
        to: the queues that got them; empty when none did.
        why: count of queues left out because the message has been there.
    """

    about = About("messages", "dead_letter_publish")
    queue: str
    reason: str
    count: int
    exchange: str
    routing_key: str
    to: tuple[str, ...]
    why: Why = {}


class NodeChanged(Transition, frozen=True):
    """A number, a setting or a state of the node changed. `part`: settings, memory, disk, alarms, clock.

    Fold: state["node"][part][name] = value for each of `values`.
    """

    about = About(
        "node", "check_memory", "state", units={"process_memory": "bytes", "free": "bytes", "limit": "bytes"}
    )
    part: str
    values: Why
    why: Why = {}


class ActorChanged(Transition, frozen=True):
    """A publisher, consumer, connection or process changed. Fold: merged into node.actors[actor]; None removes it."""

    about = About("node", "credit_flow", "state", shown="detail")
    actor: str
    values: dict[str, Any] | None
    why: Why = {}


class ProcessChanged(Transition, frozen=True):
    """What is shown of a process of the broker changed (P6, F3).

    Fold: merged into node.processes[process]; None removes it.
    """

    about = About("node", "credit_flow", "state")
    process: str
    values: dict[str, Any] | None
    why: Why = {}


class ConnectionBlocked(Transition, frozen=True):
    """The broker sent connection.blocked to a client that announced the capability (A5)."""

    about = About("node", "control_throttle")
    actor: str
    reason: str
    why: Why = {}


class ConnectionUnblocked(Transition, frozen=True):
    """The broker sent connection.unblocked to a client: no alarm is set any more (A5)."""

    about = About("node", "control_throttle")
    actor: str
    why: Why = {}


class ConfirmsSent(Transition, frozen=True):
    """The broker sent confirms to a publisher (K1, K8)."""

    about = About("messages", "confirm")
    actor: str
    count: int
    why: Why = {}


class NodeStopped(Transition, frozen=True):
    """A node of the cluster stopped; `how` is clean, kill or power (H71, H74)."""

    about = About("node", "on_node_down", weight=9)
    node: str
    how: str


class NodeStarted(Transition, frozen=True):
    """A node of the cluster runs again (H17, H72)."""

    about = About("node", "on_vhost_up", weight=7)
    node: str


class MirrorJoined(Transition, frozen=True):
    """A mirror was added, empty, as the youngest member (H13, H17). why: how many messages of the master it lacks."""

    about = About("node", "add_mirror", weight=7, units={"depth_delta": "messages"})
    queue: str
    node: str
    why: Why = {}


class MirrorLeft(Transition, frozen=True):
    """A mirror left the queue: dropped, crashed, refused or gone with its node (H14, H61, H64)."""

    about = About("node", "remove_from_queue", weight=7)
    queue: str
    node: str
    how: str


class MirrorSynchronised(Transition, frozen=True):
    """A mirror is synchronised: by its depth, it has what the master has (H41)."""

    about = About("node", "record_synchronised", weight=6)
    queue: str
    node: str


class QueuePromoted(Transition, frozen=True):
    """A mirror became the master, with the messages that it has (H62).

    Fold: the queue shown as `source` is shown as `queue`. why: lost, how many messages of the old master it lacks.
    """

    about = About("node", "promote_me", "state", weight=10, units={"lost": "messages"})
    queue: str
    node: str
    source: str
    why: Why = {}


class RingSent(Transition, frozen=True):
    """A master sent instructions around the ring (H25, H26). why: left (its length then), ack."""

    about = About("messages", "broadcast", shown="detail", units={"hops": "hops", "body_bytes": "bytes"})
    queue: str
    node: str
    instruction: str
    count: int
    hops: int
    body_bytes: int
    why: Why = {}


class SyncStarted(Transition, frozen=True):
    """A synchronisation began: its mirrors threw away what they had, and the queue does nothing else (H52, H56)."""

    about = About("node", "sync_mirrors", weight=8)
    queue: str
    mirrors: tuple[str, ...]


class SyncEnded(Transition, frozen=True):
    """A synchronisation is over: done, cancelled, or nobody was left (H54, H58). why: messages that were sent."""

    about = About("node", "sync_mirrors", weight=8, units={"sent": "messages"})
    queue: str
    how: str
    why: Why = {}
