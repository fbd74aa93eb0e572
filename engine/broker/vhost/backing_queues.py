"""The table of backing queues: which implementation serves a queue that is declared, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

import msgspec

from engine.amqp.arguments import PRIORITIES
from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.places import PRIORITY_QUEUE, VARIABLE_QUEUE, part_name
from engine.backing_queue.protocol import BackingQueue
from engine.classic_v1.queue import QueueMeans, VariableQueue
from engine.classic_v1.store import Account
from engine.formats.names import priority_resource, queue_directory
from engine.priority_queue import PriorityQueue

__all__ = ["BACKING_QUEUES", "Implementation", "Maker", "QueueMeans", "backing_queue_of"]

Maker = Callable[[QueueMeans], BackingQueue]
"""Makes a blank queue."""


class Implementation(NamedTuple):
    """One backing queue of the table.

    Args:
        serves: whether it is the one for a declared queue.
        make: makes it.
    """

    serves: Callable[[DeclaredQueue], bool]
    make: Maker


def _any_queue(_: DeclaredQueue) -> bool:
    return True


def _has_priorities(queue: DeclaredQueue) -> bool:
    return PRIORITIES in queue.arguments


def _priority_queue(means: QueueMeans) -> BackingQueue:
    """Return a variable queue for each priority behind one; one process has them, so they share its credit (F1)."""
    accounts = {"persistent": means.persistent.account(), "transient": means.transient.account()}
    return PriorityQueue(
        name=means.name,
        durable=means.durable,
        highest=means.arguments[PRIORITIES],
        make=partial(_one_priority, means, accounts),
        codec=means.codec,
        emit=means.emit,
    )


def _one_priority(means: QueueMeans, accounts: Mapping[str, Account], number: int) -> BackingQueue:
    resource = priority_resource(means.name, number)
    folder, _, _ = means.directory.rpartition("/")
    return VariableQueue(
        msgspec.structs.replace(
            means,
            name=part_name(means.name, number),
            directory=f"{folder}/{queue_directory(means.codec.vhost, resource)}",
            ref=part_name(means.ref, number),
            resource=resource,
            accounts=accounts,
        )
    )


BACKING_QUEUES: Final[dict[str, Implementation]] = {
    VARIABLE_QUEUE: Implementation(_any_queue, VariableQueue),
    PRIORITY_QUEUE: Implementation(_has_priorities, _priority_queue),
}
"""By name, as in `engine.backing_queue.places`. The last one that serves a queue is taken; the first serves any."""


def backing_queue_of(queue: DeclaredQueue) -> str:
    """Return the name of the implementation that serves a queue."""
    return next(name for name, each in reversed(BACKING_QUEUES.items()) if each.serves(queue))
