"""What load a run bore: shortage of memory, messages each way, and how long each message waited, exactly."""

from __future__ import annotations

from typing import Any

from engine.counting.levels import (
    OF_BLOCKED,
    OF_CONFIRMS,
    OF_MEMORY,
    OF_PAGING,
    OF_WAITING,
    RunLevels,
    count,
    of_mirror,
)
from engine.counting.metric import (
    BetterWay,
    HighestOf,
    LastingOf,
    LatestOf,
    MetricUnit,
    RunEnding,
    TotalOf,
    at_end,
    counted,
)
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConfirmsSent, NodeChanged
from engine.report.transitions.queue import Discarded, Dropped, Fetched, Published, PublishedDelivered, Shift
from engine.values.marks import gettext_noop as _
from engine.values.waits import percentiles_s, total


@counted(_("time publishers are blocked"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_BLOCKED)
def blocked_s(levels: RunLevels, transition: Any) -> bool:
    """How long any publisher was blocked."""
    return bool(levels.blocked_publishers)


@counted(_("time over the watermark"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_MEMORY)
def over_watermark_s(levels: RunLevels, transition: Any) -> bool:
    """How long the memory alarm was set."""
    return levels.alarm


@counted(_("time paging is on"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_PAGING)
def paging_s(levels: RunLevels, transition: Any) -> bool:
    """How long any queue had a finite target of messages in RAM."""
    return bool(levels.finite_targets)


@counted(_("peak memory, share of RAM"), MetricUnit.SHARE, BetterWay.LOWER, HighestOf, reads=OF_MEMORY)
def peak_ram_share(levels: RunLevels, change: NodeChanged) -> float:
    """The most memory that was used at once, as a share of the node's RAM at that time."""
    if change.part != "memory" or not levels.node_ram_bytes:
        return 0.0
    return levels.ram_bytes / levels.node_ram_bytes


@counted(_("peak memory"), MetricUnit.BYTES, BetterWay.LOWER, HighestOf, reads=OF_MEMORY)
def peak_ram_bytes(levels: RunLevels, transition: Any) -> int:
    """The most memory that was used at once."""
    return levels.ram_bytes


@counted(_("memory at the end"), MetricUnit.BYTES, BetterWay.LOWER, LatestOf, reads=OF_MEMORY)
def final_ram_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory in use when the run ended."""
    return levels.ram_bytes


@counted(_("memory limit"), MetricUnit.BYTES, BetterWay.NEITHER, LatestOf, reads=OF_MEMORY)
def limit_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory at which the alarm is set: the watermark times the node's RAM."""
    return levels.limit_bytes


@counted(_("memory at which paging begins"), MetricUnit.BYTES, BetterWay.NEITHER, LatestOf, reads=OF_MEMORY)
def paging_at_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory at which queues begin to page: the paging ratio times the limit."""
    return levels.paging_at_bytes


ENTERED = (Published, PublishedDelivered, Discarded)
DELIVERED = (PublishedDelivered, Discarded, Fetched)


@at_end(_("throughput"), MetricUnit.RATE, BetterWay.HIGHER, reads=DELIVERED)
def throughput_per_s(ending: RunEnding) -> float | None:
    """Messages delivered in a second of the run."""
    return ending.number(delivered) / (ending.at_us / 1e6) if ending.at_us else None


@counted(_("messages published"), MetricUnit.COUNT, BetterWay.NEITHER, TotalOf, reads=ENTERED)
def published(levels: RunLevels, shift: Shift) -> int:
    """Messages that entered a queue; one that enters two queues counts twice, mirrors do not count."""
    return 0 if of_mirror(shift.queue) else count(shift.extents)


@counted(_("messages sent by publishers"), MetricUnit.COUNT, BetterWay.NEITHER, TotalOf, reads=ENTERED)
def sent(levels: RunLevels, shift: Shift) -> int:
    """Messages that reached any queue; one that enters two queues counts once."""
    return sum(count for count, _bytes in levels.new)


@counted(_("bytes published"), MetricUnit.BYTES, BetterWay.NEITHER, TotalOf, reads=ENTERED)
def published_bytes(levels: RunLevels, shift: Shift) -> int:
    """Bytes in the bodies that reached any queue; a body that enters two queues counts once."""
    return sum(total_bytes for _count, total_bytes in levels.new)


@counted(_("messages delivered"), MetricUnit.COUNT, BetterWay.HIGHER, TotalOf, reads=DELIVERED)
def delivered(levels: RunLevels, shift: Shift) -> int:
    """Deliveries to consumers and answers to get; a message that is requeued is delivered again."""
    return 0 if of_mirror(shift.queue) else count(shift.extents)


@counted(_("messages confirmed"), MetricUnit.COUNT, BetterWay.HIGHER, TotalOf, reads=(ConfirmsSent,))
def confirmed(levels: RunLevels, sent: ConfirmsSent) -> int:
    """Messages that were confirmed to their publisher."""
    return sent.count


@counted(_("messages expired"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(Dropped,))
def expired(levels: RunLevels, shift: Shift) -> int:
    """Messages that left a queue because their time was over."""
    if of_mirror(shift.queue):
        return 0
    return sum(extent.count * (0 < extent.expiry_us <= levels.at_us) for extent in shift.extents)


@at_end(_("commands refused"), MetricUnit.COUNT, BetterWay.LOWER, reads=())
def refused(ending: RunEnding) -> int | None:
    """Commands of the scenario that the node could not do."""
    return ending.refused


@at_end(_("transitions of the engine"), MetricUnit.COUNT, BetterWay.NEITHER, reads=(Transition,))
def transitions(ending: RunEnding) -> int:
    """How many transitions the engine made."""
    return ending.levels.transitions


@at_end(_("median wait for delivery"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p50_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: half of the messages waited no longer."""
    return _delivery(ending, 50)


@at_end(_("wait for delivery, 95 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p95_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: 95 in 100 messages waited no longer."""
    return _delivery(ending, 95)


@at_end(_("wait for delivery, 99 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_WAITING)
def latency_p99_s(ending: RunEnding) -> float | None:
    """From entering a queue to the first delivery: 99 in 100 messages waited no longer."""
    return _delivery(ending, 99)


@at_end(_("median wait for the confirm"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p50_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: half of the messages waited no longer."""
    return _confirm(ending, 50)


@at_end(_("wait for the confirm, 95 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p95_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: 95 in 100 messages waited no longer."""
    return _confirm(ending, 95)


@at_end(_("wait for the confirm, 99 in 100"), MetricUnit.SECONDS, BetterWay.LOWER, reads=OF_CONFIRMS)
def confirm_p99_s(ending: RunEnding) -> float | None:
    """From publishing to the confirm: 99 in 100 messages waited no longer."""
    return _confirm(ending, 99)


def _delivery(ending: RunEnding, percent: int) -> float | None:
    tally = total(*(each.tally for each in ending.levels.waiting.values()))
    return percentiles_s(tally, (percent,))[0]


def _confirm(ending: RunEnding, percent: int) -> float | None:
    return percentiles_s(ending.levels.unconfirmed.tally, (percent,))[0]
