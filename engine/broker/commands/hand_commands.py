"""What a person does on a channel by hand: gets, consumers, acknowledgements."""

from __future__ import annotations

from typing import Annotated

import msgspec

from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    HAND,
    ChannelName,
    Command,
    ConsumerTag,
    Count,
    Prefetch,
    QueueName,
)
from engine.broker.commands.topology_commands import Priority


class Ack(Command, frozen=True, tag="ack"):
    """Acknowledge the oldest deliveries held by hand: one by one, or with one ack(multiple) (P14)."""

    count: Count
    multiple: bool = False
    channel: ChannelName = HAND


class Requeue(Command, frozen=True, tag="requeue"):
    """Reject the oldest deliveries held by hand so that they return to the queue (P11)."""

    count: Count
    channel: ChannelName = HAND


class Nack(Command, frozen=True, tag="nack"):
    """basic.nack of the oldest deliveries held by hand: one by one, or all at once (P11)."""

    count: Count
    multiple: bool = False
    requeue: bool = True
    channel: ChannelName = HAND


class Reject(Command, frozen=True, tag="reject"):
    """basic.reject of the oldest deliveries held by hand, one by one; without requeue they are dead letters (P11)."""

    count: Count
    requeue: bool = True
    channel: ChannelName = HAND


class AckTag(Command, frozen=True, tag="ack_tag"):
    """basic.ack with a delivery tag of the hand's channel (P14)."""

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    channel: ChannelName = HAND


class NackTag(Command, frozen=True, tag="nack_tag"):
    """basic.nack or basic.reject with a delivery tag of a channel (P11, P14).

    Args:
        reject: it is basic.reject, after which 4.3 counts a delivery that failed (W42).
    """

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    requeue: bool = True
    channel: ChannelName = HAND
    reject: bool = False


class Recover(Command, frozen=True, tag="recover"):
    """basic.recover: all that a channel holds goes back to its queues; the broker has it with requeue only (P11)."""

    requeue: bool = True
    channel: ChannelName = HAND


class Qos(Command, frozen=True, tag="qos"):
    """basic.qos: how many messages each consumer that is started later, or the whole channel, may hold (P13).

    Args:
        prefetch: 0 for any number.
        channel_wide: AMQP's `global`: one limit for all consumers of the channel, which holds at once.
    """

    prefetch: Prefetch
    channel_wide: bool = False
    channel: ChannelName = HAND


class Consume(Command, frozen=True, tag="consume"):
    """basic.consume on a channel by hand, whose messages are acknowledged by hand (P12).

    Unlike `set_consumer` it begins a consumer and changes none: with a tag that the channel has already the broker
    closes the connection.

    Args:
        name: the consumer tag.
        others: as in `set_consumer`.
    """

    name: ConsumerTag
    prefetch: Prefetch = 0
    queue: QueueName = DEFAULT_QUEUE
    priority: Priority = 0
    exclusive: bool = False
    channel_prefetch: Prefetch = 0
    channel: ChannelName = HAND


class Get(Command, frozen=True, tag="get"):
    """basic.get `count` times; with `ack` the messages stay unacknowledged until the ack command (P11)."""

    count: Count
    ack: bool = True
    queue: QueueName = DEFAULT_QUEUE
    channel: ChannelName = HAND


class Purge(Command, frozen=True, tag="purge"):
    """Drop every ready message (P19)."""

    queue: QueueName = DEFAULT_QUEUE
    channel: ChannelName = HAND
