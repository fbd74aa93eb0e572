"""Recovery: replays the journal, removes duplicates, and acknowledges missing messages (S110-S117)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

import msgspec

from engine.backing_queue.protocol import Contains
from engine.classic_v1.formats.journal import RECORDS, JournalMarks, JournalRecords
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.index.actions import IndexActions, IndexJournal
from engine.classic_v1.index.segments import (
    IndexSegments,
    live_entries,
    overlay,
    parse,
    without_duplicates,
)
from engine.classic_v1.index.slots import JournalSlot, gather
from engine.storage.port import Storage
from engine.values.errors import IndexCorrupt, InvariantBroken
from engine.values.sizes import total
from engine.values.stretches import Range, Stretches, split

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
    """Compare the segment files with what is claimed of them: sizes, states, unacked counts (S253). Raises
    InvariantBroken at the first difference.
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
        unacked = segments.unacked.get(segment, 0) - segments.wrong_counts.get(segment, 0)
        if not unacked == live.total == in_file + change:
            raise InvariantBroken(f"segment {segment} counts {unacked} unacked, its entries are {live.total}")


def verify_journal(segments: IndexSegments, scratch: IndexSegments, reader: IndexJournal) -> None:
    """Compare a journal that is written completely with the pending entries. `scratch`, `reader`: blank views
    of the same files.
    """
    replay(scratch, reader)
    if scratch.pending != segments.pending:
        raise InvariantBroken(f"{reader.path} replays to {scratch.pending}, not {segments.pending}")


MANY: Final = 4096
"""Runs of a journal; more are carried out together."""


class RecoveredIndex(msgspec.Struct, frozen=True):
    """What a recovery reports to the queue; None if the recovery terms have it (S112, S113.5). `count`: live
    messages. `size_bytes`: body bytes of the persistent ones, with those just dropped as missing.
    """

    count: int | None
    size_bytes: int | None


class MendedSegment(msgspec.Struct, frozen=True):
    """The result of recovering one segment after an unclean stop.

    Args:
        in_journal: actions that the journal file had.
        added: actions for what is missing or not marked.
        marked: whether a message that stays got its mark.
        size_bytes: body bytes of the persistent live messages, with those just dropped as missing.
    """

    in_journal: int
    added: int
    marked: bool
    size_bytes: int


def refuse_version_2(storage: Storage, directory: str) -> None:
    """Raise IndexCorrupt when the directory belongs to an index of version 2 (S242)."""
    for name in storage.list(directory):
        if name.endswith((".qi", ".qs")):
            raise IndexCorrupt("index_version_2", path=f"{directory}/{name}")


def replay(segments: IndexSegments, journal: IndexJournal) -> int:
    """Apply the records of the journal file, if there is one, and return how many they were (S114). Raises
    IndexCorrupt where the broker would crash (S119).
    """
    actions, slots = _replay(segments, journal)
    segments.pending = Stretches(slots)
    return actions


def _replay(segments: IndexSegments, journal: IndexJournal) -> tuple[int, Iterable[JournalSlot]]:
    """Replay a journal on segments without pending entries; return the number of its records, and what is pending."""
    if not journal.exists():
        return 0, ()
    journal.open()
    chunks = journal.read()
    try:
        if len(chunks) > MANY or any(isinstance(chunk, JournalMarks) for chunk in chunks):
            found = gather(chunks, segments.size)
            segments.add_unacked(found.unacked)
            return found.actions, found.slots
        actions = sum(_apply(segments, chunk) for chunk in chunks if isinstance(chunk, JournalRecords))
    except InvariantBroken as error:
        raise IndexCorrupt("journal_impossible", path=journal.path, why=error) from error
    slots, segments.pending = segments.pending, Stretches()
    return actions, slots


def _apply(segments: IndexSegments, run: JournalRecords) -> int:
    match run.action, run.publish:
        case "deliver", None:
            segments.deliver(run.start, run.count)
        case "ack", None:
            segments.ack(run.start, run.count)
        case "deliver_ack", None:
            segments.deliver(run.start, run.count)
            segments.ack(run.start, run.count)
        case "publish", PublishRecord() as publish:
            segments.publish(JournalSlot(run.start, run.count, publish, term=run.term))
        case "publish_deliver", PublishRecord() as publish:
            segments.publish(JournalSlot(run.start, run.count, publish, delivered=True, term=run.term))
        case _:
            raise IndexCorrupt("no_journal_action", action=repr(run.action))
    return run.count * len(RECORDS[run.action])


def recover_clean(segments: IndexSegments, journal: IndexJournal, terms: Iterable[tuple[int, int]]) -> int:
    """Replay the journal and trust the terms; return the actions since the last flush (S112). The files are
    read only for the page's picture.
    """
    segments.find_files()
    dirty = replay(segments, journal)
    for segment, unacked in terms:
        segments.set_unacked(segment, unacked)
    segments.mirror_files()
    return dirty


def recover_dirty(
    segments: IndexSegments, journal: IndexJournal, clean_queue: bool, contains: Contains, durable: bool
) -> MendedSegment:
    """Read everything and mark missing messages as gone (S113.1-3, S113.5). `clean_queue`: the queue itself
    had stopped in order. `contains`: which of these message numbers the persistent store holds. `durable`:
    whether the queue is; nothing of another one counts as present (S110).
    """
    files = segments.find_files()
    in_journal, waiting = _replay(segments, journal)
    added = size_bytes = 0
    marked = False
    for live in _scan(segments, files, waiting):
        for slot in live:
            publish = _publish(slot)
            size_bytes += total(publish.size_bytes, publish.msg_no, slot.count) if publish.persistent else 0
            for part, present in _presence(slot, contains, durable):
                actions = _settle(segments, part, present, clean_queue)
                added += actions
                marked = marked or (present and actions > 0)
    return MendedSegment(in_journal, added, marked, size_bytes)


def _scan(
    segments: IndexSegments, files: list[int], waiting: Iterable[JournalSlot]
) -> Iterator[list[JournalSlot]]:
    """Yield the live entries of every segment, ascending, with `unacked` set from them (S113.2-3).
    `segments`: without pending entries. `files`: numbers of the segments with a file. `waiting`: what the
    journal leaves pending, ascending; it is taken segment by segment.
    """
    touched = set(segments.unacked)
    by_segment = groupby(_parts(waiting, segments.size), lambda slot: slot.start // segments.size)
    following = next(by_segment, None)
    for segment in sorted(touched.union(files)):
        filed, in_file = segments.load(segment)
        segments.mirror(filed)
        pending: list[JournalSlot] = []
        if following is not None and following[0] == segment:
            pending = list(following[1])
            following = next(by_segment, None)
        if segment in touched:
            kept, _ = without_duplicates(pending, filed)
            segments.pending.insert_all(kept)
            pending = list(kept)
        live, change = live_entries(filed, pending)
        segments.set_unacked(segment, in_file + change)
        yield list(live)


def _parts(slots: Iterable[JournalSlot], size: int) -> Iterator[JournalSlot]:
    for slot in slots:
        for _segment, start, count in split(slot.start, slot.count, size):
            yield slot if count == slot.count else slot.part(start - slot.start, count)


def _publish(slot: JournalSlot) -> PublishRecord:
    if slot.publish is None:
        raise InvariantBroken(f"seq_ids {slot.start} to {slot.end - 1} have no publish record (S91)")
    return slot.publish


def _presence(slot: JournalSlot, contains: Contains, durable: bool) -> Iterator[tuple[JournalSlot, bool]]:
    """Cut live entries where presence in the store changes (S110); yield (part, present)."""
    publish = _publish(slot)
    if not durable:
        yield slot, False
        return
    if publish.embedded:
        yield slot, publish.raw_persistent
        return
    done = 0
    for held in contains(Range(publish.msg_no, slot.count)).inside(publish.msg_no, slot.count):
        offset = held.start - publish.msg_no
        if offset > done:
            yield slot.part(done, offset - done), False
        yield slot.part(offset, held.count), True
        done = offset + held.count
    if done < slot.count:
        yield slot.part(done, slot.count - done), False


def _settle(segments: IndexSegments, slot: JournalSlot, present: bool, clean_queue: bool) -> int:
    """Add what a live entry needs, in RAM only, and return the number of actions (S113.3)."""
    actions = 0
    if not slot.delivered and not (present and clean_queue):
        segments.deliver(slot.start, slot.count)
        actions += slot.count
    if not present:
        segments.ack(slot.start, slot.count)
        actions += slot.count
    return actions


def store_references(segments: IndexSegments, journal: IndexJournal) -> list[Range]:
    """Return the message numbers of live, persistent, store-homed entries, one reference each (S117). Both
    arguments are scratch copies over the same files. Only the stub file is written.
    """
    files = segments.find_files()
    _actions, waiting = _replay(segments, journal)
    found: list[Range] = []
    for live in _scan(segments, files, waiting):
        for slot in live:
            publish = _publish(slot)
            if publish.persistent and not publish.embedded:
                found.append(Range(publish.msg_no, slot.count))
    journal.close("S117")
    return found
