"""A message store with its clients and everything around them, and a fold of its transitions."""

from __future__ import annotations

from typing import Any

from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.state import StoreState, row_at
from engine.classic_v1.store.store import MsgStore, StoreClient
from engine.classic_v1.transitions import CombineStepped, FilesCombined, FileUnlinked
from engine.formats.message import MessageCodec, MessageTemplate
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import (
    BufferWritten,
    CacheChanged,
    FileDeleted,
    FileLocked,
    FileRolledOver,
    RefCountChanged,
    RowsForgotten,
    RowsMoved,
    StoreRecovered,
    StoreStopped,
    StoreWritten,
)
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.extents import HOME_STORE, IN_RAM, PERSISTENT, RAW_PERSISTENT, Extent, StoreRow
from engine.values.stretches import Range, RangeSet, Stretches
from tools.proofs.conformance.vector import store_vector

FLAGS = PERSISTENT | RAW_PERSISTENT | HOME_STORE | IN_RAM
DIRECTORY = "msg_store_persistent"


def body_of_record(record_bytes: int) -> int:
    """Return the body bytes with which the harness's codec makes records of `record_bytes`."""
    codec = new_codec()
    size = record_bytes - codec.record_bytes(0, 1, True) + 1
    assert codec.record_bytes(0, size, True) == record_bytes
    return size


def new_codec() -> MessageCodec:
    """Return a codec with one template."""
    return MessageCodec(templates=(MessageTemplate(routing_keys=("cq",)),))


def extent(msg_no: int, count: int = 1, record_bytes: int = 1087) -> Extent:
    """Return messages whose store records have `record_bytes` each."""
    return Extent(msg_no, count, msg_no, body_of_record(record_bytes), FLAGS)


def ranges(*numbers: int) -> list[Range]:
    """Return one range for each number."""
    return [Range(number, 1) for number in numbers]


class Client:
    """A store client that records its notifications."""

    def __init__(self, store: MsgStore, ref: str, confirms: bool = True) -> None:
        self.notified: list[tuple[str, list[int]]] = []
        self.grants: list[int] = []
        self.closes = 0
        self.side: StoreClient = store.client(
            ref, self._on_disk if confirms else None, self.grants.append, self._on_close
        )

    def _on_disk(self, messages: RangeSet, how: str) -> None:
        self.notified.append((how, numbers(messages)))

    def _on_close(self) -> None:
        self.closes += 1


def numbers(messages: RangeSet) -> list[int]:
    """Return the members of a set."""
    return [each.start + i for each in messages for i in range(each.count)]


class Harness:
    """One store on a storage, with the fold of its transitions beside it."""

    def __init__(
        self,
        storage: Storage | None = None,
        *,
        limit: int = 16 * 1024 * 1024,
        buffer: int = 1024 * 1024,
        credit: tuple[int, int] = (4000, 800),
        name: str = "persistent",
    ) -> None:
        self.storage: Storage = LedgerStorage() if storage is None else storage
        self.codec = new_codec()
        self.settings = QueueSettings(
            msg_store_file_size_limit=limit, write_buffer_bytes=buffer, msg_store_credit_disc_bound=credit
        )
        self.name = name
        self.transitions: list[Transition] = []
        self.state: dict[str, Any] = {}
        self.store = self.make()

    def make(self) -> MsgStore:
        """Make a store object over the same storage."""
        self.store = MsgStore(
            StoreState(
                name=self.name,
                directory=DIRECTORY,
                storage=self.storage,
                codec=self.codec,
                settings=self.settings,
                emit=self._emit,
            )
        )
        return self.store

    def _emit(self, transition: Transition) -> None:
        self.transitions.append(transition)
        fold(self.state, transition)

    def client(self, ref: str = "q", confirms: bool = True) -> Client:
        """Register a client."""
        return Client(self.store, ref, confirms)

    def check(self) -> None:
        """Compare state and fold, and check the invariants."""
        self.store.verify()
        assert self.store.snapshot() == shown(self.state)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every file of the store on disk."""
        return {name: self.storage.size(f"{DIRECTORY}/{name}") or 0 for name in self.storage.list(DIRECTORY)}

    def contents(self) -> dict[str, bytes]:
        """Return the bytes of every file of the store on disk."""
        return {
            name: self.storage.read_bytes(f"{DIRECTORY}/{name}", 0, size)
            for name, size in self.sizes().items()
        }

    def files(self) -> list[list[int]]:
        """Return [number, file_size, valid] of every file."""
        found: list[list[int]] = store_vector(self.store)["files"]
        return found

    def places(self) -> dict[int, tuple[int, int, int, int]]:
        """Return (references, file, offset, record bytes) of each message with an index entry."""
        found: dict[int, tuple[int, int, int, int]] = {}
        for msg_no, count, refs, file, offset, record_bytes, step in self.store.snapshot()["rows"]:
            for i in range(count):
                found[msg_no + i] = (refs, file, offset + i * step * record_bytes, record_bytes)
        return found

    def of(self, kind: type[Transition]) -> list[Any]:
        """Return the transitions of one kind."""
        return [each for each in self.transitions if isinstance(each, kind)]


# --- the fold --------------------------------------------------------------------------------------------------------


def fold(state: dict[str, Any], t: Transition) -> None:
    """Apply one transition to `state`, which holds what a snapshot shows, in containers."""
    if isinstance(t, StoreRecovered):
        state.clear()
        state.update(
            files={number: list(rest) for number, *rest in t.files},
            current=t.current,
            rows=Stretches(StoreRow(*row) for row in t.rows),
            cache=0,
            buffered_bytes=0,
            orphans=dict(t.orphans),
        )
    elif isinstance(t, StoreStopped):
        state.clear()
    elif isinstance(t, StoreWritten):
        state["rows"].insert(row_at(t.msg_no, t.count, t.file, t.offset, t.record_bytes, t.step))
        for field in (0, 1):
            state["files"][t.file][field] += t.count * t.record_bytes
        state["buffered_bytes"] += t.count * t.record_bytes
    elif isinstance(t, BufferWritten):
        state["files"][t.file][3] += t.bytes_
        state["buffered_bytes"] -= t.bytes_
    elif isinstance(t, CacheChanged):
        state["cache"] = t.entries
    else:
        _fold_rows(state, t)
        _fold_files(state, t)


def _fold_rows(state: dict[str, Any], t: Transition) -> None:
    rows: Stretches[StoreRow] = state.get("rows", Stretches())
    if isinstance(t, RefCountChanged):
        for row in rows.remove(t.msg_no, t.count):
            state["files"][row.file][1] += (bool(t.ref_count) - bool(row.refs)) * row.size_bytes
            rows.insert(row.with_refs(t.ref_count))
    elif isinstance(t, RowsForgotten):
        for each in t.messages:
            assert sum(row.count for row in rows.remove(each.start, each.count)) == each.count
    elif isinstance(t, RowsMoved):
        for msg_no, count, file, offset in t.rows:
            [row] = rows.remove(msg_no, count)
            rows.insert(StoreRow(msg_no, count, row.refs, file, offset, row.record_bytes, row.step))


def _fold_files(state: dict[str, Any], t: Transition) -> None:
    files: dict[int, list[Any]] = state.get("files", {})
    if isinstance(t, FileRolledOver):
        files[t.opened] = [0, 0, False, 0]
        state["current"] = t.opened
    elif isinstance(t, FileLocked):
        files[t.file][2] = t.locked
    elif isinstance(t, CombineStepped) and t.step == "truncated":
        files[t.destination][3] = t.bytes_
    elif isinstance(t, FileUnlinked):
        if t.file in files:
            files[t.file][3] = 0
        state["orphans"].pop(t.file, None)
    elif isinstance(t, FilesCombined | FileDeleted):
        gone = t.source if isinstance(t, FilesCombined) else t.file
        del files[gone]
        if t.left_on_disk:
            state["orphans"][gone] = t.left_on_disk
        if isinstance(t, FilesCombined):
            files[t.destination][0:2] = [t.size_bytes, t.size_bytes]


def shown(state: dict[str, Any]) -> dict[str, Any]:
    """Return the folded state as a snapshot shows it."""
    return {
        "files": [[number, *rest] for number, rest in sorted(state["files"].items())],
        "current": state["current"],
        "rows": [
            [row.start, row.count, row.refs, row.file, row.offset, row.record_bytes, row.step]
            for row in state["rows"]
        ],
        "cache": state["cache"],
        "buffered_bytes": state["buffered_bytes"],
        "orphans": [list(each) for each in sorted(state["orphans"].items())],
    }
