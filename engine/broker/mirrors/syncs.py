"""Synchronisations begin and end, by command or by policy (H51-H60)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.rooms_below import RoomsBelow
from engine.broker.mirrors.synchronisation import Batch, Synchronisation, in_batches
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.ring import FRAME_BYTES
from engine.report.transitions.mirrors import SyncEnded, SyncStarted

ALARM_CHECK_US = 100_000
"""How often a synchronisation that an alarm stopped checks whether the alarm is over (H57)."""


class Syncs:
    """All synchronisations of a cluster.

    Args:
        below: what the cluster stands on.
        alarm: returns whether any node's memory alarm is set.
    """

    def __init__(
        self,
        below: RoomsBelow,
        cluster: MirroredQueues,
        alarm: Callable[[], bool],
    ) -> None:
        self._cluster = cluster
        self._queues = below.queues
        self._clock = below.clock
        self._alarm = alarm
        self._hop_us = below.configuration.node.ring_hop_us
        self._went_on = below.connections.credit_came
        self._emit = below.emit
        cluster.hooks.auto_sync = self.maybe

    def maybe(self, name: str) -> None:
        """Synchronise if the policy wants it without being asked (H51)."""
        record = self._cluster.records.get(name)
        if record is None or record.mirroring is None or not record.mirroring.automatic:
            return
        if any(node not in record.synchronised for node in record.mirrors):
            self.start(name)

    def start(self, name: str) -> bool:
        """Begin to fill the mirrors of a queue; return whether it has any mirroring at all."""
        record = self._cluster.records[name]
        if record.mirroring is None:
            return False
        if not record.alive or name in self._cluster.syncs:
            return True
        asked = [node for node in record.mirrors if (name, node) in self._cluster.members]
        if not asked:
            return True
        self._queues[name].process.hold()
        sync = Synchronisation(
            asked, partial(self._read, name), self._later, self._sent, partial(self._over, name)
        )
        self._cluster.syncs[name] = sync
        record.syncing = True
        self._emit(SyncStarted("H52", name, tuple(asked)))
        master = self._cluster.masters[name]
        master.broadcast(to_do.SyncStart(tuple(asked)))
        sync.go_on()
        return True

    def cancel(self, name: str) -> bool:
        """End a synchronisation between two batches; return whether there was one (H58)."""
        sync = self._cluster.syncs.get(name)
        if sync is None:
            return False
        sync.cancelled = True
        sync.go_on()
        return True

    def _read(self, name: str) -> list[Batch]:
        record = self._cluster.records[name]
        size = record.mirroring.batch_size if record.mirroring is not None else 1
        self._queues[name].process.begin()
        return in_batches(self._cluster.masters[name].inner.fold(), size)

    def _later(self, go_on: Callable[[], None]) -> bool:
        delay_us = ALARM_CHECK_US if self._alarm() else self._hop_us
        if delay_us:
            self._clock.after(delay_us, partial(self._next, go_on))
        return bool(delay_us)

    def _next(self, go_on: Callable[[], None]) -> None:
        if self._alarm():
            self._clock.after(ALARM_CHECK_US, partial(self._next, go_on))
        else:
            go_on()

    def _sent(self, batch: Batch, mirrors: int) -> None:
        body = sum(extent.total_bytes + extent.count * FRAME_BYTES for extent, _ in batch)
        self._cluster.roll.count_bytes(mirrors * body)

    def _over(self, name: str, how: str, count: int) -> None:
        """Let everybody do what waited (H56)."""
        self._cluster.syncs.pop(name, None)
        if name in self._cluster.records:
            self._cluster.records[name].syncing = False
        self._emit(SyncEnded("H54" if how == "done" else "H58", name, how, {"sent": count}))
        self._cluster.soon(partial(self._go_on, name))

    def _go_on(self, name: str) -> None:
        record = self._cluster.records.get(name)
        for node in record.mirrors if record is not None else ():
            member = self._cluster.members.get((name, node))
            if member is not None:
                member.go_on()
        live = self._queues.get(name)
        if live is not None and name not in self._cluster.syncs:
            live.process.go_on()
            live.process.handled()
        self._went_on()
