"""Handing bodies to a store and records to the index (Q14-Q17), and reading bodies back (S60)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.classic_v1.queue.state import QueueState
from engine.values.extents import DELIVERED, HOME_STORE, IN_RAM, IN_STORE, INDEXED, PERSISTENT, Extent
from engine.values.ranges import Range


def trim(q: QueueState, extent: Extent) -> Extent:
    """Drop the body from RAM where a store has it; an embedded body stays (Q14, W18)."""
    return extent.with_flags(clear=IN_RAM) if extent.flags & HOME_STORE or q.bodies else extent


def fetch_body(q: QueueState, extent: Extent) -> None:
    """Read bodies that are not in RAM; only those of a shared store count as reads (S60, W18)."""
    if q.bodies and not extent.home_store:
        q.bodies.read(extent)
        return
    q.client_of(extent).read(extent)
    q.disk_read_count += extent.count


def read_back(q: QueueState, extent: Extent) -> list[Extent]:
    """Read the bodies of messages that are not in RAM; return the messages with what their bodies contain (S60).

    Whoever keeps the bodies marks them as in RAM.
    """
    fetch_body(q, extent)
    return list(q.as_read(extent))


def write_body(
    q: QueueState, force: bool, extent: Extent, *, one_by_one: bool = False, descending: bool = False
) -> Extent:
    """Write the body to its store if it is store-bound and not there yet (Q15, W18).

    Args:
        one_by_one: each message is a call of its own.
        descending: the last message is written first.
    """
    flags = extent.flags
    if flags & IN_STORE or not (force or flags & PERSISTENT) or not (flags & HOME_STORE or q.bodies):
        return extent
    if q.bodies and not extent.home_store:
        q.bodies.write(extent, descending)
    else:
        q.client_of(extent).write(extent, one_by_one, descending)
    q.disk_write_count += extent.count
    return extent.with_flags(IN_STORE)


def write_index(q: QueueState, force: bool, extent: Extent, batch: bool, descending: bool = False) -> Extent:
    """Hand publish records (with deliver) to the index unless they are there (Q16).

    The batch form goes through the pre-publish cache, which the caller completes with `flush_cache`; where small
    bodies have files of their own it indexes them whatever happens to the body (W18).
    """
    flags = extent.flags
    if flags & INDEXED:
        return extent
    own = not flags & HOME_STORE and q.bodies is not None
    if not (force or flags & PERSISTENT or (batch and own)):
        return extent
    if not flags & HOME_STORE and not own:
        q.disk_write_count += extent.count
    delivered = flags & DELIVERED != 0 or not q.settings.flags_deliveries
    if batch:
        q.index.pre_publish(extent, q.target_ram_count, delivered, descending)
    elif delivered:
        q.index.publish(extent, q.target_ram_count)
    else:
        q.index.publish_undelivered(extent, q.target_ram_count)
    return extent.with_flags(INDEXED)


def write(
    q: QueueState,
    force_body: bool,
    force_index: bool,
    extent: Extent,
    *,
    batch: bool = False,
    one_by_one: bool = False,
    descending: bool = False,
) -> Extent:
    """Write body, then index record (Q17)."""
    written = write_body(q, force_body, extent, one_by_one=one_by_one, descending=descending)
    return write_index(q, force_index, written, batch, descending)


def unmarked(q: QueueState, extents: Iterable[Extent]) -> list[Range]:
    """Return those whose index records do not say yet that they were delivered (V1); 3.10 never marks them later."""
    if not q.settings.flags_deliveries:
        return []
    return [Range(each.start, each.count) for each in extents if each.indexed and not each.delivered]


def as_delivered(q: QueueState, extent: Extent) -> Extent:
    """Return messages with the mark of what left the queue once, where entries have one (V1)."""
    return extent.with_flags(DELIVERED) if q.settings.flags_deliveries else extent


def flush_cache(q: QueueState) -> None:
    """Complete a batch of pre-published records ("ui" in the source, Q17, Q18)."""
    q.index.flush_pre_publish_cache(q.target_ram_count)
