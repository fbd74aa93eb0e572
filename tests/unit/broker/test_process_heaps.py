"""Heaps of processes have the sizes that a queue's process of 3.10.8 had, traced while a backlog grew."""

from __future__ import annotations

import pytest

from engine.broker.memory.model import (
    CHANCES,
    HEAP_WORDS,
    WORD_BYTES,
    FollowedHeap,
    ProcessHeap,
    QueueHeaps,
    most_bodies,
)
from engine.broker.time.scheduler import RandomDraws

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


LIMITS = (
    (6_144, 440_985, 220_492),
    (401_736, 220_492, 577_231),
    (377_328, 577_231, 577_231),
    (92_703, 46_422, 196_630),
)
"""Words of bodies of a young heap when a large collection began, and the old heap's limit before and after it."""


@pytest.mark.parametrize(("words", "before", "after"), LIMITS)
def test_how_many_bodies_an_old_heap_may_refer_to_follows_the_young_one(
    words: int, before: int, after: int
) -> None:
    assert most_bodies(words, before) == pytest.approx(after, abs=60)


def followed(messages: int, body_words: int = 1536) -> tuple[FollowedHeap, int, int]:
    """Return the heap of a process that got messages one by one, and the words of them and of their bodies."""
    heap, live, bodies = FollowedHeap(RandomDraws("a heap")), 0, 0
    for _ in range(messages):
        live, bodies = live + ENTRY_BYTES // WORD_BYTES, bodies + body_words
        heap.work(1_000, body_words, 0, live, bodies)
    return heap, live, bodies


def test_collections_of_a_queue_that_is_steady_take_turns_with_the_sizes_that_were_traced() -> None:
    heap, live, bodies = followed(1_340)
    seen = set()
    for _ in range(3_000):
        heap.work(1_000, 1_536, 0, live, bodies)
        seen.add((heap.young, heap.old))
    assert seen == {(196_650, 0), (75_113, 514_838), (46_422, 318_187)}


def test_a_process_that_does_nothing_keeps_the_bodies_that_left() -> None:
    heap, live, bodies = followed(1_000)
    heap.work(0, 0, 0, live // 4, 0)
    assert heap.body_words == pytest.approx(bodies, rel=0.001)
    heap.collect_all(live // 4, 0)
    assert (heap.body_words, heap.old) == (0, 0)


def test_an_old_heap_keeps_garbage_as_long_as_it_refers_to_fewer_bodies_than_it_may() -> None:
    heap, live, bodies = followed(100)
    heap.work(1_000, 1_000_000, 0, live, bodies)  # bodies that came at once
    heap.collect_all(live, bodies)
    heap.work(heap.young, 0, 0, live, bodies)
    for _ in range(1_000):
        heap.work(1_000, 0, 0, live, 0)
    assert heap.old > 0
    assert heap.body_words == bodies, "small collections alone"
