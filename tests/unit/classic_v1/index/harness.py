"""A queue index with everything around it, and a fold of its transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.classic_v1.index.actions import IndexConfirms
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions import (
    EntriesRecorded,
    IndexRecovered,
    IndexReset,
    JournalFlushed,
    JournalOpened,
    JournalSynced,
    SegmentDeleted,
    SegmentWritten,
)
from engine.formats.message import MessageCodec, MessageTemplate
from engine.report.transitions.base import Transition
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.extents import (
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    PERSISTENT,
    RAW_PERSISTENT,
    WANTS_CONFIRM,
    Extent,
)
from engine.values.stretches import Range, RangeSet

STORE_PERSISTENT = PERSISTENT | RAW_PERSISTENT | HOME_STORE | IN_STORE
EMBEDDED_PERSISTENT = PERSISTENT | RAW_PERSISTENT | IN_RAM
STORE_TRANSIENT = HOME_STORE | IN_STORE
EMBEDDED_TRANSIENT = IN_RAM
KINDS = (STORE_PERSISTENT, EMBEDDED_PERSISTENT, STORE_TRANSIENT, EMBEDDED_TRANSIENT)
ZERO_PREFIX = bytes(8)
DIRECTORY = "queues/q"


def extent(
    start: int, kind: int, count: int = 1, msg_no: int | None = None, size: int = 0, confirm: bool = False
) -> Extent:
    """Return messages of a kind; by default large ones in the store, small ones embedded."""
    return Extent(
        start,
        count,
        start + 1 if msg_no is None else msg_no,
        size or (5000 if kind & HOME_STORE else 10),
        kind | (WANTS_CONFIRM if confirm else 0),
    )


class Harness:
    """One index over a storage that outlives it."""

    def __init__(
        self,
        size: int = 2048,
        max_journal: int = 32768,
        storage: Storage | None = None,
        codec: MessageCodec | None = None,
    ) -> None:
        self.storage: Storage = LedgerStorage() if storage is None else storage
        self.codec = codec or MessageCodec(
            id_prefix=ZERO_PREFIX, templates=(MessageTemplate(routing_keys=("q",)),)
        )
        self.log: list[Transition] = []
        self.confirmed: list[tuple[str, list[int]]] = []
        self.size = size
        self.settings = QueueSettings(segment_entry_count=size, queue_index_max_journal_entries=max_journal)
        self.index = self._blank()
        self.index.start_new()
        self.state = empty_index()
        self._folded = 0

    def _blank(self) -> QueueIndex:
        return QueueIndex(
            queue="q",
            directory=DIRECTORY,
            storage=self.storage,
            codec=self.codec,
            settings=self.settings,
            emit=self.log.append,
            confirms=IndexConfirms(
                lambda ids: self.confirmed.append(("index", numbers(ids))),
                lambda ids: self.confirmed.append(("both", numbers(ids))),
            ),
        )

    def restart(
        self,
        terms: list[tuple[int, int]] | None = None,
        store_clean: bool = False,
        contains: Callable[[Range], RangeSet] = lambda asked: RangeSet([asked]),
        durable: bool = True,
    ) -> Any:
        """Open the files with a new index object."""
        self.index = self._blank()
        return self.index.recover(terms, store_clean, contains, durable)

    def bytes_of(self, name: str) -> bytes | None:
        """Return a file's content, None when it is absent."""
        path = f"{DIRECTORY}/{name}"
        size = self.storage.size(path)
        return None if size is None else self.storage.read_bytes(path, 0, size)

    def files(self) -> dict[str, bytes | None]:
        """Return every file of the queue."""
        return {name: self.bytes_of(name) for name in self.storage.list(DIRECTORY)}

    def put(self, name: str, data: bytes) -> None:
        """Write a file behind the index's back."""
        from engine.values.chunks import raw

        path = f"{DIRECTORY}/{name}"
        self.storage.create(path)
        self.storage.append(path, raw(data))
        self.storage.fsync(path)

    def folded(self) -> dict[str, Any]:
        """Return the state after all transitions so far, in the form of `snapshot`."""
        for transition in self.log[self._folded :]:
            fold(self.state, transition, self.size)
        self._folded = len(self.log)
        return {
            **self.state,
            "entries": runs(self.state["entries"]),
            "segments": rows(self.state["segments"]),
        }

    def kinds(self) -> list[str]:
        """Return the names of the transitions so far."""
        return [type(each).__name__ for each in self.log]


def numbers(ids: RangeSet) -> list[int]:
    """Return the members of a set one by one."""
    return [number for each in ids for number in range(each.start, each.end)]


def empty_index() -> dict[str, Any]:
    """Return the state of an index without files."""
    return {"entries": {}, "segments": {}, "journal_bytes": None, "buffered_bytes": 0, "dirty": 0}


def fold(state: dict[str, Any], transition: Transition, size: int) -> None:
    """Apply a transition as its docstring says, entry by entry."""
    match transition:
        case EntriesRecorded():
            fold_recorded(state, transition)
        case JournalOpened():
            state["journal_bytes"] = 0
        case JournalSynced(bytes_=bytes_):
            state["journal_bytes"] += bytes_
            state["buffered_bytes"] -= bytes_
        case JournalFlushed():
            state.update(journal_bytes=0, buffered_bytes=0, dirty=0)
        case SegmentWritten() | SegmentDeleted():
            fold_segment(state, transition, size)
        case IndexReset():
            state.update(empty_index())
        case IndexRecovered(entries=entries):
            state.update(
                entries={start + i: code for start, count, code in entries for i in range(count)},
                segments=dict(transition.segments),
                journal_bytes=transition.journal_bytes,
                buffered_bytes=0,
                dirty=transition.dirty,
            )


def fold_recorded(state: dict[str, Any], transition: EntriesRecorded) -> None:
    """Give entries their journal bits; with all three and nothing in a file they vanish."""
    entries: dict[int, int] = state["entries"]
    bits = {"publish": 1, "deliver": 2, "ack": 4, "publish_deliver": 3, "deliver_ack": 6}[transition.action]
    for seq_id in range(transition.start, transition.start + transition.count):
        assert not entries.get(seq_id, 0) & bits
        entries[seq_id] = entries.get(seq_id, 0) + bits
        if entries[seq_id] == 7:
            del entries[seq_id]
    state["dirty"] += transition.count * bits.bit_count()
    state["buffered_bytes"] += transition.journal_bytes


def fold_segment(state: dict[str, Any], transition: SegmentWritten | SegmentDeleted, size: int) -> None:
    """Move a segment's journal bits into its file, or forget it."""
    entries: dict[int, int] = state["entries"]
    segment = transition.segment
    inside = [seq_id for seq_id in entries if seq_id // size == segment]
    if isinstance(transition, SegmentDeleted):
        assert state["segments"].pop(segment, 0) == transition.bytes_
        for seq_id in inside:
            del entries[seq_id]
    else:
        state["segments"][segment] = state["segments"].get(segment, 0) + transition.bytes_
        for seq_id in inside:
            entries[seq_id] = 8 * (entries[seq_id] // 8 + (entries[seq_id] % 8).bit_count())


def runs(entries: dict[int, int]) -> list[list[int]]:
    """Return (start, count, code) of neighbours with equal codes."""
    found: list[list[int]] = []
    for seq_id, code in sorted(entries.items()):
        if found and found[-1][2] == code and found[-1][0] + found[-1][1] == seq_id:
            found[-1][1] += 1
        else:
            found.append([seq_id, 1, code])
    return found


def rows(segments: dict[int, int]) -> list[list[int]]:
    """Return (segment, bytes), ascending."""
    return [list(row) for row in sorted(segments.items())]
