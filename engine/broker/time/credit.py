"""Credit flow between processes: how much each may send, and which process blocks which (F1-F7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

MEMORY_US: Final = 1_000_000
"""A process shows `flow` for this long after its last block began (F7)."""


class CreditSpec(NamedTuple):
    """Credit of one pair: the sender's first credit, and that of each grant (F1)."""

    initial: int
    more: int


DEFAULT: Final = CreditSpec(400, 200)
"""Reader to channel, and channel to queue."""


class CreditGrant(NamedTuple):
    """Credit on its way from a receiver to a sender."""

    to: str
    amount: int


class CreditPair(NamedTuple):
    """What is shown of the credit towards one receiver (F1)."""

    left: int
    initial: int
    more: int


class CreditFlow:
    """One process's credit with all others, as a sender and as a receiver. A blocked process keeps the grants
    that it owes to others until it is unblocked (F3). It still sends and handles messages; only a
    connection's reader stops (A3). `now_us`: returns the virtual time.
    """

    __slots__ = (
        "blocked_by",
        "deferred",
        "_now_us",
        "_left",
        "_specs",
        "_until_grant",
        "_began_us",
        "_since_us",
        "_done_us",
    )

    def __init__(self, now_us: Callable[[], int]) -> None:
        self.blocked_by: dict[str, None] = {}
        """Receivers that block it, in the order in which they did."""
        self.deferred: dict[str, int] = {}
        """Grants kept back, by the process that waits for them."""
        self._now_us = now_us
        self._left: dict[str, int] = {}
        self._specs: dict[str, CreditSpec] = {}
        self._until_grant: dict[str, int] = {}
        self._began_us: int | None = None
        self._since_us = 0
        self._done_us = 0

    @property
    def blocked(self) -> bool:
        """Whether any receiver blocks it (F3)."""
        return bool(self.blocked_by)

    @property
    def in_flow(self) -> bool:
        """Whether it shows `flow`: blocked now, or the last block began less than a second ago (F7)."""
        return self.blocked_within(MEMORY_US)

    def blocked_within(self, memory_us: int) -> bool:
        """Return whether it is blocked, or was blocked within this time (A4, F7)."""
        began = self._began_us
        return self.blocked or (began is not None and self._now_us() - began < memory_us)

    def blocked_until_us(self, memory_us: int = MEMORY_US) -> int:
        """Return when its last block is so long ago if nobody blocks it; 0 if it never was (A4, F7)."""
        return 0 if self._began_us is None else self._began_us + memory_us

    @property
    def blocked_us(self) -> int:
        """How long it has been blocked in all."""
        return self._done_us + (self._now_us() - self._since_us if self.blocked else 0)

    # --- as a sender -------------------------------------------------------------------------------------------------
    def left(self, to: str, spec: CreditSpec = DEFAULT) -> int:
        """Return how many messages may be sent before `to` blocks this process; 0 or less when it does (F2)."""
        return self._left.get(to, spec.initial)

    def sent(self, to: str, count: int, spec: CreditSpec = DEFAULT) -> None:
        """Pay for messages; the one that takes the last credit blocks this process, later ones go below 0 (F2)."""
        self._specs[to] = spec
        before = self._left.get(to, spec.initial)
        self._left[to] = before - count
        if before > 0 >= before - count:
            self.block(to)

    def granted(self, by: str, amount: int) -> list[CreditGrant]:
        """Take credit from a receiver; return the grants that are released if this unblocks the process (F2, F3)."""
        if by not in self._left:
            return []
        self._left[by] += amount
        return self.unblock(by) if self._left[by] > 0 else []

    def block(self, by: str) -> None:
        """Note that `by` blocks this process, for credit that is counted elsewhere (F3)."""
        if by in self.blocked_by:
            return
        self._began_us = self._now_us()
        if not self.blocked:
            self._since_us = self._began_us
        self.blocked_by[by] = None

    def unblock(self, by: str) -> list[CreditGrant]:
        """Note that `by` blocks it no longer; return the grants that are released if nobody does (F3)."""
        if by not in self.blocked_by:
            return []
        before = self.blocked_us
        del self.blocked_by[by]
        if self.blocked_by:
            return []
        self._done_us = before
        released = [CreditGrant(to, amount) for to, amount in self.deferred.items()]
        self.deferred.clear()
        return released

    def peer_gone(self, peer: str) -> list[CreditGrant]:
        """Forget a process that ended; return the grants that are released if it was the last to block (F3)."""
        for table in (self._left, self._specs, self._until_grant, self.deferred):
            table.pop(peer, None)
        return self.unblock(peer)

    # --- as a receiver -----------------------------------------------------------------------------------------------
    def handled(self, sender: str, count: int, spec: CreditSpec = DEFAULT) -> list[CreditGrant]:
        """Count handled messages; return the grant that is due, unless this process is blocked itself (F1, F3)."""
        until = self._until_grant.get(sender, spec.more) - count
        amount = 0
        if until <= 0:
            amount = (-until // spec.more + 1) * spec.more
            until += amount
        self._until_grant[sender] = until
        if not amount:
            return []
        if self.blocked:
            self.deferred[sender] = self.deferred.get(sender, 0) + amount
            return []
        return [CreditGrant(sender, amount)]

    # --- looking -----------------------------------------------------------------------------------------------------
    def pairs(self) -> dict[str, CreditPair]:
        """Return the credit towards each receiver that was sent anything (F1)."""
        return {
            to: CreditPair(left, *self._specs[to])
            for to, left in sorted(self._left.items())
            if to in self._specs
        }
