"""Heaps of Erlang processes: larger than what lives in them, by the sizes that the VM gives them."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from engine.broker.time.scheduler import RandomDraws

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


COMING_WORDS: Final = 1_000
LEAVING_WORDS: Final = 700
PAGED_WORDS: Final = 140
"""Words that the process of a queue makes for a message that comes, for one that is delivered, settled or returned, and
for one that it pages out: traced on 3.10.8 (docs/calibration.md)."""
TAKEN_WORDS: Final = 30
READ_WORDS: Final = 160
"""Of these, words that survive a collection: for a message that is delivered, and for one that is read back first."""
LEAST_BODIES: Final = 46_422
"""Words of bodies that an old heap may refer to at least."""
GROWTH_PCT: Final = 1_618
"""By what this limit grows, in thousandths."""


def most_bodies(words: int, limit: int) -> int:
    """Return the words of bodies that the next old heap may refer to.

    Args:
        words: of bodies that the young heap refers to as a large collection begins.
        limit: as it was.
    """
    if 4 * words < limit:
        return max(LEAST_BODIES, limit // 2)
    while 4 * words > 3 * limit:
        limit = limit * GROWTH_PCT // CHANCES
    return limit


class FollowedHeap:
    """The heap of a process whose work takes time: each of its collections is followed.

    A small collection moves what survived the last one to the old heap, where it stays when it is garbage, and bodies
    with it, until a large one: when the old heap is full or refers to more bodies than it may.

    Args:
        draws: whether messages that waited made a heap overflow, so that its old one is two sizes larger, not one.
    """

    __slots__ = (
        "young",
        "old",
        "_draws",
        "_old_words",
        "_old_bodies",
        "_bodies",
        "_kept",
        "_mature",
        "_limit",
        "_room",
        "_seen",
    )

    def __init__(self, draws: RandomDraws) -> None:
        self._draws = draws
        self.young = HEAP_WORDS[0]
        self.old = self._old_words = self._old_bodies = self._bodies = self._kept = self._room = 0
        """Words of its blocks, and in use of the old one; words of bodies that each refers to; words left."""
        self._limit = LEAST_BODIES
        self._mature = self._seen = (0, 0)
        """Words and words of bodies that the last collection left in the young heap, and that live now."""

    @property
    def words(self) -> int:
        """Words of its blocks."""
        return self.young + self.old

    @property
    def body_words(self) -> int:
        """Words of bodies that it refers to, garbage included."""
        return self._old_bodies + self._bodies

    def work(self, made: int, came: int, kept: int, live: int, bodies: int) -> None:
        """Handle a message: make words, and collect each time the young heap is full.

        What lived before is referred to until the message is handled, so nothing of it is freed by then.

        Args:
            made: words that the process made, what it keeps included.
            came: words of bodies that it got or read.
            kept: words made that survive a collection, and are garbage later.
            live, bodies: words, and words of bodies, that are in use after it.
        """
        held, left = (max(self._seen[0], live), max(self._seen[1], bodies)), made
        while left > self._room:
            left -= self._room
            self._bodies += came * self._room // made
            self._kept += kept * self._room // made
            self._collect(*held)
        self._room -= left
        self._bodies += came * left // made if made else came
        self._kept += kept * left // made if made else kept
        self._seen = (live, bodies)

    def _collect(self, live: int, bodies: int) -> None:
        words, kept = self._mature
        if self.old and (self._old_bodies >= self._limit or words > self.old - self._old_words):
            self.collect_all(live, bodies)
            return
        if not self.old:
            self.old = HEAP_WORDS[fitting(self.young) + 1 + self._draws.below(OLD_SIZES)]
        self._old_words += words
        self._old_bodies += min(kept, bodies)
        needed = max(0, live - self._old_words) + self._kept
        self._mature = needed, max(0, bodies - self._old_bodies)
        self._bodies, self._kept = self._mature[1], 0
        least = HEAP_WORDS[fitting(max(3 * needed, self.old // YOUNG_SHARE))]
        self.young = min(self.young, least) if 4 * needed < self.young else max(self.young, least)
        self._room = max(COMING_WORDS, self.young - needed)

    def collect_all(self, live: int, bodies: int) -> None:
        """Collect large: what lives is in one heap afterwards."""
        self._limit = most_bodies(self._bodies, self._limit)
        size = fitting(max(live, self.young + self._old_words))
        self.young = HEAP_WORDS[fitting(2 * live) if 4 * live < HEAP_WORDS[size] else size]
        self.old = self._old_words = self._old_bodies = 0
        self._mature = self._seen = live, bodies
        self._bodies, self._kept = bodies, 0
        self._room = max(COMING_WORDS, self.young - live)


class QueueHeaps:
    """The heap of a queue's process while it is awake, and that of channels which hold its messages."""

    __slots__ = ("collections", "chances", "own", "channels", "followed")

    def __init__(self) -> None:
        self.collections = -1
        """How often the process had collected garbage when the memory was last looked at."""
        self.chances: tuple[int, int] | None = None
        """Drawn for both heaps if it has collected since."""
        self.own = ProcessHeap()
        self.channels = ProcessHeap()
        self.followed: FollowedHeap | None = None
        """That of the process where its work takes time; elsewhere which collection came last is drawn."""

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
        sizes = [(self.followed or self.own).words, self.channels.words]
        return WORD_BYTES * sum(max(0, size - words) for size, words in zip(sizes, live, strict=True))
