"""A channel: delivery tags, and what was delivered on it and not acknowledged yet (P14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from engine.ranges import Range
from engine.runs import Runs


class Unacked(msgspec.Struct, frozen=True, gc=False):
    """Deliveries that wait for an acknowledgement.

    Args:
        start: first delivery tag; the others follow one by one.
        count: how many.
        seq_id: of the first message in its queue.
        queue: where they came from.
        consumer: who took them; None for basic.get.
        joins: whether it may be merged with the next ones.
    """

    start: int
    count: int
    seq_id: int
    queue: str
    consumer: str | None
    joins: bool

    @property
    def messages(self) -> Range:
        """The seq_ids."""
        return Range(self.seq_id, self.count)

    def part(self, offset: int, count: int) -> Unacked:
        """Return `count` deliveries beginning at `offset`."""
        return msgspec.structs.replace(
            self, start=self.start + offset, count=count, seq_id=self.seq_id + offset
        )

    def continued_by(self, after: Unacked) -> bool:
        """Tell whether `after` goes on in the same queue for the same consumer."""
        return (
            self.joins
            and self.seq_id + self.count == after.seq_id
            and self.queue == after.queue
            and self.consumer == after.consumer
        )

    def merged(self, count: int) -> Unacked:
        """Return this run with `count` deliveries in all."""
        return msgspec.structs.replace(self, count=count)


class Channel:
    """One channel of one connection.

    Args:
        joins: whether deliveries that follow each other are kept as one; the hand keeps each apart.
    """

    def __init__(self, joins: bool = True) -> None:
        self.next_tag = 1
        self.unacked: Runs[Unacked] = Runs()
        self._joins = joins

    def __len__(self) -> int:
        """Number of unacknowledged deliveries."""
        return self.unacked.total

    def deliver(self, queue: str, consumer: str | None, messages: Range) -> None:
        """Hold messages until they are acknowledged, under the next tags (P14)."""
        self.unacked.insert(
            Unacked(self.next_tag, messages.count, messages.start, queue, consumer, self._joins)
        )
        self.next_tag += messages.count

    def send(self, count: int) -> None:
        """Deliver messages that need no acknowledgement: they take tags too."""
        self.next_tag += count

    def take(self, count: int) -> list[Unacked]:
        """Return the oldest deliveries, which are held no longer."""
        return self.unacked.pop_head(count)

    def take_tag(self, tag: int, multiple: bool) -> list[Unacked] | None:
        """Return what a delivery tag stands for, which is held no longer; None when it is unknown (P14).

        Args:
            tag: 0 with `multiple` for everything outstanding.
            multiple: all outstanding tags up to this one.
        """
        if multiple and tag == 0:
            return self.take(len(self))
        if not self.unacked.overlapping(tag, 1):
            return None
        first = self.unacked.first.start if multiple else tag
        return self.unacked.remove(first, tag - first + 1)

    def take_of(self, consumer: str) -> list[Unacked]:
        """Return everything that one consumer took, which is held no longer."""
        return self._remove(each for each in list(self.unacked) if each.consumer == consumer)

    def forget_queue(self, queue: str) -> list[Unacked]:
        """Return deliveries of a queue that is gone, which are held no longer."""
        return self._remove(each for each in list(self.unacked) if each.queue == queue)

    def _remove(self, runs: Iterable[Unacked]) -> list[Unacked]:
        return [gone for each in runs for gone in self.unacked.remove(each.start, each.count)]

    def reset(self) -> None:
        """Begin anew: the channel was closed."""
        self.next_tag = 1
        self.unacked.clear()


def by_queue(deliveries: Iterable[Unacked]) -> Iterator[tuple[str, list[Unacked]]]:
    """Group deliveries as a channel does: by queue and consumer, each group oldest first (P14)."""
    groups: dict[tuple[str, str | None], list[Unacked]] = {}
    for each in deliveries:
        groups.setdefault((each.queue, each.consumer), []).append(each)
    for (queue, _), group in groups.items():
        yield queue, group
