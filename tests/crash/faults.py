"""A storage that dies at a chosen call, and knows live bytes from durable ones (S234)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Decode
from engine.values.chunks import ByteChunk, RawBytes


class Died(BaseException):
    """The machine stopped; nothing of the engine may go on, so no handler for errors catches it."""


class FaultyStorage:
    """Counts the calls that change files, and dies before, inside or after one of them.

    Args:
        inner: where the files really are; its own record of what is durable decides a power cut.
        journaling: as on a file system with a journal, the next fsync of any file makes a clearing durable as well.
            Without it a clearing is undone by a power cut however long ago it was (section 13).
    """

    def __init__(self, inner: DirectoryStorage | LedgerStorage, journaling: bool = False) -> None:
        self.inner = inner
        self.journaling = journaling
        self.names: list[str] = []
        """What each call was, and to which kind of file."""
        self.left: int | None = None
        """Calls until it dies; None for never."""
        self.part = 0.0
        """How much of the bytes of the call at which it dies still gets written."""
        self._durable: dict[str, int] = {}
        """Bytes of each file that its last fsync covered."""
        self._changed_below: set[str] = set()
        """Files whose durable bytes differ from the live ones."""

    # --- what a power cut may leave ---

    def power_cut(self, chance: Random | None = None) -> set[str]:
        """Lose what is not durable; return the files in which more than the end of the last write went.

        Args:
            chance: without it, every file is as at its last fsync. With it, the disk had written some files back
                before the cut, others in part, and of some only the new length, which reads as zeros.
        """
        undone = set(self._changed_below)
        tails: list[tuple[str, bytes]] = []
        if chance is not None:
            for path in list(self.inner.paths()):
                fate = chance.choice(("lost", "kept", "torn", "torn", "zeros"))
                if fate == "kept":
                    self.inner.fsync(path)
                    undone.discard(path)
                elif fate != "lost" and path not in undone:
                    durable = self._durable.get(path, 0)
                    tail = self.inner.read_bytes(path, durable, (self.inner.size(path) or 0) - durable)
                    tail = tail[: chance.randint(0, len(tail))]
                    tails.append((path, tail if fate == "torn" else bytes(len(tail))))
        self.inner.power_cut()
        for path, tail in tails:
            if tail:
                self.inner.append(path, [RawBytes(tail)])
        self.write_back()
        return undone

    def write_back(self) -> None:
        """Make everything durable, as an operating system that lives on does in time."""
        for path in self.inner.paths():
            self.inner.fsync(path)
        self._durable = {path: self.inner.size(path) or 0 for path in self.inner.paths()}
        self._changed_below.clear()

    def contents(self, directory: str) -> dict[str, bytes]:
        """Return the bytes of the files of a directory."""
        return {
            name: self.inner.read_bytes(f"{directory}/{name}", 0, self.inner.size(f"{directory}/{name}") or 0)
            for name in self.inner.list(directory)
        }

    # --- calls that change files ---

    def _call(
        self, name: str, path: str, act: Callable[[], Any], partly: Callable[[float], Any] | None = None
    ) -> None:
        self.names.append(f"{name} {path.rpartition('.')[2]}")
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                self.left = None
                if partly is not None and self.part:
                    partly(self.part)
                raise Died
        act()

    def append(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        self._appended(path, chunks, self.inner.append)

    def append_remembered(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        self._appended(path, chunks, self.inner.append_remembered)

    def _appended(
        self, path: str, chunks: Sequence[ByteChunk], append: Callable[[str, Sequence[ByteChunk]], None]
    ) -> None:
        def partly(part: float) -> None:
            data = b"".join(chunk.encode() for chunk in chunks)
            self.inner.append(path, [RawBytes(data[: int(len(data) * part)])])

        self._call("append", path, lambda: append(path, chunks), partly)

    def create(self, path: str) -> None:
        if self._durable.get(path):
            self._changed_below.add(path)
        self._call("create", path, lambda: self.inner.create(path))

    def truncate(self, path: str, size_bytes: int) -> None:
        if size_bytes < self._durable.get(path, 0):
            self._changed_below.add(path)
        self._call("truncate", path, lambda: self.inner.truncate(path, size_bytes))

    def copy(self, source: str, offset: int, count: int, target: str) -> None:
        self._call(
            "copy",
            target,
            lambda: self.inner.copy(source, offset, count, target),
            lambda part: self.inner.copy(source, offset, int(count * part), target),
        )

    def overwrite(self, path: str, offset: int, source: str, count: int, source_offset: int = 0) -> None:
        if offset < self._durable.get(path, 0):
            self._changed_below.add(path)
        self._call(
            "overwrite",
            path,
            lambda: self.inner.overwrite(path, offset, source, count, source_offset),
            lambda part: self.inner.overwrite(path, offset, source, int(count * part), source_offset),
        )

    def fsync(self, path: str) -> None:
        self._call("fsync", path, lambda: self.inner.fsync(path))
        self._is_durable(path)
        for cleared in self._changed_below.copy() if self.journaling else ():
            if self.inner.size(cleared) == 0:
                self.inner.fsync(cleared)
                self._is_durable(cleared)

    def _is_durable(self, path: str) -> None:
        self._durable[path] = self.inner.size(path) or 0
        self._changed_below.discard(path)

    def delete(self, path: str) -> None:
        self._call("delete", path, lambda: self.inner.delete(path))
        self._forget(path)

    def rename(self, path: str, target: str) -> None:
        self._call("rename", target, lambda: self.inner.rename(path, target))
        durable = self._durable.get(path, 0)
        self._forget(path)
        self._durable[target] = durable

    def delete_directory(self, path: str) -> None:
        self._call("delete_directory", path, lambda: self.inner.delete_directory(path))
        for each in [name for name in self._durable if name.startswith(f"{path}/")]:
            self._forget(each)

    def _forget(self, path: str) -> None:
        self._durable.pop(path, None)
        self._changed_below.discard(path)

    # --- calls that do not ---

    def size(self, path: str) -> int | None:
        return self.inner.size(path)

    def read(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        return self.inner.read(path, decode)

    def read_back(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        return self.inner.read_back(path, decode)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        return self.inner.read_bytes(path, offset, count)

    def list(self, directory: str) -> Sequence[str]:
        return self.inner.list(directory)

    def used_bytes(self, folder: str = "") -> int:
        return self.inner.used_bytes(folder)
