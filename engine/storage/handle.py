"""The buffered file handle: it decides what a process crash loses (S20-S29)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.marks import ignore


class LateHandle(Protocol):
    """Records that are made when they leave a buffer: until then they are as short as what they are made of."""

    def chunks(self) -> Sequence[ByteChunk]:
        """Return the records."""


class BufferedHandle:
    """Appends to one file through a buffer that lives in the process. `path`: the file; it need not exist
    yet. `limit_bytes`: the buffer is handed over when it holds strictly more (S21); 0 for no buffer, None for
    no limit. `on_write`: called with the bytes of each hand-over to the operating system.
    """

    __slots__ = (
        "_late",
        "_limit",
        "_on_fsync",
        "_on_write",
        "_pending",
        "_storage",
        "dirty",
        "path",
        "pending_bytes",
        "raw_offset",
    )

    def __init__(
        self,
        storage: Storage,
        path: str,
        limit_bytes: int | None,
        on_write: Callable[[int], None] = ignore,
        on_fsync: Callable[[], None] = ignore,
    ) -> None:
        self._storage = storage
        self._limit = limit_bytes
        self._on_write = on_write
        self._on_fsync = on_fsync
        self._pending: list[ByteChunk] = []
        self._late: list[tuple[int, LateHandle]] = []
        """What is still to be made, and before how many pending chunks it belongs."""
        self.path = path
        self.pending_bytes = 0
        self.dirty = False
        self.raw_offset = storage.size(path) or 0

    @property
    def virtual_offset(self) -> int:
        """Offset in bytes at which the next appended byte will land (S28)."""
        return self.raw_offset + self.pending_bytes

    @property
    def needs_sync(self) -> bool:
        """Whether anything is pending, or written and not fsynced (S29)."""
        return self.dirty or self.pending_bytes > 0

    def append(self, chunk: ByteChunk, record_bytes: int | None) -> None:
        """Append a run of records as if one by one (S21). The run is split exactly after the record with
        which the buffer holds more than the limit; the whole buffer is handed over there, and again wherever
        that happens in the rest. `record_bytes`: bytes of each of them; None where they differ, and the chunk
        knows what reaches a bound.
        """
        limit = self._limit
        if limit is not None:
            left = chunk.size_bytes
            while left and self.pending_bytes + left > limit:
                if not limit:
                    size = left
                elif record_bytes is None:
                    size = chunk.reaching(limit - self.pending_bytes + 1)  # type: ignore[attr-defined]
                else:
                    # The first record that makes pending_bytes > limit, counted from 1.
                    size = min(left, (1 + (limit - self.pending_bytes) // record_bytes) * record_bytes)
                before, after = chunk.cut(size)
                self._pending.extend(before)
                self.pending_bytes += size
                left -= size
                self.flush()
                if left:
                    (chunk,) = after
            if not left:
                return
        else:
            left = chunk.size_bytes
        self._pending.append(chunk)
        self.pending_bytes += left

    def append_all(self, chunks: Sequence[ByteChunk], sizes: Sequence[int], record_bytes: int | None) -> None:
        """Append runs of records one after the other, each as by `append`. `sizes`: the bytes of each chunk.
        `record_bytes`: as in `append`, of all of them.
        """
        limit, held = self._limit, self.pending_bytes
        for chunk, size in zip(chunks, sizes, strict=True):
            if limit is None or held + size <= limit:
                self._pending.append(chunk)
                held += size
                self.pending_bytes = held
            else:
                self.append(chunk, record_bytes)
                held = self.pending_bytes

    def append_late(self, late: LateHandle, size_bytes: int) -> None:
        """Append records that are made only when they leave the buffer, which has no limit. `size_bytes`: the
        bytes that they will have.
        """
        self._late.append((len(self._pending), late))
        self.pending_bytes += size_bytes

    def _made(self) -> list[ByteChunk]:
        found: list[ByteChunk] = []
        done = 0
        for place, late in self._late:
            found += self._pending[done:place]
            found += late.chunks()
            done = place
        return found + self._pending[done:]

    def flush(self) -> None:
        """Hand the pending bytes to the operating system in one write, without fsync (S22)."""
        if self.pending_bytes:
            size = self.pending_bytes
            self._storage.append(self.path, self._made() if self._late else self._pending)
            self._forget()
            self.raw_offset += size
            self.dirty = True
            self._on_write(size)

    def sync(self) -> None:
        """Flush, and fsync what was written since the last fsync (S23)."""
        self.flush()
        if self.dirty:
            self._storage.fsync(self.path)
            self.dirty = False
            self._on_fsync()

    def close(self) -> None:
        """Flush and make durable what was written (S24)."""
        self.sync()

    def clear(self) -> None:
        """Drop what is pending and truncate the file to nothing, without fsync (S26)."""
        self._forget()
        if self.raw_offset:
            self._storage.truncate(self.path, 0)
            self.raw_offset = 0

    def delete(self) -> None:
        """Drop what is pending and remove the file, without fsync (S27)."""
        self._forget()
        self._storage.delete(self.path)
        self.raw_offset = 0
        self.dirty = False

    def drop(self) -> None:
        """The process died: what is pending is lost, the file stays as it is (S234)."""
        self._forget()
        self.dirty = False

    def truncate(self, size_bytes: int) -> None:
        """Flush, then cut or extend the file; this alone owes no fsync (S25)."""
        self.flush()
        self._storage.truncate(self.path, size_bytes)
        self.raw_offset = size_bytes

    def _forget(self) -> None:
        self._pending = []
        self._late = []
        self.pending_bytes = 0
