"""What monitors and listings want to know of a queue, beside what its process asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from engine.backing_queue.heap import HeapFigures
from engine.backing_queue.message_places import MessagePlace
from engine.values.extents import Extent


class StoreCredit(msgspec.Struct, frozen=True):
    """Credit towards one message store, which the queue itself counts (F4).

    Args:
        left: messages that may be sent; None before the first write.
        initial, more: what it begins with, and what each grant gives.
        blocked: whether the queue waits for a grant.
    """

    left: int | None
    initial: int
    more: int
    blocked: bool


class IndexLoad(msgspec.Struct, frozen=True):
    """What a queue's index keeps in RAM.

    Args:
        segments: segment files that it has.
        segment_entries: entries of a segment.
        records: (count, whether the bodies are embedded, their bytes together) of the journal's publish records.
        buffered: whether records wait in the journal's write buffer.
        more: thousandths of a byte of what a generation counts by figures of its own.
    """

    segments: int
    segment_entries: int
    records: Sequence[tuple[int, bool, int]]
    buffered: bool
    more: int = 0


class MeasuredQueue(Protocol):
    """What may be read of a queue at any time; nothing of it changes the queue."""

    @property
    def heap(self) -> HeapFigures:
        """Bytes of RAM that it and each of its messages take."""

    @property
    def ram_bytes(self) -> int:
        """Body bytes in RAM."""

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Messages per second: in, out, acks in, acks out (Q26)."""

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""

    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        """Yield every entry in RAM with its place."""

    def index_load(self) -> IndexLoad:
        """Return what the index keeps in RAM."""

    def store_credit(self) -> Mapping[str, StoreCredit]:
        """Return the credit towards each store by its name (F3, F4)."""

    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart).

        Keys: mode, durable, lanes (extents by the name of each listed place), counted (what RAM keeps of each lane
        that it only counts, by name), counters, own (what this kind of queue shows besides, by names of its own).
        """

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""
