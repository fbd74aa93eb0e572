"""Heaps of Erlang processes: larger than what lives in them, by the sizes that the VM gives them."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

FIBONACCI_SIZES: Final = 23
"""Heaps grow as Fibonacci numbers up to this many sizes, later by a fifth."""
LARGEST_WORDS: Final = 1 << 34


def _sizes() -> tuple[int, ...]:
    found = [12, 38]
    while len(found) < FIBONACCI_SIZES:
        found.append(found[-1] + found[-2] + 1)
    while found[-1] < LARGEST_WORDS:
        found.append(found[-1] + found[-1] // 5)
    return tuple(found)


HEAP_WORDS: Final = _sizes()
"""The sizes that the VM gives heaps, in words."""
WORD_BYTES: Final = 8
OLD_SIZES: Final = 2
"""The old heap is so many sizes above a young one that is full."""
YOUNG_SHARE: Final = 8
"""A young heap is at least this part of the old one."""
CHANCES: Final = 1000


def fitting(words: int) -> int:
    """Return the number of the smallest size in `HEAP_WORDS` that has room for so many words."""
    return bisect_left(HEAP_WORDS, words)


class ProcessHeap:
    """The heap of one process: after a large collection one heap, after a small one an old and a young heap."""

    __slots__ = ("size", "small")

    def __init__(self) -> None:
        self.size = 0
        """Number in `HEAP_WORDS` of its heap after a large collection."""
        self.small = False
        """Whether the last collection was a small one."""

    def collect(self, live_words: int, chance: int) -> None:
        """Size the heap for what lives in it, and let the last collection have been a large or a small one.

        The two follow each other, and each lasts until the words that it left free are full of garbage.

        Args:
            live_words: of terms that are in use.
            chance: drawn, below CHANCES.
        """
        before = -1
        while before != self.size:
            before, self.size = self.size, fitting(live_words + self._young_words)
        free_words = HEAP_WORDS[self.size] - live_words
        self.small = chance * (free_words + self._young_words) < CHANCES * self._young_words

    @property
    def _young_words(self) -> int:
        """Words of the young heap beside the old one."""
        return HEAP_WORDS[fitting(HEAP_WORDS[self.size + OLD_SIZES] // YOUNG_SHARE)]

    @property
    def words(self) -> int:
        """Words of its heaps."""
        return HEAP_WORDS[self.size + OLD_SIZES] + self._young_words if self.small else HEAP_WORDS[self.size]


class QueueHeaps:
    """The heap of a queue's process while it is awake, and that of channels which hold its messages."""

    __slots__ = ("collections", "chances", "own", "channels")

    def __init__(self) -> None:
        self.collections = -1
        """How often the process had collected garbage when the memory was last looked at."""
        self.chances: tuple[int, int] | None = None
        """Drawn for both heaps if it has collected since."""
        self.own = ProcessHeap()
        self.channels = ProcessHeap()

    def beyond_bytes(self, own_bytes: int, held_bytes: int) -> int:
        """Return what the heaps take beyond what lives in them.

        Args:
            own_bytes: live bytes in the queue's process.
            held_bytes: live bytes in channels.
        """
        live = [each // WORD_BYTES for each in (own_bytes, held_bytes)]
        heaps = (self.own, self.channels)
        if self.chances is not None:
            for heap, words, chance in zip(heaps, live, self.chances, strict=True):
                heap.collect(words, chance)
        return WORD_BYTES * sum(max(0, heap.words - words) for heap, words in zip(heaps, live, strict=True))
