"""Bounds of this program, looked at before anything is done, so that a refusal leaves everything as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.broker.commands.publish import Publish
from engine.broker.commands.settings import NodeSettings
from engine.broker.vhost.virtual_hosts import VirtualHosts
from engine.formats.message import MessageCodec
from engine.storage.port import Storage
from engine.values.errors import CommandError

INDEX_BYTES: Final = 100
"""More than the index writes for one message, in journal and segment together, beside an embedded body."""
HELD_BYTES: Final = 600
"""More than one message with its records takes on disk beside its body, written to journal and segment."""


class StorageCapacity:
    """What the node has room for.

    Args:
        settings: the node's settings.
        codec: sizes of stored messages.
        hosts: the virtual hosts of each node, with the queues that run.
    """

    def __init__(
        self,
        settings: NodeSettings,
        codec: MessageCodec,
        storage: Storage,
        hosts: Sequence[VirtualHosts],
    ) -> None:
        self._max_messages = settings.max_messages
        self._max_disk_bytes = settings.max_disk_bytes
        self._codec = codec
        self._storage = storage
        self._hosts = hosts

    def held(self, waiting: int) -> int:
        """Return how many messages there are, with `waiting` that are on their way in."""
        for hosts in self._hosts:
            for host in () if hosts.down else hosts.all.values():
                for each in host.hosted.values():
                    waiting += each.queue.depth + each.queue.unacked
        return waiting

    def ram_bytes(self) -> int:
        """Return the bytes of all bodies in RAM: any of them may be paged out."""
        return sum(each.ram_bytes for hosts in self._hosts for each in hosts.queues())

    def refusal(self, batch: Publish, waiting: int, copies: int = 1) -> CommandError | None:
        """Return why a batch cannot be let in, or None.

        Args:
            batch: what is to be published.
            waiting: messages that were let in and wait in a socket.
            copies: how many queues each message goes to.
        """
        held = self.held(waiting)
        room = (self._max_messages - held) // max(copies, 1)
        if copies and batch.count > room:
            return CommandError("too_many_messages", held=held, most=self._max_messages, room=max(room, 0))
        if self._max_disk_bytes is None:
            return None
        term = self._codec.term_bytes(0, batch.size_bytes, batch.persistent)
        each = copies * (2 * term + INDEX_BYTES)
        used = self._storage.used_bytes() + 2 * self.ram_bytes() + HELD_BYTES * held
        free = self._max_disk_bytes - used
        if batch.count * each > free:
            needed = batch.count * each
            return CommandError(
                "too_many_bytes",
                count=batch.count,
                needed=needed,
                free=max(free, 0),
                most=self._max_disk_bytes,
            )
        return None
