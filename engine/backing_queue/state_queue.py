"""A queue whose numbers and mailbox are one state value: code that generations share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from engine.backing_queue.protocol import (
    BackingQueue,
    Message,
    StoreCredit,
)
from engine.backing_queue.rates import QueueRates
from engine.values.marks import override


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


class StateQueue(BackingQueue, Generic[S]):
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
