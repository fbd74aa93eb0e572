"""The table of backing queues: which implementation serves a queue that is declared, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from engine.amqp.arguments import PRIORITIES, Arguments
from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.places import PRIORITY_QUEUE, VARIABLE_QUEUE, part_name
from engine.backing_queue.protocol import BackingQueue
from engine.extents import Extent
from engine.formats.message import MessageCodec
from engine.formats.names import priority_resource, queue_directory
from engine.msg_store import Account, MsgStore
from engine.priority_queue import PriorityQueue
from engine.settings import QueueSettings
from engine.storage.port import Storage
from engine.transitions import Transition
from engine.variable_queue import VariableQueue


class Maker(Protocol):
    """Makes a blank queue, with clients of both stores, which run already.

    Args:
        name, durable, arguments: as declared.
        settings, codec: of the virtual host.
        storage, directory: where its files are.
        persistent, transient: the message stores of the virtual host.
        ref: name of the queue at the stores.
        emit: receives every transition.
        settle: lets the stores handle what was sent; called where a call of the broker's interface ends.
        as_read: what messages are that were read back from disk: with all that they carry.
    """

    def __call__(
        self,
        *,
        name: str,
        durable: bool,
        arguments: Arguments,
        settings: QueueSettings,
        codec: MessageCodec,
        storage: Storage,
        directory: str,
        persistent: MsgStore,
        transient: MsgStore,
        ref: str,
        emit: Callable[[Transition], None],
        settle: Callable[[], None],
        as_read: Callable[[Extent], Sequence[Extent]],
    ) -> BackingQueue:
        """Return the queue."""


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


def _variable_queue(*, arguments: Arguments, **means: Any) -> BackingQueue:
    """Return a classic queue of version 1, to which arguments say nothing."""
    return VariableQueue(**means)


def _priority_queue(*, arguments: Arguments, **means: Any) -> BackingQueue:
    """Return a variable queue for each priority behind one; one process has them, so they share its credit (F1)."""
    accounts = {side: means[side].account() for side in ("persistent", "transient")}
    return PriorityQueue(
        name=means["name"],
        durable=means["durable"],
        highest=arguments[PRIORITIES],
        make=partial(_one_priority, means, accounts),
        codec=means["codec"],
        emit=means["emit"],
    )


def _one_priority(means: Mapping[str, Any], accounts: Mapping[str, Account], number: int) -> BackingQueue:
    resource = priority_resource(means["name"], number)
    folder, _, _ = means["directory"].rpartition("/")
    own = {
        "name": part_name(means["name"], number),
        "directory": f"{folder}/{queue_directory(means['codec'].vhost, resource)}",
        "ref": part_name(means["ref"], number),
    }
    return VariableQueue(**{**means, **own}, resource=resource, accounts=accounts)


BACKING_QUEUES: Final[dict[str, Implementation]] = {
    VARIABLE_QUEUE: Implementation(_any_queue, _variable_queue),
    PRIORITY_QUEUE: Implementation(_has_priorities, _priority_queue),
}
"""By name, as in `engine.backing_queue.places`. The last one that serves a queue is taken; the first serves any."""


def backing_queue_of(queue: DeclaredQueue) -> str:
    """Return the name of the implementation that serves a queue."""
    return next(name for name, each in reversed(BACKING_QUEUES.items()) if each.serves(queue))
