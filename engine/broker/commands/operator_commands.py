"""An operator's commands for nodes, the cluster (H51, H71-H75), queues, exchanges, bindings and policies."""

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
    Priority,
    QueueName,
    RoutingKey,
    VhostName,
)

NodeName = Literal["n1", "n2", "n3"]
FIRST_NODE: NodeName = "n1"


class AddVhost(Command, frozen=True, tag="add_vhost"):
    """Add a virtual host with its own stores, unless it exists (rabbitmqctl add_vhost, S1)."""

    vhost: VhostName


class DeleteVhost(Command, frozen=True, tag="delete_vhost"):
    """Delete a virtual host with its contents and connections (rabbitmqctl delete_vhost, S1)."""

    vhost: VhostName


class Connect(Command, frozen=True, tag="connect"):
    """Connect a client to this node from now on; without it, clients use the first running node."""

    name: Name
    node: NodeName


class KillNode(Command, frozen=True, tag="kill_node"):
    """Kill a node at once; everything in its RAM is lost (H61, H69)."""

    node: NodeName


class StopNode(Command, frozen=True, tag="stop_node"):
    """Stop a node in order (H71)."""

    node: NodeName


class StartNode(Command, frozen=True, tag="start_node"):
    """Start a node that was stopped or lost (H17, H72-H74)."""

    node: NodeName


class Synchronise(Command, frozen=True, tag="sync_queue"):
    """Fill the unsynchronised mirrors of a queue (rabbitmqctl sync_queue, H51)."""

    queue: QueueName = DEFAULT_QUEUE


class CancelSync(Command, frozen=True, tag="cancel_sync_queue"):
    """End a synchronisation between two batches (rabbitmqctl cancel_sync_queue, H58)."""

    queue: QueueName = DEFAULT_QUEUE


class Move(Command, frozen=True, tag="move_master"):
    """Move a queue's master to another node, as rebalancing does (H87)."""

    node: NodeName
    queue: QueueName = DEFAULT_QUEUE


class Freeze(Command, frozen=True, tag="freeze"):
    """Suspend a member of a queue: it loses nothing that is sent to it, and does nothing. `what`: its
    process, or the multicast process that passes on the master's instructions.
    """

    node: NodeName
    what: Literal["queue", "gm"] = "queue"
    queue: QueueName = DEFAULT_QUEUE


class Thaw(Command, frozen=True, tag="thaw"):
    """Let a suspended member continue with what waited for it."""

    node: NodeName
    queue: QueueName = DEFAULT_QUEUE


class Set(Command, frozen=True, tag="set"):
    """Change a setting while the node runs. `node`: whose member of a mirrored queue, for target_ram_count;
    None for the master (H80).
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
    """Stop the node and start it again: in order, by killing the VM, or by cutting the power (S234). With
    "kill_in_flush" the VM dies while each queue empties its journal: segments are written, the journal is not
    cut yet (S80, S115). A cluster's first node is killed as by "kill".
    """

    kind: Literal["clean", "kill", "kill_in_flush", "power"]


class StopApp(Command, frozen=True, tag="stop_app"):
    """Stop the broker in order and leave it stopped; the VM keeps running (rabbitmqctl stop_app)."""


class StartApp(Command, frozen=True, tag="start_app"):
    """Start the broker on its files (rabbitmqctl start_app)."""


class AskQueues(Command, frozen=True, tag="ask_queues"):
    """Run list_queues as a monitoring script does; this wakes each queue process every time (P5, P6).
    `count`: how many times it asks. `every_ms`: how long it waits between two times.
    """

    count: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 1
    every_ms: Annotated[int, msgspec.Meta(ge=10, le=600_000)] = 1000


class Ctl(Command, frozen=True, tag="ctl"):
    """A line of rabbitmqctl that changes something, as typed; lines that only list are questions, not commands."""

    line: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


ExchangeType = Annotated[str, msgspec.Meta(max_length=32)]
AppliesTo = Annotated[str, msgspec.Meta(max_length=32)]
Pattern = Annotated[str, msgspec.Meta(max_length=255)]


class DeclareQueue(Command, frozen=True, tag="declare_queue"):
    """queue.declare by hand (P18).

    Args:
        name: empty for a queue that the broker is to name.
        exclusive: only for the channel's connection, and deleted with it.
        auto_delete: deleted with its last consumer.
        passive: only ask whether it is there.
        no_wait: the broker sends no declare_ok, but still sends errors; the same holds for the methods below.
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
    """Delete a queue with all its messages (queue.delete, P19)."""

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
    """Delete an exchange with its bindings (exchange.delete)."""

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
    """Let messages of one exchange go on to another (exchange.bind)."""

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
        """Bound what the pattern could cost before it is used; raises ValueRefused."""
        super().__post_init__()
        check_cost(self.pattern)


class ClearPolicy(Command, frozen=True, tag="clear_policy"):
    """rabbitmqctl clear_policy (P17)."""

    name: PolicyName


Death = Literal["kill", "error"]
"""How a queue's process ends out of turn."""


class KillQueue(Command, frozen=True, tag="kill_queue"):
    """Let one queue process die; its supervisor starts it again on its files (D4). `node`: whose member; None
    for the master (H75). `how`: killed from outside, or ended by its own error.
    """

    queue: QueueName = DEFAULT_QUEUE
    node: NodeName | None = None
    how: Death = "kill"
