"""Storage that keeps chunks instead of bytes: the same sizes and the same contents, without files."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import partial

from engine.storage.catalogue import FileCatalogue
from engine.storage.port import Decode
from engine.values.chunks import ByteChunk, ZeroBytes
from engine.values.marks import override


class _File:
    """Chunks with the offset at which each ends, and how much of them is durable."""

    __slots__ = ("chunks", "ends", "synced_bytes", "durable", "plain", "decoded")

    def __init__(self) -> None:
        self.chunks: list[ByteChunk] = []
        self.ends: list[int] = []
        self.synced_bytes: int | None = None
        """Bytes that the last fsync covered and that nothing changed since; None before the first fsync."""
        self.durable: list[ByteChunk] | None = None
        """The content at the last fsync, kept once something of it was changed."""
        self.plain = 0
        """How many chunks are bytes rather than records."""
        self.decoded: tuple[Decode, list[ByteChunk]] | None = None
        """What was made of those bytes last, until something changes: a start reads each file more than once."""

    @property
    def size(self) -> int:
        return self.ends[-1] if self.ends else 0

    def append(self, chunk: ByteChunk, size: int) -> None:
        if size:
            self.decoded = None
            self.chunks.append(chunk)
            self.ends.append(self.ends[-1] + size if self.ends else size)
            self.plain += getattr(chunk, "plain", False)

    def replace(self, chunks: Sequence[ByteChunk]) -> None:
        self.chunks, self.ends, self.plain, self.decoded = [], [], 0, None
        for chunk in chunks:
            self.append(chunk, chunk.size_bytes)

    def part(self, offset: int, count: int) -> Iterator[ByteChunk]:
        """Yield the chunks of `count` bytes at `offset`, cutting where they begin and end inside one."""
        end = offset + count
        at = bisect_right(self.ends, offset)
        while at < len(self.chunks) and offset < end:
            chunk = self.chunks[at]
            chunk_end = self.ends[at]
            begin = chunk_end - chunk.size_bytes
            yield from _between(chunk, max(0, offset - begin), min(end, chunk_end) - begin)
            offset = chunk_end
            at += 1

    def truncate(self, size: int) -> None:
        """Cut the content to `size` bytes, at most what there is."""
        self.decoded = None
        at = bisect_right(self.ends, size)
        if at < len(self.chunks):
            begin = self.ends[at - 1] if at else 0
            kept = self.chunks[at].cut(size - begin)[0] if size > begin else ()
            for chunk in self.chunks[at:]:
                self.plain -= getattr(chunk, "plain", False)
            del self.chunks[at:], self.ends[at:]
            for chunk in kept:
                self.append(chunk, chunk.size_bytes)

    def about_to_change(self, from_offset: int) -> None:
        """Keep the durable content when bytes from `from_offset` on will differ from it."""
        if self.durable is None and self.synced_bytes is not None and from_offset < self.synced_bytes:
            self.durable = list(self.part(0, self.synced_bytes))

    def splice(self, offset: int, chunks: Sequence[ByteChunk]) -> None:
        """Put chunks in place of what lies at an offset; it is not past the end."""
        if offset == self.size:
            for chunk in chunks:
                self.append(chunk, chunk.size_bytes)
            return
        self.decoded = None
        first = bisect_right(self.ends, offset)
        begin = self.ends[first - 1] if first else 0
        end = offset + sum(chunk.size_bytes for chunk in chunks)
        last = min(bisect_left(self.ends, end), len(self.chunks) - 1)
        upto = self.ends[last]
        new = [*self.part(begin, offset - begin), *chunks]
        if end < upto:
            new.extend(self.part(end, upto - end))
        ends = []
        at = begin
        for chunk in new:
            at += chunk.size_bytes
            ends.append(at)
        for chunk in self.chunks[first : last + 1]:
            self.plain -= getattr(chunk, "plain", False)
        for chunk in new:
            self.plain += getattr(chunk, "plain", False)
        self.chunks[first : last + 1] = new
        self.ends[first : last + 1] = ends

    def fsync(self) -> None:
        self.synced_bytes = self.size
        self.durable = None


def _between(chunk: ByteChunk, begin: int, end: int) -> Iterator[ByteChunk]:
    """Yield what lies from one offset of a chunk to another."""
    if begin == 0 and end == chunk.size_bytes:
        yield chunk
        return
    between = getattr(chunk, "between", None)
    if between is not None:
        yield from between(begin, end)
        return
    pieces = chunk.cut(end)[0] if end < chunk.size_bytes else (chunk,)
    for piece, skip in _with_skips(pieces, begin):
        yield from piece.cut(skip)[1] if skip else (piece,)


def _with_skips(pieces: Sequence[ByteChunk], skip: int) -> Iterator[tuple[ByteChunk, int]]:
    """Yield the pieces after the first `skip` bytes, the first of them with what to cut off its front."""
    for piece in pieces:
        size = piece.size_bytes
        if skip < size:
            yield piece, skip
            skip = 0
        else:
            skip -= size


def _is_same(one: Decode, other: Decode) -> bool:
    """Return whether two decoders make the same of the same bytes, as far as they say so."""
    return (
        isinstance(one, partial)
        and isinstance(other, partial)
        and one.func is other.func
        and one.args == other.args
        and one.keywords == other.keywords
    )


class LedgerStorage(FileCatalogue[_File]):
    """Files of one node as lists of chunks."""

    @override
    def append(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        sizes = [chunk.size_bytes for chunk in chunks]
        size = sum(sizes)
        self._claim(path, size)
        file = self._files.get(path) or self._new(path)
        for chunk, each in zip(chunks, sizes, strict=True):
            file.append(chunk, each)
        self._used += size

    @override
    def write(self, path: str, offset: int, chunks: Sequence[ByteChunk]) -> None:
        file = self._files.get(path)
        before = file.size if file else 0
        grown = max(0, offset + sum(chunk.size_bytes for chunk in chunks) - before)
        self._claim(path, grown)
        file = file or self._new(path)
        file.about_to_change(offset)
        if offset > before:
            file.append(ZeroBytes(offset - before), offset - before)
        file.splice(offset, [chunk for chunk in chunks if chunk.size_bytes])
        self._used += grown

    @override
    def read(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        """Return the chunks of the whole file; where they are not all records, what `decode` makes of the bytes."""
        file = self._files.get(path)
        if file is None:
            return []
        if not file.plain:
            return list(file.chunks)
        if file.decoded is None or not _is_same(file.decoded[0], decode):
            file.decoded = decode, list(decode(_encoded(file.chunks)))
        return list(file.decoded[1])

    @override
    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        return _encoded(self._existing(path).part(offset, count))

    @override
    def part(self, path: str, offset: int, count: int) -> Sequence[ByteChunk]:
        return list(self._existing(path).part(offset, count))

    @override
    def truncate(self, path: str, size_bytes: int) -> None:
        file = self._existing(path)
        grown = size_bytes - file.size
        if grown > 0:
            self._claim(path, grown)
            file.append(ZeroBytes(grown), grown)
        else:
            file.about_to_change(size_bytes)
            file.truncate(size_bytes)
        self._used += grown

    @override
    def copy(self, source: str, offset: int, count: int, target: str) -> None:
        self.append(target, list(self._existing(source).part(offset, count)))

    @override
    def overwrite(self, path: str, offset: int, source: str, count: int, source_offset: int = 0) -> None:
        file, other = self._existing(path), self._existing(source)
        if offset + count > file.size or source_offset + count > other.size:
            raise ValueError(
                f"{count} bytes at {offset} of {path} or {source_offset} of {source} are outside"
            )
        file.about_to_change(offset)
        tail_at = offset + count
        content = [
            *file.part(0, offset),
            *other.part(source_offset, count),
            *file.part(tail_at, file.size - tail_at),
        ]
        file.replace(content)

    @override
    def fsync(self, path: str) -> None:
        self._existing(path).fsync()

    @override
    def delete(self, path: str) -> None:
        file = self._files.pop(path, None)
        if file is not None:
            self._tree.remove(path)
            self._used -= file.size

    @override
    def rename(self, path: str, target: str) -> None:
        file = self._existing(path)
        if target == path:
            return
        if target not in self._files:
            self._tree.add(target)
        else:
            self._used -= self._files[target].size
        self._tree.remove(path)
        del self._files[path]
        self._files[target] = file

    @override
    def delete_directory(self, path: str) -> None:
        for name in self._tree.below(path):
            self.delete(name)

    @override
    def power_cut(self) -> None:
        for path, file in list(self._files.items()):
            if file.synced_bytes is None:
                del self._files[path]
                self._tree.remove(path)
            else:
                file.replace(list(file.part(0, file.synced_bytes)) if file.durable is None else file.durable)
                file.fsync()
        self._used = sum(file.size for file in self._files.values())

    def _new(self, path: str) -> _File:
        self._tree.add(path)
        file = self._files[path] = _File()
        return file


def _encoded(chunks: Sequence[ByteChunk] | Iterator[ByteChunk]) -> bytes:
    return b"".join(chunk.encode() for chunk in chunks)
