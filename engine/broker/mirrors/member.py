"""A mirror's process on its node: what waits for it, and in which order it handles that (H22, H56)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.queues import BrokerNode
from engine.mirrored_queue.instructions import (
    DiscardInstruction,
    MirrorInstruction,
    PublishDeliveredInstruction,
    PublishInstruction,
    SyncStartInstruction,
)
from engine.mirrored_queue.mirror import MirrorCopy, MirrorCrashed, QueueMirror
from engine.values.errors import ProcessCrash
from engine.values.extents import Extent

Batch = list[tuple[Extent, bool]]


class MirrorSynchronisation:
    """One synchronisation of one queue.

    Args:
        batches: reads everything that the master has, in batches; called when it is known that somebody takes part.
        later: lets the next batch follow after a hop; returns whether it will be called again, else it goes on at once.
        sent: called with a batch and the number of mirrors that got it.
        ended: called with how it ended and how many messages were sent.
    """

    def __init__(
        self,
        asked: Sequence[str],
        batches: Callable[[], list[Batch]],
        later: Callable[[Callable[[], None]], bool],
        sent: Callable[[Batch, int], None],
        ended: Callable[[str, int], None],
    ) -> None:
        self.cancelled = False
        self.ready: list[QueueMember] = []
        self._to_answer = set(asked)
        self._read = batches
        self._batches: list[Batch] | None = None
        self._later = later
        self._sent = sent
        self._ended = ended
        self._count = 0
        self._over = False

    @property
    def progress(self) -> int:
        return self._count

    def answered(self, member: QueueMember) -> None:
        """Take a mirror's answer: a complete mirror declines, another drops its messages (H52)."""
        self._to_answer.discard(member.node)
        if member.mirror.depth_delta != 0:
            member.mirror.throw_away()
            member.process.handled()
            member.syncing = True
            self.ready.append(member)
        self.go_on()

    def died(self, node: str) -> None:
        """Leave out a mirror that is gone (H59)."""
        self._to_answer.discard(node)
        self.go_on()

    def _leave_out_the_dead(self) -> None:
        """Several may be gone at once, and some of them may not have been reported yet (H59)."""
        self.ready = [each for each in self.ready if not each.gone]

    def go_on(self) -> None:
        """Send batches until a mirror must be waited for; check for a cancel between them (H58)."""
        while not self._over and not self._to_answer and not any(each.frozen for each in self.ready):
            self._leave_out_the_dead()
            if not self.ready:
                self._end("nobody")
            elif self.cancelled:
                self.fail("cancelled")
            elif self._step():
                return

    def _step(self) -> bool:
        """Send one batch, or end; return whether the next one comes later."""
        if self._batches is None:
            self._batches = self._read()
        if not self._batches:
            for member in self.ready:
                member.syncing = False
                member.mirror.filled()
                member.process.handled()
            self._end("done")
            return False
        batch = self._batches.pop(0)
        for member in self.ready:
            member.process.begin()
            member.mirror.take_batch(batch)
            member.process.handled()
        self._count += sum(extent.count for extent, _ in batch)
        self._sent(batch, len(self.ready))
        return self._later(self.go_on)

    def fail(self, how: str) -> None:
        """End it without success: its mirrors drop what they got, and have no depth (H58)."""
        self._leave_out_the_dead()
        for member in self.ready:
            member.syncing = False
            member.process.begin()
            member.mirror.lost_count()
            member.process.handled()
        self._end(how)

    def _end(self, how: str) -> None:
        self._over = True
        self._ended(how, self._count)


def in_batches(everything: list[tuple[Extent, bool]], size: int) -> list[Batch]:
    """Cut messages into batches of `size`, the last one smaller (H53)."""
    batches: list[Batch] = []
    batch: Batch = []
    room = size
    for extent, unacked in everything:
        done = 0
        while done < extent.count:
            count = min(room, extent.count - done)
            batch.append((extent.part(done, count), unacked))
            done += count
            room -= count
            if room == 0:
                batches.append(batch)
                batch, room = [], size
    return [*batches, batch] if batch else batches


WITH_MESSAGES = (PublishInstruction, PublishDeliveredInstruction, DiscardInstruction)


class QueueMember:
    """One mirror at work.

    Args:
        process: its timers and its memory target, as any queue process has them (H23).
        asked: called when a synchronisation's beginning reaches it.
        crashed: called when an assertion of it fails.
    """

    def __init__(
        self,
        node: BrokerNode,
        mirror: QueueMirror,
        process: QueueProcess,
        asked: Callable[[QueueMember], None],
        crashed: Callable[[QueueMember], None],
    ) -> None:
        self.home = node
        self.mirror = mirror
        self.process = process
        self.frozen = False
        self.syncing = False
        self.gone = False
        self.heir = False
        """Whether to promote it when it handles messages again."""
        self.observer: Callable[[int], None] | None = None
        """Hears how many messages came from channels: a test sets it."""
        self._asked = asked
        self._crashed = crashed
        self._instructions: deque[MirrorInstruction] = deque()
        self._copies: deque[MirrorCopy] = deque()

    @property
    def node(self) -> str:
        return self.home.name

    @property
    def waits(self) -> bool:
        return bool(self._instructions or self._copies)

    @property
    def busy(self) -> bool:
        """Whether it handles nothing else now."""
        return self.frozen or self.syncing

    def take(self, instruction: MirrorInstruction) -> None:
        """Take an instruction of the master, which comes before what waits from channels."""
        if self.busy:
            self._instructions.append(instruction)
        elif not self.gone:
            self._obey(instruction)

    def take_copy(self, copy: MirrorCopy) -> None:
        if self.busy:
            self._copies.append(copy)
        elif not self.gone:
            self._from_channel(copy)

    def _obey(self, instruction: MirrorInstruction) -> None:
        self.process.begin()
        if isinstance(instruction, SyncStartInstruction):
            self._asked(self)
            return
        try:
            self.mirror.obey(instruction)
        except (MirrorCrashed, ProcessCrash):
            self._crash()
            return
        self.process.handled()
        if self.mirror.stuck:
            # Its conversion never ends, so it handles nothing any more (V5).
            self.frozen = True
            self.process.hold()

    def _from_channel(self, copy: MirrorCopy) -> None:
        if self.observer is not None:
            self.observer(copy.arrival.count)
        try:
            self.mirror.from_channel(copy)
        except ProcessCrash:
            self._crash()

    def _crash(self) -> None:
        """Its own process ends (H75), also where the queue in it does (V8, V9): the master's goes on."""
        self.gone = True
        self._crashed(self)

    def go_on(self) -> None:
        """Handle what waited: all instructions first (H22)."""
        while self._instructions and not self.busy and not self.gone:
            self._obey(self._instructions.popleft())
        while self._copies and not self.busy and not self.gone and not self.heir:
            self._from_channel(self._copies.popleft())

    def unhandled(self, sender: str) -> int:
        """Return the credit that it owes a channel: one for each copy and instruction (H84)."""
        copies = sum(copy.arrival.count for copy in self._copies if copy.arrival.sender == sender)
        arrivals = [each.arrival for each in self._instructions if isinstance(each, WITH_MESSAGES)]
        return copies + sum(each.count for each in arrivals if each.sender == sender)

    def late_copies(self) -> list[MirrorCopy]:
        """Return what still waits from channels, for whom it becomes."""
        waiting = list(self._copies)
        self._copies.clear()
        return waiting

    def end(self) -> None:
        """Stop handling anything; its engine is somebody else's to end."""
        self.gone = True
        self.process.stop()
