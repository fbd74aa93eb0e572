"""What a backing queue is made of: its name, its place in the storage, its stores, and whom it reports to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine.classic_v1.queue.state import as_it_is
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store import ClientAccount, MsgStore
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.extents import Extent


class QueueMeans(msgspec.Struct, frozen=True, kw_only=True):
    """Everything from which a blank queue is made.

    Args:
        name, durable: as declared.
        settings, codec: of the virtual host.
        storage, directory: where the files of its index are.
        persistent, transient: the message stores of the virtual host, which run already.
        ref: name of the queue at the stores.
        emit: receives every transition.
        settle: lets the stores handle what was sent; called where a call of the broker's interface ends.
        as_read: what messages are that were read back from disk: with all that they carry.
        resource: what the broker calls the queue in its files, where that is not its name.
        accounts: the credit towards each store that it shares with other queues of its process; its own without them.
    """

    name: str
    durable: bool
    settings: QueueSettings
    codec: MessageCodec
    storage: Storage
    directory: str
    persistent: MsgStore
    transient: MsgStore
    ref: str
    emit: Callable[[Transition], None]
    settle: Callable[[], None]
    as_read: Callable[[Extent], Sequence[Extent]] = as_it_is
    resource: bytes | None = None
    accounts: Mapping[str, ClientAccount] = {}
