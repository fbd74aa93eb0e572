"""Index entries as runs, and what records make of them (S70, S71): one by one, or a whole journal at once (S114)."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.classic_v1.formats.journal import RECORDS, Action, JournalMarks, JournalRecords
from engine.classic_v1.formats.publishing import PublishRecord
from engine.formats.arrays import np
from engine.values.chunks import ByteChunk
from engine.values.errors import InvariantBroken
from engine.values.stretches import Range, Stretches, StretchRecord

PUBLISH: Final = 1
DELIVER: Final = 2
ACK: Final = 4


class JournalSlot(StretchRecord, frozen=True, array_like=True, gc=False):
    """Entries of consecutive seq_ids in the same state (S70).

    Args:
        start: seq_id of the first entry.
        count: number of entries, at least 1.
        publish: record of the first entry, the others follow in msg_no; None without a publish record.
        term: the embedded term of another node's message, whose bytes stay as they are; then `count` is 1.
    """

    publish: PublishRecord | None
    delivered: bool = False
    acked: bool = False
    term: bytes | None = None

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
        publish = None if self.publish is None else self.publish.later(offset)
        return JournalSlot(self.start + offset, count, publish, self.delivered, self.acked, self.term)

    def continued_by(self, after: JournalSlot) -> bool:
        """Return whether `after` (adjacent) is in the same state with following message numbers."""
        if self.term is not None or self.delivered != after.delivered or self.acked != after.acked:
            return False  # as nearly always in a node's own files
        if self.publish is None or after.publish is None:
            return self.publish is after.publish
        if (
            self.publish.persistent != after.publish.persistent
            or self.publish.embedded != after.publish.embedded
        ):
            return False  # as nearly always in a log whose classes alternate
        return after.term is None and self.publish.later(self.count) == after.publish

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
    """Apply deliver or ack to the slots of [start, start+count) (S71). Raises InvariantBroken where the table
    forbids it; the slots are unchanged then.
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
    """Apply publish, and deliver if `fresh` has it, to slots that are empty (S71). Raises InvariantBroken
    where one is not.
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


HAS_ARRAYS: Final = hasattr(np, "argsort")
"""Whether numpy is available; in a browser the same is done record by record."""
ROUNDS: Final = 32
"""Seq_ids with more records than this are taken one by one."""
IMPOSSIBLE: Final = 8
BITS: Final[dict[Action, int]] = {"publish": PUBLISH, "deliver": DELIVER, "ack": ACK}

AFTER: Final = bytes(
    (state | action) % GONE if state in ALLOWED.get(action, ()) else IMPOSSIBLE
    for state in range(8)
    for action in range(8)
)
"""The state of a slot after an action, at 8 * state + action; one with all three records is empty."""


class Gathered(msgspec.Struct, frozen=True):
    """The effect of a journal on a queue without pending entries. `slots`: what is pending afterwards,
    ascending. `unacked`: change of each segment that has a record. `actions`: records that were carried out.
    """

    slots: Iterator[JournalSlot]
    unacked: dict[int, int]
    actions: int


class _Records:
    """The records in the order of the file: a seq_id and an action of each."""

    def __init__(self, chunks: Iterable[ByteChunk]) -> None:
        self.seqs = array("Q")
        self.actions = bytearray()
        self.runs: list[JournalRecords] = []
        self.begins = array("Q")
        """At which record each run with publishes begins."""
        for chunk in chunks:
            if isinstance(chunk, JournalMarks):
                self._add_marks(chunk)
            elif isinstance(chunk, JournalRecords):
                self._add(chunk)

    def _add_marks(self, marks: JournalMarks) -> None:
        for action, seq in marks.words():
            self.seqs.append(seq)
            self.actions.append(BITS[action])

    def _add(self, run: JournalRecords) -> None:
        if run.publish is not None:
            self.runs.append(run)
            self.begins.append(len(self.seqs))
        covered = range(run.start, run.start + run.count)[:: run.step]
        actions = bytes(BITS[action] for action in RECORDS[run.action])
        self.seqs.extend(covered if len(actions) == 1 else (seq for seq in covered for _each in actions))
        self.actions += actions * run.count

    def run_at(self, record: int) -> JournalRecords:
        return self.runs[bisect_right(self.begins, record) - 1]


def gather(chunks: Sequence[ByteChunk], size: int) -> Gathered:
    """Carry out the records of a journal. `size`: entries per segment, N (S4). Raises InvariantBroken: an
    action is impossible where it stands (S71).
    """
    records = _Records(chunks)
    if not records.seqs:
        return Gathered(iter(()), {}, 0)
    return (_by_arrays if HAS_ARRAYS else _one_by_one)(records, size)


def _impossible(seq: int, action: int, state: int) -> InvariantBroken:
    return InvariantBroken(f"seq_id {seq}: action {action} is impossible in state {state} (S71)")


def _one_by_one(records: _Records, size: int) -> Gathered:
    states: dict[int, int] = {}
    published: dict[int, int] = {}
    unacked: dict[int, int] = {}
    for at, (seq, action) in enumerate(zip(records.seqs, records.actions, strict=True)):
        state = states.get(seq, 0)
        after = AFTER[8 * state + action]
        if after == IMPOSSIBLE:
            raise _impossible(seq, action, state)
        states[seq] = after
        if action == PUBLISH:
            published[seq] = at
        segment = seq // size
        unacked[segment] = unacked.get(segment, 0) + (action == PUBLISH) - (action == ACK)
    kept = sorted(seq for seq, state in states.items() if state)
    slots = (_slot(records, seq, 1, states[seq], published.get(seq, 0)) for seq in kept)
    return Gathered(slots, unacked, len(records.seqs))


def _slot(records: _Records, start: int, count: int, state: int, published: int) -> JournalSlot:
    """Return entries in one state; `published` is the place of the first one's publish record."""
    delivered, acked = bool(state & DELIVER), bool(state & ACK)
    if not state & PUBLISH:
        return JournalSlot(start, count, None, delivered, acked)
    run = records.run_at(published)
    publish = None if run.publish is None else run.publish.later(start - run.start)
    return JournalSlot(start, count, publish, delivered, acked, run.term)


def _by_arrays(records: _Records, size: int) -> Gathered:
    count = len(records.seqs)
    place = np.uint32 if count < 1 << 32 else np.uint64
    order = np.argsort(np.frombuffer(records.seqs, np.uint64), kind="stable").astype(place)
    seqs: Any = np.frombuffer(records.seqs, np.uint64)[order]
    actions: Any = np.frombuffer(records.actions, np.uint8)[order]
    records.seqs, records.actions = array("Q"), bytearray()  # arrays of as many bytes are needed now
    begins: Any = np.flatnonzero(np.concatenate(([True], seqs[1:] != seqs[:-1]))).astype(place)
    states = _states(seqs, actions, order, begins)
    unacked = _changes(seqs, actions, size)
    published = np.maximum.reduceat(np.where(actions == PUBLISH, order, 0).astype(place), begins)
    kept = np.flatnonzero(states)
    seqs, states, published = seqs[begins[kept]], states[kept], published[kept]
    return Gathered(_pieces(records, seqs, states, published), unacked, count)


def _states(seqs: Any, actions: Any, order: Any, begins: Any) -> Any:
    """Return the state of each seq_id after all of its records.

    Args:
        seqs: of all records, ascending; those of one seq_id in the order of the file.
        actions: in the same order.
        order: place of each record in the file.
        begins: where the records of each seq_id begin.
    """
    table = np.frombuffer(AFTER, np.uint8)
    ends = np.append(begins[1:], begins.dtype.type(len(seqs)))
    states = np.zeros(len(begins), np.uint8)
    found: list[tuple[int, int, int, int]] = []
    left = np.arange(len(begins), dtype=begins.dtype)
    for turn in range(ROUNDS):
        left = left[ends[left] - begins[left] > turn]
        at = begins[left] + begins.dtype.type(turn)
        after = table[8 * states[left] + actions[at]]
        wrong = after == IMPOSSIBLE
        if wrong.any():
            first = int(np.flatnonzero(wrong)[order[at[wrong]].argmin()])
            place = int(at[first])
            found.append((int(order[place]), int(seqs[place]), int(actions[place]), int(states[left[first]])))
            left, after = left[~wrong], after[~wrong]
        states[left] = after
    for each in left[ends[left] - begins[left] > ROUNDS].tolist():
        state = int(states[each])
        for place in range(int(begins[each]) + ROUNDS, int(ends[each])):
            after_one = AFTER[8 * state + int(actions[place])]
            if after_one == IMPOSSIBLE:
                found.append((int(order[place]), int(seqs[place]), int(actions[place]), state))
                break
            state = after_one
        states[each] = state
    if found:
        _place, seq, action, state = min(found)
        raise _impossible(seq, action, state)
    return states


def _changes(seqs: Any, actions: Any, size: int) -> dict[int, int]:
    """Return the change of the unacked count of each segment with a record."""
    segments = seqs // np.uint64(size)
    begins = np.flatnonzero(np.concatenate(([True], segments[1:] != segments[:-1])))
    change = (actions == PUBLISH).astype(np.int8) - (actions == ACK).astype(np.int8)
    sums = np.add.reduceat(change, begins, dtype=np.int64)
    return dict(zip(segments[begins].tolist(), sums.tolist(), strict=True))


def _pieces(records: _Records, seqs: Any, states: Any, published: Any) -> Iterator[JournalSlot]:
    """Yield the longest runs of entries in one state whose publish records are of one run."""
    if not len(seqs):
        return
    runs = np.searchsorted(np.frombuffer(records.begins, np.uint64), published.astype(np.uint64), "right")
    runs = np.where(states & PUBLISH, runs, 0)
    new = (np.diff(seqs) != 1) | (np.diff(states) != 0) | (np.diff(runs) != 0)
    begins = np.flatnonzero(np.concatenate(([True], new)))
    counts = np.diff(np.append(begins, len(seqs)))
    for low in range(0, len(begins), 1 << 16):
        part = begins[low : low + (1 << 16)]
        columns = (seqs[part], counts[low : low + (1 << 16)], states[part], published[part])
        for start, count, state, place in zip(*(each.tolist() for each in columns), strict=True):
            yield _slot(records, start, count, state, place)
