"""The smallest queue that there can be, for tests: one place in RAM, one for what is unacknowledged, no files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pytest

from engine.backing_queue.arrivals import Arrival, Taken
from engine.backing_queue.means import Declared, Implementation, Means
from engine.backing_queue.places import PLACES, Place
from engine.backing_queue.protocol import BackingQueue, Drained, IndexLoad, Message, NeedsTimeout, StoreCredit
from engine.backing_queue.terms import Terms
from engine.releases import RELEASES
from engine.transitions import (
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
from engine.values.ranges import Range, RangeSet
from engine.values.stretches import Stretches

SHELF = "shelf"
T = TypeVar("T")
ON_SHELF = (Place("shelf", "ram"), Place("lent", "ram", unacked=True))


class Shelf:
    """A queue in RAM alone: what is ready lies on the shelf, what was delivered is lent."""

    places = ON_SHELF

    def __init__(self, means: Means) -> None:
        self.name = means.name
        self.durable = means.durable
        self.now_us = 0
        self._emit = means.emit
        self._ready: Stretches[Extent] = Stretches()
        self._lent: Stretches[Extent] = Stretches()
        self._next = 0
        self._reported: dict[str, Any] = {}

    parts: Mapping[str, BackingQueue] = {}
    directories: Sequence[str] = ()

    def advance_clock(self, to_us: int) -> None:
        self.now_us = max(self.now_us, to_us)

    def pass_time(self, us: int) -> None:
        self.now_us += us

    # --- beginning and end ---

    def start_new(self) -> None:
        self._reported = self._counts()
        self._emit(QueueStarted("Q62", self.name, "default", self.durable, BLANK, dict(self._reported)))

    def recover(
        self,
        terms: Terms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        self.start_new()

    def terminate(self) -> Terms:
        self._emit(QueueStopped("Q63", self.name, "clean"))
        return Terms(None, self._next, self._next, None, 0, 0)

    def delete_and_terminate(self, cause: str = "deleted") -> None:
        self._emit(QueueStopped("Q64", self.name, cause))

    def kill(self, kind: str = "crash") -> None:
        self._emit(QueueStopped("D4", self.name, kind))

    # --- messages in and out ---

    def publish(self, arrival: Arrival, already_delivered: bool = False, spacing_us: int = 0) -> Range:
        entry = self._enter(arrival)
        self._ready.insert(entry)
        self._emit(Published("Q20", self.name, None, "shelf", (entry,)))
        return self._done(Range(entry.start, entry.count))

    def publish_delivered(self, arrival: Arrival, spacing_us: int = 0) -> Range:
        entry = self._enter(arrival)
        self._lent.insert(entry)
        self._emit(Published("Q23", self.name, None, "lent", (entry,)))
        return self._done(Range(entry.start, entry.count))

    def discard(self, arrival: Arrival) -> None:
        pass

    def batch_publish(self, arrivals: Sequence[Arrival], already_delivered: bool = False) -> Range:
        first = next(iter([self.publish(each, already_delivered) for each in arrivals]))
        return Range(first.start, self._next - first.start)

    def batch_publish_delivered(self, arrivals: Sequence[Arrival]) -> Range:
        first = next(iter([self.publish_delivered(each) for each in arrivals]))
        return Range(first.start, self._next - first.start)

    def purge_acks(self) -> None:
        self._lent = Stretches()

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[Taken]:
        taken = self._ready.pop_head(min(count, self._ready.total))
        if ack:
            self._lent.insert_all(taken)
        self._emit(Fetched("Q31", self.name, "shelf", "lent" if ack else None, tuple(taken)))
        return self._done([Taken(each, 0, "shelf") for each in taken])

    def drop(self, count: int, ack: bool) -> list[Taken]:
        taken = self._ready.pop_head(min(count, self._ready.total))
        self._emit(Dropped("Q60", self.name, "shelf", None, tuple(taken)))
        return self._done([Taken(each, 0, "shelf") for each in taken])

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        return self._done(self._give_back(tags, Acked, None))

    def ackfold(self, tags: Sequence[Range]) -> list[Extent]:
        return [each for tag in tags for each in self._lent.overlapping(tag.start, tag.count)]

    def requeue(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        back = self._give_back(tags, Requeued, "shelf")
        self._ready.insert_all(back)
        return self._done(back)

    def dropwhile(self, now_us: int) -> tuple[list[Taken], int | None]:
        dropped: list[Taken] = []
        while self._ready and 0 < self._ready.first.expiry_us <= now_us:
            dropped += self.drop(self._ready.first.count, ack=False)
        return dropped, self._ready.first.expiry_us if self._ready else None

    def fetchwhile(self, now_us: int) -> tuple[list[Taken], int | None]:
        fetched: list[Taken] = []
        while self._ready and 0 < self._ready.first.expiry_us <= now_us:
            fetched += self.fetch(self._ready.first.count, ack=True)
        return fetched, self._ready.first.expiry_us if self._ready else None

    def purge(self) -> int:
        count = self.depth
        self.drop(count, ack=False)
        return count

    # --- memory, timers and the mailbox: nothing of it leaves RAM ---

    def ram_duration(self) -> float | None:
        return None

    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        return None

    def set_target(self, count: int | None) -> None: ...

    def set_queue_mode(self, mode: str) -> bool:
        return True

    def needs_timeout(self) -> NeedsTimeout:
        return "no"

    def timeout(self) -> None: ...

    def resume(self) -> None: ...

    def pre_hibernate(self) -> None: ...

    def drain_mailbox(self) -> Drained:
        return Drained(0, 0)

    def take_posted(self) -> list[Message]:
        return []

    def take_message(self, kind: str, what: Any) -> None: ...

    def drain_confirmed(self) -> list[Range]:
        return []

    def let_stores_work_alone(self, alone: bool) -> None: ...

    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        do()

    def store_credit(self) -> Mapping[str, StoreCredit]:
        return {}

    # --- counts ---

    @property
    def depth(self) -> int:
        return self._ready.total

    @property
    def ready_bytes(self) -> int:
        return sum(each.count * each.size_bytes for each in self._ready)

    @property
    def unacked(self) -> int:
        return self._lent.total

    @property
    def ram_bytes(self) -> int:
        return self.ready_bytes + sum(each.count * each.size_bytes for each in self._lent)

    @property
    def rates(self) -> tuple[float, float, float, float]:
        return (0.0, 0.0, 0.0, 0.0)

    def oldest_message(self) -> int | None:
        return min((each.msg_no for _, each in self.entries()), default=None)

    def entries(self) -> Iterator[tuple[Place, Extent]]:
        for place, runs in zip(ON_SHELF, (self._ready, self._lent), strict=True):
            for each in runs:
                yield place, each

    def index_load(self) -> IndexLoad:
        return IndexLoad(0, 1, [], False)

    def store_references(self) -> list[Range]:
        return []

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

    unkept = entry

    def head_extent(self) -> Extent | None:
        return self._ready.first

    def head_expiry_us(self) -> int:
        return self._ready.first.expiry_us

    def head_stays(self) -> bool:
        return not 0 < self.head_expiry_us() <= self.now_us

    def unexpired(self, count: int) -> int:
        return 1

    def undisturbed(self, count: int) -> int:
        return count

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        return 1

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

    def verify(self) -> None: ...

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


def on_shelves(queue: Declared) -> bool:
    """Serve queues whose names say so; a real implementation decides by arguments and policy."""
    return queue.name.startswith("shelf")


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shelves serve the queues whose names say so, as long as the test goes on."""
    monkeypatch.setitem(PLACES, SHELF, ON_SHELF)
    for release in RELEASES.values():
        monkeypatch.setitem(release.queues, SHELF, Implementation(on_shelves, Shelf))
