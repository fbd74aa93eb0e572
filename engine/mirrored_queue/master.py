"""The master's backing queue: the verbs of the queue below, each sent on to the mirrors (H19, H32-H35)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.backing_queue.protocol import Arrival, MirrorableQueue, TakenMessages
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.mirror import MessageStatus, MirrorCopy
from engine.values.extents import Extent
from engine.values.stretches import Range, Stretches


class MasterQueue:
    """Wraps the queue of a master; verbs that mirrors need not repeat go straight to it.

    Args:
        broadcast: sends an instruction around the ring.
    """

    def __init__(self, inner: MirrorableQueue, broadcast: Callable[[to_do.MirrorInstruction], None]) -> None:
        self.inner = inner
        self.seen: Stretches[MessageStatus] = Stretches()
        """Messages that a promoted mirror knew before their channel's copy arrived (H65)."""
        self._broadcast = broadcast

    def __getattr__(self, name: str) -> Any:
        """Return what the queue below has."""
        if name == "inner":  # while a kept run is read back, nothing is there yet
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def whole_depth(self) -> int:
        """Ready messages and pending acknowledgements (H3)."""
        return self.inner.depth + self.inner.unacked

    def broadcast(self, instruction: to_do.MirrorInstruction) -> None:
        self._broadcast(instruction)

    # --- sent to the mirrors before ----------------------------------------------------------------------------------

    def publish(
        self,
        batch: Sequence[Arrival],
        already_delivered: bool = False,
        spacing_us: int = 0,
        one_call: bool = False,
    ) -> Range:
        """Publish, after the instructions were sent to the mirrors."""
        for each in batch:
            self._broadcast(to_do.PublishInstruction(each))
        return self.inner.publish(batch, already_delivered, spacing_us, one_call)

    def publish_delivered(
        self, batch: Sequence[Arrival], spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        """Hand messages to a consumer, after the instructions were sent to the mirrors."""
        for each in batch:
            self._broadcast(to_do.PublishDeliveredInstruction(each))
        return self.inner.publish_delivered(batch, spacing_us, one_call)

    def discard(self, arrival: Arrival) -> None:
        """Notify the mirrors of messages that leave no trace."""
        self._broadcast(to_do.DiscardInstruction(arrival))
        self.inner.discard(arrival)

    def purge(self) -> int:
        """Drop every ready message, after the instruction was sent to the mirrors, also when there is none."""
        self._broadcast(to_do.DropInstruction(0, self.inner.depth, 1, False))
        return self.inner.purge()

    def set_queue_mode(self, mode: str) -> bool:
        """Convert, after the instruction was sent to the mirrors."""
        self._broadcast(to_do.SetModeInstruction(mode))
        return self.inner.set_queue_mode(mode)

    def set_queue_version(self, version: int) -> None:
        """Convert the files, after the instruction was sent to the mirrors."""
        if version != self.inner.queue_version:
            self._broadcast(to_do.SetVersionInstruction(version))
        self.inner.set_queue_version(version)

    # --- sent to the mirrors after -----------------------------------------------------------------------------------

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        """Take messages with their bodies; the mirrors drop them one by one."""
        taken = self.inner.fetch(count, ack, spacing_us)
        self._dropped(taken, ack, one_by_one=True)
        return taken

    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        """Take messages; the mirrors drop them one by one."""
        taken = self.inner.drop(count, ack)
        self._dropped(taken, ack, one_by_one=True)
        return taken

    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Drop expired messages; the mirrors drop all of them at once."""
        taken, next_us = self.inner.dropwhile(now_us)
        self._dropped(taken, False, one_by_one=False)
        return taken, next_us

    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Fetch expired messages; the mirrors drop all of them at once."""
        taken, next_us = self.inner.fetchwhile(now_us)
        self._dropped(taken, True, one_by_one=False)
        return taken, next_us

    def _dropped(self, taken: Sequence[TakenMessages], ack: bool, one_by_one: bool) -> None:
        count = sum(each.extent.count for each in taken)
        if count:
            each, runs = (1, count) if one_by_one else (count, 1)
            self._broadcast(to_do.DropInstruction(self.inner.depth, each, runs, ack))

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """End messages; the mirrors are sent which, if any was pending."""
        found = self.inner.ack(tags, multiple)
        messages = _numbers(found)
        if messages:
            runs = 1 if multiple else sum(each.count for each in messages)
            self._broadcast(to_do.AckInstruction(messages, runs))
        return found

    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        """Put messages back; the mirrors are sent which, also when there is none."""
        found = self.inner.requeue(tags, multiple)
        if multiple:
            self._broadcast(to_do.RequeueInstruction(_numbers(found), 1))
        else:
            for messages, calls in _calls(tags, found):
                self._broadcast(to_do.RequeueInstruction(messages, calls))
        return found

    # --- confirms of a promoted mirror (H65) -------------------------------------------------------------------------

    def drain_confirmed(self) -> list[Range]:
        """Hand over what may be confirmed, without what the channel has not sent here yet."""
        ready: list[Range] = []
        for each in self.inner.drain_confirmed():
            at = each.start
            for found in self.seen.remove(each.start, each.count):
                if found.start > at:
                    ready.append(Range(at, found.start - at))
                self.seen.insert(MessageStatus(found.start, found.count, "confirmed", False))
                at = found.start + found.count
            if at < each.end:
                ready.append(Range(at, each.end - at))
        return ready

    def late(self, copy: MirrorCopy) -> tuple[list[MirrorCopy], list[Range]]:
        """Return the new messages of a late copy, and those confirmed now because they are already known."""
        arrival = copy.arrival
        new: list[MirrorCopy] = []
        confirmed: list[Range] = []
        at = arrival.msg_no
        for found in self.seen.remove(arrival.msg_no, arrival.count):
            if found.start > at:
                new.append(copy.part(at - arrival.msg_no, found.start - at))
            if not (found.known == "published" and found.waits):
                confirmed.append(Range(found.start, found.count))
            at = found.start + found.count
        if at < arrival.msg_no + arrival.count:
            new.append(copy.part(at - arrival.msg_no, arrival.msg_no + arrival.count - at))
        return new, confirmed

    # --- how many at once --------------------------------------------------------------------------------------------

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many may enter a full queue at once: one, since the ring gets a drop after each publish (H34).

        Also where no mirror is left: the master is in the ring itself.
        """
        return 1


def _calls(tags: Sequence[Range], found: Sequence[Extent]) -> Iterator[tuple[tuple[Range, ...], int]]:
    """Yield what single calls found: neighbours that found something, or nothing, as one, with how many calls."""
    known = Stretches(sorted(found, key=_start))
    for tag in tags:
        at = tag.start
        for each in known.remove(tag.start, tag.count):
            if each.start > at:
                yield (), each.start - at
            yield (Range(each.msg_no, each.count),), each.count
            at = each.end
        if at < tag.end:
            yield (), tag.end - at


def _start(extent: Extent) -> int:
    return extent.start


def _numbers(found: Sequence[Extent]) -> tuple[Range, ...]:
    """Return the numbers of messages; neighbours that go on are one."""
    ranges: list[Range] = []
    for each in found:
        if ranges and ranges[-1].end == each.msg_no:
            ranges[-1] = Range(ranges[-1].start, ranges[-1].count + each.count)
        else:
            ranges.append(Range(each.msg_no, each.count))
    return tuple(ranges)
