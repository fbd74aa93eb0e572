"""Stretches of message numbers with one number attached, and how to walk over runs with their gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from engine.values.stretches import Stretch, Stretches

R = TypeVar("R", bound=Stretch)


class StretchTally(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Consecutive message numbers that share a value.

    Args:
        start: first message number.
        count: how many.
        value: what is counted of each.
    """

    start: int
    count: int
    value: int

    def part(self, offset: int, count: int) -> StretchTally:
        """Return `count` messages beginning `offset` messages on."""
        return StretchTally(self.start + offset, count, self.value)

    def continued_by(self, after: StretchTally) -> bool:
        """Return whether the value is the same."""
        return self.value == after.value

    def merged(self, count: int) -> StretchTally:
        """Return this tally over `count` messages."""
        return StretchTally(self.start, count, self.value)


def one_more(value: int) -> int:
    """Return the value and one."""
    return value + 1


class TallyPiece(msgspec.Struct, frozen=True, gc=False):
    """A stretch of message numbers and the value it has (0 where there is no tally)."""

    start: int
    count: int
    value: int


def pieces(runs: Stretches[R], start: int, count: int) -> list[tuple[int, int, R | None]]:
    """Cut [start, start+count) where runs begin and end.

    Args:
        runs: what may lie inside.
        start: first message number.
        count: how many.

    Returns:
        (start, count, part of a run or None for a gap), ascending and without holes.
    """
    found: list[tuple[int, int, R | None]] = []
    at = start
    for run in runs.overlapping(start, count):
        if run.start > at:
            found.append((at, run.start - at, None))
        found.append((run.start, run.count, run))
        at = run.start + run.count
    if at < start + count:
        found.append((at, start + count - at, None))
    return found


class FileTallies:
    """A number for each message; messages with 0 are not kept unless `keep_zero`.

    Args:
        keep_zero: a message can be here with the number 0.
    """

    __slots__ = ("_keep_zero", "runs")

    def __init__(self, keep_zero: bool = False) -> None:
        self.runs: Stretches[StretchTally] = Stretches()
        self._keep_zero = keep_zero

    def __len__(self) -> int:
        """Number of messages that are here."""
        return self.runs.total

    def over(self, start: int, count: int, step: int = 1) -> list[TallyPiece]:
        """Return the values over [start, start+count), cut where they change; with step -1 the last comes first."""
        found = [
            TallyPiece(at, many, 0 if run is None else run.value)
            for at, many, run in pieces(self.runs, start, count)
        ]
        if step < 0:
            found.reverse()
        return found

    def change(self, start: int, count: int, new: Callable[[int], int]) -> None:
        """Give each message of [start, start+count) the value `new(old)`; old is 0 where there was none."""
        at = start
        for run in self.runs.remove(start, count):
            if run.start > at:
                self._put(at, run.start - at, new(0))
            self._put(run.start, run.count, new(run.value))
            at = run.start + run.count
        if at < start + count:
            self._put(at, start + count - at, new(0))

    def _put(self, start: int, count: int, value: int) -> None:
        if value or self._keep_zero:
            self.runs.insert(StretchTally(start, count, value))

    def set(self, start: int, count: int, value: int) -> None:
        """Give each message of [start, start+count) this value, whatever it had."""
        self.runs.remove(start, count)
        self._put(start, count, value)
