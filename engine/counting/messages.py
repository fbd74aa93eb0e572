"""How many messages went which way."""

from __future__ import annotations

from engine.counting.levels import RunLevels, count, of_mirror
from engine.counting.metric import BetterWay, MetricUnit, RunEnding, TotalOf, at_end, counted
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConfirmsSent
from engine.report.transitions.queue import Discarded, Dropped, Fetched, Published, PublishedDelivered, Shift
from engine.values.texts import gettext_noop as _

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
