"""What an operator does to a node, a cluster (H51, H71-H75), queues, exchanges, bindings and policies."""

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
    Name,
    NewQueueName,
    PolicyName,
    QueueName,
    RoutingKey,
)

NodeName = Literal["n1", "n2", "n3"]
FIRST_NODE: NodeName = "n1"


class Connect(Command, frozen=True, tag="connect"):
    """Let a client's connection be to this node from now on; without it clients take the first that runs."""

    name: Name
    node: NodeName


class KillNode(Command, frozen=True, tag="kill_node"):
    """A node is lost at once, with all that it has in RAM (H61, H69)."""

    node: NodeName


class StopNode(Command, frozen=True, tag="stop_node"):
    """A node stops in order (H71)."""

    node: NodeName


class StartNode(Command, frozen=True, tag="start_node"):
    """A node that was stopped or lost runs again (H17, H72-H74)."""

    node: NodeName


class Synchronise(Command, frozen=True, tag="sync_queue"):
    """rabbitmqctl sync_queue: fill the mirrors of a queue that are not synchronised (H51)."""

    queue: QueueName = DEFAULT_QUEUE


class CancelSync(Command, frozen=True, tag="cancel_sync_queue"):
    """rabbitmqctl cancel_sync_queue: end a synchronisation between two batches (H58)."""

    queue: QueueName = DEFAULT_QUEUE


class Move(Command, frozen=True, tag="move_master"):
    """Move a queue's master to another node, as rebalancing does (H87)."""

    node: NodeName
    queue: QueueName = DEFAULT_QUEUE


class Freeze(Command, frozen=True, tag="freeze"):
    """Suspend a member of a queue: nothing that is sent to it is lost, and nothing is done.

    Args:
        what: its process, or the multicast process that passes the master's instructions on.
    """

    node: NodeName
    what: Literal["queue", "gm"] = "queue"
    queue: QueueName = DEFAULT_QUEUE


class Thaw(Command, frozen=True, tag="thaw"):
    """Let a suspended member go on with what waited for it."""

    node: NodeName
    queue: QueueName = DEFAULT_QUEUE


class Set(Command, frozen=True, tag="set"):
    """Change a setting while the node runs.

    Args:
        queue: for settings that belong to one.
        node: whose member of a mirrored queue, for target_ram_count; None for the master (H80).
    """

    name: Literal[
        "ram_bytes",
        "vm_memory_high_watermark",
        "vm_memory_high_watermark_paging_ratio",
        "vm_memory_calculation_strategy",
        "target_ram_count",
        "queue_mode",
        "disk_free_bytes_other",
        "disk_free_limit",
        "work_profile",
    ]
    value: int | float | str | dict[str, int | float] | None
    queue: QueueName = DEFAULT_QUEUE
    node: NodeName | None = None


class Restart(Command, frozen=True, tag="restart"):
    """Stop the node and start it again: in order, by killing the VM, or by cutting the power (S234).

    With "kill_in_flush" the VM dies while each queue empties its journal: segments are written, the journal is not cut
    yet (S80, S115). A cluster's first node is killed as by "kill".
    """

    kind: Literal["clean", "kill", "kill_in_flush", "power"]


class StopApp(Command, frozen=True, tag="stop_app"):
    """rabbitmqctl stop_app: the broker stops in order and stays stopped, the VM goes on."""


class StartApp(Command, frozen=True, tag="start_app"):
    """rabbitmqctl start_app: the broker starts on its files."""


class AskQueues(Command, frozen=True, tag="ask_queues"):
    """A monitoring script runs list_queues: each queue process is asked, and so wakes, every time (P5, P6).

    Args:
        count: how many times it asks.
        every_ms: how long it waits between two times.
    """

    count: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    every_ms: Annotated[int, msgspec.Meta(ge=10, le=600_000)] = 1000


class Ctl(Command, frozen=True, tag="ctl"):
    """A line of rabbitmqctl that changes something, as it was typed; lines that only list are asked, not commanded."""

    line: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


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
