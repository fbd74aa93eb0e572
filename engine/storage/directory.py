"""Storage in a real directory. The only module of the engine that touches the operating system."""

from __future__ import annotations

import errno
import os
import shutil
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zlib import crc32

from engine.storage.catalogue import HIDDEN, FileCatalogue, checked
from engine.storage.port import Decode
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.errors import StorageFull
from engine.values.marks import override

MOST_CHUNKS: Final = 500_000
"""Chunks that are kept in memory, of all files together: about 60 MB."""


class _Known:
    """What a file got since it was new."""

    __slots__ = ("checksum", "chunks", "size")

    def __init__(self) -> None:
        self.chunks: list[ByteChunk] = []
        self.checksum = 0
        self.size = 0


class RememberedFiles:
    """The chunks of some files, for as long as these hold just their bytes. Nobody needs to say that a file
    changed: its length and the checksum of its bytes tell it.
    """

    def __init__(self) -> None:
        self._files: dict[str, _Known] = {}
        self._chunks = 0

    def appended(self, path: str, at: int, chunks: Sequence[ByteChunk], data: bytes) -> None:
        """Note that a file got chunks at its end, where that is known from its beginning on. `at`: its length
        in bytes before. `data`: their bytes.
        """
        known = self._files.get(path)
        if known is None or not at:
            self.forget(path)
            known = self._files[path] = _Known()
        if known.size != at or self._chunks + len(chunks) > MOST_CHUNKS:
            self.forget(path)
            return
        known.chunks += chunks
        known.checksum = crc32(data, known.checksum)
        known.size += len(data)
        self._chunks += len(chunks)

    def chunks_of(self, path: str, data: bytes) -> Sequence[ByteChunk] | None:
        """Return what was appended to a file, None where its bytes are not known to be that."""
        known = self._files.get(path)
        if known is None or known.size != len(data) or known.checksum != crc32(data):
            return None
        return list(known.chunks)

    def forget(self, path: str) -> None:
        """Forget a file: it is gone, or something else than an append changed it."""
        known = self._files.pop(path, None)
        if known is not None:
            self._chunks -= len(known.chunks)


OPEN_FILES: Final = 16
BLOCK_BYTES: Final = 1024 * 1024
KEPT: Final = ("_files", "_tree", "_max_bytes", "_used", "_root", "_fsync", "_copies")
"""What a checkpoint has of a storage: all but the open files, and what is remembered of others."""


class _File:
    """What is known of one file without asking the operating system."""

    __slots__ = ("durable", "size", "synced_bytes")

    def __init__(self, size: int = 0, synced_bytes: int | None = None) -> None:
        self.size = size
        self.synced_bytes = synced_bytes
        """Bytes that the last fsync covered and that nothing changed since; None before the first fsync."""
        self.durable: Path | None = None
        """A copy of the content at the last fsync, made once something of it was changed."""


class DirectoryStorage(FileCatalogue[_File]):
    """Files of one node below a directory that nobody else writes to.

    Removing and renaming count as durable at once; everything else is durable from the next fsync on (S11, S234).

    Args:
        root: the directory; made with the first file, in a directory that exists. What is in it already counts as
            durable.
        max_bytes: bound of all files together; None for none.
        fsync: whether to wait for the disk; without it a simulated power cut still spares what an fsync covered.
    """

    def __init__(self, root: str, max_bytes: int | None = None, *, fsync: bool = True) -> None:
        self._open: OrderedDict[str, tuple[int, bool]] = OrderedDict()
        super().__init__(max_bytes)
        self._root = Path(root).absolute()
        self._fsync = fsync
        self._copies = 0
        self._remembered = RememberedFiles()
        self._scan("")
        self._used = sum(file.size for file in self._files.values())

    @override
    def append(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        self._append(path, chunks)

    @override
    def append_remembered(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        at = self.size(path) or 0
        self._remembered.appended(path, at, chunks, self._append(path, chunks))

    @override
    def write(self, path: str, offset: int, chunks: Sequence[ByteChunk]) -> None:
        file = self._files.get(path)
        data = b"".join([chunk.encode() for chunk in chunks])
        self._claim(path, max(0, offset + len(data) - (file.size if file else 0)))
        file = file or self._new(path)
        self._about_to_change(path, file, offset)
        self._write(path, file, offset, data)

    @override
    def read(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        file = self._files.get(path)
        return [] if file is None else decode(self.read_bytes(path, 0, file.size))

    @override
    def read_back(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        file = self._files.get(path)
        if file is None:
            return []
        data = self.read_bytes(path, 0, file.size)
        known = self._remembered.chunks_of(path, data)
        return decode(data) if known is None else known

    @override
    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        file = self._existing(path)
        left = min(count, file.size - offset)
        if left <= 0:
            return b""
        handle = self._handle(path)
        data = os.pread(handle, left, offset)
        while len(data) < left:
            more = os.pread(handle, left - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    @override
    def part(self, path: str, offset: int, count: int) -> Sequence[ByteChunk]:
        data = self.read_bytes(path, offset, count)
        return [RawBytes(data)] if data else []

    @override
    def truncate(self, path: str, size_bytes: int) -> None:
        file = self._existing(path)
        if not size_bytes:
            self._set_aside(path, file)
        grown = size_bytes - file.size
        if grown > 0:
            self._claim(path, grown)
        else:
            self._about_to_change(path, file, size_bytes)
        if grown:
            os.ftruncate(self._handle(path, write=True), size_bytes)
            file.size = size_bytes
            self._used += grown

    @override
    def copy(self, source: str, offset: int, count: int, target: str) -> None:
        end = min(self._existing(source).size, offset + count)
        self._claim(target, max(0, end - offset))
        file = self._files.get(target) or self._new(target)
        while offset < end:
            data = self.read_bytes(source, offset, min(BLOCK_BYTES, end - offset))
            self._write(target, file, file.size, data)
            offset += len(data)

    @override
    def overwrite(self, path: str, offset: int, source: str, count: int, source_offset: int = 0) -> None:
        file, other = self._existing(path), self._existing(source)
        if offset + count > file.size or source_offset + count > other.size:
            raise ValueError(
                f"{count} bytes are not inside {path} at {offset} and {source} at {source_offset}"
            )
        if not count:
            return
        self._about_to_change(path, file, offset)
        block = count if path == source else BLOCK_BYTES
        for at in range(0, count, block):
            data = self.read_bytes(source, source_offset + at, min(block, count - at))
            self._write(path, file, offset + at, data)

    @override
    def fsync(self, path: str) -> None:
        file = self._existing(path)
        if self._fsync:
            os.fsync(self._handle(path, write=True))
        file.synced_bytes = file.size
        self._forget_copy(file)

    @override
    def delete(self, path: str) -> None:
        file = self._files.get(path)
        if file is not None:
            self._close(path)
            self._forget_copy(file)
            self._remembered.forget(path)
            self._place(path).unlink(missing_ok=True)
            self._tree.remove(path)
            del self._files[path]
            self._used -= file.size

    @override
    def rename(self, path: str, target: str) -> None:
        file = self._existing(path)
        if target == path:
            return
        replaced = self._files.get(target)
        if replaced is None:
            self._tree.add(target)
        else:
            self._close(target)
            self._forget_copy(replaced)
            self._used -= replaced.size
        self._close(path)
        self._make_room(target)
        self._place(path).replace(self._place(target))
        self._tree.remove(path)
        del self._files[path]
        self._files[target] = file

    @override
    def delete_directory(self, path: str) -> None:
        for name in self._tree.below(path):
            self.delete(name)
        place = self._place(checked(path))
        if path not in self._files and place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)

    @override
    def power_cut(self) -> None:
        for path, file in list(self._files.items()):
            if file.synced_bytes is None:
                self.delete(path)
            elif file.durable is not None:
                self._close(path)
                file.durable.replace(self._place(path))
                file.durable = None
                file.size = self._place(path).stat().st_size
            elif file.size != file.synced_bytes:
                os.ftruncate(self._handle(path, write=True), file.synced_bytes)
                file.size = file.synced_bytes
            if file.synced_bytes is not None:
                file.synced_bytes = file.size
        self._used = sum(file.size for file in self._files.values())

    def close(self) -> None:
        """Close the files; the storage can still be used and opens them again."""
        for path in list(self._open):
            self._close(path)

    def __del__(self) -> None:
        """Close the files, which nobody can use any more."""
        self.close()

    def __getstate__(self) -> dict[str, object]:
        """Return what a checkpoint of the run has; a compiled object has no dictionary of its attributes."""
        return {name: getattr(self, name) for name in KEPT}

    def __setstate__(self, state: dict[str, object]) -> None:
        """Be as at the checkpoint; `moved` is where the files are now."""
        for name in KEPT:
            setattr(self, name, state[name])
        self._open = OrderedDict()
        self._remembered = RememberedFiles()

    def moved(self, root: str) -> None:
        """Note that the directory with everything in it lies at `root` now."""
        before, self._root = self._root, Path(root).absolute()
        for file in self._files.values():
            if file.durable is not None:
                file.durable = self._root / file.durable.relative_to(before)

    # --- underneath ---
    def _place(self, path: str) -> Path:
        return self._root / path

    def _scan(self, inside: str) -> None:
        """Enter the files that are there; links and special files are none."""
        place = self._place(inside)
        if not place.is_dir():
            return
        with os.scandir(place) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                path = f"{inside}/{entry.name}" if inside else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if path != HIDDEN:
                        self._scan(path)
                elif entry.is_file(follow_symlinks=False):
                    self._tree.add(path)
                    size = entry.stat(follow_symlinks=False).st_size
                    self._files[path] = _File(size, size)

    def _make_room(self, path: str) -> None:
        """Make the file's directory, and remove an empty directory that is in its place."""
        place = self._place(path)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        self._make_directory(place.parent)

    def _make_directory(self, place: Path) -> None:
        """Make a directory below the root, and the root; never what the root lies in, which its owner removed."""
        self._root.mkdir(exist_ok=True)
        place.mkdir(parents=True, exist_ok=True)

    def _new(self, path: str) -> _File:
        self._tree.add(path)
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        place = self._place(path)
        try:
            handle = os.open(place, flags, 0o640)
        except (FileNotFoundError, IsADirectoryError):  # seldom, so it is not asked before each file
            self._make_room(path)
            handle = os.open(place, flags, 0o640)
        self._keep(path, handle, True)
        file = self._files[path] = _File()
        return file

    def _handle(self, path: str, write: bool = False) -> int:
        held = self._open.get(path)
        if held is not None:
            if held[1] or not write:
                self._open.move_to_end(path)
                return held[0]
            self._close(path)
        flags = (os.O_RDWR if write else os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(self._place(path), flags)
        self._keep(path, handle, write)
        return handle

    def _keep(self, path: str, handle: int, write: bool) -> None:
        while len(self._open) >= OPEN_FILES:
            os.close(self._open.popitem(last=False)[1][0])
        self._open[path] = (handle, write)

    def _append(self, path: str, chunks: Sequence[ByteChunk]) -> bytes:
        self._claim(path, sum(chunk.size_bytes for chunk in chunks))
        file = self._files.get(path) or self._new(path)
        data = chunks[0].encode() if len(chunks) == 1 else b"".join([chunk.encode() for chunk in chunks])
        self._write(path, file, file.size, data)
        return data

    def _close(self, path: str) -> None:
        held = self._open.pop(path, None)
        if held is not None:
            os.close(held[0])

    def _write(self, path: str, file: _File, offset: int, data: bytes) -> None:
        """Write at an offset; a full disk leaves the file as long as it was."""
        handle = self._handle(path, write=True)
        try:
            done = os.pwrite(handle, data, offset) if data else 0
            while done < len(data):
                done += os.pwrite(handle, memoryview(data)[done:], offset + done)
        except OSError as error:
            os.ftruncate(handle, file.size)
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise StorageFull(path, self._used + len(data), self._used) from error
            raise
        grown = max(0, offset + len(data) - file.size)
        file.size += grown
        self._used += grown

    def _about_to_change(self, path: str, file: _File, from_offset: int) -> None:
        """Keep the durable content when bytes from `from_offset` on will differ from it."""
        if file.durable is not None or file.synced_bytes is None or from_offset >= file.synced_bytes:
            return
        kept = self._new_copy()
        with kept.open("wb") as copy:
            for at in range(0, file.synced_bytes, BLOCK_BYTES):
                copy.write(self.read_bytes(path, at, min(BLOCK_BYTES, file.synced_bytes - at)))
        file.durable = kept

    def _set_aside(self, path: str, file: _File) -> None:
        """Put an empty file in the place of one whose durable content must be kept, without copying it (S26)."""
        if file.durable is not None or not file.synced_bytes:
            return
        if file.size > file.synced_bytes:
            os.ftruncate(self._handle(path, write=True), file.synced_bytes)
        self._close(path)
        file.durable = self._new_copy()
        place = self._place(path)
        place.replace(file.durable)
        place.touch(0o640)
        self._used -= file.size
        file.size = 0

    def _new_copy(self) -> Path:
        hidden = self._root / HIDDEN
        if not self._copies:
            shutil.rmtree(hidden, ignore_errors=True)
            self._make_directory(hidden)
        self._copies += 1
        return hidden / str(self._copies)

    def _forget_copy(self, file: _File) -> None:
        if file.durable is not None:
            file.durable.unlink(missing_ok=True)
            file.durable = None
