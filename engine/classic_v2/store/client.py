"""One queue's side of a shared store: credit, writes, removes, and what is in flight (W52, W133, F1-F5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet

OnDisk = Callable[[RangeSet], None]


class V2ClientAccount:
    """The credit between one process and a store (F1).

    Args:
        initial: writes that may be sent before the first grant.
        more: handled writes for each grant, and credits in it.
    """

    def __init__(self, initial: int, more: int) -> None:
        self.left: int | None = None
        """What the process may still send, None before its first write."""
        self.initial = initial
        self.more = more
        self._until_grant = more

    def spent(self, count: int) -> None:
        """Send writes: each costs one."""
        self.left = (self.initial if self.left is None else self.left) - count

    def handled(self, count: int) -> int:
        """Count handled writes; return how many grants are due."""
        self._until_grant -= count
        grants = 0
        while self._until_grant <= 0:
            self._until_grant += self.more
            grants += 1
        return grants


class SharedServer(Protocol):
    """What a client calls of the store that made it: `SharedStore` is one."""

    def send_writes(self, client: SharedClient, extents: Sequence[Extent]) -> None:
        """Take writes into the mailbox (W133)."""

    def send_remove(self, client: SharedClient, extents: tuple[Extent, ...], descending: bool) -> None:
        """Take one remove into the mailbox (W133)."""

    def end_client(self, client: SharedClient) -> None:
        """Handle everything that was sent (S200)."""

    def delete_client(self, client: SharedClient) -> None:
        """Let the name go after what was sent (S150)."""


class SharedClient:
    """What a queue holds to use a store; made by `SharedStore.client`.

    Args:
        store: the server.
        ref: its name, the same after a restart.
        on_disk: called with the messages that need no further wait; None in the transient store.
        on_credit: called with each grant.
        account: its credit.
    """

    def __init__(
        self,
        store: SharedServer,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        account: V2ClientAccount,
    ) -> None:
        self._store = store
        self.ref = ref
        self.on_disk = on_disk
        self.on_credit: Callable[[int], None] | None = on_credit
        self.account = account
        self.in_flight = RangeSet()
        """Positions whose writes the server has not handled."""
        self.overtaken = RangeSet()
        """Those of them that were removed already."""

    @property
    def credit(self) -> int | None:
        """Writes that may still be sent, None before the first one (F1)."""
        return self.account.left

    @property
    def blocked(self) -> bool:
        """Whether the credit is used up (F2)."""
        return self.account.left is not None and self.account.left <= 0

    def grant(self, credits_: int) -> None:
        """Add credit that the store granted; the queue calls this when it takes the message (F2)."""
        self.account.left = (self.account.left or 0) + credits_

    def write(self, extents: Sequence[Extent]) -> None:
        """Send a write for each message; each costs a credit (W133, F4)."""
        for extent in extents:
            self.account.spent(extent.count)
            self.in_flight.add(extent.start, extent.count)
        self._store.send_writes(self, extents)

    def remove(self, extents: Sequence[Extent], descending: bool = False) -> list[Range]:
        """Send one remove for all messages; return the message numbers whose writes it overtook (W52).

        Args:
            extents: the messages, ascending.
            descending: they are handled from the last to the first, as a list of the broker is.
        """
        early: list[Range] = []
        for extent in extents:
            for part in self.in_flight.inside(extent.start, extent.count):
                self.overtaken.add(part.start, part.count)
                early.append(Range(extent.msg_no + part.start - extent.start, part.count))
        if extents:
            self._store.send_remove(self, tuple(extents), descending)
        return early

    def terminate(self) -> None:
        """End in order: everything sent is handled; the store keeps the client's name (S200)."""
        self._store.end_client(self)

    def delete(self) -> None:
        """End for good (S150, S200)."""
        self._store.delete_client(self)

    def kill(self) -> None:
        """End without a word: the queue's process is gone; what it sent is still handled."""
        self.on_credit = None
        if self.on_disk is not None:
            self.on_disk = _unheard


def _unheard(messages: RangeSet) -> None:
    """Take a message to a process that is no more."""
