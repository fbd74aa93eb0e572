"""The backing queue of a queue with x-max-priority, verb by verb as `rabbit_priority_queue` has them (P20)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from engine.amqp.arguments import PRIORITIES
from engine.backing_queue.generation import DeclaredSettings, Maker, QueueConfig, QueueImplementation
from engine.backing_queue.heap import HeapFigures
from engine.backing_queue.message_places import PRIORITY_QUEUE, MessagePlace, part_name, register
from engine.backing_queue.protocol import (
    Arrival,
    Arrivals,
    BackingQueue,
    CleanTerms,
    Contains,
    DrainedMailbox,
    IndexLoad,
    Message,
    NeedsTimeout,
    StoreCredit,
    TakenMessages,
)
from engine.formats import properties
from engine.formats.message import MessageCodec
from engine.formats.names import priority_resource, queue_directory
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.queue import CountersChanged, ModeChanged, QueueStarted, QueueStopped
from engine.values.errors import ProcessCrash
from engine.values.extents import BLANK, Extent
from engine.values.labels import bare
from engine.values.marks import override
from engine.values.stretches import Range

SEQ_ID_BITS: Final = 44
"""Below the priority, so that a tag of the highest priority, 255, is still exact in a browser's numbers."""


def base_of(priority: int) -> int:
    """Return the tag of the first seq_id of a priority."""
    return priority << SEQ_ID_BITS


def tagged(extent: Extent, priority: int) -> Extent:
    return replace(extent, start=extent.start + base_of(priority))


def taken(messages: Iterable[TakenMessages], priority: int) -> list[TakenMessages]:
    return [replace(each, extent=tagged(each.extent, priority)) for each in messages]


def by_priority(tags: Iterable[Range]) -> dict[int, list[Range]]:
    """Return the seq_ids that tags stand for, by priority, each in the order of the tags."""
    found: dict[int, list[Range]] = {}
    for each in tags:
        priority = each.start >> SEQ_ID_BITS
        found.setdefault(priority, []).append(Range(each.start - base_of(priority), each.count))
    return found


def in_turn(tags: Sequence[Range]) -> list[tuple[int, list[Range]]]:
    """Return the seq_ids that tags stand for, in their order: stretches of one priority each."""
    found: list[tuple[int, list[Range]]] = []
    for each in tags:
        priority = each.start >> SEQ_ID_BITS
        if not found or found[-1][0] != priority:
            found.append((priority, []))
        found[-1][1].append(Range(each.start - base_of(priority), each.count))
    return found


register(PRIORITY_QUEUE, ())


HIGHEST: Final = 255
T = TypeVar("T")


class PriorityQueue(BackingQueue):
    """Queues behind one: each priority from 0 to the highest has a queue, with an index, of its own. The
    highest priority that has messages is served. The parts emit their own transitions under their own names;
    the whole reports only its sums. `highest`: x-max-priority; more than 255 is 255.
    """

    kind = PRIORITY_QUEUE

    def __init__(
        self,
        *,
        name: str,
        durable: bool,
        highest: int,
        make: Callable[[int], BackingQueue],
        codec: MessageCodec,
        emit: Callable[[Transition], None],
    ) -> None:
        self.name = name
        self.durable = durable
        self.mode = "default"
        self.by_number = {number: make(number) for number in range(min(highest, HIGHEST), -1, -1)}
        """The parts by their priority, the highest first."""
        self._codec = codec
        self._priorities: dict[int, int] = {}
        """Those of the templates that it met."""
        self._emit = emit
        self._reported: Why = {}

    @property
    @override
    def parts(self) -> Mapping[str, BackingQueue]:
        """The queues of the priorities by name, the highest first."""
        return {part.name: part for part in self.by_number.values()}

    @property
    @override
    def directories(self) -> tuple[str, ...]:
        return tuple(each for part in self.by_number.values() for each in part.directories)

    # --- time --------------------------------------------------------------------------------------------------------
    @property
    @override
    def now_us(self) -> int:
        return max(part.now_us for part in self.by_number.values())

    @override
    def advance_clock(self, to_us: int) -> None:
        for part in self.by_number.values():
            part.advance_clock(to_us)

    @override
    def pass_time(self, us: int) -> None:
        self.advance_clock(self.now_us + us)

    # --- counts ------------------------------------------------------------------------------------------------------
    @property
    @override
    def heap(self) -> HeapFigures:
        return next(iter(self.by_number.values())).heap

    @property
    @override
    def depth(self) -> int:
        return sum(part.depth for part in self.by_number.values())

    @property
    @override
    def ready_bytes(self) -> int:
        return sum(part.ready_bytes for part in self.by_number.values())

    @property
    @override
    def unacked(self) -> int:
        return sum(part.unacked for part in self.by_number.values())

    @property
    @override
    def ram_bytes(self) -> int:
        return sum(part.ram_bytes for part in self.by_number.values())

    @property
    @override
    def rates(self) -> tuple[float, float, float, float]:
        each = [part.rates for part in self.by_number.values()]
        into, out, acks_in, acks_out = (sum(rates) for rates in zip(*each, strict=True))
        return into, out, acks_in, acks_out

    def counters(self) -> Why:
        """Return what is shown of the whole; the rest is shown of each part."""
        return {
            "len": self.depth,
            "bytes": self.ready_bytes,
            "unacked": self.unacked,
            "ram_bytes": self.ram_bytes,
        }

    @override
    def oldest_message(self) -> int | None:
        each = [part.oldest_message() for part in self.by_number.values()]
        return min((number for number in each if number is not None), default=None)

    @override
    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for part in self.by_number.values():
            yield from part.entries()

    @override
    def index_load(self) -> IndexLoad:
        each = [part.index_load() for part in self.by_number.values()]
        return IndexLoad(
            sum(load.segments for load in each),
            each[0].segment_entries,
            [record for load in each for record in load.records],
            any(load.buffered for load in each),
            sum(load.more for load in each),
        )

    @override
    def store_references(self) -> list[Range]:
        return [each for part in self.by_number.values() for each in part.store_references()]

    @override
    def store_credit(self) -> Mapping[str, StoreCredit]:
        return self._any.store_credit()

    # --- the head, and how many messages may go one way at once ------------------------------------------------------
    @property
    def _any(self) -> BackingQueue:
        return next(iter(self.by_number.values()))

    @property
    def _head(self) -> BackingQueue:
        """The part whose head is delivered next: the highest priority that has messages."""
        return next((part for part in self.by_number.values() if part.depth), self._any)

    def priority_of(self, template: int) -> int:
        """Return the priority of a template's messages, as the queue takes it: 0 where the publisher gave none."""
        known = self._priorities.get(template)
        if known is None:
            block = self._codec.templates[template].properties
            given = properties.decode(block).get("priority", 0) if block is not None else 0
            known = self._priorities[template] = min(given, max(self.by_number))
        return known

    def part_of(self, arrival: Arrival) -> BackingQueue:
        return self.by_number[self.priority_of(arrival.template)]

    @override
    def entry(self, arrival: Arrival) -> Extent:
        return tagged(self.part_of(arrival).entry(arrival), self.priority_of(arrival.template))

    @override
    def unkept(self, arrival: Arrival) -> Extent:
        return self.part_of(arrival).unkept(arrival)

    @override
    def head_extent(self) -> Extent | None:
        return self._head.head_extent()

    @override
    def head_expiry_us(self) -> int:
        return self._head.head_expiry_us()

    @override
    def head_stays(self) -> bool:
        return self._head.head_stays()

    @override
    def takeable(self, count: int, expiring: bool) -> int:
        return self._head.takeable(min(count, self._head.depth), expiring)

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head."""
        part = self.part_of(arrival)
        return part.steady(arrival, same_size) if part.depth == self.depth else 1

    # --- looking -----------------------------------------------------------------------------------------------------
    @override
    def snapshot(self) -> dict[str, Any]:
        """Return the whole's state as plain values; the parts have snapshots of their own."""
        return {
            "mode": self.mode,
            "durable": self.durable,
            "lanes": {},
            "counted": {},
            "counters": self.counters(),
            "own": {},
        }

    @override
    def verify(self) -> None:
        for part in self.by_number.values():
            part.verify()

    # --- beginning and end -------------------------------------------------------------------------------------------
    @override
    def start_new(self) -> None:
        self._begin("Q5")
        for part in self.by_number.values():
            part.start_new()

    @override
    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        """Begin on the files that a stop left, each part on its own (Q62, S110)."""
        self._begin("Q62")
        each = [None] * len(self.by_number) if terms is None else terms.parts
        for part, own in zip(self.by_number.values(), each, strict=True):
            part.recover(own, store_clean, contains, in_order)
        self._done(None)

    def _begin(self, rule: str) -> None:
        self._reported = self.counters()
        self._emit(QueueStarted(rule, self.name, self.mode, self.durable, BLANK, dict(self._reported)))

    @override
    def terminate(self) -> CleanTerms:
        terms = CleanTerms(
            None, 0, 0, None, 0, 0, tuple(part.terminate() for part in self.by_number.values())
        )
        self._emit(QueueStopped("Q63", self.name, "clean"))
        return terms

    @override
    def delete_and_terminate(self, cause: str = "deleted") -> None:
        for part in self.by_number.values():
            part.delete_and_terminate(cause)
        self._emit(QueueStopped("Q64", self.name, cause))

    @override
    def kill(self, kind: str = "crash") -> None:
        for part in self.by_number.values():
            part.kill(kind)
        self._emit(QueueStopped("D4", self.name, kind))

    # --- messages in and out -----------------------------------------------------------------------------------------
    @override
    def publish(
        self, batch: Arrivals, already_delivered: bool = False, spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        """Publish each run into the part of its priority; return the tags (Q20)."""
        return self._enter(
            batch, spacing_us, lambda part, own: part.publish(own, already_delivered, spacing_us)
        )

    @override
    def publish_delivered(self, batch: Arrivals, spacing_us: int = 0, one_call: bool = False) -> Range:
        return self._enter(batch, spacing_us, lambda part, own: part.publish_delivered(own, spacing_us))

    def _enter(
        self,
        batch: Sequence[Arrival],
        spacing_us: int,
        enter: Callable[[BackingQueue, Sequence[Arrival]], Range],
    ) -> Range:
        """Hand each run to the part of its priority; return the tags from the first to the last."""
        found: list[Range] = []
        for each in batch:
            if found:
                self.pass_time(spacing_us)
            own = enter(self.part_of(each), (each,))
            base = base_of(self.priority_of(each.template))
            found.append(self._done(Range(own.start + base, own.count)))
        return Range(found[0].start, found[-1].end - found[0].start)

    @override
    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        return self._take(count, lambda part, left: part.fetch(left, ack, spacing_us))

    @override
    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        return self._take(count, lambda part, left: part.drop(left, ack))

    def _take(
        self, count: int, take: Callable[[BackingQueue, int], list[TakenMessages]]
    ) -> list[TakenMessages]:
        found: list[TakenMessages] = []
        try:
            for number, part in self.by_number.items():
                left = count - sum(each.extent.count for each in found)
                if left and part.depth:
                    found += taken(take(part, left), number)
        except ProcessCrash as crash:
            crash.fetched[:0] = found
            raise
        return self._done(found)

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Drop expired heads; a lower priority is looked at once the higher ones are empty (Q58)."""
        return self._take_expired(lambda part: part.dropwhile(now_us))

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._take_expired(lambda part: part.fetchwhile(now_us))

    def _take_expired(
        self, take: Callable[[BackingQueue], tuple[list[TakenMessages], int | None]]
    ) -> tuple[list[TakenMessages], int | None]:
        found: list[TakenMessages] = []
        for number, part in self.by_number.items():
            expired, next_us = take(part)
            found += taken(expired, number)
            if part.depth:
                return self._done((found, next_us))
        return self._done((found, None))

    @override
    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        return self._settle(tags, multiple, lambda part, own: part.ack(own, multiple))

    @override
    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        return self._settle(tags, multiple, lambda part, own: part.requeue(own, multiple, delivery_failed))

    @override
    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
        [(priority, [own])] = by_priority([Range(extent.start, extent.count)]).items()
        part = self.by_number[priority]
        found = part.deliveries_of(replace(extent, start=own.start))
        return [(tagged(each, priority), times) for each, times in found]

    @override
    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        return self._settle(tags, True, lambda part, own: part.ackfold(own, delivery_failed))

    def _settle(
        self, tags: Sequence[Range], multiple: bool, do: Callable[[BackingQueue, list[Range]], list[Extent]]
    ) -> list[Extent]:
        """Hand the seq_ids of each part to it: all of the highest priority first, or in the order of the tags."""
        groups: Iterable[tuple[int, list[Range]]] = in_turn(tags)
        if multiple:
            own = by_priority(tags)
            groups = [(number, own[number]) for number in self.by_number if number in own]
        return self._done(
            [
                tagged(each, number)
                for number, seq_ids in groups
                for each in do(self.by_number[number], seq_ids)
            ]
        )

    @override
    def purge(self) -> int:
        return self._done(sum(part.purge() for part in self.by_number.values()))

    # --- memory ------------------------------------------------------------------------------------------------------
    @override
    def ram_duration(self) -> float | None:
        each = [part.ram_duration() for part in self.by_number.values()]
        return min((duration for duration in each if duration is not None), default=None)

    @override
    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        each = [part.set_ram_duration_target(duration_s) for part in self.by_number.values()]
        finite = [count for count in each if count is not None]
        return self._done(sum(finite) if len(finite) == len(each) else None)

    @override
    def set_target(self, count: int | None) -> None:
        self._each(lambda part: part.set_target(count))

    @override
    def set_queue_version(self, version: int) -> None:
        self._each(lambda part: part.set_queue_version(version))

    @override
    def set_queue_mode(self, mode: str) -> bool:
        ends = all(part.set_queue_mode(mode) for part in self.by_number.values())
        self._done(None)
        if ends and mode != self.mode:
            self.mode = mode
            self._emit(ModeChanged("Q56" if mode == "lazy" else "Q57", self.name, mode))
        return ends

    # --- timers and the mailbox --------------------------------------------------------------------------------------
    @override
    def needs_timeout(self) -> NeedsTimeout:
        each = {part.needs_timeout() for part in self.by_number.values()}
        return "timed" if "timed" in each else "idle" if "idle" in each else "no"

    @override
    def timeout(self) -> None:
        self._each(lambda part: part.timeout())

    @override
    def resume(self) -> None:
        """Let every part reduce now (Q54)."""
        self._each(lambda part: part.resume())

    @override
    def pre_hibernate(self) -> None:
        self._each(lambda part: part.pre_hibernate())

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        bumps = resumes = 0
        more = True
        while more:
            each = [(part, part.drain_mailbox()) for part in self.by_number.values()]
            more = any(drained.bumps for _, drained in each)
            for part, drained in each:
                bumps, resumes = bumps + drained.bumps, resumes + drained.resumes
                if more and not drained.resumes:
                    part.resume()
        return self._done(DrainedMailbox(bumps, resumes))

    @override
    def take_posted(self) -> list[Message]:
        return [
            (kind, (number, what))
            for number, part in self.by_number.items()
            for kind, what in part.take_posted()
        ]

    @override
    def take_message(self, kind: str, what: Any) -> None:
        number, own = what
        self.by_number[number].take_message(kind, own)
        if kind == "credit":
            for other, part in self.by_number.items():
                if other != number:
                    part.resume()
        self._done(None)

    @override
    def drain_confirmed(self) -> list[Range]:
        each = [part.drain_confirmed() for part in self.by_number.values()]
        return [messages for found in reversed(each) for messages in found]

    @override
    def let_stores_work_alone(self, alone: bool) -> None:
        for part in self.by_number.values():
            part.let_stores_work_alone(alone)

    @override
    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        for number, part in self.by_number.items():
            own = [(kind, what[1]) for kind, what in waiting if what[0] == number]
            do = partial(part.answered_at_once, own, do)
        do()

    # --- after each verb ---------------------------------------------------------------------------------------------
    def _each(self, do: Callable[[BackingQueue], Any]) -> None:
        for part in self.by_number.values():
            do(part)
        self._done(None)

    def _done(self, result: T) -> T:
        """Report which of the whole's numbers changed."""
        now = self.counters()
        if now != self._reported:
            changed: Why = {name: value for name, value in now.items() if self._reported.get(name) != value}
            self._reported = now
            self._emit(CountersChanged("P20", self.name, changed))
        return result


def priorities_of(make: Maker, least: int = 0) -> QueueImplementation:
    """Return the implementation that has a queue for each priority. `least`: what asks for fewer priorities
    above 0 gets so many (W226).
    """
    return QueueImplementation(_has_priorities, partial(_priority_queue, make, least))


def _has_priorities(queue: DeclaredSettings) -> bool:
    return PRIORITIES in queue.arguments


def _priority_queue(make: Maker, least: int, means: QueueConfig) -> BackingQueue:
    """Return a queue for each priority behind one; one process has them, so they share its credit (F1)."""
    return PriorityQueue(
        name=means.name,
        durable=means.durable,
        highest=max(least, means.arguments[PRIORITIES]),
        make=partial(_one_priority, make, means, means.files.credit()),
        codec=means.codec,
        emit=means.emit,
    )


def _one_priority(make: Maker, means: QueueConfig, credit: Any, number: int) -> BackingQueue:
    resource = priority_resource(bare(means.name), number)
    folder, _, _ = means.directory.rpartition("/")
    return make(
        msgspec.structs.replace(
            means,
            name=part_name(means.name, number),
            directory=f"{folder}/{queue_directory(means.codec.vhost, resource)}",
            ref=part_name(means.ref, number),
            resource=resource,
            credit=credit,
        )
    )
