"""Figures of one run, folded from its transitions. Nothing is counted here that the engine did not say.

`observe` is a pure fold in the manner of `engine.fold`: it takes the figures so far and one transition. Times are
virtual; a state that lasts (alarm, blocked, paging) is a clock that starts with one transition and stops with another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine import transitions as t
from engine.extents import WANTS_CONFIRM, Extent
from engine.ranges import RangeSet
from engine.waits import Stopwatch, percentiles_s, total


class Clock(msgspec.Struct):
    """How long something has been so, in microseconds of virtual time."""

    total_us: int = 0
    since_us: int | None = None

    def turn(self, on: bool, at_us: int) -> None:
        """Start or stop; nothing happens when it is so already."""
        if on and self.since_us is None:
            self.since_us = at_us
        elif not on and self.since_us is not None:
            self.total_us += at_us - self.since_us
            self.since_us = None


class Figures(msgspec.Struct):
    """Everything counted so far. Names ending in `_us` are clocks, the others are counts or bytes."""

    transitions: int = 0
    ram_bytes: int = 0
    peak_ram_bytes: int = 0
    limit_bytes: int = 0
    paging_at_bytes: int = 0
    published: int = 0
    published_bytes: int = 0
    delivered: int = 0
    confirmed: int = 0
    expired: int = 0
    node_ram_bytes: int = 0
    peak_ram_share: float = 0.0
    ready: int = 0
    peak_ready: int = 0
    peak_delta: int = 0
    paged_out: int = 0
    delta_in: int = 0
    delta_out: int = 0
    disk_reads: int = 0
    disk_writes: int = 0
    fsyncs: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    journal_flushes: int = 0
    segments_written: int = 0
    segments_deleted: int = 0
    files_combined: int = 0
    files_deleted: int = 0
    bytes_combined: int = 0
    over_watermark_us: Clock = msgspec.field(default_factory=Clock)
    blocked_us: Clock = msgspec.field(default_factory=Clock)
    paging_us: Clock = msgspec.field(default_factory=Clock)
    readies: dict[str, int] = {}
    deltas: dict[str, int] = {}
    waiting: dict[str, Stopwatch] = {}
    unconfirmed: Stopwatch = msgspec.field(default_factory=Stopwatch)
    due: RangeSet = msgspec.field(default_factory=RangeSet)
    finite_targets: set[str] = set()
    blocked_publishers: set[str] = set()


AT_ONCE = frozenset({"immediate", "delivered"})
"""Causes of confirms that wait for no disk (K1, K2)."""

LANES = frozenset({"q1", "q2", "q3", "q4"})


def observe(figures: Figures, at_us: int, transition: t.Transition) -> None:
    """Add one transition that happened at `at_us`."""
    figures.transitions += 1
    if isinstance(transition, t.Shift):
        _shift(figures, transition)
    handler = HANDLERS.get(type(transition))
    if handler is not None:
        handler(figures, at_us, transition)


def finish(figures: Figures, at_us: int) -> dict[str, Any]:
    """Stop all clocks at the end of the run and return the metrics as a flat row.

    Returns:
        the names of `METRICS` but those in NODE_TELLS; None where there is nothing to tell, as a waiting time when no
        message was delivered.
    """
    for clock in (figures.over_watermark_us, figures.blocked_us, figures.paging_us):
        clock.turn(False, at_us)
    return {
        **{name: getattr(figures, name) for name in COUNTS},
        "final_ram_bytes": figures.ram_bytes,
        "final_ready": figures.ready,
        "over_watermark_s": figures.over_watermark_us.total_us / 1e6,
        "blocked_s": figures.blocked_us.total_us / 1e6,
        "paging_s": figures.paging_us.total_us / 1e6,
        "peak_ram_share": figures.peak_ram_share,
        "throughput_per_s": figures.delivered / (at_us / 1e6) if at_us else None,
        "write_amplification": (
            figures.bytes_written / figures.published_bytes if figures.published_bytes else None
        ),
        **_waits("latency", total(*(each.tally for each in figures.waiting.values()))),
        **_waits("confirm", figures.unconfirmed.tally),
    }


def _waits(name: str, tally: dict[int, int]) -> dict[str, float | None]:
    found = percentiles_s(tally, PERCENTS)
    return {f"{name}_p{percent}_s": wait for percent, wait in zip(PERCENTS, found, strict=True)}


def _count(extents: tuple[Extent, ...]) -> int:
    return sum(extent.count for extent in extents)


def _shift(figures: Figures, shift: t.Shift) -> None:
    """Follow how many messages are ready, in all and in each queue's delta."""
    moved = _count(shift.extents) * ((shift.to in LANES) - (shift.source in LANES))
    if moved:
        _ready(figures, shift.queue, moved)
    if shift.delta is not None:
        _delta(figures, shift.queue, shift.delta.count)
    figures.peak_ready = max(figures.peak_ready, figures.ready)


def _ready(figures: Figures, queue: str, more: int) -> None:
    figures.ready += more
    figures.readies[queue] = figures.readies.get(queue, 0) + more


def _delta(figures: Figures, queue: str, count: int) -> None:
    _ready(figures, queue, count - figures.deltas.get(queue, 0))
    figures.deltas[queue] = count
    figures.peak_delta = max(figures.peak_delta, sum(figures.deltas.values()))


def _waiting(figures: Figures, queue: str) -> Stopwatch:
    return figures.waiting.setdefault(queue, Stopwatch())


def _entered(figures: Figures, at_us: int, shift: t.Shift) -> None:
    """Messages came into a queue; of those that a confirm is awaited for, the time is taken once for all queues."""
    for extent in shift.extents:
        figures.published += extent.count
        figures.published_bytes += extent.count * extent.size_bytes
        if extent.flags & WANTS_CONFIRM:
            figures.unconfirmed.begin_once(extent.msg_no, extent.count, at_us)


def _published(figures: Figures, at_us: int, shift: t.Shift) -> None:
    _entered(figures, at_us, shift)
    waiting = _waiting(figures, shift.queue)
    for extent in shift.extents:
        waiting.begin(extent.start, extent.count, at_us)


def _handed_over(figures: Figures, at_us: int, shift: t.Shift) -> None:
    """A message that met a waiting consumer is published and delivered at once."""
    _entered(figures, at_us, shift)
    count = _count(shift.extents)
    figures.delivered += count
    _waiting(figures, shift.queue).note(0, count)


def _fetched(figures: Figures, at_us: int, shift: t.Shift) -> None:
    """Only the first delivery of a message ends its wait: a requeued one does not wait any more."""
    waiting = _waiting(figures, shift.queue)
    for extent in shift.extents:
        figures.delivered += extent.count
        waiting.end(extent.start, extent.count, at_us)


def _dropped(figures: Figures, at_us: int, shift: t.Shift) -> None:
    waiting = _waiting(figures, shift.queue)
    for extent in shift.extents:
        figures.expired += extent.count * (0 < extent.expiry_us <= at_us)
        waiting.forget(extent.start, extent.count)


def _confirms_due(figures: Figures, at_us: int, due: t.ConfirmsDue) -> None:
    for each in due.messages:
        for stamp in figures.unconfirmed.waiting.overlapping(each.start, each.count):
            figures.due.add(stamp.start, stamp.count)


def _confirms_sent(figures: Figures, at_us: int, sent: t.ConfirmsSent) -> None:
    """Of the messages that some queue has written the oldest are confirmed; without disk a confirm takes no time."""
    figures.confirmed += sent.count
    count = sent.count
    for each in list(figures.due):
        if sent.why.get("cause") in AT_ONCE or not count:
            break
        part = each.part(0, min(each.count, count))
        figures.due.discard(part.start, part.count)
        figures.unconfirmed.end(part.start, part.count, at_us)
        count -= part.count
    if count:
        figures.unconfirmed.note(0, count)


def _queue_stopped(figures: Figures, at_us: int, stop: t.QueueStopped) -> None:
    """Nothing of a stopped queue is ready; what survives is told when it starts again."""
    _ready(figures, stop.queue, -figures.readies.get(stop.queue, 0))
    figures.due.clear()
    figures.deltas[stop.queue] = 0
    figures.finite_targets.discard(stop.queue)
    figures.paging_us.turn(bool(figures.finite_targets), at_us)


def _queue_started(figures: Figures, at_us: int, start: t.QueueStarted) -> None:
    _delta(figures, start.queue, start.delta.count)


def _alphas_pushed(figures: Figures, at_us: int, shift: t.Shift) -> None:
    """Contents that have a home in the store leave RAM here; embedded ones stay with their beta."""
    figures.paged_out += sum(extent.count for extent in shift.extents if not extent.in_ram)


def _betas_pushed(figures: Figures, at_us: int, shift: t.Shift) -> None:
    """In delta nothing is left in RAM, so here embedded contents leave it."""
    figures.delta_in += _count(shift.extents)
    figures.paged_out += sum(extent.count for extent in shift.extents if not extent.home_store)


def _delta_read(figures: Figures, at_us: int, shift: t.Shift) -> None:
    figures.delta_out += _count(shift.extents)


def _delta_changed(figures: Figures, at_us: int, change: t.DeltaChanged) -> None:
    _delta(figures, change.queue, change.delta.count)


def _target_changed(figures: Figures, at_us: int, change: t.TargetChanged) -> None:
    (figures.finite_targets.discard if change.target is None else figures.finite_targets.add)(change.queue)
    figures.paging_us.turn(bool(figures.finite_targets), at_us)


def _written(figures: Figures, bytes_: int, *, synced: bool) -> None:
    figures.disk_writes += bytes_ > 0
    figures.bytes_written += bytes_
    figures.fsyncs += synced


def _journal_synced(figures: Figures, at_us: int, sync: t.JournalSynced) -> None:
    _written(figures, sync.bytes_, synced=True)


def _journal_flushed(figures: Figures, at_us: int, flush: t.JournalFlushed) -> None:
    figures.journal_flushes += 1


def _segment_written(figures: Figures, at_us: int, write: t.SegmentWritten) -> None:
    figures.segments_written += 1
    _written(figures, write.bytes_, synced=True)


def _segment_deleted(figures: Figures, at_us: int, deletion: t.SegmentDeleted) -> None:
    figures.segments_deleted += 1


def _segment_read(figures: Figures, at_us: int, read: t.SegmentRead) -> None:
    figures.disk_reads += 1
    figures.bytes_read += read.bytes_


def _buffer_written(figures: Figures, at_us: int, write: t.BufferWritten) -> None:
    _written(figures, write.bytes_, synced=False)


def _store_synced(figures: Figures, at_us: int, sync: t.StoreSynced) -> None:
    figures.fsyncs += 1


def _store_read(figures: Figures, at_us: int, read: t.StoreRead) -> None:
    """One read call for each body that is not in the store's cache."""
    if read.by == "file":
        figures.disk_reads += read.count
        figures.bytes_read += read.bytes_


def _combine_stepped(figures: Figures, at_us: int, step: t.CombineStepped) -> None:
    if step.step in {"tmp_written", "copied_back", "source_copied"}:
        figures.bytes_combined += step.bytes_
        _written(figures, step.bytes_, synced=False)
    elif step.step == "synced":
        figures.fsyncs += 1


def _files_combined(figures: Figures, at_us: int, combination: t.FilesCombined) -> None:
    figures.files_combined += 1


def _file_deleted(figures: Figures, at_us: int, deletion: t.FileDeleted) -> None:
    figures.files_deleted += 1


def _node_changed(figures: Figures, at_us: int, change: t.NodeChanged) -> None:
    if change.part == "memory":
        _memory(figures, change.values)
    if change.part == "settings":
        figures.node_ram_bytes = int(change.values.get("ram_bytes", figures.node_ram_bytes) or 0)
    if change.part == "alarms" and "memory" in change.values:
        figures.over_watermark_us.turn(bool(change.values["memory"]), at_us)


def _memory(figures: Figures, values: t.Why) -> None:
    """Take what the memory check said that differs from before: the model's total, and the two thresholds."""
    figures.ram_bytes = int(values.get("process_memory", figures.ram_bytes) or 0)
    figures.limit_bytes = int(values.get("limit", figures.limit_bytes) or 0)
    figures.paging_at_bytes = int(values.get("paging_at", figures.paging_at_bytes) or 0)
    figures.peak_ram_bytes = max(figures.peak_ram_bytes, figures.ram_bytes)
    if figures.node_ram_bytes:
        figures.peak_ram_share = max(figures.peak_ram_share, figures.ram_bytes / figures.node_ram_bytes)


def _actor_changed(figures: Figures, at_us: int, change: t.ActorChanged) -> None:
    """A blocked connection reads nothing, so what counts is the time in which any of them was."""
    values = change.values
    if values is None:
        figures.blocked_publishers.discard(change.actor)
    elif "state" in values:
        blocked = values["state"] == "blocked"
        (figures.blocked_publishers.add if blocked else figures.blocked_publishers.discard)(change.actor)
    figures.blocked_us.turn(bool(figures.blocked_publishers), at_us)


HANDLERS: dict[type[t.Transition], Callable[[Figures, int, Any], None]] = {
    t.Published: _published,
    t.PublishedDelivered: _handed_over,
    t.Discarded: _handed_over,
    t.Fetched: _fetched,
    t.Dropped: _dropped,
    t.ConfirmsDue: _confirms_due,
    t.ConfirmsSent: _confirms_sent,
    t.QueueStopped: _queue_stopped,
    t.QueueStarted: _queue_started,
    t.AlphasPushed: _alphas_pushed,
    t.BetasPushed: _betas_pushed,
    t.DeltaRead: _delta_read,
    t.DeltaChanged: _delta_changed,
    t.TargetChanged: _target_changed,
    t.JournalSynced: _journal_synced,
    t.JournalFlushed: _journal_flushed,
    t.SegmentWritten: _segment_written,
    t.SegmentDeleted: _segment_deleted,
    t.SegmentRead: _segment_read,
    t.BufferWritten: _buffer_written,
    t.StoreSynced: _store_synced,
    t.StoreRead: _store_read,
    t.CombineStepped: _combine_stepped,
    t.FilesCombined: _files_combined,
    t.FileDeleted: _file_deleted,
    t.NodeChanged: _node_changed,
    t.ActorChanged: _actor_changed,
}

COUNTS = (
    "transitions",
    "peak_ram_bytes",
    "limit_bytes",
    "paging_at_bytes",
    "published",
    "published_bytes",
    "delivered",
    "confirmed",
    "expired",
    "peak_ready",
    "peak_delta",
    "paged_out",
    "delta_in",
    "delta_out",
    "disk_reads",
    "disk_writes",
    "fsyncs",
    "bytes_read",
    "bytes_written",
    "journal_flushes",
    "segments_written",
    "segments_deleted",
    "files_combined",
    "files_deleted",
    "bytes_combined",
)
LEVELS = ("final_ram_bytes", "final_ready")
NODE_TELLS = ("refused", "lost_on_power_cut", "lost_persistent_on_power_cut", "returned_after_power_cut")
"""Refused are the scenario's commands that the node could not do; the others are told by `spark_jobs.power_cut`."""

PERCENTS = (50, 95, 99)
WAITS = tuple(f"{name}_p{percent}_s" for name in ("latency", "confirm") for percent in PERCENTS)
"""From publishing to the first delivery, and from publishing to the confirm."""

SECONDS = ("over_watermark_s", "blocked_s", "paging_s", *WAITS)
SHARES = ("peak_ram_share", "throughput_per_s", "write_amplification")
"""Of the node's RAM; messages delivered in a second of the run; bytes written for each byte published."""

WHOLE = (*COUNTS, *LEVELS, *NODE_TELLS)
METRICS = (*WHOLE, *SECONDS, *SHARES)
"""Every metric of a row, by name: integers first, then floats."""
