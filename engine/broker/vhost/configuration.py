"""The settings of one run, and this program's bounds, which are checked before anything is done."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec

from engine.broker.commands import settings
from engine.broker.commands.client_commands import Publish
from engine.broker.commands.scenario import ParsedScenario
from engine.broker.commands.settings import DISK_NAMES, RUNTIME, NodeSettings
from engine.broker.time.credit import CreditSpec
from engine.broker.vhost.virtual_hosts import VirtualHosts
from engine.formats.message import MessageCodec, MessageTemplate
from engine.releases import REFERENCE
from engine.report.transitions.base import Why
from engine.storage.port import Storage
from engine.values.errors import CommandError

INDEX_BYTES: Final = 100
"""Upper bound of what the index writes for one message to journal and segment, without an embedded body."""
HELD_BYTES: Final = 600
"""Upper bound of what one message takes on disk in journal and segment, without its body."""


class StorageCapacity:
    """Checks whether the node has room for more messages. `codec`: sizes of stored messages. `hosts`: the
    virtual hosts of each node, with the queues that run.
    """

    def __init__(
        self, settings: NodeSettings, codec: MessageCodec, storage: Storage, hosts: Sequence[VirtualHosts]
    ) -> None:
        self.most_messages = settings.max_messages
        self._max_disk_bytes = settings.max_disk_bytes
        self._codec = codec
        self._storage = storage
        self._hosts = hosts

    def held(self, waiting: int) -> int:
        for hosts in self._hosts:
            for host in () if hosts.down else hosts.all.values():
                for each in host.hosted.values():
                    waiting += each.queue.depth + each.queue.unacked
        return waiting

    def ram_bytes(self) -> int:
        """Return the bytes of all bodies in RAM, any of which may be paged out."""
        return sum(each.ram_bytes for hosts in self._hosts for each in hosts.queues())

    def refusal(self, batch: Publish, waiting: int, copies: int = 1) -> CommandError | None:
        """Return why a batch is refused, or None. `waiting`: accepted messages that wait in a socket.
        `copies`: how many queues each message goes to.
        """
        held = self.held(waiting)
        room = (self.most_messages - held) // max(copies, 1)
        if copies and batch.count > room:
            return CommandError("too_many_messages", held=held, most=self.most_messages, room=max(room, 0))
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


PREFIX_BYTES: Final = 8
QUEUE: Final = "orders"
"""The queue of a scenario that names none."""


class NodeConfiguration:
    """Settings of the queues, which are fixed, and of the node, which commands may change."""

    def __init__(self, scenario: ParsedScenario) -> None:
        self.profile = scenario.profile
        self._seed = scenario.seed
        self.queue, self.node = scenario.resolved()
        self.release = settings.release_of(scenario.profile, scenario.settings)
        self._configured = self.node
        self._name(frozenset(scenario.settings))

    def codec(self) -> MessageCodec:
        """Return the codec of the run's messages; their ids follow from its seed."""
        prefix = blake2b(self._seed.to_bytes(8, "big"), digest_size=PREFIX_BYTES).digest()
        return self.release.storage.codec(self.queue, prefix, (MessageTemplate(routing_keys=(QUEUE,)),))

    def current(self) -> NodeSettings:
        return self.node

    def credit(self) -> CreditSpec:
        return CreditSpec(*self.node.credit_flow_default_credit)

    def change(self, name: str, value: Any) -> None:
        self.node = msgspec.structs.replace(self.node, **{name: value})
        self._name(self.named | {name})

    def _name(self, named: frozenset[str]) -> None:
        self.named = named
        """Settings that the scenario or a command named."""
        self.names_disk = not DISK_NAMES.isdisjoint(named)
        """Whether anyone set a disk setting; runs from before these existed keep their digest."""
        self.names_work = "work_profile" in named
        """Whether anyone chose a work profile."""

    def forget_runtime(self) -> None:
        """Return to the configuration, because values set by `rabbitmqctl` were only in RAM (M8)."""
        configured = {name: getattr(self._configured, name) for name in RUNTIME}
        self.node = msgspec.structs.replace(self.node, **configured)

    def info_items(self, mode: str, target: int | None) -> Why:
        """Return all settings under their names; the pair of credits as two. `mode`, `target`: values that
        commands set for the queue called orders.
        """
        # Runs from before there was another release keep their digest.
        rules = {} if self.release is REFERENCE else {"release": self.release.series}
        return {
            "profile": self.profile,
            **self.queue.shown(),
            **rules,
            **settings.info_items(self.node, self.named),
            "target_ram_count": target,
            "queue_mode": mode,
        }
