"""The state vector of a golden trace (`after`): every number that the recording broker showed."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from engine.backing_queue.message_places import place_named
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.queue.state import LANES, PENDING, QueueState
from engine.classic_v1.store.recovery import disk
from engine.classic_v1.store.store import MsgStore, StoreClient
from engine.values.extents import Extent
from engine.values.stretches import split

LONG_LIST = 12
MIXED = tuple(lane for lane in LANES if place_named(lane).content == "mixed")
"""The lanes of betas and gammas."""


def shortened(items: list[Any]) -> Any:
    """Return the list, or its length, ends and CRC-32 when it has more than twelve elements."""
    if len(items) <= LONG_LIST:
        return items
    text = json.dumps(items, separators=(",", ":")).encode()
    return {"n": len(items), "first": items[0], "last": items[-1], "crc32": zlib.crc32(text)}


def seq_ranges(extents: Iterable[Extent]) -> list[list[int]]:
    """Return [first, last] pairs of consecutive seq_ids in the order met."""
    runs: list[list[int]] = []
    for extent in extents:
        if runs and runs[-1][1] + 1 == extent.start:
            runs[-1][1] = extent.end - 1
        else:
            runs.append([extent.start, extent.end - 1])
    return runs


def _counts(q: QueueState, attribute: str) -> list[int]:
    return [sum(e.count for e in q.extents_of(lane) if getattr(e, attribute)) for lane in LANES]


def vector(q: QueueState, persistent: MsgStore, transient: MsgStore) -> dict[str, Any]:
    """Return the queue's and stores' state with the trace format's field names."""
    lengths = {lane: q.extents_of(lane).total for lane in LANES}
    delta = q.delta
    indexed = dict(zip(LANES, _counts(q, "indexed"), strict=True))
    pending = [e for place in PENDING for e in q.extents_of(place)]
    pending.sort(key=lambda e: e.start)
    return {
        "len": q.len,
        **lengths,
        **_delivered(q, pending),
        "delta": [delta.start, delta.count, delta.transient, delta.end],
        "alphas": sum(lengths[lane] for lane in LANES if lane not in MIXED),
        "betas": [lengths[lane] - indexed[lane] for lane in MIXED],
        "gammas": [indexed[lane] for lane in MIXED],
        "in_ram": _counts(q, "in_ram"),
        "in_store": _counts(q, "in_store"),
        "indexed": list(indexed.values()),
        "seqs": {lane: shortened(seq_ranges(q.extents_of(lane))) for lane in LANES if lengths[lane]},
        "next_seq_id": q.next_seq_id,
        "transient_threshold": q.transient_threshold,
        "mode": q.mode,
        "target_ram_count": "infinity" if q.target_ram_count is None else q.target_ram_count,
        "ram_msg_count": q.ram_msg_count,
        "ram_bytes": q.ram_bytes,
        "bytes": q.bytes,
        "unacked_bytes": q.unacked_bytes,
        "persistent_count": q.persistent_count,
        "persistent_bytes": q.persistent_bytes,
        "delta_transient_bytes": q.delta_transient_bytes,
        "pending": [q.extents_of(place).total for place in PENDING],
        "pending_tags": shortened(seq_ranges(pending)),
        "unconfirmed": len(q.unconfirmed),
        "confirmed": len(q.confirmed),
        "msgs_on_disk": len(q.msgs_on_disk),
        "msg_indices_on_disk": len(q.msg_indices_on_disk),
        "disk_read_count": q.disk_read_count,
        "disk_write_count": q.disk_write_count,
        "reduce_run_count": q.reduce_run_count,
        "waiting_bump": q.waiting_bump,
        "blocked": q.blocked,
        "qi": _index(q),
        "store_persistent": _store(persistent, q.persistent) if q.durable else None,
        "store_transient": _store(transient, q.transient),
    }


def _delivered(q: QueueState, pending: list[Extent]) -> dict[str, Any]:
    """Return what tells redelivered messages from others: marks of entries (V1), or the queue's one number (Q33)."""
    if not q.settings.flags_deliveries:
        return {"next_deliver_seq_id": q.next_deliver_seq_id}
    return {
        "delivered": _counts(q, "delivered"),
        "pending_undelivered": sum(each.count for each in pending if not each.delivered),
    }


def _index(q: QueueState) -> dict[str, Any]:
    index = q.index
    assert isinstance(index, QueueIndex)
    shown = _shortened_lists(index_vector(index), ("files", "segments"))
    if q.settings.flags_deliveries:
        shown["delivered_cache"] = sum(each.count for each in index.actions._cached_delivers)
    return shown


def index_vector(index: QueueIndex) -> dict[str, Any]:
    """Return what a golden trace records of an index."""
    segments, journal, confirms = index.segments, index.journal, index.confirms
    waiting: Counter[int] = Counter()
    for slot in segments.pending:
        for segment, _, count in split(slot.start, slot.count, segments.size):
            waiting[segment] += count
    return {
        "files": [list(row) for row in sorted(segments.file_bytes.items())],
        "segments": [
            [segment, unacked, waiting[segment]] for segment, unacked in sorted(segments.unacked.items())
        ],
        "dirty": index.dirty,
        "journal": [journal.file_bytes, journal.buffered_bytes],
        "cache": index.actions.cached,
        "unconfirmed": [len(confirms.store_homed), len(confirms.embedded)],
    }


def _shortened_lists(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: shortened(value) if name in names and isinstance(value, list) else value
        for name, value in fields.items()
    }


def _store(store: MsgStore, client: StoreClient) -> dict[str, Any]:
    return {**_shortened_lists(store_vector(store), ("files", "disk")), "credit": client.account.left}


def store_vector(store: MsgStore) -> dict[str, Any]:
    """Return what a golden trace records of a store, but for the client's credit."""
    state = store._state
    on_disk = disk(state)
    expected = [(file.number, file.file_size) for file in state.files]
    return {
        "files": [[file.number, file.file_size, file.valid] for file in state.files],
        "disk": "same" if on_disk == expected else [list(each) for each in on_disk],
        "current": state.files.current,
        "valid": state.files.sum_valid,
        "total": state.files.sum_size,
        "index": state.index.rows.total,
        "zero_refs": rows_by_references(store).get(0, 0),
        "cache": len(state.cache),
    }


def rows_by_references(store: MsgStore) -> dict[int, int]:
    """Return how many messages have how many references."""
    found: Counter[int] = Counter()
    for row in store._state.index.rows:
        found[row.refs] += row.count
    return dict(found)
