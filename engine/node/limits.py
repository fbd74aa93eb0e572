"""Bounds of this program, looked at before anything is done, so that a refusal leaves everything as it was."""

from __future__ import annotations

from typing import Final

from engine.formats.message import MessageCodec
from engine.node.commands import Publish
from engine.node.settings import NodeSettings
from engine.storage.port import Storage
from engine.variable_queue import VariableQueue

INDEX_BYTES: Final = 100
"""More than the index writes for one message, in journal and segment together, beside an embedded body."""
HELD_BYTES: Final = 600
"""More than one message with its records takes on disk beside its body, written to journal and segment."""


class Limits:
    """What the node has room for.

    Args:
        settings: the node's settings.
        codec: sizes of stored messages.
    """

    def __init__(self, settings: NodeSettings, codec: MessageCodec, storage: Storage) -> None:
        self._max_messages = settings.max_messages
        self._max_disk_bytes = settings.max_disk_bytes
        self._codec = codec
        self._storage = storage
        self.queue: VariableQueue | None = None

    def refusal(self, batch: Publish, waiting: int) -> str | None:
        """Return why a batch cannot be let in, or None.

        Args:
            batch: what is to be published.
            waiting: messages that were let in and wait in a socket.
        """
        assert self.queue is not None
        state = self.queue.state
        held = state.len + state.pending_count + waiting
        room = self._max_messages - held
        if batch.count > room:
            return (
                f"the node holds {held} messages and may hold {self._max_messages}; publish at most {max(room, 0)}, "
                "or purge or consume first"
            )
        if self._max_disk_bytes is None:
            return None
        term = self._codec.term_bytes(0, batch.size_bytes, batch.persistent)
        each = 2 * term + INDEX_BYTES
        used = self._storage.used_bytes() + 2 * state.ram_bytes + HELD_BYTES * held
        free = self._max_disk_bytes - used
        if batch.count * each > free:
            return (
                f"{batch.count} messages could need {batch.count * each} bytes on disk, and {max(free, 0)} of "
                f"{self._max_disk_bytes} are free; publish fewer or smaller messages, or purge first"
            )
        return None
