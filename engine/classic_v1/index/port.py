"""The index that a queue of version 1 uses: its own, or one with files of version 2 (W18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from engine.backing_queue.protocol import Contains, IndexLoad
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.values.extents import Extent
from engine.values.stretches import Range


class SmallBodies(Protocol):
    """Bodies of messages that are not in a shared store."""

    def write(self, extents: Sequence[Extent], descending: bool = False) -> None:
        """Write the bodies, the last message first where `descending`."""

    def read(self, start: int, count: int) -> None:
        """Read the bodies of these positions, one after the other."""

    def boundary(self, seq: int) -> int:
        """Return the position up to which bodies may be read together and then removed together."""

    def remove_all(self, ranges: Sequence[Range]) -> None:
        """Remove the bodies of these positions."""


class IndexPort(Protocol):
    """An index of a queue; `engine.classic_v1.index.QueueIndex` documents each member."""

    directory: str
    size: int
    shown_as: str
    """Name of its part of a snapshot."""

    @property
    def bodies(self) -> SmallBodies | None:
        """Where small bodies are, None for the index itself."""

    @property
    def dirty(self) -> int:
        """Actions since the last flush."""

    @property
    def cache_room(self) -> int:
        """Records that fit before something is flushed by itself."""

    def publish(self, extents: Sequence[Extent], hint: int | None) -> None:
        """Publish and deliver messages one by one, in this order."""

    def publish_undelivered(self, extent: Extent, hint: int | None) -> None:
        """Publish messages that are marked only when they are delivered (V1)."""

    def pre_publish(
        self, extents: Sequence[Extent], hint: int | None, delivered: bool = True, descending: bool = False
    ) -> None:
        """Publish messages as part of a batch, in this order; the last one of each extent first where `descending`."""

    def flush_pre_publish_cache(self, hint: int | None) -> None:
        """End a batch."""

    def ack(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Acknowledge messages."""

    def ack_runs(self, ranges: Sequence[Range]) -> None:
        """Acknowledge runs of a log, each message by a call of its own."""

    def deliver(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Mark messages as delivered (V1)."""

    def deliver_and_ack(self, ranges: Sequence[Range]) -> None:
        """Mark each message and end it (V1)."""

    def hold(self) -> None:
        """Keep what the first change replaces (V9)."""

    def take_back(self) -> None:
        """Go back to what was kept (V9)."""

    def flush(self) -> None:
        """Write everything to segments."""

    def sync(self) -> None:
        """Make everything as safe as it becomes, and report confirms."""

    def needs_sync(self) -> Literal["no", "confirms", "other"]:
        """Return whether a sync is owed."""

    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end)."""

    def next_segment_boundary(self, seq_id: int) -> int:
        """Return the first seq_id of the next segment."""

    def bounds(self) -> tuple[int, int]:
        """Return the seq_ids that the segments cover."""

    def reset(self) -> None:
        """Erase the directory and start empty."""

    def delete(self) -> None:
        """Erase the directory for good."""

    def terminate(self) -> list[tuple[int, int]] | None:
        """Stop in order; return live messages of each segment, None where it crashes (W200)."""

    def kill(self, kind: str = "crash") -> None:
        """Lose what only the process had; `kind` says what ended it."""

    def kill_in_flush(self) -> None:
        """Die in the middle of a flush."""

    def start_new(self) -> None:
        """Begin as a queue without files."""

    def recover(
        self,
        terms: Sequence[tuple[int, int]] | None,
        store_clean: bool,
        contains: Contains,
        durable: bool = True,
        in_order: bool = False,
    ) -> RecoveredIndex:
        """Begin on the files that are there."""

    def store_references(self) -> list[Range]:
        """Return the messages of the store that the files need."""

    def load(self) -> IndexLoad:
        """Return what the memory model counts."""

    def snapshot(self) -> dict[str, object]:
        """Return what folding the transitions gives too."""

    def verify(self) -> None:
        """Compare the files with what is claimed about them."""
