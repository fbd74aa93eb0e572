"""Ordered runs: the one container of the engine.

Everything the engine keeps in bulk (sub-queues, pending acks, index entries, store rows) is a sorted sequence of
*runs*. A run is a value with `start` and `count` that stands for the integers start, start+1, ... and knows how to
give a part of itself and whether another run continues it. Cost follows the number of runs, not what they stand for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Generic, Protocol, Self, TypeVar

COMPACT_AT = 64


class Run(Protocol):
    """A stretch of consecutive integers with equal attributes."""

    @property
    def start(self) -> int:
        """The first integer."""
        ...

    @property
    def count(self) -> int:
        """How many integers."""
        ...

    def part(self, offset: int, count: int) -> Self:
        """Return the `count` items beginning `offset` items into this run."""
        ...

    def continued_by(self, after: Any) -> bool:
        """Tell whether `after` can be merged behind this run."""
        ...

    def merged(self, count: int) -> Self:
        """Return this run with `count` items in all."""
        ...


R = TypeVar("R", bound=Run)


def _start(run: Run) -> int:
    return run.start


class Runs(Generic[R]):
    """Disjoint runs sorted by start; neighbours that continue each other are merged.

    Taking from the head is amortised O(1); taking from the tail is O(1); any other place costs a binary search and a
    memory move of the list behind it.
    """

    __slots__ = ("_runs", "_head", "total")

    def __init__(self, runs: Iterable[R] = ()) -> None:
        self._runs: list[R] = []
        self._head = 0
        self.total = 0
        for run in runs:
            self.insert(run)

    def __bool__(self) -> bool:
        return self.total > 0

    def __len__(self) -> int:
        """Number of runs (use `total` for the number of items)."""
        return len(self._runs) - self._head

    def __iter__(self) -> Iterator[R]:
        runs = self._runs
        for i in range(self._head, len(runs)):
            yield runs[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Runs) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Runs({list(self)!r})"

    @property
    def first(self) -> R:
        """The run at the head. Raises IndexError when empty."""
        if not self.total:
            raise IndexError("no runs")
        return self._runs[self._head]

    @property
    def last(self) -> R:
        """The run at the tail. Raises IndexError when empty."""
        if not self.total:
            raise IndexError("no runs")
        return self._runs[-1]

    def clear(self) -> None:
        """Forget everything."""
        self._runs.clear()
        self._head = 0
        self.total = 0

    def insert(self, run: R) -> None:
        """Add a run that overlaps nothing here, merging it with its neighbours.

        Raises ValueError when it overlaps a run that is already here.
        """
        runs = self._runs
        count = run.count
        if count <= 0:
            raise ValueError(f"empty run {run!r}")
        start = run.start
        if not self.total or start > runs[-1].start:
            at = len(runs)
        else:
            at = bisect_right(runs, start, self._head, key=_start)
        if at < len(runs) and start + count > runs[at].start:
            raise ValueError(f"{run!r} overlaps {runs[at]!r}")
        self.total += count
        if at > self._head:
            before = runs[at - 1]
            if before.start + before.count > start:
                self.total -= count
                raise ValueError(f"{run!r} overlaps {before!r}")
            if before.start + before.count == start and before.continued_by(run):
                run = before.merged(before.count + count)
                at -= 1
                runs[at] = run
                self._merge_after(at)
                return
        runs.insert(at, run)
        self._merge_after(at)

    def _merge_after(self, at: int) -> None:
        runs = self._runs
        if at + 1 < len(runs):
            run, after = runs[at], runs[at + 1]
            if run.start + run.count == after.start and run.continued_by(after):
                runs[at] = run.merged(run.count + after.count)
                del runs[at + 1]

    def insert_all(self, more: Iterable[R]) -> None:
        """Insert each run of `more`."""
        for run in more:
            self.insert(run)

    def pop_head(self, count: int) -> list[R]:
        """Take up to `count` items from the head, in order."""
        taken: list[R] = []
        runs = self._runs
        while count > 0 and self._head < len(runs):
            run = runs[self._head]
            if run.count <= count:
                taken.append(run)
                count -= run.count
                self.total -= run.count
                self._head += 1
            else:
                taken.append(run.part(0, count))
                runs[self._head] = run.part(count, run.count - count)
                self.total -= count
                count = 0
        if self._head == len(runs):
            runs.clear()
            self._head = 0
        elif self._head >= COMPACT_AT and self._head * 2 > len(runs):
            del runs[: self._head]
            self._head = 0
        return taken

    def pop_tail(self, count: int) -> list[R]:
        """Take up to `count` items from the tail; the result is in ascending order."""
        taken: list[R] = []
        runs = self._runs
        while count > 0 and self._head < len(runs):
            run = runs[-1]
            if run.count <= count:
                taken.append(runs.pop())
                count -= run.count
                self.total -= run.count
            else:
                keep = run.count - count
                taken.append(run.part(keep, count))
                runs[-1] = run.part(0, keep)
                self.total -= count
                count = 0
        if self._head == len(runs):
            runs.clear()
            self._head = 0
        taken.reverse()
        return taken

    def _at(self, start: int) -> int:
        """Index of the first run that ends after `start`."""
        runs = self._runs
        at = bisect_right(runs, start, self._head, key=_start)
        if at > self._head:
            before = runs[at - 1]
            if before.start + before.count > start:
                return at - 1
        return at

    def overlapping(self, start: int, count: int) -> list[R]:
        """Return, without taking them, the parts that lie inside [start, start+count)."""
        found: list[R] = []
        runs = self._runs
        end = start + count
        at = self._at(start)
        while at < len(runs) and runs[at].start < end:
            run = runs[at]
            low = max(start, run.start)
            high = min(end, run.start + run.count)
            found.append(run if high - low == run.count else run.part(low - run.start, high - low))
            at += 1
        return found

    def at(self, item: int) -> R | None:
        """Return the whole run that holds `item`, or None."""
        at = self._at(item)
        if at < len(self._runs) and self._runs[at].start <= item:
            return self._runs[at]
        return None

    def __contains__(self, item: int) -> bool:
        return self.at(item) is not None

    def remove(self, start: int, count: int) -> list[R]:
        """Take what lies inside [start, start+count); items that are not here are passed over."""
        found = self.overlapping(start, count)
        if not found:
            return found
        runs = self._runs
        at = self._at(start)
        end = start + count
        rest: list[R] = []
        first = runs[at]
        if first.start < start:
            rest.append(first.part(0, start - first.start))
        stop = at
        while stop < len(runs) and runs[stop].start < end:
            stop += 1
        last = runs[stop - 1]
        if last.start + last.count > end:
            rest.append(last.part(end - last.start, last.start + last.count - end))
        runs[at:stop] = rest
        self.total -= sum(run.count for run in found)
        if self._head == len(runs):
            runs.clear()
            self._head = 0
        return found

    def copy(self) -> Runs[R]:
        """Return an independent container over the same runs."""
        new: Runs[R] = Runs()
        new._runs = self._runs[self._head :]
        new.total = self.total
        return new
