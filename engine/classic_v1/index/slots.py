"""Index entries as runs, and what publish, deliver and ack make of them (S70, S71)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from engine.classic_v1.formats.published import PublishRecord
from engine.values.errors import InvariantBroken
from engine.values.ranges import Range
from engine.values.stretches import Stretches

PUBLISH: Final = 1
DELIVER: Final = 2
ACK: Final = 4


class JournalSlot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Entries of consecutive seq_ids in the same state (S70).

    Args:
        start: seq_id of the first entry.
        count: number of entries, at least 1.
        publish: record of the first entry, the others follow in msg_no; None without a publish record.
        delivered: whether a deliver record is there.
        acked: whether an ack record is there.
        term: the embedded term of another node's message, whose bytes stay as they are; then `count` is 1.
    """

    start: int
    count: int
    publish: PublishRecord | None
    delivered: bool = False
    acked: bool = False
    term: bytes | None = None

    @property
    def end(self) -> int:
        """One past the last seq_id."""
        return self.start + self.count

    @property
    def bits(self) -> int:
        """The actions as a sum: publish 1, deliver 2, ack 4."""
        return (
            (PUBLISH if self.publish is not None else 0)
            + (DELIVER if self.delivered else 0)
            + (ACK if self.acked else 0)
        )

    @property
    def marks(self) -> int:
        """How many two-byte records a segment file gets for each entry (S60)."""
        return self.delivered + self.acked

    @property
    def live(self) -> bool:
        """Whether it stands for a message that is still there."""
        return self.publish is not None and not self.acked

    def part(self, offset: int, count: int) -> JournalSlot:
        """Return `count` entries beginning at `offset`."""
        publish = None if self.publish is None else self.publish.later(offset)
        return JournalSlot(self.start + offset, count, publish, self.delivered, self.acked, self.term)

    def continued_by(self, after: JournalSlot) -> bool:
        """Return whether `after` (adjacent) is in the same state with following message numbers."""
        if self.delivered != after.delivered or self.acked != after.acked:
            return False
        if self.publish is None or after.publish is None:
            return self.publish is after.publish
        if (
            self.publish.persistent != after.publish.persistent
            or self.publish.embedded != after.publish.embedded
        ):
            return False  # as nearly always in a log whose classes alternate
        return self.term is None and after.term is None and self.publish.later(self.count) == after.publish

    def merged(self, count: int) -> JournalSlot:
        """Return this run with `count` entries in all."""
        return JournalSlot(self.start, count, self.publish, self.delivered, self.acked, self.term)

    def with_marks(self, marks: int) -> JournalSlot:
        """Return this run as a segment file shows it with `marks` two-byte records (S60)."""
        return JournalSlot(self.start, self.count, self.publish, marks > 0, marks > 1, self.term)

    def marked(self, action: int) -> JournalSlot:
        """Return this run after a deliver or an ack (S71)."""
        return JournalSlot(
            self.start,
            self.count,
            self.publish,
            self.delivered or action == DELIVER,
            self.acked or action == ACK,
            self.term,
        )


ALLOWED: Final[dict[int, frozenset[int]]] = {
    PUBLISH: frozenset({0}),
    DELIVER: frozenset({0, PUBLISH}),
    ACK: frozenset({0, DELIVER, PUBLISH + DELIVER}),
}
"""For each action, the states of a slot in which it is possible; every other cell of S71 is an error."""

GONE: Final = PUBLISH + DELIVER + ACK
"""A slot with all three becomes empty (S71, S72)."""


def record(slots: Stretches[JournalSlot], action: int, start: int, count: int) -> None:
    """Apply deliver or ack to the slots of [start, start+count) (S71).

    Raises InvariantBroken where the table forbids it; the slots are unchanged then.
    """
    found = slots.overlapping(start, count)
    if not found:  # as of what a file has already
        slots.insert(JournalSlot(start, count, None, action == DELIVER, action == ACK))
        return
    if len(found) == 1 and found[0].count == count:
        after = _after(found[0], action)
        if after is not None:
            slots.replace(after)
        else:
            slots.remove(start, count)
        return
    changed: list[JournalSlot | None] = []
    at = start
    for slot in [*found, None]:
        gap = (slot.start if slot is not None else start + count) - at
        if gap:
            changed.append(_after(JournalSlot(at, gap, None), action))
        if slot is not None:
            changed.append(_after(slot, action))
            at = slot.end
    slots.remove(start, count)
    slots.insert_all([slot for slot in changed if slot is not None])


def _after(slot: JournalSlot, action: int) -> JournalSlot | None:
    """Return a run after a deliver or an ack, None where its entries become empty (S71)."""
    bits = slot.bits
    if bits not in ALLOWED[action]:
        raise InvariantBroken(
            f"seq_ids {slot.start} to {slot.end - 1}: action {action} is impossible in state {bits} (S71)"
        )
    return None if bits + action == GONE else slot.marked(action)


def record_publish(slots: Stretches[JournalSlot], fresh: JournalSlot) -> None:
    """Apply publish, and deliver if `fresh` has it, to slots that are empty (S71).

    Raises InvariantBroken where one is not.
    """
    try:
        slots.insert(fresh)
    except ValueError as error:
        raise InvariantBroken(f"seq_ids {fresh.start} to {fresh.end - 1} are not all empty (S71)") from error


def record_publishes(slots: Stretches[JournalSlot], fresh: list[JournalSlot]) -> None:
    """Apply publish to runs, ascending, as `record_publish` does to each (S71)."""
    try:
        slots.merge(fresh)
    except ValueError as error:
        raise InvariantBroken(
            f"seq_ids {fresh[0].start} to {fresh[-1].end - 1} are not all empty (S71)"
        ) from error


def record_all(slots: Stretches[JournalSlot], action: int, ranges: Sequence[Range]) -> None:
    """Apply deliver or ack to the slots of ranges, ascending, as `record` does to each (S71)."""
    news = _all_marked(slots, action, ranges)
    if news is not None:
        slots.replace_all(news)
        return
    for each in ranges:
        record(slots, action, each.start, each.count)


def _all_marked(
    slots: Stretches[JournalSlot], action: int, ranges: Sequence[Range]
) -> list[JournalSlot] | None:
    """Return the slots of ranges after an action where these are whole runs that stay; else None."""
    found: list[JournalSlot] = []
    low = ranges[0].start
    allowed, at, left = ALLOWED[action], 0, 0
    start = end = low
    for slot in slots.overlapping(low, ranges[-1].end - low):
        while slot.start >= end:
            if left or at == len(ranges):
                return None
            start, left = ranges[at].start, ranges[at].count
            end = start + left
            at += 1
        if slot.start < start:
            if slot.start + slot.count > start:
                return None
            continue
        bits = slot.bits
        if slot.start + slot.count > end or bits not in allowed or bits + action == GONE:
            return None
        left -= slot.count
        found.append(slot.marked(action))
    return None if left or at < len(ranges) else found
