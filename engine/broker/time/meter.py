"""What the engine did, in nanoseconds of the running process: every transition costs what its profile gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine import transitions as tr
from engine.broker.time.work import PROFILES, WorkProfile
from engine.values.extents import Extent
from engine.values.sizes import total

COPIES: Final = frozenset({"tmp_written", "source_copied"})
"""Steps of a combination that copy live records."""


class WorkMeter:
    """Adds up the cost of what was emitted since it was last read.

    Costs follow from what happened: the message that triggers a reduction, a flush or a read from delta is the slow
    one.
    """

    def __init__(self) -> None:
        self.profile: WorkProfile = PROFILES["instant"]
        self._ns = self._disk_ns = 0
        self._unsynced: dict[str, int] = {}
        """Bytes of each store's current file that no fsync has covered yet."""

    def take(self) -> tuple[int, int]:
        """Return the nanoseconds of processor and of disk since the last call."""
        taken = self._ns, self._disk_ns
        self._ns = self._disk_ns = 0
        return taken

    def add(self, ns: int) -> None:
        """Count work for which there is no transition."""
        self._ns += ns

    def again(self, ns: int, disk_ns: int) -> None:
        """Count work that was taken already, for the process that has to wait for it."""
        self._ns += ns
        self._disk_ns += disk_ns

    def observe(self, transition: tr.Transition) -> None:
        """Count what a transition cost, where work takes time."""
        if isinstance(transition, tr.BufferWritten):
            self._unsynced[transition.store] = self._unsynced.get(transition.store, 0) + transition.bytes_
            self._disk_ns += self.profile.disk.write(transition.bytes_)
        elif isinstance(transition, tr.StoreSynced):
            self._disk_ns += self.profile.disk.fsync(self._unsynced.pop(transition.store, 0))
        else:
            kind = type(transition)
            if kind in _CPU:
                self._ns += _CPU[kind](self.profile, transition)
            if kind in _DISK:
                self._disk_ns += _DISK[kind](self.profile, transition)

    def forget(self) -> None:
        """Begin anew with the node."""
        self.take()
        self._unsynced.clear()


def _count(t: tr.Shift) -> int:
    return sum(each.count for each in t.extents)


def _published(profile: WorkProfile, t: tr.Shift) -> int:
    return sum(publish_ns(profile, each) for each in t.extents)


def _fetched(profile: WorkProfile, t: tr.Shift) -> int:
    return sum(_deliver_cost(profile, each) for each in t.extents)


def _delivered_at_once(profile: WorkProfile, t: tr.Shift) -> int:
    return _published(profile, t) + _fetched(profile, t)


def _acked(profile: WorkProfile, t: tr.Shift) -> int:
    return profile.cpu.bq_ack_ram.of(_count(t))


def _taken(profile: WorkProfile, t: tr.Shift) -> int:
    return profile.cpu.bq_fetch_ram.of(_count(t))


def _paged(profile: WorkProfile, t: tr.Shift) -> int:
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


def _to_delta(profile: WorkProfile, t: tr.Shift) -> int:
    return profile.cpu.beta_or_embedded_to_delta.of(_count(t))


def _from_delta(profile: WorkProfile, t: tr.Shift) -> int:
    return profile.cpu.load_from_delta_embedded.of(_count(t))


def _journal_synced(profile: WorkProfile, t: tr.JournalSynced) -> int:
    return profile.disk.write(t.bytes_) + profile.disk.fsync(t.bytes_)


def _segment_written(profile: WorkProfile, t: tr.SegmentWritten) -> int:
    """Records go to a segment in one write with its fsync."""
    return profile.disk.write(t.bytes_) + profile.disk.fsync(t.bytes_)


def _segment_encoded(profile: WorkProfile, t: tr.SegmentWritten) -> int:
    """Records are encoded; counted by their bytes."""
    return profile.cpu.journal_flush_per_record.of(1, t.bytes_)


def _index_scanned(profile: WorkProfile, t: tr.IndexRecovered) -> int:
    """After a crash every segment and the journal are read; after a clean stop what was saved is believed (S112)."""
    if t.clean:
        return 0
    sizes = [size for _number, size in t.segments] + [t.journal_bytes or 0]
    return sum(profile.disk.read(size) for size in sizes if size)


def _store_scanned(profile: WorkProfile, t: tr.StoreRecovered) -> int:
    """After a crash every file is read from end to end, to find where each record lies (S207)."""
    return 0 if t.clean else sum(profile.disk.read(each[1]) for each in t.files if each[1])


def _segment_read(profile: WorkProfile, t: tr.SegmentRead) -> int:
    return profile.disk.read(t.bytes_)


def _store_written(profile: WorkProfile, t: tr.StoreWritten) -> int:
    return profile.cpu.store_write_server_cpu.of(t.count, total(t.record_bytes, t.msg_no, t.count) // t.count)


def _removed(profile: WorkProfile, t: tr.RefCountChanged) -> int:
    return profile.cpu.store_remove.of(t.count)


def _store_read(profile: WorkProfile, t: tr.StoreRead) -> int:
    """A run of records that lie together is one read of the disk."""
    return profile.disk.read(t.bytes_) if t.by == "file" else 0


def _store_decoded(profile: WorkProfile, t: tr.StoreRead) -> int:
    """What is read from a file costs the queue process more than what the store's cache has."""
    cpu = profile.cpu.store_read_cached
    return cpu.of(1, t.bytes_) + (t.count - 1) * cpu.each_ns if t.by == "file" else 0


def _combined(profile: WorkProfile, t: tr.CombineStepped) -> int:
    """Live records are copied; a destination that was cut is written again, and a crash may fall into that (S191)."""
    if t.step == "truncated":
        return profile.disk.write(t.bytes_) + profile.disk.fsync(t.bytes_)
    return profile.combine_ns_per_mib * t.bytes_ // (1024 * 1024) if t.step in COPIES else 0


def _moved(profile: WorkProfile, t: tr.RowsMoved) -> int:
    return profile.combine_ns_per_message * sum(row[1] for row in t.rows)


def publish_ns(profile: WorkProfile, extent: Extent) -> int:
    """Return what the queue process needs to take messages in."""
    cpu = profile.cpu
    if not extent.persistent:
        return cpu.queue_publish_transient.of(extent.count)
    more = cpu.queue_confirm_extra_persistent.of(extent.count) if extent.wants_confirm else 0
    if extent.home_store:
        return more + cpu.queue_publish_persistent_store.of(extent.count)
    return more + cpu.queue_publish_persistent_embedded.of(extent.count, extent.mean_bytes)


def _deliver_cost(profile: WorkProfile, extent: Extent) -> int:
    """Return what a delivery costs, without its acknowledgement, which is counted when it comes."""
    cpu = profile.cpu
    embedded = extent.persistent and not extent.home_store
    both = cpu.queue_deliver_and_ack_persistent_embedded if embedded else cpu.queue_deliver_and_ack
    return both.of(extent.count) - cpu.bq_ack_ram.of(extent.count)


_CPU: Final[dict[type[tr.Transition], Callable[[WorkProfile, Any], int]]] = {
    tr.Published: _published,
    tr.PublishedDelivered: _delivered_at_once,
    tr.Discarded: _delivered_at_once,
    tr.Fetched: _fetched,
    tr.Dropped: _taken,
    tr.PutBack: _taken,
    tr.Requeued: _taken,
    tr.Acked: _acked,
    tr.AlphasPushed: _paged,
    tr.PendingPaged: _paged,
    tr.BetasPushed: _to_delta,
    tr.DeltaRead: _from_delta,
    tr.SegmentWritten: _segment_encoded,
    tr.StoreWritten: _store_written,
    tr.RefCountChanged: _removed,
    tr.StoreRead: _store_decoded,
    tr.RowsMoved: _moved,
}

_DISK: Final[dict[type[tr.Transition], Callable[[WorkProfile, Any], int]]] = {
    tr.JournalSynced: _journal_synced,
    tr.SegmentWritten: _segment_written,
    tr.SegmentRead: _segment_read,
    tr.StoreRead: _store_read,
    tr.CombineStepped: _combined,
    tr.IndexRecovered: _index_scanned,
    tr.StoreRecovered: _store_scanned,
}
