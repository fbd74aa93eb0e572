"""The table of backing queues: which implementation serves a queue that is declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.places import VARIABLE_QUEUE
from engine.backing_queue.protocol import BackingQueue
from engine.extents import Extent
from engine.formats.message import MessageCodec
from engine.msg_store import MsgStore
from engine.settings import QueueSettings
from engine.storage.port import Storage
from engine.transitions import Transition
from engine.variable_queue import VariableQueue


class Maker(Protocol):
    """Makes a blank queue, with clients of both stores, which run already.

    Args:
        name, durable: as declared.
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


BACKING_QUEUES: Final[dict[str, Implementation]] = {
    VARIABLE_QUEUE: Implementation(_any_queue, VariableQueue),
}
"""By name, as in `engine.backing_queue.places`. The last one that serves a queue is taken; the first serves any."""


def backing_queue_of(queue: DeclaredQueue) -> str:
    """Return the name of the implementation that serves a queue."""
    return next(name for name, each in reversed(BACKING_QUEUES.items()) if each.serves(queue))
