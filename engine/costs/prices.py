"""What each kind of transition costs, by its class: a generation adds the prices of kinds that it alone has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.costs.work import WorkProfile
from engine.report.transitions.base import Transition
from engine.report.transitions.messages import (
    Acked,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
    Requeued,
    Shift,
)
from engine.report.transitions.stores import (
    RefCountChanged,
    RowsMoved,
    StoreRead,
    StoreRecovered,
    StoreWritten,
)
from engine.values.each import Length
from engine.values.extents import Extent
from engine.values.sizes import total

Price = Callable[[WorkProfile, Any], int]
"""Returns the nanoseconds of what a transition reports."""

CPU: Final[dict[type[Transition], Price]] = {}
"""What the process that does it needs of the processor."""

DISK: Final[dict[type[Transition], Price]] = {}
"""What the disk needs."""

SYNCS: Final[set[type[Transition]]] = set()
"""Kinds after which all that was written to a store is on its disk; they name the `store`."""


def on_cpu(*kinds: type[Transition]) -> Callable[[Price], Price]:
    """Register the decorated function as what these kinds need of the processor."""
    return _register(CPU, kinds)


def on_disk(*kinds: type[Transition]) -> Callable[[Price], Price]:
    """Register the decorated function as what these kinds need of the disk."""
    return _register(DISK, kinds)


def _register(
    prices: dict[type[Transition], Price], kinds: tuple[type[Transition], ...]
) -> Callable[[Price], Price]:
    def register(price: Price) -> Price:
        for kind in kinds:
            assert kind not in prices, f"{kind.__name__} has a price"
            prices[kind] = price
        return price

    return register


def count(t: Shift) -> int:
    """Return how many messages change place."""
    return sum(each.count for each in t.extents)


@on_cpu(Published)
def _published(profile: WorkProfile, t: Shift) -> int:
    return sum(publish_ns(profile, each) for each in t.extents)


@on_cpu(Fetched)
def _fetched(profile: WorkProfile, t: Shift) -> int:
    return sum(_deliver_cost(profile, each) for each in t.extents)


@on_cpu(PublishedDelivered, Discarded)
def _delivered_at_once(profile: WorkProfile, t: Shift) -> int:
    return _published(profile, t) + _fetched(profile, t)


@on_cpu(Acked)
def _acked(profile: WorkProfile, t: Shift) -> int:
    return profile.cpu.bq_ack_ram.of(count(t))


@on_cpu(Dropped, Requeued)
def taken(profile: WorkProfile, t: Shift) -> int:
    """Return what it costs to take messages from the head, or to put them back."""
    return profile.cpu.bq_fetch_ram.of(count(t))


@on_disk(StoreRecovered)
def _store_scanned(profile: WorkProfile, t: StoreRecovered) -> int:
    """After a crash every file is read from end to end, to find where each record lies (S207)."""
    return 0 if t.clean else sum(profile.disk.read(each[1]) for each in t.files if each[1])


@on_cpu(StoreWritten)
def _store_written(profile: WorkProfile, t: StoreWritten) -> int:
    return store_written_ns(profile, t.record_bytes, t.msg_no, t.count)


def store_written_ns(profile: WorkProfile, record_bytes: Length, msg_no: int, messages: int) -> int:
    """Return what a store needs to append records of consecutive messages."""
    return profile.cpu.store_write_server_cpu.of(messages, total(record_bytes, msg_no, messages) // messages)


@on_cpu(RefCountChanged)
def _removed(profile: WorkProfile, t: RefCountChanged) -> int:
    return removed_ns(profile, t.count)


def removed_ns(profile: WorkProfile, messages: int) -> int:
    """Return what a store needs to count references of consecutive messages again."""
    return profile.cpu.store_remove.of(messages)


@on_disk(StoreRead)
def _store_read(profile: WorkProfile, t: StoreRead) -> int:
    """A run of records that lie together is one read of the disk."""
    return profile.disk.read(t.bytes_) if t.by == "file" else 0


@on_cpu(StoreRead)
def _store_decoded(profile: WorkProfile, t: StoreRead) -> int:
    """What is read from a file costs the queue process more than what the store's cache has."""
    return decoded_ns(profile, t.count, t.bytes_) if t.by == "file" else 0


def decoded_ns(profile: WorkProfile, messages: int, size_bytes: int) -> int:
    """Return what a queue process needs for bodies that a file had, of records that lie together."""
    cpu = profile.cpu.store_read_cached
    return cpu.of(1, size_bytes) + (messages - 1) * cpu.each_ns


@on_cpu(RowsMoved)
def _moved(profile: WorkProfile, t: RowsMoved) -> int:
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
