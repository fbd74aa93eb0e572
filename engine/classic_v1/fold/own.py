"""What a classic queue of version 1 shows of itself besides its lanes: its index, and its newest reduction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from engine.backing_queue.message_places import VARIABLE_QUEUE
from engine.classic_v1.fold.index_table import IndexTable, acked
from engine.classic_v1.fold.store_table import StoreTable
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions.index import SegmentDeleted, SegmentWritten
from engine.classic_v1.transitions.queue import DeltaChanged, Reduced
from engine.classic_v1.transitions.stops import IndexRecovered
from engine.folding import FoldTable, QueueTable, found_by, register
from engine.report.transitions.stores import StoreStopped
from engine.values.ranges import Range

USUAL: Final = QueueSettings()
"""What a run has whose settings nobody has reported."""


class V1OwnPart:
    """The own part of one queue."""

    __slots__ = ("reduction", "index")

    def __init__(self) -> None:
        self.reduction: dict[str, Any] | None = None
        self.index = IndexTable()

    def begin(self) -> None:
        """The queue begins; its recovery has found the index before."""
        self.reduction = None

    def reduced(self, t: Reduced) -> None:
        """The newest reduction is kept with its numbers (Q45)."""
        self.reduction = t.why

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "reduced": None if self.reduction is None else dict(self.reduction),
            "index": self.index.to_json(),
        }

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Yield the entries of the index that are not acknowledged."""
        for start, count, code in own["index"]["entries"]:
            if not acked(code):
                yield start, start + count


class DeltaRecord(NamedTuple):
    """The record of the messages that RAM only counts: here those of delta."""

    queue: QueueTable

    def delta_changed(self, t: DeltaChanged) -> None:
        """It changed although no message moved (Q34)."""
        self.queue.record = t.delta


class SegmentTables(NamedTuple):
    """An index whose segments have so many entries: what is done to all entries of one segment."""

    table: IndexTable
    size: int

    def segment_written(self, t: SegmentWritten) -> None:
        """A segment was written (S80.1)."""
        self.table.segment_written(t, self.size)

    def segment_deleted(self, t: SegmentDeleted) -> None:
        """A segment is forgotten (S80.1)."""
        self.table.segment_deleted(t, self.size)


class StoreTables(NamedTuple):
    """The message stores of a node."""

    all: dict[str, StoreTable]

    def store_stopped(self, t: StoreStopped) -> None:
        """Everything of a store is forgotten."""
        self.all.pop(t.store, None)


def _segment_entries(settings: Mapping[str, Any]) -> int:
    entries: int = settings.get("segment_entry_count", USUAL.segment_entry_count)
    return entries


TABLES: Final[Mapping[str, FoldTable]] = {
    "record": FoldTable(DeltaRecord, lambda state, t: DeltaRecord(state.queue(t.queue))),
    "reduction": FoldTable(V1OwnPart, lambda state, t: state.queue(t.queue).own),
    "index": FoldTable(IndexTable, lambda state, t: state.queue(t.queue).own.index),
    "segments": FoldTable(
        SegmentTables,
        lambda state, t: SegmentTables(
            state.queue(t.queue).own.index, _segment_entries(state.node["settings"])
        ),
    ),
    "store": FoldTable(StoreTable, lambda state, t: state.stores.setdefault(t.store, StoreTable())),
    "stores": FoldTable(StoreTables, lambda state, t: StoreTables(state.stores)),
}
"""The tables that only transitions of version 1 change, by the name in `About.fold`."""

register(TABLES, VARIABLE_QUEUE, V1OwnPart)


@found_by(IndexRecovered)
def _found(t: IndexRecovered) -> list[Range]:
    return [Range(start, count) for start, count, code in t.entries if not acked(code)]
