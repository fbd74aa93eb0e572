"""What the transitions of version 1 alone cost: paging, the index, and the collection of its stores."""

from __future__ import annotations

from typing import Final

from engine.classic_v1.transitions import (
    AlphasPushed,
    BetasPushed,
    CombineStepped,
    DeltaRead,
    IndexRecovered,
    JournalSynced,
    PendingPaged,
    PutBack,
    SegmentRead,
    SegmentWritten,
    StoreSynced,
    StretchesRead,
    StretchesRecounted,
    StretchesWritten,
)
from engine.costs import (
    SYNCS,
    WorkProfile,
    count,
    decoded_ns,
    on_cpu,
    on_disk,
    removed_ns,
    store_written_ns,
    taken,
)
from engine.report.transitions.queue import Shift

COPIES: Final = frozenset({"tmp_written", "source_copied"})
"""Steps of a combination that copy live records."""

SYNCS.add(StoreSynced)
on_cpu(PutBack)(taken)


@on_cpu(AlphasPushed, PendingPaged)
def _paged(profile: WorkProfile, t: Shift) -> int:
    """Bodies leave RAM; those of persistent messages are in the store already, embedded ones go nowhere."""
    cpu = profile.cpu
    return sum(
        (
            cpu.page_out_alpha_transient_queue_side
            if each.home_store and not each.persistent
            else cpu.store_write_client
        ).of(each.count)
        for each in t.extents
    )


@on_cpu(BetasPushed)
def _to_delta(profile: WorkProfile, t: Shift) -> int:
    return profile.cpu.beta_or_embedded_to_delta.of(count(t))


@on_cpu(DeltaRead)
def _from_delta(profile: WorkProfile, t: Shift) -> int:
    return profile.cpu.load_from_delta_embedded.of(count(t))


@on_disk(JournalSynced, SegmentWritten)
def _written(profile: WorkProfile, t: JournalSynced | SegmentWritten) -> int:
    """Records go to a journal or a segment in one write with its fsync."""
    return profile.disk.write(t.bytes_) + profile.disk.fsync(t.bytes_)


@on_cpu(SegmentWritten)
def _encoded(profile: WorkProfile, t: SegmentWritten) -> int:
    return profile.cpu.journal_flush_per_record.of(1, t.bytes_)


@on_disk(SegmentRead)
def _read(profile: WorkProfile, t: SegmentRead) -> int:
    return profile.disk.read(t.bytes_)


@on_disk(IndexRecovered)
def _scanned(profile: WorkProfile, t: IndexRecovered) -> int:
    """After a crash every segment and the journal are read; after a clean stop what was saved is believed (S112)."""
    if t.clean:
        return 0
    sizes = [size for _number, size in t.segments] + [t.journal_bytes or 0]
    return sum(profile.disk.read(size) for size in sizes if size)


@on_cpu(StretchesWritten)
def _runs_written(profile: WorkProfile, t: StretchesWritten) -> int:
    """Each run costs what it costs alone; so do reads and removes."""
    return sum(store_written_ns(profile, t.record_bytes, msg_no, many) for msg_no, many in t.runs)


@on_cpu(StretchesRecounted)
def _runs_removed(profile: WorkProfile, t: StretchesRecounted) -> int:
    return sum(removed_ns(profile, many) for _msg_no, many in t.runs)


@on_disk(StretchesRead)
def _runs_read(profile: WorkProfile, t: StretchesRead) -> int:
    return sum(profile.disk.read(size) for _msg_no, _many, size in t.runs) if t.by == "file" else 0


@on_cpu(StretchesRead)
def _runs_decoded(profile: WorkProfile, t: StretchesRead) -> int:
    return sum(decoded_ns(profile, many, size) for _msg_no, many, size in t.runs) if t.by == "file" else 0


@on_disk(CombineStepped)
def _combined(profile: WorkProfile, t: CombineStepped) -> int:
    """Live records are copied; a destination that was cut is written again, and a crash may fall into that (S191)."""
    if t.step == "truncated":
        return profile.disk.write(t.bytes_) + profile.disk.fsync(t.bytes_)
    return profile.combine_ns_per_mib * t.bytes_ // (1024 * 1024) if t.step in COPIES else 0
