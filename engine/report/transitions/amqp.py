"""What clients and the node do in AMQP's own words: exchanges, bindings, policies, closing, returns, dead letters."""

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
