"""The record of everything that happened: numbered without holes, digested, the newest kept (promises 1 and 5)."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

import msgspec

from engine.report.transitions.base import Transition
from engine.values.errors import RunHalted
from engine.values.sizes import plain

DIGEST_BYTES: Final = 16
BLOCK: Final = 256
"""Transitions are encoded and hashed in blocks of this many."""
PAUSE_EVERY: Final = 16
"""Transitions between two calls of `pause`: some milliseconds of the most costly ones."""

_ENCODER: Final = msgspec.json.Encoder(order="deterministic", enc_hook=plain)


class ReportedRows(msgspec.Struct, frozen=True):
    """Consecutive transitions. `first`: number of the first. `at_us`: when each happened, in virtual
    microseconds. `rows`: the transitions; each encodes as [kind, rule, fields...].
    """

    first: int
    at_us: list[int]
    rows: list[Transition]

    @property
    def next(self) -> int:
        return self.first + len(self.rows)


class TransitionLog:
    """Transitions in the order in which they happened.

    The digest is BLAKE2b over lines of JSON, a time and a row for each transition, chained block by block: so it goes
    on from a checkpoint as if there had been none. It depends on nothing else, so the same run has the same digest on
    every machine. Only the newest `keep` are held (up to twice as many for a while, so that dropping the old ones
    costs little).

    `halt_at`: with that many transitions `add` raises `RunHalted`, in the middle of whatever goes on. A transition is
    appended when its files are written, so the files are then those of that very moment.

    `pause`: called now and then in the middle of whatever goes on. It may let other work go first; nothing
    of the run may differ for it.
    """

    __slots__ = ("number", "halt_at", "pause", "_told", "_first", "_chain", "_lines", "_lined", "_keep")

    def __init__(self, keep: int = 2048) -> None:
        self.number = 0
        self.halt_at: int | None = None
        self.pause: Callable[[], None] | None = None
        self._told: list[int | Transition] = []
        """Time and transition in turn, as they are hashed."""
        self._first = 0
        self._chain = b""
        self._lines = b""
        self._lined = 0
        self._keep = max(keep, BLOCK)

    def add(self, at_us: int, transition: Transition) -> None:
        """Append one transition; it gets the next number."""
        self._told += (at_us, transition)
        self.number += 1
        if not self.number % BLOCK:
            self._end_block()
        if self.number == self.halt_at:
            raise RunHalted(f"transition {self.number} is reached")
        if self.pause is not None and not self.number % PAUSE_EVERY:
            self.pause()

    def _end_block(self) -> None:
        """Hash a whole block, then drop what is too old."""
        self._chain = self._hash_on().digest()
        self._lines = b""
        surplus = self.number - self._first - self._keep
        if surplus >= self._keep:
            del self._told[: 2 * surplus]
            self._first += surplus

    def _hash_on(self) -> blake2b:
        """Hash the present block onto the chain. A row is encoded once, however often somebody asks."""
        new = self._lined - self._first
        self._lines += _ENCODER.encode_lines(self._told[2 * new :])
        self._lined = self.number
        return blake2b(self._chain + self._lines, digest_size=DIGEST_BYTES)

    @property
    def digest(self) -> str:
        """The digest of everything so far, as 32 hexadecimal digits."""
        return self._hash_on().hexdigest()

    @property
    def oldest(self) -> int:
        return self._first

    def since(self, number: int) -> ReportedRows | None:
        """Return the transitions from `number` on, or None when some of them are no longer held. Raises
        ValueError for a number that nothing can have yet.
        """
        if number > self.number:
            raise ValueError(f"transition {number} does not exist yet; the next one is {self.number}")
        if number < self._first:
            return None
        told: list[Any] = self._told[2 * (number - self._first) :]
        return ReportedRows(number, told[::2], told[1::2])
