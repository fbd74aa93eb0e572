"""Very many records of a journal at once: sorted by seq_id, and carried out as if one by one (S71, S114).

What happens to a seq_id depends on its own records alone. So they are sorted, and the first record of every seq_id is
carried out, then the second, and so on. A record takes some bytes of an array, not an object.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from engine.classic_v1.formats.journal import RECORDS, Action, JournalMarks, JournalRecords
from engine.classic_v1.index.slots import ACK, ALLOWED, DELIVER, GONE, PUBLISH, JournalSlot
from engine.formats.arrays import np
from engine.storage.port import ByteChunk
from engine.values.errors import InvariantBroken

HAS_ARRAYS: Final = hasattr(np, "argsort")
"""Not so in a browser, where the same is done record by record."""
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
    """What a journal makes of a queue without pending entries.

    Args:
        slots: what is pending afterwards, ascending.
        unacked: change of each segment that has a record.
        actions: records that were carried out.
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
        """Return the run that a publish record is of, by its place in the file."""
        return self.runs[bisect_right(self.begins, record) - 1]


def gather(chunks: Sequence[ByteChunk], size: int) -> Gathered:
    """Carry out the records of a journal.

    Args:
        chunks: as a reader of the journal returns them.
        size: entries per segment, N (S4).

    Raises:
        InvariantBroken: an action is impossible where it stands (S71).
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
