"""Ordered stretches: the engine's only container.

Everything the engine keeps in bulk (sub-queues, pending acks, index entries, store rows) is a sorted sequence
of *stretches*. A stretch is a value with `start` and `count` for the integers start, start+1, ...; it can
return a part of itself and say whether another stretch continues it. The cost depends on the number of
stretches, not of integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec
from msgspec.structs import replace

COMPACT_AT = 64
SPARSE = 8
"""Distance between new stretches from which they are inserted one by one."""
WALK = 4
"""Neighbours to check before a binary search."""


class Stretch(Protocol):
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
        """Return the `count` items beginning `offset` items into this stretch."""
        ...

    def continued_by(self, after: Any) -> bool:
        """Return whether `after` can be appended to this stretch."""
        ...

    def merged(self, count: int) -> Self:
        """Return this stretch with `count` items in all."""
        ...


R = TypeVar("R", bound=Stretch)


_start = attrgetter("start")


class Stretches(Generic[R]):
    """Disjoint stretches sorted by start; neighbours that continue each other are merged. Taking from the
    head is amortised O(1); taking from the tail is O(1); any other place costs a binary search and a memory
    move of the list behind it.
    """

    __slots__ = ("_stretches", "_head", "total")

    def __init__(self, stretches: Iterable[R] = ()) -> None:
        self._stretches: list[R] = []
        self._head = 0
        self.total = 0
        for stretch in stretches:
            self.insert(stretch)

    def __bool__(self) -> bool:
        return self.total > 0

    def __len__(self) -> int:
        """Number of stretches (use `total` for the number of items)."""
        return len(self._stretches) - self._head

    def __iter__(self) -> Iterator[R]:
        stretches = self._stretches
        for i in range(self._head, len(stretches)):
            yield stretches[i]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stretches) and list(self) == list(other)

    def __repr__(self) -> str:
        return f"Stretches({list(self)!r})"

    @property
    def first(self) -> R:
        """The stretch at the head. Raises IndexError when empty."""
        if not self.total:
            raise IndexError("no stretches")
        return self._stretches[self._head]

    @property
    def last(self) -> R:
        """The stretch at the tail. Raises IndexError when empty."""
        if not self.total:
            raise IndexError("no stretches")
        return self._stretches[-1]

    @property
    def end(self) -> int:
        """One past the last item; there must be one."""
        last = self._stretches[-1]
        return last.start + last.count

    def clear(self) -> None:
        self._stretches.clear()
        self._head = 0
        self.total = 0

    def insert(self, stretch: R) -> None:
        """Add a stretch that overlaps nothing here, merging it with its neighbours. Raises ValueError when it
        overlaps a stretch that is already here.
        """
        stretches = self._stretches
        count = stretch.count
        if count <= 0:
            raise ValueError(f"empty stretch {stretch!r}")
        start = stretch.start
        if not self.total:
            stretches.append(stretch)
            self.total = count
            return
        last = stretches[-1]
        end = last.start + last.count
        if start >= end:  # behind all, as what is new
            self.total += count
            if start == end and last.continued_by(stretch):
                stretches[-1] = last.merged(last.count + count)
            else:
                stretches.append(stretch)
            return
        at = bisect_right(stretches, start, self._head, key=_start)
        if at < len(stretches) and start + count > stretches[at].start:
            raise ValueError(f"{stretch!r} overlaps {stretches[at]!r}")
        self.total += count
        if at > self._head:
            before = stretches[at - 1]
            if before.start + before.count > start:
                self.total -= count
                raise ValueError(f"{stretch!r} overlaps {before!r}")
            if before.start + before.count == start and before.continued_by(stretch):
                stretch = before.merged(before.count + count)
                at -= 1
                stretches[at] = stretch
                self._merge_after(at)
                return
        stretches.insert(at, stretch)
        self._merge_after(at)

    def _merge_after(self, at: int) -> None:
        stretches = self._stretches
        if at + 1 < len(stretches):
            stretch, after = stretches[at], stretches[at + 1]
            if stretch.start + stretch.count == after.start and stretch.continued_by(after):
                stretches[at] = stretch.merged(stretch.count + after.count)
                del stretches[at + 1]

    def insert_all(self, more: Iterable[R]) -> None:
        """Insert each stretch of `more`."""
        stretches = self._stretches
        last = stretches[-1] if self.total else None
        for stretch in more:
            if last is not None:
                start, end = stretch.start, last.start + last.count
                if start > end or (start == end and not last.continued_by(stretch)):
                    stretches.append(stretch)  # behind all, as nearly always: what `insert` would do
                    self.total += stretch.count
                    last = stretch
                    continue
            self.insert(stretch)
            last = stretches[-1]

    def merge(self, more: list[R]) -> None:
        """Insert stretches, ascending, wherever they belong; each may merge with its neighbours. Raises
        ValueError when one overlaps another.
        """
        stretches = self._stretches
        if not more or not self.total or more[0].start > stretches[-1].start:
            self.insert_all(more)
            return
        low = max(self._head, self._at(more[0].start) - 1)
        high = min(len(stretches), bisect_right(stretches, more[-1].start, low, key=_start) + 1)
        if high - low > SPARSE * len(more):
            self.insert_all(more)
            return
        found: list[R] = []
        old, at = stretches[low:high], 0
        end = -1
        for new in more:
            start = new.start
            while at < len(old) and old[at].start < start:
                end = _put(found, old[at], end)
                at += 1
            end = _put(found, new, end)
        for each in old[at:]:
            end = _put(found, each, end)
        stretches[low:high] = found
        self.total += sum([each.count for each in more])

    def put_before(self, more: list[R]) -> None:
        """Insert stretches, ascending, that lie before all that are here; each may merge with its neighbour."""
        stretches = self._stretches
        merged: list[R] = []
        for each in more:
            before = merged[-1] if merged else None
            if before and before.start + before.count == each.start and before.continued_by(each):
                merged[-1] = before.merged(before.count + each.count)
            else:
                merged.append(each)
        if not merged:
            return
        if self.total and merged[-1].start + merged[-1].count > stretches[self._head].start:
            raise ValueError(f"{merged[-1]!r} is not before {stretches[self._head]!r}")
        self.total += sum([each.count for each in merged])
        stretches[: self._head] = merged
        self._head = 0
        self._merge_after(len(merged) - 1)

    def take_first(self, count: int) -> R:
        """Take `count` items of the first stretch, or all that it has."""
        stretches = self._stretches
        first = stretches[self._head]
        if first.count > count:
            stretches[self._head] = first.part(count, first.count - count)
            self.total -= count
            return first.part(0, count)
        self.total -= first.count
        self._head += 1
        if self._head >= COMPACT_AT or not self.total:
            self._compact()
        return first

    def take_last(self, count: int) -> R:
        """Take the last `count` items of the last stretch, or all that it has."""
        stretches = self._stretches
        last = stretches[-1]
        if last.count > count:
            keep = last.count - count
            stretches[-1] = last.part(0, keep)
            self.total -= count
            return last.part(keep, count)
        self.total -= last.count
        del stretches[-1]
        if not self.total:
            self._compact()
        return last

    def leading(self, most: int) -> int:
        return sum([each.count for each in self._stretches[self._head : self._head + most]])

    def pop_head(self, count: int) -> list[R]:
        """Take up to `count` items from the head, in order."""
        stretches, at, left = self._stretches, self._head, count
        end = len(stretches)
        while left > 0 and at < end:
            stretch = stretches[at]
            if stretch.count > left:
                break
            left -= stretch.count
            at += 1
        taken = stretches[self._head : at]
        if left > 0 and at < end:
            stretch = stretches[at]
            taken.append(stretch.part(0, left))
            stretches[at] = stretch.part(left, stretch.count - left)
            left = 0
        if left < count:
            self.total -= count - left
        self._head = at
        if at >= COMPACT_AT or at == end:
            self._compact()
        return taken

    def _compact(self) -> None:
        """Drop what was taken from the head, once it is as much as what is left."""
        stretches = self._stretches
        if self._head == len(stretches):
            stretches.clear()
            self._head = 0
        elif self._head >= COMPACT_AT and self._head * 2 > len(stretches):
            del stretches[: self._head]
            self._head = 0

    def pop_tail(self, count: int) -> list[R]:
        """Take up to `count` items from the tail; the result is in ascending order."""
        taken: list[R] = []
        stretches = self._stretches
        while count > 0 and self._head < len(stretches):
            stretch = stretches[-1]
            if stretch.count <= count:
                taken.append(stretches.pop())
                count -= stretch.count
                self.total -= stretch.count
            else:
                keep = stretch.count - count
                taken.append(stretch.part(keep, count))
                stretches[-1] = stretch.part(0, keep)
                self.total -= count
                count = 0
        if self._head == len(stretches):
            stretches.clear()
            self._head = 0
        taken.reverse()
        return taken

    def _at(self, start: int) -> int:
        """Index of the first stretch that ends after `start`."""
        stretches = self._stretches
        if self.total:
            last = stretches[-1]
            if start >= last.start:  # at the tail, as what is new
                return len(stretches) - (start < last.start + last.count)
        at = bisect_right(stretches, start, self._head, key=_start)
        if at > self._head:
            before = stretches[at - 1]
            if before.start + before.count > start:
                return at - 1
        return at

    def overlapping(self, start: int, count: int) -> list[R]:
        """Return, without taking them, the parts that lie inside [start, start+count)."""
        found: list[R] = []
        stretches = self._stretches
        end = start + count
        at = self._at(start)
        while at < len(stretches) and stretches[at].start < end:
            stretch = stretches[at]
            low = max(start, stretch.start)
            high = min(end, stretch.start + stretch.count)
            found.append(
                stretch if high - low == stretch.count else stretch.part(low - stretch.start, high - low)
            )
            at += 1
        return found

    def pieces(self, start: int, count: int) -> list[tuple[int, int, R | None]]:
        """Cut [start, start+count) where stretches begin and end; return (start, count, part of a stretch or None
        for a gap), ascending and without holes.
        """
        found: list[tuple[int, int, R | None]] = []
        at = start
        for stretch in self.overlapping(start, count):
            if stretch.start > at:
                found.append((at, stretch.start - at, None))
            found.append((stretch.start, stretch.count, stretch))
            at = stretch.start + stretch.count
        if at < start + count:
            found.append((at, start + count - at, None))
        return found

    def at(self, item: int) -> R | None:
        at = self._at(item)
        if at < len(self._stretches) and self._stretches[at].start <= item:
            return self._stretches[at]
        return None

    def __contains__(self, item: int) -> bool:
        return self.at(item) is not None

    def holding(self, items: Iterable[int]) -> list[R | None]:
        """Return for each item, ascending, the whole stretch that holds it, or None."""
        stretches, found = self._stretches, []
        at, size = self._head, len(self._stretches)
        for item in items:
            steps = 0
            while at < size and stretches[at].start + stretches[at].count <= item:
                at += 1
                steps += 1
                if steps == WALK:  # far away
                    at = self._at(item)
                    break
            found.append(stretches[at] if at < size and stretches[at].start <= item else None)
        return found

    def remove(self, start: int, count: int) -> list[R]:
        """Take what lies inside [start, start+count); items that are not here are passed over."""
        found: list[R] = []
        stretches = self._stretches
        if not self.total:
            return found
        end = start + count
        at = stop = self._at(start)
        size = len(stretches)
        rest: list[R] = []
        while stop < size and stretches[stop].start < end:
            stretch = stretches[stop]
            stop += 1
            begins, ends = stretch.start, stretch.start + stretch.count
            if begins >= start and ends <= end:
                found.append(stretch)
                self.total -= stretch.count
                continue
            low = begins if begins > start else start
            high = ends if ends < end else end
            found.append(stretch.part(low - begins, high - low))
            self.total -= high - low
            if begins < low:
                rest.append(stretch.part(0, low - begins))
            if high < ends:
                rest.append(stretch.part(high - begins, ends - high))
        if not found:
            return found
        kept = len(rest)
        if at == self._head and stop - at > kept:  # from the head on, as a reader of everything takes it
            self._head = stop - kept
            stretches[self._head : stop] = rest
        else:
            stretches[at:stop] = rest
        if not self.total or self._head >= COMPACT_AT:
            self._compact()
        return found

    def replace(self, new: R) -> None:
        """Put a stretch where items are; the list moves once where the new one merges with nothing."""
        at = self._at(new.start)
        stretches, start, end = self._stretches, new.start, new.start + new.count
        if at < len(stretches):
            old = stretches[at]
            begins, ends = old.start, old.start + old.count
            if begins == start and end == ends and self._alone(at, new):
                stretches[at] = new
                return
            if begins < start and end < ends:
                before, after = old.part(0, start - begins), old.part(end - begins, ends - end)
                if not before.continued_by(new) and not new.continued_by(after):
                    stretches[at : at + 1] = [before, new, after]
                    return
        self.remove(start, new.count)
        self.insert(new)

    def replace_all(self, news: Iterable[R]) -> None:
        """Put stretches, ascending, where items are; each as by `replace`."""
        stretches, at = self._stretches, self._head
        for new in news:
            start, steps = new.start, 0
            while at < len(stretches) and stretches[at].start < start:
                at += 1
                steps += 1
                if steps == WALK:
                    at = self._at(start)
                    break
            old = stretches[at] if at < len(stretches) else None
            if old is not None and old.start == start and old.count == new.count and self._alone(at, new):
                stretches[at] = new
            else:
                self.replace(new)
                at = max(self._head, self._at(start) - 1)

    def _alone(self, at: int, new: R) -> bool:
        """Return whether a stretch, in the place of the one at an index, merges with no neighbour."""
        stretches = self._stretches
        if at > self._head:
            before = stretches[at - 1]
            if before.start + before.count == new.start and before.continued_by(new):
                return False
        if at + 1 < len(stretches):
            after = stretches[at + 1]
            return new.start + new.count != after.start or not new.continued_by(after)
        return True

    def copy(self) -> Stretches[R]:
        """Return an independent container over the same stretches."""
        new: Stretches[R] = Stretches()
        new._stretches = self._stretches[self._head :]
        new.total = self.total
        return new


def _put(found: list[R], new: R, end: int) -> int:
    """Append a stretch, merging it if the last one ends at `end`; return where it ends."""
    start, count = new.start, new.count
    if start > end:
        found.append(new)
        return start + count
    last = found[-1]
    if start < end:
        raise ValueError(f"{new!r} overlaps {last!r}")
    if last.continued_by(new):
        found[-1] = last.merged(last.count + count)
    else:
        found.append(new)
    return end + count


def split(start: int, count: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Cut [start, start+count) at the multiples of `size`; yield (number of the piece, start, count)."""
    end = start + count
    while start < end:
        number = start // size
        stop = min(end, (number + 1) * size)
        yield number, start, stop - start
        start = stop


def pairs(ranges: Iterable[Any]) -> list[list[int]]:
    """Return stretches as [start, count] where they go on whatever else they hold."""
    found: list[list[int]] = []
    for each in ranges:
        if found and found[-1][0] + found[-1][1] == each.start:
            found[-1][1] += each.count
        else:
            found.append([each.start, each.count])
    return found


class StretchRecord(msgspec.Struct, frozen=True, gc=False):
    """A stretch of consecutive integers whose other fields are equal; a kind adds them, and says what else
    moves. `start`: the first integer. `count`: how many.
    """

    start: int
    count: int

    @property
    def end(self) -> int:
        """One past the last integer."""
        return self.start + self.count

    def part(self, offset: int, count: int) -> Self:
        return replace(self, start=self.start + offset, count=count)

    def continued_by(self, after: Any) -> bool:
        """Return whether `after`, which is adjacent, is equal in all else."""
        return bool(replace(after, start=self.start, count=self.count) == self)

    def merged(self, count: int) -> Self:
        return replace(self, count=count)


class Range(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The integers start, start+1, ... (`count` of them)."""

    start: int
    count: int

    @property
    def end(self) -> int:
        """One past the last integer."""
        return self.start + self.count

    def part(self, offset: int, count: int) -> Range:
        return Range(self.start + offset, count)

    def continued_by(self, after: Range) -> bool:
        """Return that adjacent ranges always merge."""
        return True

    def merged(self, count: int) -> Range:
        return Range(self.start, count)


class StretchTally(StretchRecord, frozen=True, array_like=True, gc=False):
    """Consecutive message numbers that share a value. Each message of a store is asked for it, so it calls nothing."""

    value: int

    def continued_by(self, after: StretchTally) -> bool:
        return self.value == after.value

    def merged(self, count: int) -> StretchTally:
        return StretchTally(self.start, count, self.value)


def one_more(value: int) -> int:
    return value + 1


def one_less(value: int) -> int:
    return max(0, value - 1)


class MessageTallies:
    """A number for each message. `keep_zero`: whether messages with 0 are kept."""

    __slots__ = ("_keep_zero", "runs")

    def __init__(self, keep_zero: bool = False) -> None:
        self.runs: Stretches[StretchTally] = Stretches()
        self._keep_zero = keep_zero

    def __len__(self) -> int:
        return self.runs.total

    def over(self, start: int, count: int, step: int = 1) -> list[StretchTally]:
        """Return the values over [start, start+count), 0 where there is none; with step -1 the last comes first."""
        found = [
            StretchTally(at, many, 0) if run is None else run
            for at, many, run in self.runs.pieces(start, count)
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

    def drop_zeros(self, start: int, count: int) -> None:
        """Forget the messages of [start, start+count) whose value is 0."""
        for run in self.runs.overlapping(start, count):
            if not run.value:
                self.runs.remove(run.start, run.count)

    def drop_all_zeros(self) -> None:
        kept = [run for run in self.runs if run.value]
        self.runs.clear()
        self.runs.insert_all(kept)


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
        ranges = self.runs
        if ranges.total and start < ranges.end:
            ranges.remove(start, count)
        ranges.insert(Range(start, count))

    def discard(self, start: int, count: int = 1) -> list[Range]:
        """Remove [start, start+count) and return what was really here."""
        return self.runs.remove(start, count)

    def inside(self, start: int, count: int) -> list[Range]:
        return self.runs.overlapping(start, count)

    def update(self, other: Iterable[Stretch]) -> Self:
        for each in other:
            self.add(each.start, each.count)
        return self

    def subtract(self, other: Iterable[Stretch]) -> Self:
        for each in other:
            self.runs.remove(each.start, each.count)
        return self

    def intersection(self, other: Iterable[Range]) -> RangeSet:
        found = RangeSet()
        for each in other:
            for part in self.runs.overlapping(each.start, each.count):
                found.add(part.start, part.count)
        return found

    def clear(self) -> None:
        self.runs.clear()

    def copy(self) -> RangeSet:
        new = RangeSet()
        new.runs = self.runs.copy()
        return new
