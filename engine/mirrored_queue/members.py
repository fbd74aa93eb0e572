"""The members of a mirrored queue: a mirror with its engine, and the master's backing queue (H19, H20, H32-H47)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Literal

import msgspec

from engine.backing_queue.protocol import Arrival, Arrivals, MirrorableQueue, TakenMessages
from engine.mirrored_queue import instructions as to_do
from engine.values.extents import Extent
from engine.values.stretches import Range, Stretches, StretchRecord

Known = Literal["published", "discarded", "published_and_seen", "confirmed"]


class MirrorCrashed(Exception):
    """A mirror's assertion failed: its process crashes and starts again, empty (H40, H63)."""


class MirrorCopy(msgspec.Struct, frozen=True, gc=False):
    """Messages as a channel sent them to every member (H31). `confirm_at_once`: whether a confirm is asked
    for that does not wait for the disk.
    """

    arrival: Arrival
    expiration_ms: int | None
    confirm_at_once: bool

    def part(self, offset: int, count: int) -> MirrorCopy:
        return MirrorCopy(self.arrival.part(offset, count), self.expiration_ms, self.confirm_at_once)


class MessageStatus(StretchRecord, frozen=True, gc=False):
    """State of messages that only the master has announced, or that wait for this member's disk (H20).
    `start`: number of the first message. `waits`: whether their confirm waits for this member's disk.
    """

    known: Known
    waits: bool


class KeptCopy(StretchRecord, frozen=True, gc=False):
    """Messages that the master delivered, by number, with this member's own ack tags."""

    tag: int

    def part(self, offset: int, count: int) -> KeptCopy:
        return KeptCopy(self.start + offset, count, self.tag + offset)

    def continued_by(self, after: KeptCopy) -> bool:
        """Return whether the tags of `after` go on."""
        return self.tag + self.count == after.tag


class QueueMirror:
    """One mirror of a queue. `queue`: its engine, begun as new. `confirm`: called with the messages that this
    member confirms. `synchronised`: called when its depth is the master's.
    """

    def __init__(
        self,
        queue: MirrorableQueue,
        confirm: Callable[[Sequence[Range]], None],
        synchronised: Callable[[], None],
    ) -> None:
        self.queue = queue
        self.depth_delta: int | None = None
        """The master's depth minus its own; None is unknown (H3)."""
        self.sender_queues: dict[str, deque[MirrorCopy]] = {}
        self.known: Stretches[MessageStatus] = Stretches()
        self.kept: Stretches[KeptCopy] = Stretches()
        self.stuck = False
        """Whether it is in a conversion that never ends (V5)."""
        self._confirm = confirm
        self._synchronised = synchronised

    @property
    def depth(self) -> int:
        """Ready messages and pending acknowledgements (H3)."""
        return self.queue.depth + self.queue.unacked

    @property
    def waiting(self) -> int:
        """Messages that came from channels and not from the master yet."""
        return sum(copy.arrival.count for fifo in self.sender_queues.values() for copy in fifo)

    # --- from channels (H37) -----------------------------------------------------------------------------------------
    def from_channel(self, copy: MirrorCopy) -> None:
        """Take what a channel sent: it does not enter the engine."""
        arrival = copy.arrival
        pieces = self.known.pieces(arrival.msg_no, arrival.count)
        self.known.remove(arrival.msg_no, arrival.count)
        for at, count, known in pieces:
            if known is None:
                unmet = copy.part(at - arrival.msg_no, count)
                self.sender_queues.setdefault(arrival.sender, deque()).append(unmet)
            elif known.known == "published" and known.waits:
                self.known.insert(MessageStatus(at, count, "published_and_seen", True))
            else:
                self._confirm([Range(at, count)])

    def _met(self, arrival: Arrival, discarded: bool) -> None:
        """Find the channel's copies of what the master announced; what no channel sends is not waited for (H36)."""
        fifo = self.sender_queues.get(arrival.sender)
        done = 0
        while done < arrival.count:
            rest = arrival.part(done, arrival.count - done)
            if not fifo:
                known: Known = "discarded" if discarded else "published"
                self.known.insert(MessageStatus(rest.msg_no, rest.count, known, rest.wants_confirm))
                return
            head = fifo[0]
            count = min(rest.count, head.arrival.count)
            if head.arrival.msg_no == rest.msg_no:
                fifo.popleft()
                if head.arrival.count > count:
                    fifo.appendleft(head.part(count, head.arrival.count - count))
                self._seen_both(rest.part(0, count), discarded)
            else:
                ahead = head.arrival.msg_no - rest.msg_no
                count = min(rest.count, ahead) if ahead > 0 else rest.count
            done += count

    def _seen_both(self, arrival: Arrival, discarded: bool) -> None:
        if arrival.wants_confirm and not discarded:
            self.known.insert(MessageStatus(arrival.msg_no, arrival.count, "published_and_seen", True))
        else:
            self._confirm([Range(arrival.msg_no, arrival.count)])

    def on_disk(self, messages: Iterable[Range]) -> None:
        """Its own engine has messages on disk: confirm them, or wait for the channel's copy (H47)."""
        confirmed: list[Range] = []
        for each in messages:
            for found in self.known.remove(each.start, each.count):
                if found.known == "published_and_seen":
                    confirmed.append(Range(found.start, found.count))
                else:
                    self.known.insert(MessageStatus(found.start, found.count, "confirmed", False))
        if confirmed:
            self._confirm(confirmed)

    # --- from the master ---------------------------------------------------------------------------------------------
    def obey(self, instruction: to_do.MirrorInstruction) -> None:
        """Carry out the master's instructions in their order (H32). Raises MirrorCrashed where the broker's
        assertions fail.
        """
        match instruction:
            case to_do.PublishInstruction(arrival):
                self._met(arrival, discarded=False)
                self.queue.publish((arrival,), already_delivered=True)
            case to_do.PublishDeliveredInstruction(arrival):
                self._met(arrival, discarded=False)
                if self.queue.depth:
                    raise MirrorCrashed("messages were delivered past a mirror that is not empty")
                self._keep(arrival.msg_no, self.queue.publish_delivered((arrival,)))
            case to_do.DiscardInstruction(arrival):
                self._met(arrival, discarded=True)
            case to_do.DropInstruction():
                self._drop(instruction)
            case to_do.AckInstruction():
                tags = self._take_kept(instruction.messages)
                self.queue.ack(tags, multiple=instruction.runs == 1)
                self._fell_by(sum(each.count for each in tags) - instruction.count)
            case to_do.RequeueInstruction():
                tags = self._take_kept(instruction.messages)
                if tags:
                    self.queue.requeue(tags, multiple=instruction.runs == 1)
            case to_do.SetModeInstruction(mode):
                self.stuck = not self.queue.set_queue_mode(mode)
            case to_do.SetVersionInstruction(version):
                self.queue.set_queue_version(version)
            case to_do.DepthInstruction(depth):
                self._set_delta(depth - self.depth)

    def _drop(self, drop: to_do.DropInstruction) -> None:
        count = max(0, self.queue.depth - drop.left)
        for taken in self.queue.drop(count, drop.ack) if count else ():
            if drop.ack:
                self._keep(taken.extent.msg_no, Range(taken.extent.start, taken.extent.count))
        if not drop.ack:
            self._fell_by(count - drop.total)

    def _keep(self, msg_no: int, tags: Range) -> None:
        self.kept.insert(KeptCopy(msg_no, tags.count, tags.start))

    def _take_kept(self, messages: Iterable[Range]) -> list[Range]:
        """Return the own tags of messages, which are forgotten; unknown ones are passed over (H39)."""
        return [
            Range(found.tag, found.count)
            for each in messages
            for found in self.kept.remove(each.start, each.count)
        ]

    # --- depth (H40, H41) --------------------------------------------------------------------------------------------
    def _fell_by(self, change: int) -> None:
        if self.depth_delta is not None:
            self._set_delta(self.depth_delta + change)

    def _set_delta(self, behind: int) -> None:
        before = self.depth_delta
        if behind < 0 or (before is not None and behind > before):
            raise MirrorCrashed(f"the depth differs by {behind} after {before}")
        self.depth_delta = behind
        if behind == 0 and before != 0:
            self._synchronised()

    # --- synchronisation (H52-H58) -----------------------------------------------------------------------------------
    def throw_away(self) -> None:
        self.queue.purge_acks()
        self.queue.purge()
        self.kept.clear()

    def take_batch(self, batch: Sequence[tuple[Extent, bool]]) -> None:
        """Publish a batch of a synchronisation, in runs of ready and of unacknowledged messages (H54)."""
        at = 0
        while at < len(batch):
            unacked = batch[at][1]
            end = at
            while end < len(batch) and batch[end][1] == unacked:
                end += 1
            arrivals = [_arrival(extent) for extent, _ in batch[at:end]]
            if unacked:
                tag = self.queue.publish_delivered(arrivals, one_call=True).start
                for arrival in arrivals:
                    self._keep(arrival.msg_no, Range(tag, arrival.count))
                    tag += arrival.count
            else:
                self.queue.publish(arrivals, already_delivered=True, one_call=True)
            at = end

    def filled(self) -> None:
        """The last batch came (H54)."""
        self.depth_delta = 0
        self._synchronised()

    def lost_count(self) -> None:
        """A synchronisation failed: everything goes, and the depth is unknown (H58)."""
        self.throw_away()
        self.depth_delta = None

    # --- promotion (H62) ---------------------------------------------------------------------------------------------
    def requeue_all(self) -> None:
        """Put everything pending back into the queue, at once."""
        tags = sorted((Range(each.tag, each.count) for each in self.kept), key=attrgetter("start"))
        self.kept.clear()
        if tags:
            self.queue.requeue(tags, multiple=True)

    def leftovers(self) -> list[MirrorCopy]:
        """Return what only channels sent, channel by channel."""
        found = [copy for fifo in self.sender_queues.values() for copy in fifo]
        self.sender_queues.clear()
        return found


def _arrival(extent: Extent) -> Arrival:
    return Arrival(
        extent.count,
        extent.msg_no,
        extent.size_bytes,
        extent.raw_persistent,
        False,
        extent.expiry_us,
        extent.template,
    )


class MasterQueue:
    """Wraps the queue of a master; verbs that mirrors need not repeat go straight to it. `broadcast`: sends
    an instruction around the ring.
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
        self, batch: Arrivals, already_delivered: bool = False, spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        """Publish, after the instructions were sent to the mirrors."""
        for each in batch:
            self._broadcast(to_do.PublishInstruction(each))
        return self.inner.publish(batch, already_delivered, spacing_us, one_call)

    def publish_delivered(self, batch: Arrivals, spacing_us: int = 0, one_call: bool = False) -> Range:
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
            for at, count, known in self.seen.pieces(each.start, each.count):
                if known is None:
                    ready.append(Range(at, count))
                else:
                    self.seen.replace(MessageStatus(at, count, "confirmed", False))
        return ready

    def late(self, copy: MirrorCopy) -> tuple[list[MirrorCopy], list[Range]]:
        """Return the new messages of a late copy, and those confirmed now because they are already known."""
        arrival = copy.arrival
        new: list[MirrorCopy] = []
        confirmed: list[Range] = []
        for at, count, known in self.seen.pieces(arrival.msg_no, arrival.count):
            if known is None:
                new.append(copy.part(at - arrival.msg_no, count))
            elif not (known.known == "published" and known.waits):
                confirmed.append(Range(at, count))
        self.seen.remove(arrival.msg_no, arrival.count)
        return new, confirmed

    # --- how many at once --------------------------------------------------------------------------------------------
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many may enter a full queue at once: one, since the ring gets a drop after each publish
        (H34). Also where no mirror is left: the master is in the ring itself.
        """
        return 1


def _calls(tags: Sequence[Range], found: Sequence[Extent]) -> Iterator[tuple[tuple[Range, ...], int]]:
    """Yield what single calls found: neighbours that found something, or nothing, as one, with how many calls."""
    known = Stretches(sorted(found, key=attrgetter("start")))
    for tag in tags:
        pieces = known.pieces(tag.start, tag.count)
        known.remove(tag.start, tag.count)  # another tag for them finds nothing
        for _at, count, each in pieces:
            yield () if each is None else (Range(each.msg_no, count),), count


def _numbers(found: Sequence[Extent]) -> tuple[Range, ...]:
    ranges: list[Range] = []
    for each in found:
        if ranges and ranges[-1].end == each.msg_no:
            ranges[-1] = Range(ranges[-1].start, ranges[-1].count + each.count)
        else:
            ranges.append(Range(each.msg_no, each.count))
    return tuple(ranges)
