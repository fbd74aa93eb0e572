"""The simplest queue: nothing leaves RAM, no store or index sends it messages, and it has no timers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from engine.backing_queue.heap import MEASURED_3_10, HeapFigures
from engine.backing_queue.protocol import (
    Arrival,
    BackingQueue,
    DrainedMailbox,
    IndexLoad,
    Message,
    NeedsTimeout,
    StoreCredit,
    TakenMessages,
)
from engine.backing_queue.rates import QueueRates
from engine.values.extents import IN_RAM, Extent
from engine.values.inherit import override
from engine.values.stretches import Range


class PlainQueue(BackingQueue):
    """A backing queue with all that follows from its verbs, entries and head; subclasses override what differs."""

    queue_version: int | None = None
    """The version of its files, if the release offers a choice."""
    _now_us = 0

    @property
    @override
    def heap(self) -> HeapFigures:
        return MEASURED_3_10

    @property
    @override
    def parts(self) -> Mapping[str, BackingQueue]:
        return {}

    @property
    @override
    def directories(self) -> Sequence[str]:
        return ()

    @property
    @override
    def now_us(self) -> int:
        return self._now_us

    @override
    def advance_clock(self, to_us: int) -> None:
        self._now_us = max(self._now_us, to_us)

    @override
    def pass_time(self, us: int) -> None:
        self._now_us += us

    # --- messages in and out -----------------------------------------------------------------------------------------

    @override
    def discard(self, arrival: Arrival) -> None:
        pass

    @override
    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
        return [(extent, 0)]

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._while_expired(now_us, lambda count: self.drop(count, ack=False))

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._while_expired(now_us, lambda count: self.fetch(count, ack=True))

    def _while_expired(
        self, now_us: int, take: Callable[[int], list[TakenMessages]]
    ) -> tuple[list[TakenMessages], int | None]:
        taken: list[TakenMessages] = []
        head = self.head_extent()
        while head is not None and 0 < head.expiry_us <= now_us:
            taken += take(head.count)
            head = self.head_extent()
        return taken, head.expiry_us if head is not None else None

    @override
    def purge(self) -> int:
        count = self.depth
        self.drop(count, ack=False)
        return count

    # --- memory ------------------------------------------------------------------------------------------------------

    @override
    def ram_duration(self) -> float | None:
        return None

    @override
    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        return None

    @override
    def set_target(self, count: int | None) -> None:
        pass

    @override
    def set_queue_mode(self, mode: str) -> bool:
        return True

    @override
    def set_queue_version(self, version: int) -> None:
        pass

    # --- timers and the mailbox --------------------------------------------------------------------------------------

    @override
    def needs_timeout(self) -> NeedsTimeout:
        return "no"

    @override
    def timeout(self) -> None:
        pass

    @override
    def resume(self) -> None:
        pass

    @override
    def pre_hibernate(self) -> None:
        pass

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        return DrainedMailbox(0, 0)

    @override
    def take_posted(self) -> list[Message]:
        return []

    @override
    def take_message(self, kind: str, what: Any) -> None:
        pass

    @override
    def drain_confirmed(self) -> list[Range]:
        return []

    @override
    def let_stores_work_alone(self, alone: bool) -> None:
        pass

    @override
    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        do()

    @override
    def store_references(self) -> list[Range]:
        return []

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    @override
    def unkept(self, arrival: Arrival) -> Extent:
        return self.entry(arrival)

    @override
    def head_expiry_us(self) -> int:
        head = self.head_extent()
        return head.expiry_us if head is not None else 0

    @override
    def head_stays(self) -> bool:
        return not 0 < self.head_expiry_us() <= self.now_us

    @override
    def takeable(self, count: int, expiring: bool) -> int:
        return 1 if expiring else count

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        return 1

    # --- measured ----------------------------------------------------------------------------------------------------

    @property
    @override
    def ram_bytes(self) -> int:
        return sum(each.total_bytes for _, each in self.entries() if each.flags & IN_RAM)

    @property
    @override
    def ram_count(self) -> int:
        return sum(each.count for _, each in self.entries() if each.flags & IN_RAM)

    @property
    @override
    def rates(self) -> tuple[float, float, float, float]:
        return (0.0, 0.0, 0.0, 0.0)

    @override
    def oldest_message(self) -> int | None:
        return min((each.msg_no for _, each in self.entries()), default=None)

    @override
    def index_load(self) -> IndexLoad:
        return IndexLoad(0, 1, [], buffered=False)

    @override
    def store_credit(self) -> Mapping[str, StoreCredit]:
        return {}

    @override
    def verify(self) -> None:
        pass


class StoreSide(Protocol):
    """A queue's client of one message store."""

    @property
    def credit(self) -> int | None:
        """Writes that may still be sent, None before the first one (F1)."""

    @property
    def blocked(self) -> bool:
        """Whether the credit is used up (F2)."""


class StoreCredits(Protocol):
    """The settings that are used here."""

    @property
    def msg_store_credit_disc_bound(self) -> tuple[int, int]:
        """The first credit at a store, and the credits of each grant (F1)."""


class QueueNumbers(Protocol):
    """The state that is used here; the generations' states document it."""

    now_us: int
    bytes: int
    ram_bytes: int
    rates: QueueRates
    mailbox: deque[tuple[str, object]]
    stores_alone: bool

    @property
    def settings(self) -> StoreCredits:
        """What the queue was configured with."""

    @property
    def len(self) -> int:
        """Ready messages (Q13)."""

    @property
    def pending_count(self) -> int:
        """Unacknowledged messages."""

    @property
    def persistent(self) -> StoreSide:
        """The client of the persistent store."""

    @property
    def transient(self) -> StoreSide:
        """The client of the transient store."""


S = TypeVar("S", bound=QueueNumbers)


class StateQueue(PlainQueue, Generic[S]):
    """Code that generations share whose queues have such a state."""

    state: S

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    @override
    def now_us(self) -> int:
        return self.state.now_us

    @override
    def advance_clock(self, to_us: int) -> None:
        state = self.state
        state.now_us = to_us if to_us > state.now_us else state.now_us

    @override
    def pass_time(self, us: int) -> None:
        self.state.now_us += us

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    @override
    def depth(self) -> int:
        return self.state.len

    @property
    @override
    def ready_bytes(self) -> int:
        return self.state.bytes

    @property
    @override
    def unacked(self) -> int:
        return self.state.pending_count

    @property
    @override
    def ram_bytes(self) -> int:
        return self.state.ram_bytes

    @property
    @override
    def rates(self) -> tuple[float, float, float, float]:
        return self.state.rates.all

    @override
    def store_credit(self) -> Mapping[str, StoreCredit]:
        initial, more = self.state.settings.msg_store_credit_disc_bound
        clients = {"persistent": self.state.persistent, "transient": self.state.transient}
        return {side: StoreCredit(each.credit, initial, more, each.blocked) for side, each in clients.items()}

    # --- what the stores send ----------------------------------------------------------------------------------------

    @override
    def take_posted(self) -> list[Message]:
        posted = list(self.state.mailbox)
        self.state.mailbox.clear()
        return posted

    @override
    def let_stores_work_alone(self, alone: bool) -> None:
        self.state.stores_alone = alone

    @override
    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        self.state.mailbox.extendleft(reversed(waiting))
        self.let_stores_work_alone(False)
        do()
        self.let_stores_work_alone(True)
