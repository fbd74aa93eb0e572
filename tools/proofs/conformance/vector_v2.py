"""The state vector of a trace of version 2 (`after` of cq-trace/2): every number and file that the broker showed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.classic_v2.index.index import V2Index
from engine.classic_v2.queue.state import UNTAKEN, V2QueueState
from engine.classic_v2.store.server import SharedClient, SharedStore
from engine.storage.port import Storage
from engine.values.extents import Extent
from tools.proofs.conformance.vector import shortened

HEX_LIMIT = {"qi": 384}
OTHER_HEX_LIMIT = 640


def flags(extent: Extent) -> str:
    """Return the six letters by which a trace tells what an entry is."""
    home = "s" if extent.home_store else "q"
    delivered = "d" if extent.delivered else "u" if extent.flags & UNTAKEN else "-"
    return "".join(
        (
            "P" if extent.persistent else "t",
            home,
            home if extent.in_store else "-",
            "r" if extent.in_ram else "-",
            "i" if extent.indexed else "-",
            delivered,
        )
    )


def _flagged(extents: Iterable[Extent]) -> list[list[Any]]:
    runs: list[list[Any]] = []
    for extent in extents:
        letters = flags(extent)
        if runs and runs[-1][1] + 1 == extent.start and runs[-1][2] == letters:
            runs[-1][1] = extent.end - 1
        else:
            runs.append([extent.start, extent.end - 1, letters])
    return runs


def runs_of(ranges: Iterable[Any]) -> Any:
    """Return [first, last] of the positions of ranges or runs."""
    runs: list[list[int]] = []
    for each in ranges:
        if runs and runs[-1][1] + 1 == each.start:
            runs[-1][1] = each.start + each.count - 1
        else:
            runs.append([each.start, each.start + each.count - 1])
    return shortened(runs)


class Files:
    """The files of a run by their short names, and which of them changed since the last step.

    Args:
        storage: where they are.
        folders: directory of each prefix: "" for the queue's own, "p/" and "t/" for the shared stores.
    """

    def __init__(self, storage: Storage, folders: Mapping[str, str]) -> None:
        self._storage = storage
        self._folders = folders
        self._before: dict[str, str] = {}

    def read(self) -> dict[str, bytes]:
        """Return the content of every file of the formats."""
        found = {}
        for prefix, folder in self._folders.items():
            for name in self._storage.list(folder):
                if name.endswith((".qi", ".qs", ".rdq")):
                    path = f"{folder}/{name}"
                    found[prefix + name] = self._storage.read_bytes(path, 0, self._storage.size(path) or 0)
        return found

    def changed(self, found: Mapping[str, bytes]) -> dict[str, str]:
        """Return small files that are new or other than at the last call, in hexadecimal."""
        now = {name: sha(data) for name, data in found.items()}
        shown = {
            name: data.hex()
            for name, data in found.items()
            if data
            and now[name] != self._before.get(name)
            and len(data) <= HEX_LIMIT.get(name.rpartition(".")[2], OTHER_HEX_LIMIT)
        }
        self._before = now
        return shown


def sha(data: bytes) -> str:
    """Return the digest by which a trace names the content of a file."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()[:16]


def listed(found: Mapping[str, bytes], prefix: str, extension: str) -> list[list[Any]]:
    """Return number, bytes and digest of each file of one kind."""
    rows = []
    for name, data in found.items():
        if name.startswith(prefix) and name.endswith(extension) and ("/" in name) == bool(prefix):
            rows.append([int(name[len(prefix) : -len(extension)]), len(data), sha(data)])
    return sorted(rows)


def vector(
    q: V2QueueState, persistent: SharedStore, transient: SharedStore, found: Mapping[str, bytes]
) -> dict[str, Any]:
    """Return the state of queue and stores with the trace format's field names."""
    pending = sorted([*q.ram_pending, *q.disk_pending], key=lambda extent: extent.start)
    tail = q.tail
    shown: dict[str, Any] = {
        "len": q.len,
        "lanes": {"head": shortened(_flagged(q.head))},
        "tail": [tail.start, tail.count, tail.end],
        "next_seq_id": q.next_seq_id,
        "transient_threshold": q.transient_threshold,
        "ram_msg_count": q.ram_msg_count,
        "ram_bytes": q.ram_bytes,
        "bytes": q.bytes,
        "unacked_bytes": q.unacked_bytes,
        "persistent_count": q.persistent_count,
        "persistent_bytes": q.persistent_bytes,
        "pending": [q.ram_pending.total, q.disk_pending.total],
        "pending_runs": shortened(_flagged(pending)),
        "unconfirmed": len(q.unconfirmed),
        "unconfirmed_simple": len(q.unconfirmed_simple),
        "confirmed": len(q.confirmed),
        "msgs_on_disk": len(q.msgs_on_disk),
        "msg_indices_on_disk": len(q.msg_indices_on_disk),
        "disk_read_count": q.disk_read_count,
        "disk_write_count": q.disk_write_count,
        "qi": index_of(q.index, found),
        "qs": _own_store(q, found),
        "store_persistent": _store(persistent, q.persistent, listed(found, "p/", ".rdq"))
        if q.durable
        else None,
        "store_transient": _store(transient, q.transient, listed(found, "t/", ".rdq")),
    }
    if q.settings.counts_deliveries:
        shown["redeliver_seq_id"] = q.redeliver_seq_id
        counted = [[seq, each.times] for each in q.deliveries for seq in range(each.start, each.end)]
        shown["delivery_count"] = shortened(counted)
    else:
        shown["next_deliver_seq_id"] = q.redeliver_seq_id
        shown["tail_transient"] = tail.transient
        shown["tail_transient_bytes"] = q.tail_transient_bytes
    return shown


def index_of(index: V2Index, found: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what a trace shows of an index."""
    return {
        "files": shortened(listed(found, "", ".qi")),
        "segments": shortened([list(each) for each in sorted(index.segments.items())]),
        "buffer": runs_of(index.buffer),
        "buffer_acks": runs_of(index.buffer_acks),
        "updates": index.updates,
        "cache": runs_of(index.cache),
        "cache_acks": runs_of(index.cache_acks),
        "confirms": len(index.confirms),
        "fds": list(index.files),
    }


def _own_store(q: V2QueueState, found: Mapping[str, bytes]) -> dict[str, Any]:
    store = q.store
    return {
        "files": shortened(listed(found, "", ".qs")),
        "write_segment": store.write_segment,
        "write_offset": store.write_offset,
        "buffer": runs_of(store.buffer),
        "buffer_bytes": store.buffer_bytes,
        "cache": runs_of(store.cache),
        "read_segment": store.read_segment,
    }


def _store(store: SharedStore, client: SharedClient, disk: list[list[Any]]) -> dict[str, Any]:
    state = store.state
    refs: Counter[int] = Counter()
    for row in state.rows:
        refs[row.refs] += row.count
    return {
        "files": shortened([[file.number, file.size, file.valid] for file in state.files.values()]),
        "disk": shortened(disk),
        "current": state.current,
        "offset": state.offset,
        "rows_by_refs": shortened([list(each) for each in sorted(refs.items())]),
        "cache": len(state.cache),
        "flying": len(client.in_flight),
        "gc_candidates": shortened(sorted(state.gc_candidates)),
        "gc_timer": None if state.gc_timer is None else shortened(sorted(state.gc_timer)),
        "credit": client.account.left,
    }
