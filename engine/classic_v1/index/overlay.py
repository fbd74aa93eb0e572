"""Laying two sequences of runs over each other: the one loop behind combine, deduplicate and snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from engine.values.stretches import Stretch

A = TypeVar("A", bound=Stretch)
B = TypeVar("B", bound=Stretch)


def split(start: int, count: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Cut [start, start+count) at the multiples of `size`; yield (number of the piece, start, count)."""
    end = start + count
    while start < end:
        number = start // size
        stop = min(end, (number + 1) * size)
        yield number, start, stop - start
        start = stop


def overlay(first: Iterable[A], second: Iterable[B]) -> Iterator[tuple[A | None, B | None]]:
    """Yield the parts of both, in ascending order, cut so that each pair covers the same integers.

    Both arguments are sorted and free of overlaps. None stands where only the other has something.
    """
    left, right = iter(first), iter(second)
    a, b = next(left, None), next(right, None)
    while a is not None and b is not None:
        if a.start + a.count <= b.start:
            yield a, None
            a = next(left, None)
        elif b.start + b.count <= a.start:
            yield None, b
            b = next(right, None)
        elif a.start < b.start:
            before = b.start - a.start
            yield a.part(0, before), None
            a = a.part(before, a.count - before)
        elif b.start < a.start:
            before = a.start - b.start
            yield None, b.part(0, before)
            b = b.part(before, b.count - before)
        else:
            both = min(a.count, b.count)
            yield a.part(0, both), b.part(0, both)
            a = a.part(both, a.count - both) if a.count > both else next(left, None)
            b = b.part(both, b.count - both) if b.count > both else next(right, None)
    while a is not None:
        yield a, None
        a = next(left, None)
    while b is not None:
        yield None, b
        b = next(right, None)
