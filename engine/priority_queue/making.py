"""Making a queue with x-max-priority of any queue without one (P20)."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec

from engine.amqp.arguments import PRIORITIES
from engine.backing_queue.message_places import part_name
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.queue_config import DeclaredSettings, Maker, QueueConfig, QueueImplementation
from engine.formats.names import priority_resource, queue_directory
from engine.priority_queue.queue import PriorityQueue
from engine.values.labels import bare


def priorities_of(make: Maker, least: int = 0) -> QueueImplementation:
    """Return the implementation that has a queue for each priority.

    Args:
        make: makes each of these queues.
        least: what asks for fewer priorities above 0 gets so many (W226).
    """
    return QueueImplementation(_has_priorities, partial(_priority_queue, make, least))


def _has_priorities(queue: DeclaredSettings) -> bool:
    return PRIORITIES in queue.arguments


def _priority_queue(make: Maker, least: int, means: QueueConfig) -> BackingQueue:
    """Return a queue for each priority behind one; one process has them, so they share its credit (F1)."""
    return PriorityQueue(
        name=means.name,
        durable=means.durable,
        highest=max(least, means.arguments[PRIORITIES]),
        make=partial(_one_priority, make, means, means.files.credit()),
        codec=means.codec,
        emit=means.emit,
    )


def _one_priority(make: Maker, means: QueueConfig, credit: Any, number: int) -> BackingQueue:
    resource = priority_resource(bare(means.name), number)
    folder, _, _ = means.directory.rpartition("/")
    return make(
        msgspec.structs.replace(
            means,
            name=part_name(means.name, number),
            directory=f"{folder}/{queue_directory(means.codec.vhost, resource)}",
            ref=part_name(means.ref, number),
            resource=resource,
            credit=credit,
        )
    )
