"""Sets of integers kept as ranges: message numbers that await a sync, tags, and the like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self

import msgspec

from engine.values.stretches import Stretch, Stretches


class Range(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The integers start, start+1, ... (`count` of them)."""

    start: int
    count: int

    @property
    def end(self) -> int:
        """One past the last integer."""
        return self.start + self.count

    def part(self, offset: int, count: int) -> Range:
        """Return `count` integers beginning at `offset` inside this range."""
        return Range(self.start + offset, count)

    def continued_by(self, after: Range) -> bool:
        """Return that adjacent ranges always merge."""
        return True

    def merged(self, count: int) -> Range:
        """Return a range of `count` from the same start."""
        return Range(self.start, count)


class RangeSet:
    """A set of integers stored as disjoint ranges."""

    __slots__ = ("runs",)

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self.runs: Stretches[Range] = Stretches()
        """What it is made of; `runs.total` is its length."""
        for each in ranges:
            self.add(each.start, each.count)

    def __bool__(self) -> bool:
        return bool(self.runs)

    def __len__(self) -> int:
        """Number of integers in the set."""
        return self.runs.total

    def __iter__(self) -> Iterator[Range]:
        return iter(self.runs)

    def __contains__(self, item: int) -> bool:
        return item in self.runs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RangeSet) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"RangeSet({list(self)!r})"

    def add(self, start: int, count: int = 1) -> None:
        """Add the integers of [start, start+count), whether or not some are here already."""
        ranges = self.runs
        if ranges.total and start < ranges.end:
            ranges.remove(start, count)
        ranges.insert(Range(start, count))

    def discard(self, start: int, count: int = 1) -> list[Range]:
        """Remove [start, start+count) and return what was really here."""
        return self.runs.remove(start, count)

    def inside(self, start: int, count: int) -> list[Range]:
        """Return the members inside [start, start+count)."""
        return self.runs.overlapping(start, count)

    def update(self, other: Iterable[Stretch]) -> Self:
        """Add the integers of every stretch of `other`."""
        for each in other:
            self.add(each.start, each.count)
        return self

    def subtract(self, other: Iterable[Range]) -> Self:
        """Remove every range of `other`."""
        for each in other:
            self.runs.remove(each.start, each.count)
        return self

    def intersection(self, other: Iterable[Range]) -> RangeSet:
        """Return the integers that are in both."""
        found = RangeSet()
        for each in other:
            for part in self.runs.overlapping(each.start, each.count):
                found.add(part.start, part.count)
        return found

    def clear(self) -> None:
        """Forget everything."""
        self.runs.clear()

    def copy(self) -> RangeSet:
        """Return an independent set of the same integers."""
        new = RangeSet()
        new.runs = self.runs.copy()
        return new
