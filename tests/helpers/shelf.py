"""The smallest queue that there can be, for tests: one place in RAM, one for what is unacknowledged, no files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from engine.backing_queue.generation import DeclaredSettings, QueueConfig, QueueImplementation
from engine.backing_queue.message_places import PLACES, MessagePlace
from engine.backing_queue.protocol import Arrival, BackingQueue, CleanTerms, TakenMessages
from engine.releases import RELEASES
from engine.report.transitions.queue import (
    Acked,
    CountersChanged,
    Dropped,
    Fetched,
    Published,
    QueueStarted,
    QueueStopped,
    Requeued,
)
from engine.values.extents import BLANK, IN_RAM, Extent
from engine.values.sizes import total
from engine.values.stretches import Range, RangeSet, Stretches

SHELF = "shelf"
T = TypeVar("T")
ON_SHELF = (MessagePlace("shelf", "ram"), MessagePlace("lent", "ram", unacked=True))


class Shelf(BackingQueue):
    """A queue in RAM alone: what is ready lies on the shelf, what was delivered is lent."""

    kind = SHELF

    def __init__(self, means: QueueConfig) -> None:
        self.name = means.name
        self.durable = means.durable
        self._emit = means.emit
        self._ready: Stretches[Extent] = Stretches()
        self._lent: Stretches[Extent] = Stretches()
        self._next = 0
        self._reported: dict[str, Any] = {}

    # --- beginning and end ---

    def start_new(self) -> None:
        self._reported = self._counts()
        self._emit(QueueStarted("Q62", self.name, "default", self.durable, BLANK, dict(self._reported)))

    def recover(
        self,
        terms: CleanTerms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        self.start_new()

    def terminate(self) -> CleanTerms:
        self._emit(QueueStopped("Q63", self.name, "clean"))
        return CleanTerms(None, self._next, self._next, None, 0, 0)

    def delete_and_terminate(self, cause: str = "deleted") -> None:
        self._emit(QueueStopped("Q64", self.name, cause))

    def kill(self, kind: str = "crash") -> None:
        self._emit(QueueStopped("D4", self.name, kind))

    # --- messages in and out ---

    def publish(
        self,
        batch: Sequence[Arrival],
        already_delivered: bool = False,
        spacing_us: int = 0,
        one_call: bool = False,
    ) -> Range:
        first, entries = self._next, [self._enter(each) for each in batch]
        self._ready.insert_all(entries)
        self._emit(Published("Q20", self.name, None, "shelf", tuple(entries)))
        return self._done(Range(first, self._next - first))

    def publish_delivered(
        self, batch: Sequence[Arrival], spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        first, entries = self._next, [self._enter(each) for each in batch]
        self._lent.insert_all(entries)
        self._emit(Published("Q23", self.name, None, "lent", tuple(entries)))
        return self._done(Range(first, self._next - first))

    def purge_acks(self) -> None:
        self._lent = Stretches()

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        taken = self._ready.pop_head(min(count, self._ready.total))
        if ack:
            self._lent.insert_all(taken)
        self._emit(Fetched("Q31", self.name, "shelf", "lent" if ack else None, tuple(taken)))
        return self._done([TakenMessages(each, 0, "shelf") for each in taken])

    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        taken = self._ready.pop_head(min(count, self._ready.total))
        self._emit(Dropped("Q60", self.name, "shelf", None, tuple(taken)))
        return self._done([TakenMessages(each, 0, "shelf") for each in taken])

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        return self._done(self._give_back(tags, Acked, None))

    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        return [each for tag in tags for each in self._lent.overlapping(tag.start, tag.count)]

    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        back = self._give_back(tags, Requeued, "shelf")
        self._ready.insert_all(back)
        return self._done(back)

    # --- counts ---

    @property
    def depth(self) -> int:
        return self._ready.total

    @property
    def ready_bytes(self) -> int:
        return sum(total(each.size_bytes, each.msg_no, each.count) for each in self._ready)

    @property
    def unacked(self) -> int:
        return self._lent.total

    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for place, runs in zip(ON_SHELF, (self._ready, self._lent), strict=True):
            for each in runs:
                yield place, each

    # --- the head ---

    def entry(self, arrival: Arrival) -> Extent:
        return Extent(
            self._next,
            arrival.count,
            arrival.msg_no,
            arrival.size_bytes,
            IN_RAM,
            arrival.expiry_us,
            arrival.template,
        )

    def head_extent(self) -> Extent | None:
        return self._ready.first if self._ready else None

    # --- looking ---

    def snapshot(self) -> dict[str, Any]:
        return {
            "mode": "default",
            "durable": self.durable,
            "lanes": {"shelf": list(self._ready), "lent": list(self._lent)},
            "counted": {},
            "counters": self._counts(),
            "own": {},
        }

    def _enter(self, arrival: Arrival) -> Extent:
        entry = self.entry(arrival)
        self._next += arrival.count
        return entry

    def _give_back(self, tags: Sequence[Range], kind: Any, to: str | None) -> list[Extent]:
        found = [each for tag in tags for each in self._lent.remove(tag.start, tag.count)]
        self._emit(kind("Q39", self.name, "lent", to, tuple(found)))
        return found

    def _counts(self) -> dict[str, Any]:
        return {"len": self.depth, "next_seq_id": self._next}

    def _done(self, result: T) -> T:
        if self._counts() != self._reported:
            self._reported = self._counts()
            self._emit(CountersChanged("Q5", self.name, dict(self._reported)))
        return result


def on_shelves(queue: DeclaredSettings) -> bool:
    """Serve queues whose names say so; a real implementation decides by arguments and policy."""
    return queue.name.startswith("shelf")


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shelves serve the queues whose names say so, as long as the test goes on."""
    monkeypatch.setitem(PLACES, SHELF, ON_SHELF)
    for release in RELEASES.values():
        monkeypatch.setitem(release.queues, SHELF, QueueImplementation(on_shelves, Shelf))
