"""Who has which member of which queue, and what goes from member to member (H1, H19, H31, H32)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.protocol import BackingQueue, MirrorableQueue
from engine.broker.commands.settings import NodeSettings
from engine.broker.mirrors.labels import ring_sent
from engine.broker.mirrors.member import QueueMember
from engine.broker.mirrors.synchronisation import MirrorSynchronisation
from engine.broker.time.scheduler import TimerScheduler
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.master import MasterQueue
from engine.mirrored_queue.mirror import MirrorCopy
from engine.mirrored_queue.record import QueueRecord
from engine.mirrored_queue.ring import FRAME_BYTES, MirrorRing
from engine.report.transitions.base import Transition

Observer = Callable[[str, str, Any], None]
"""Called with a node, what reached it (gm, direct, sync_asked), and that."""


class MirrorMembership:
    """The members of every queue. It is there before queues and clients, which read it; who joins and leaves is decided
    by those that come after them.

    Args:
        settings: returns the nodes' settings.
        emit: takes each transition.
    """

    def __init__(
        self, settings: Callable[[], NodeSettings], clock: TimerScheduler, emit: Callable[[Transition], None]
    ) -> None:
        self.records: dict[str, QueueRecord] = {}
        self.members: dict[tuple[str, str], QueueMember] = {}
        self.masters: dict[str, MasterQueue] = {}
        self.rings: dict[str, MirrorRing] = {}
        self.syncs: dict[str, MirrorSynchronisation] = {}
        self.waiting: dict[str, list[Callable[[], None]]] = {}
        """What waits for a queue that is down."""
        self.observer: Observer | None = None
        self.between_bytes = 0
        """Bytes that mirroring sent from node to node: copies of channels, the ring, synchronisations."""
        self._settings = settings
        self._clock = clock
        self._emit = emit
        self._soon: deque[Callable[[], None]] = deque()

    def soon(self, do: Callable[[], None]) -> None:
        """Do something when what is being handled now has ended."""
        self._soon.append(do)

    def settle(self) -> None:
        """Do all that was put off."""
        while self._soon:
            self._soon.popleft()()

    def served(self, name: str) -> None:
        """Do what waited for a queue: a master serves it again, or it is gone for good."""
        for waiting in self.waiting.pop(name, ()):
            waiting()

    def label(self, queue: str, node: str) -> str:
        """Return how transitions name the member of a queue on a node: the master as the queue itself."""
        record = self.records.get(queue)
        return queue if record is None or record.master == node else f"{queue}@{node}"

    def lives(self, record: QueueRecord) -> bool:
        """Return whether any mirror of a queue lives."""
        return any((record.name, node) in self.members for node in record.mirrors)

    # --- the master's wrapper (H13, H19) -----------------------------------------------------------------------------

    def engine_of(self, name: str, engine: BackingQueue) -> BackingQueue:
        """Return what a queue's process works on, given the engine: with mirrors a wrapper around it."""
        record = self.records.get(name)
        if record is None or record.mirroring is None:
            return engine
        master = self.masters.get(name)
        return master if master is not None and master.inner is engine else self.new_master(name, engine)

    def new_master(self, name: str, engine: BackingQueue) -> MasterQueue:
        """Wrap the engine of a queue's master."""
        master = self.masters[name] = MasterQueue(
            cast(MirrorableQueue, engine), partial(self.broadcast, name)
        )
        return master

    # --- messages on their way (H31, H32) ----------------------------------------------------------------------------

    def new_ring(self, name: str) -> MirrorRing:
        """Begin the ring of a queue's members, with none in it."""
        ring = self.rings[name] = MirrorRing(
            self._settings().ring_hop_us, self._after, partial(self._deliver, name), self.count_bytes
        )
        return ring

    def _after(self, delay_us: int, do: Callable[[], None]) -> None:
        self._clock.after(delay_us, do)

    def count_bytes(self, count: int) -> None:
        """Count bytes that went from node to node."""
        self.between_bytes += count

    def broadcast(self, name: str, instruction: to_do.MirrorInstruction) -> None:
        """Let a queue's master tell its mirrors what it does (H32)."""
        record, ring = self.records[name], self.rings[name]
        if record.mirrors and not isinstance(
            instruction, to_do.SetModeInstruction | to_do.SetVersionInstruction
        ):
            self._emit(ring_sent(name, record.master, instruction, len(ring.members)))
        ring.broadcast(record.master, instruction)

    def _deliver(self, name: str, node: str, instruction: to_do.MirrorInstruction) -> None:
        if self.observer is not None:
            self.observer(node, "gm", instruction)
        member = self.members.get((name, node))
        if member is not None and not isinstance(instruction, to_do.DeleteInstruction):
            member.take(instruction)

    def copy(self, name: str, arrival: Arrival, expiration_ms: int | None, confirm_at_once: bool) -> None:
        """Give every mirror what a channel publishes (H31)."""
        copy, record = MirrorCopy(arrival, expiration_ms, confirm_at_once), self.records[name]
        for node in list(record.mirrors):
            member = self.members.get((name, node))
            if member is not None:
                self.count_bytes(arrival.total_bytes + arrival.count * FRAME_BYTES)
                member.take_copy(copy)
