"""Heaps of processes have the sizes that a queue's process of 3.10.8 had, traced while a backlog grew."""

from __future__ import annotations

import pytest

from engine.broker.memory.heaps import CHANCES, HEAP_WORDS, WORD_BYTES, ProcessHeap, QueueHeaps

ENTRY_BYTES = 633
"""Of a message whose body is outside of the heap."""
TRACED = (
    (1146, 1576),
    (2024, 2546),
    (3479, 4120),
    (3964, 4120),
    (5420, 6665),
)
"""Messages in the queue, and kilobytes of its process after a large collection."""
AFTER_SMALL = ((2246, 7638), (3055, 9571), (5906, 11171))
"""The same after a small one."""


def grown(count: int, chance: int) -> ProcessHeap:
    """Return the heap of a process whose queue grew message by message."""
    heap = ProcessHeap()
    for each in range(1, count + 1):
        heap.collect(each * ENTRY_BYTES // WORD_BYTES, chance)
    return heap


@pytest.mark.parametrize(("count", "kilobytes"), TRACED)
def test_a_large_collection_leaves_one_heap(count: int, kilobytes: int) -> None:
    heap = grown(count, CHANCES - 1)
    assert not heap.small
    assert heap.words * WORD_BYTES / 1000 == pytest.approx(kilobytes, rel=0.005)


@pytest.mark.parametrize(("count", "kilobytes"), AFTER_SMALL)
def test_a_small_collection_leaves_an_old_and_a_young_heap(count: int, kilobytes: int) -> None:
    heap = grown(count, 0)
    assert heap.small
    assert heap.words * WORD_BYTES / 1000 == pytest.approx(kilobytes, rel=0.005)


def test_sizes_are_fibonacci_numbers_up_to_a_million_words_and_grow_by_a_fifth_after_it() -> None:
    assert HEAP_WORDS[20:25] == (318_187, 514_838, 833_026, 999_631, 1_199_557)


def test_a_queue_without_a_collection_keeps_its_heaps_and_what_lives_in_them_counts_once() -> None:
    heaps = QueueHeaps()
    heaps.chances = (CHANCES - 1, CHANCES - 1)
    first = heaps.beyond_bytes(800_000, 80_000)
    total = (heaps.own.words + heaps.channels.words) * WORD_BYTES
    assert first == total - 880_000
    heaps.chances = None
    assert heaps.beyond_bytes(400_000, 80_000) == first + 400_000
