"""Credit flow between processes: who may send how much, and who is blocked by whom (F1-F7)."""

from __future__ import annotations

from typing import Final, NamedTuple

MEMORY_US: Final = 1_000_000
"""A process shows `flow` for this long after its last block began (F7)."""


class Spec(NamedTuple):
    """Credit of one pair: how much the sender starts with, and how much each grant gives (F1)."""

    initial: int
    more: int


DEFAULT: Final = Spec(400, 200)
"""Reader to channel, and channel to queue."""
STORE: Final = Spec(4000, 800)
"""Queue to message store, `msg_store_credit_disc_bound`."""


class Grant(NamedTuple):
    """Credit on its way from a receiver to a sender."""

    to: str
    amount: int


class Pair(NamedTuple):
    """What is shown of the credit towards one receiver (F1)."""

    left: int
    initial: int
    more: int


class CreditFlow:
    """One process's credit with all others, as a sender and as a receiver.

    A blocked process keeps the grants that it owes to others and releases them when it is unblocked (F3). It goes on
    sending and handling: only a connection's reader stops (A3).
    """

    __slots__ = ("blocked_by", "deferred", "_left", "_specs", "_until_grant", "_blocked_at_us")

    def __init__(self) -> None:
        self.blocked_by: dict[str, None] = {}
        """Receivers without whose grant it stays blocked, in the order in which they blocked it."""
        self.deferred: dict[str, int] = {}
        """Grants kept back, by the process that waits for them."""
        self._left: dict[str, int] = {}
        self._specs: dict[str, Spec] = {}
        self._until_grant: dict[str, int] = {}
        self._blocked_at_us: int | None = None

    @property
    def blocked(self) -> bool:
        """Whether any receiver blocks it (F3)."""
        return bool(self.blocked_by)

    def in_flow(self, now_us: int) -> bool:
        """Tell whether it shows `flow`: blocked now, or the last block began less than a second ago (F7)."""
        began = self._blocked_at_us
        return self.blocked or (began is not None and now_us - began < MEMORY_US)

    # --- as a sender -------------------------------------------------------------------------------------------------

    def left(self, to: str, spec: Spec = DEFAULT) -> int:
        """Return how many messages may be sent before `to` blocks this process; 0 or less when it does (F2)."""
        return self._left.get(to, spec.initial)

    def sent(self, to: str, count: int, now_us: int, spec: Spec = DEFAULT) -> None:
        """Pay for messages; the one that takes the last credit blocks this process, later ones go below 0 (F2)."""
        self._specs[to] = spec
        before = self._left.get(to, spec.initial)
        self._left[to] = before - count
        if before > 0 >= before - count:
            self.block(to, now_us)

    def granted(self, by: str, amount: int) -> list[Grant]:
        """Take credit from a receiver; return the grants that are released if this unblocks the process (F2, F3)."""
        if by not in self._left:
            return []
        self._left[by] += amount
        return self.unblock(by) if self._left[by] > 0 else []

    def block(self, by: str, now_us: int) -> None:
        """Note that `by` blocks this process, where the credit is counted elsewhere too (F3)."""
        if by not in self.blocked_by:
            self.blocked_by[by] = None
            self._blocked_at_us = now_us

    def unblock(self, by: str) -> list[Grant]:
        """Note that `by` blocks it no longer; return the grants that are released if nobody does (F3)."""
        if by not in self.blocked_by:
            return []
        del self.blocked_by[by]
        if self.blocked_by:
            return []
        released = [Grant(to, amount) for to, amount in self.deferred.items()]
        self.deferred.clear()
        return released

    def peer_gone(self, peer: str) -> list[Grant]:
        """Forget a process that ended; return the grants that are released if it was the last to block (F3)."""
        for table in (self._left, self._specs, self._until_grant, self.deferred):
            table.pop(peer, None)
        return self.unblock(peer)

    # --- as a receiver -----------------------------------------------------------------------------------------------

    def handled(self, sender: str, count: int, spec: Spec = DEFAULT) -> list[Grant]:
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
        return [Grant(sender, amount)]

    # --- looking -----------------------------------------------------------------------------------------------------

    def pairs(self) -> dict[str, Pair]:
        """Return the credit towards each receiver that was sent anything (F1)."""
        return {
            to: Pair(left, *self._specs[to]) for to, left in sorted(self._left.items()) if to in self._specs
        }
