"""The index as others see it: snapshot, the facts of a golden trace, and the proof that the files agree."""

from __future__ import annotations

from collections import Counter

from engine.classic_v1.index.actions import IndexActions
from engine.classic_v1.index.combine import live_entries
from engine.classic_v1.index.journal import IndexJournal
from engine.classic_v1.index.overlay import overlay, split
from engine.classic_v1.index.recovery import replay
from engine.classic_v1.index.segments import IndexSegments, parse
from engine.values.errors import InvariantBroken

Entry = tuple[int, int, int]


def entries(segments: IndexSegments) -> list[Entry]:
    """Return (start, count, code) of every entry; code = 8 * part in the file + journal bits."""
    rows: list[Entry] = []
    for filed, pending in overlay(segments.filed, segments.pending):
        code = 8 * (filed.part_no if filed is not None else 0) + (pending.bits if pending is not None else 0)
        one = filed if filed is not None else pending
        assert one is not None
        if rows and rows[-1][2] == code and rows[-1][0] + rows[-1][1] == one.start:
            rows[-1] = (rows[-1][0], rows[-1][1] + one.count, code)
        else:
            rows.append((one.start, one.count, code))
    return rows


def files(segments: IndexSegments) -> list[tuple[int, int]]:
    """Return (segment, bytes on disk) of every segment file, ascending."""
    return sorted(segments.file_bytes.items())


def segment_rows(segments: IndexSegments) -> list[tuple[int, int, int]]:
    """Return (segment, unacked, entries in memory) of every segment in the map, ascending (S70)."""
    waiting: Counter[int] = Counter()
    for slot in segments.pending:
        for segment, _, count in split(slot.start, slot.count, segments.size):
            waiting[segment] += count
    return [(segment, unacked, waiting[segment]) for segment, unacked in sorted(segments.unacked.items())]


def vector(actions: IndexActions) -> dict[str, object]:
    """Return what a golden trace records of an index."""
    journal, confirms = actions.journal, actions.confirms
    return {
        "files": [list(row) for row in files(actions.segments)],
        "segments": [list(row) for row in segment_rows(actions.segments)],
        "dirty": actions.dirty,
        "journal": [journal.file_bytes, journal.buffered_bytes],
        "cache": actions.cached,
        "unconfirmed": [len(confirms.store_homed), len(confirms.embedded)],
    }


def snapshot(actions: IndexActions) -> dict[str, object]:
    """Return the state that folding the transitions gives too."""
    return {
        "entries": [list(row) for row in entries(actions.segments)],
        "segments": [list(row) for row in files(actions.segments)],
        "journal_bytes": actions.journal.file_bytes,
        "buffered_bytes": actions.journal.buffered_bytes,
        "dirty": actions.dirty,
    }


def verify_files(segments: IndexSegments) -> None:
    """Compare the segment files with what is claimed of them: sizes, states, unacked counts (S253).

    Raises InvariantBroken at the first difference.
    """
    for segment, size_bytes in files(segments):
        real = segments.real_bytes(segment)
        if real != size_bytes:
            raise InvariantBroken(f"{segments.path(segment)} has {real} bytes, not {size_bytes}")
    for segment in sorted(segments.unacked.keys() | segments.file_bytes.keys()):
        start = segment * segments.size
        filed, in_file = parse(segments.content(segment))
        claimed = [
            (run.start, run.count, run.part_no) for run in segments.filed.overlapping(start, segments.size)
        ]
        found: list[Entry] = []
        for slot in filed:
            state = slot.bits.bit_count()
            if found and found[-1][2] == state and found[-1][0] + found[-1][1] == slot.start:
                found[-1] = (found[-1][0], found[-1][1] + slot.count, state)
            else:
                found.append((slot.start, slot.count, state))
        if found != claimed:
            raise InvariantBroken(f"{segments.path(segment)} holds {found}, not {claimed}")
        live, change = live_entries(filed, segments.pending.overlapping(start, segments.size))
        unacked = segments.unacked.get(segment, 0)
        if not unacked == live.total == in_file + change:
            raise InvariantBroken(f"segment {segment} counts {unacked} unacked, its entries are {live.total}")


def verify_journal(segments: IndexSegments, scratch: IndexSegments, reader: IndexJournal) -> None:
    """Compare a journal that is written completely with the pending entries.

    Args:
        segments: what is claimed.
        scratch, reader: blank views of the same files.
    """
    replay(scratch, reader)
    if scratch.pending != segments.pending:
        raise InvariantBroken(f"{reader.path} replays to {scratch.pending}, not {segments.pending}")
