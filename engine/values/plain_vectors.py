"""Operations on many numbers at once in plain Python, for use without numpy."""

from __future__ import annotations

from array import array
from itertools import accumulate


def span(words: array[int]) -> tuple[int, int]:
    """Return the least and the most of some numbers, 0 without any."""
    return min(words, default=0), max(words, default=0)


def running_sums(words: array[int]) -> array[int]:
    """Return the running sums, beginning with 0, as words of eight bytes."""
    return array("q", accumulate(words, initial=0))


def reaching(words: array[int], border: int) -> bytes:
    """Return a byte for each number: 1 where it reaches a border, else 0."""
    return bytes(map(border.__le__, words))
