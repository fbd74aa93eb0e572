"""Filling mirrors: the master hands over all it has, batch by batch, and does nothing else (H51-H60)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.broker.mirrors.member import QueueMember
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
        """Messages that were sent."""
        return self._count

    def answered(self, member: QueueMember) -> None:
        """A mirror was reached: one that has all denies, another throws away what it has (H52)."""
        self._to_answer.discard(member.node)
        if member.mirror.depth_delta != 0:
            member.mirror.throw_away()
            member.process.handled()
            member.syncing = True
            self.ready.append(member)
        self.go_on()

    def died(self, node: str) -> None:
        """A mirror is gone, and left out from now on (H59)."""
        self._to_answer.discard(node)
        self.go_on()

    def _leave_out_the_dead(self) -> None:
        """Several may be gone at once, and some of them may not have been reported yet (H59)."""
        self.ready = [each for each in self.ready if not each.gone]

    def go_on(self) -> None:
        """Send batches while nobody has to be waited for; a cancel is looked at between them (H58)."""
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
        """End it without success: its mirrors throw away what they got, and have no depth (H58)."""
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
