"""From files of version 1 to files of version 2 and back, segment by segment (W100)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.classic_v1.index import QueueIndex
from engine.classic_v1.queue.state import LANES, PENDING, QueueState
from engine.storage.port import Storage
from engine.values.extents import IN_RAM, IN_STORE, WANTS_CONFIRM, Extent
from engine.values.ranges import Range, RangeSet
from engine.version_choice.index import FilesIndex
from engine.version_choice.transitions.conversion import FilesConverted

OF_VERSION = {1: (".idx", ".jif"), 2: (".qi", ".qs")}


def files_of_the_other(storage: Storage, directory: str, version: int) -> bool:
    """Return whether a queue's directory has files of the version that it is not to have."""
    return any(name.endswith(OF_VERSION[3 - version]) for name in storage.list(directory))


def seen_at_start(storage: Storage, directory: str, version: int, clean: bool) -> bool:
    """Return whether a start sees files of the other version; after a crash a journal alone is none (W100)."""
    if clean or version == 1:
        return files_of_the_other(storage, directory, version)
    return any(name.endswith(".idx") for name in storage.list(directory))


def live_of(index: QueueIndex | FilesIndex | object) -> Iterable[tuple[int, int]]:
    """Return (segment, live messages)."""
    if isinstance(index, FilesIndex):
        return sorted(index.files.segments.items())
    assert isinstance(index, QueueIndex)
    return sorted(index.segments.unacked.items())


# --- index entries and bodies in files -------------------------------------------------------------------------------


def entries_to_version_2(old: QueueIndex, new: FilesIndex) -> None:
    """Move every entry; small bodies go to `.qs`, large ones stay in the shared store.

    Each `.idx` file is deleted once its messages are written, the journal last.
    """
    low, high = old.bounds()
    while low < high:
        up = min(old.next_segment_boundary(low), high)
        for entry in old.read(low, up):
            extent = entry.with_flags(clear=WANTS_CONFIRM | IN_RAM)
            known = new.files.entries.overlapping(extent.start, extent.count)
            for part in _without(extent, known):
                if not part.home_store:
                    new.store.write([part])
                    part = part.with_flags(IN_STORE)  # noqa: PLW2901 - it is the same message
                new.publish(part, None)
        new.flush()
        old.forget_segment(low)
        low = up
    old.forget_journal()


def _without(extent: Extent, known: Iterable[Extent]) -> list[Extent]:
    """Return the messages that an earlier conversion has not moved yet."""
    left = RangeSet([Range(extent.start, extent.count)])
    for each in known:
        left.discard(each.start, each.count)
    return [extent.part(each.start - extent.start, each.count) for each in left]


def entries_to_version_1(
    old: FilesIndex, new: QueueIndex, contains: Callable[[Range], RangeSet] | None
) -> None:
    """Move every entry; bodies in `.qs` go into the index, and all are marked as delivered.

    Each `.qi` file is deleted with its `.qs` file once its messages are written.

    Args:
        old, new: the indexes.
        contains: of the persistent store, where a start resumes a conversion that was interrupted; None otherwise.
    """
    if contains is not None:
        new.recover(None, False, contains, refuse=False)
    known = bool(new.segments.unacked)
    low, high = old.bounds()
    while low < high:
        up = min(old.next_segment_boundary(low), high)
        for entry in old.read(low, up):
            extent = entry
            if not extent.home_store and extent.in_store:
                old.store.read(extent.start, extent.count)
            parts = [extent]
            if known:
                parts = _without(extent, new.read(extent.start, extent.end))
            for part in parts:
                new.publish(part.with_flags(clear=WANTS_CONFIRM), None)
        new.flush()
        old.forget_segment(low)
        low = up


# --- entries in RAM --------------------------------------------------------------------------------------------------


def lanes_to_version_2(q: QueueState) -> None:
    """Let small unacked messages be where version 2 expects them: they may be paged out from now on."""
    moved = tuple(q.index_pending)
    if moved:
        q.index_pending.clear()
        for extent in moved:
            q.ram_pending.insert(extent)
        q.emit(FilesConverted("W100", q.name, "index_pending", "ram_pending", moved))


def read_for_version_1(q: QueueState, old: FilesIndex) -> None:
    """Read every body in `.qs` that is not in RAM: version 1 keeps small bodies there."""
    for place in (*LANES, *PENDING):
        for extent in q.extents_of(place):
            if extent.in_store and not extent.home_store:
                old.store.read(extent.start, extent.count)


def lanes_to_version_1(q: QueueState) -> None:
    """Let messages whose body is in `.qs` have it in RAM alone; small unacked ones have a map of their own."""
    for lane in LANES:
        _change(q, lane, lane, ready=True)
    _change(q, "disk_pending", "disk_pending", ready=False)
    _change(q, "ram_pending", "index_pending", ready=False)


def _change(q: QueueState, source: str, to: str, ready: bool) -> None:
    before = [extent for extent in q.extents_of(source) if not extent.home_store]
    after: list[Extent] = []
    for extent in before:
        q.extents_of(source).remove(extent.start, extent.count)
        if extent.in_store and not extent.in_ram:
            q.ram_bytes += extent.total_bytes
            q.ram_msg_count += extent.count if ready else 0
        after.append(
            extent.with_flags(IN_RAM if extent.in_store else 0, IN_STORE) if extent.in_store else extent
        )
    changed = [each for each, old in zip(after, before, strict=True) if each != old or source != to]
    for extent in after:
        q.extents_of(to).insert(extent)
    if changed:
        q.emit(FilesConverted("W100", q.name, source, to, tuple(changed)))
