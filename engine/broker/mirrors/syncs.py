"""Synchronisations begin and end, by command or by policy (H51-H60)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.broker.mirrors.node_parts import NodeParts
from engine.broker.mirrors.synchronisation import Batch, MirrorSynchronisation, in_batches
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.ring import FRAME_BYTES
from engine.report.transitions.node import SyncEnded, SyncStarted

ALARM_CHECK_US = 100_000
"""How often a synchronisation that an alarm stopped checks whether the alarm is over (H57)."""


class RunningSyncs:
    """All synchronisations of a cluster.

    Args:
        below: what the cluster stands on.
    """

    def __init__(self, below: NodeParts) -> None:
        self._roll = below.roll
        self._nodes = below.nodes
        self._queues = below.queues
        self._clock = below.clock
        self._hop_us = below.configuration.node.ring_hop_us
        self._went_on = below.connections.credit_came
        self._emit = below.emit

    def alarm(self) -> bool:
        """Return whether any node's memory alarm is set (H57, H86)."""
        return any(node.watch.alarm for node in self._nodes.values())

    def maybe(self, name: str) -> None:
        """Synchronise if the policy wants it without being asked (H51)."""
        record = self._roll.records.get(name)
        if record is None or record.mirroring is None or not record.mirroring.automatic:
            return
        if any(node not in record.synchronised for node in record.mirrors):
            self.start(name)

    def start(self, name: str) -> bool:
        """Begin to fill the mirrors of a queue; return whether it has any mirroring at all."""
        record = self._roll.records[name]
        if record.mirroring is None:
            return False
        if not record.alive or name in self._roll.syncs:
            return True
        asked = [node for node in record.mirrors if (name, node) in self._roll.members]
        if not asked:
            return True
        self._queues[name].process.hold()
        sync = MirrorSynchronisation(
            asked, partial(self._read, name), self._later, self._sent, partial(self._over, name)
        )
        self._roll.syncs[name] = sync
        record.syncing = True
        self._emit(SyncStarted("H52", name, tuple(asked)))
        master = self._roll.masters[name]
        master.broadcast(to_do.SyncStartInstruction(tuple(asked)))
        sync.go_on()
        return True

    def cancel(self, name: str) -> bool:
        """End a synchronisation between two batches; return whether there was one (H58)."""
        sync = self._roll.syncs.get(name)
        if sync is None:
            return False
        sync.cancelled = True
        sync.go_on()
        return True

    def _read(self, name: str) -> list[Batch]:
        record = self._roll.records[name]
        size = record.mirroring.batch_size if record.mirroring is not None else 1
        self._queues[name].process.begin()
        return in_batches(self._roll.masters[name].inner.fold(), size)

    def _later(self, go_on: Callable[[], None]) -> bool:
        delay_us = ALARM_CHECK_US if self.alarm() else self._hop_us
        if delay_us:
            self._clock.after(delay_us, partial(self._next, go_on))
        return bool(delay_us)

    def _next(self, go_on: Callable[[], None]) -> None:
        if self.alarm():
            self._clock.after(ALARM_CHECK_US, partial(self._next, go_on))
        else:
            go_on()

    def _sent(self, batch: Batch, mirrors: int) -> None:
        body = sum(extent.total_bytes + extent.count * FRAME_BYTES for extent, _ in batch)
        self._roll.count_bytes(mirrors * body)

    def _over(self, name: str, how: str, count: int) -> None:
        """Let everybody do what waited (H56)."""
        self._roll.syncs.pop(name, None)
        if name in self._roll.records:
            self._roll.records[name].syncing = False
        self._emit(SyncEnded("H54" if how == "done" else "H58", name, how, {"sent": count}))
        self._roll.soon(partial(self._go_on, name))

    def _go_on(self, name: str) -> None:
        record = self._roll.records.get(name)
        for node in record.mirrors if record is not None else ():
            member = self._roll.members.get((name, node))
            if member is not None:
                member.go_on()
        live = self._queues.get(name)
        if live is not None and name not in self._roll.syncs:
            live.process.go_on()
            live.process.handled()
        self._went_on()
