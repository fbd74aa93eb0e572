"""The state vector of a trace of 3.10.8 with files of version 2: lanes of version 1, files of version 2 (W18)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.classic_v1.queue.state import LANES, PENDING, QueueState
from engine.classic_v1.store.store import MsgStore, StoreClient
from engine.classic_v1.transitions import DeltaRead
from engine.classic_v2.transitions import SlotsRead
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import Requeued
from engine.values.extents import Extent
from engine.values.stretches import Range, RangeSet
from engine.version_choice.index import FilesIndex
from tools.proofs.conformance.vector import rows_by_references, shortened, store_vector
from tools.proofs.conformance.vector_v2 import index_of, listed, runs_of


class Marks:
    """The delivered flag of each entry, which the broker sets where an entry goes and nobody asks for later."""

    def __init__(self) -> None:
        self._letters: dict[int, str] = {}
        self._nameless = RangeSet()
        """Read from `.qi` files, which have no ids of bodies in `.qs` (W209)."""

    def note(self, t: Transition) -> None:
        """Follow a move: what is loaded has no flag, what is requeued was delivered."""
        if isinstance(t, SlotsRead):
            self._nameless.add(t.start, t.end - t.start)
        elif isinstance(t, DeltaRead):
            self.mark(t.extents, "u")
        elif isinstance(t, Requeued):
            self.mark(t.extents, "d")

    def mark(self, extents: Iterable[Extent], letter: str) -> None:
        """Give entries a letter."""
        for extent in extents:
            for seq in range(extent.start, extent.end):
                self._letters[seq] = letter

    def named(self, extent: Extent) -> list[Extent]:
        """Return those messages of which the broker knows the id (W209)."""
        if extent.home_store:
            return [extent]
        left = RangeSet([Range(extent.start, extent.count)])
        for each in self._nameless.inside(extent.start, extent.count):
            left.discard(each.start, each.count)
        return [extent.part(each.start - extent.start, each.count) for each in left]

    def of(self, seq: int) -> str:
        """Return the letter of an entry."""
        return self._letters.get(seq, "-")


def _flagged(extents: Iterable[Extent], letter: Any) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for extent in extents:
        home = "s" if extent.home_store else "q"
        before = "".join(
            (
                "P" if extent.persistent else "t",
                home,
                home if extent.in_store else "-",
                "r" if extent.in_ram else "-",
                "i" if extent.indexed else "-",
            )
        )
        for seq in range(extent.start, extent.end):
            flags = before + letter(seq)
            if rows and rows[-1][1] + 1 == seq and rows[-1][2] == flags:
                rows[-1][1] = seq
            else:
                rows.append([seq, seq, flags])
    return rows


def vector(
    q: QueueState, persistent: MsgStore, transient: MsgStore, found: Mapping[str, bytes], marks: Marks
) -> dict[str, Any]:
    """Return the state of queue and stores with the trace format's field names."""
    index, delta = q.index, q.delta
    assert isinstance(index, FilesIndex)
    pending = sorted((e for place in PENDING for e in q.extents_of(place)), key=lambda each: each.start)
    return {
        "len": q.len,
        "lanes": {lane: shortened(_flagged(q.extents_of(lane), marks.of)) for lane in LANES},
        "tail": [delta.start, delta.count, delta.end],
        "target_ram_count": "infinity" if q.target_ram_count is None else q.target_ram_count,
        "tail_transient": delta.transient,
        "next_seq_id": q.next_seq_id,
        "next_deliver_seq_id": q.next_deliver_seq_id,
        "transient_threshold": q.transient_threshold,
        "ram_msg_count": q.ram_msg_count,
        "ram_bytes": q.ram_bytes,
        "bytes": q.bytes,
        "unacked_bytes": q.unacked_bytes,
        "persistent_count": q.persistent_count,
        "persistent_bytes": q.persistent_bytes,
        "tail_transient_bytes": q.delta_transient_bytes,
        "pending": [q.ram_pending.total, q.disk_pending.total],
        "pending_runs": shortened(_flagged(pending, lambda _: "d")),
        "unconfirmed": len(q.unconfirmed),
        "confirmed": len(q.confirmed),
        "msgs_on_disk": len(q.msgs_on_disk),
        "msg_indices_on_disk": len(q.msg_indices_on_disk),
        "disk_read_count": q.disk_read_count,
        "disk_write_count": q.disk_write_count,
        "qi": index_of(index.files, found),
        "qs": _own_store(index, found),
        "store_persistent": _store(persistent, q.persistent, listed(found, "p/", ".rdq"))
        if q.durable
        else None,
        "store_transient": _store(transient, q.transient, listed(found, "t/", ".rdq")),
    }


def _own_store(index: FilesIndex, found: Mapping[str, bytes]) -> dict[str, Any]:
    store = index.store
    return {
        "files": shortened(listed(found, "", ".qs")),
        "write_segment": store.write_segment,
        "write_offset": store.write_offset,
        "cache_bytes": store.held_bytes,
        "confirms": len(store.confirms),
        "cache": runs_of(store.held),
        "read_segment": store.read_segment,
    }


def _store(store: MsgStore, client: StoreClient, disk: list[list[Any]]) -> dict[str, Any]:
    shown = store_vector(store)
    return {
        "files": shortened(shown["files"]),
        "disk": shortened(disk),
        "current": shown["current"],
        "rows_by_refs": shortened([list(each) for each in sorted(rows_by_references(store).items())]),
        "cache": shown["cache"],
        "flying": 0,
        "credit": client.account.left,
    }
