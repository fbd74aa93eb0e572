"""The record of everything that happened: numbered without holes, digested, the newest kept (promises 1 and 5)."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import Final

import msgspec

from engine.errors import Halted
from engine.transitions import Transition

DIGEST_BYTES: Final = 16
HASH_EVERY: Final = 256
"""Transitions are encoded and hashed in batches of this many."""

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")


class Rows(msgspec.Struct, frozen=True):
    """Consecutive transitions.

    Args:
        first: number of the first.
        at_us: when each happened, in virtual microseconds.
        rows: the transitions; each encodes as [kind, rule, fields...].
    """

    first: int
    at_us: list[int]
    rows: list[Transition]

    @property
    def next(self) -> int:
        """Number of the transition after the last."""
        return self.first + len(self.rows)


class TransitionLog:
    """Transitions in the order in which they happened.

    The digest is BLAKE2b over one line of JSON for each: its time, then its row. It depends on nothing else, so the
    same run has the same digest on every machine. Only the newest `keep` are held (up to twice as many for a while,
    so that dropping the old ones costs little).

    `halt_at`: with that many transitions `add` raises `Halted`, in the middle of whatever goes on. A transition is
    told when its files are written, so the files are then those of that very moment.
    """

    __slots__ = ("number", "counts", "halt_at", "_at_us", "_rows", "_first", "_hash", "_hashed", "_keep")

    def __init__(self, keep: int = 2048) -> None:
        self.number = 0
        self.counts: Counter[str] = Counter()
        self.halt_at: int | None = None
        self._at_us: list[int] = []
        self._rows: list[Transition] = []
        self._first = 0
        self._hash = blake2b(digest_size=DIGEST_BYTES)
        self._hashed = 0
        self._keep = max(keep, HASH_EVERY)

    def add(self, at_us: int, transition: Transition) -> None:
        """Append one transition; it gets the next number."""
        self._at_us.append(at_us)
        self._rows.append(transition)
        self.number += 1
        if self.number - self._hashed >= HASH_EVERY:
            self._absorb()
        if self.number == self.halt_at:
            raise Halted(f"transition {self.number} is reached")

    def _absorb(self) -> None:
        """Hash and count what came since the last time, then drop what is too old."""
        new = self._hashed - self._first
        fresh = self._rows[new:]
        lines: list[object] = []
        for at_us, row in zip(self._at_us[new:], fresh, strict=True):
            lines += (at_us, row)
        self._hash.update(_ENCODER.encode_lines(lines))
        self.counts.update(type(row).__name__ for row in fresh)
        self._hashed = self.number
        surplus = len(self._rows) - self._keep
        if surplus >= self._keep:
            del self._rows[:surplus]
            del self._at_us[:surplus]
            self._first += surplus

    @property
    def digest(self) -> str:
        """The digest of everything so far, as 32 hexadecimal digits."""
        self._absorb()
        return self._hash.hexdigest()

    def counts_by_kind(self) -> dict[str, int]:
        """Return how many transitions of each kind there were, by name."""
        self._absorb()
        return dict(sorted(self.counts.items()))

    @property
    def oldest(self) -> int:
        """Number of the oldest transition still held."""
        return self._first

    def since(self, number: int) -> Rows | None:
        """Return the transitions from `number` on, or None when some of them are no longer held.

        Raises ValueError for a number that nothing can have yet.
        """
        if number > self.number:
            raise ValueError(f"transition {number} does not exist yet; the next one is {self.number}")
        if number < self._first:
            return None
        at = number - self._first
        return Rows(number, self._at_us[at:], self._rows[at:])
