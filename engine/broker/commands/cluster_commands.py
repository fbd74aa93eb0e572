"""Commands about the nodes of a cluster and the members of mirrored queues (H51, H71-H75)."""

from __future__ import annotations

from typing import Literal

from engine.broker.commands.base import DEFAULT_QUEUE, Command, Name, QueueName

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
