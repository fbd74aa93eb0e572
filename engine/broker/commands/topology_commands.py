"""Commands about queues, exchanges, bindings and policies, named as in AMQP and rabbitmqctl."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from engine.amqp.patterns import check_cost
from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    HAND,
    BrokerName,
    ChannelName,
    Command,
    ExchangeName,
    Fields,
    NewQueueName,
    PolicyName,
    QueueName,
    RoutingKey,
)
from engine.broker.commands.cluster_commands import NodeName

Priority = Annotated[int, msgspec.Meta(ge=1 - 2**53, le=2**53 - 1)]
ExchangeType = Annotated[str, msgspec.Meta(max_length=32)]
AppliesTo = Annotated[str, msgspec.Meta(max_length=32)]
Pattern = Annotated[str, msgspec.Meta(max_length=255)]


class DeclareQueue(Command, frozen=True, tag="declare_queue"):
    """queue.declare by hand (P18).

    Args:
        name: empty for a queue that the broker is to name.
        exclusive: only for the channel's connection, and gone with it.
        auto_delete: gone when its last consumer goes.
        passive: only ask whether it is there.
        arguments: x-arguments.
        no_wait: the broker sends no declare_ok. An error it sends all the same. So for the methods below.
    """

    name: NewQueueName
    durable: bool = True
    exclusive: bool = False
    auto_delete: bool = False
    passive: bool = False
    arguments: Fields = {}
    no_wait: bool = False
    channel: ChannelName = HAND


class DeleteQueue(Command, frozen=True, tag="delete_queue"):
    """queue.delete: the queue goes with all its messages (P19)."""

    name: QueueName
    if_unused: bool = False
    if_empty: bool = False
    no_wait: bool = False
    channel: ChannelName = HAND


class DeclareExchange(Command, frozen=True, tag="declare_exchange"):
    """exchange.declare by hand; arguments as in AMQP."""

    name: BrokerName
    type: ExchangeType = "direct"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    passive: bool = False
    arguments: Fields = {}
    no_wait: bool = False
    channel: ChannelName = HAND


class DeleteExchange(Command, frozen=True, tag="delete_exchange"):
    """exchange.delete: its bindings go with it."""

    name: BrokerName
    if_unused: bool = False
    no_wait: bool = False
    channel: ChannelName = HAND


class Bind(Command, frozen=True, tag="bind"):
    """queue.bind."""

    exchange: ExchangeName
    queue: QueueName
    routing_key: RoutingKey = ""
    arguments: Fields = {}
    no_wait: bool = False
    channel: ChannelName = HAND


class Unbind(Command, frozen=True, tag="unbind"):
    """queue.unbind."""

    exchange: ExchangeName
    queue: QueueName
    routing_key: RoutingKey = ""
    arguments: Fields = {}
    channel: ChannelName = HAND


class BindExchange(Command, frozen=True, tag="bind_exchange"):
    """exchange.bind: messages of one exchange go on to another."""

    source: ExchangeName
    destination: ExchangeName
    routing_key: RoutingKey = ""
    arguments: Fields = {}
    no_wait: bool = False
    channel: ChannelName = HAND


class UnbindExchange(Command, frozen=True, tag="unbind_exchange"):
    """exchange.unbind."""

    source: ExchangeName
    destination: ExchangeName
    routing_key: RoutingKey = ""
    arguments: Fields = {}
    no_wait: bool = False
    channel: ChannelName = HAND


class SetPolicy(Command, frozen=True, tag="set_policy"):
    """rabbitmqctl set_policy (P17)."""

    name: PolicyName
    pattern: Pattern
    definition: Fields
    priority: Priority = 0
    apply_to: AppliesTo = "queues"

    def __post_init__(self) -> None:
        """Look at what the pattern could cost, before it is given; raises ValueRefused."""
        super().__post_init__()
        check_cost(self.pattern)


class ClearPolicy(Command, frozen=True, tag="clear_policy"):
    """rabbitmqctl clear_policy (P17)."""

    name: PolicyName


Death = Literal["kill", "error"]
"""How a queue's process ends out of turn."""


class KillQueue(Command, frozen=True, tag="kill_queue"):
    """Let one queue process die; its supervisor starts it again on its files (D4).

    Args:
        node: whose member; None for the master (H75).
        how: killed from outside, or ended by an error of its own.
    """

    queue: QueueName = DEFAULT_QUEUE
    node: NodeName | None = None
    how: Death = "kill"
