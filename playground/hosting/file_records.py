"""The real files of a session: single records field by field, and whole files to download."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any, Final, Self

from engine.amqp.arguments import MAX_PRIORITY
from engine.broker.commands.settings import segment_entries
from engine.formats.layout import FileLayout, NoRecord, Read
from engine.formats.names import (
    priority_resource,
    queue_directory,
    vhost_directory,
)
from engine.generations import FILE_READERS, file_reader
from engine.values.errors import FileMissing
from engine.values.labels import bare, host_of, queue_of


class NotThere(LookupError):
    """There is no such record. `reason` is one of "asleep", "no_file", "waiting", "absent", "no_record"; for a past
    moment also "future", "too_long" and "busy".
    """

    def __init__(self, reason: str, **numbers: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.numbers = numbers


def wanted(file: str) -> tuple[str, int] | None:
    """Return kind and number of a file such as "segment:3" or "journal", or None if it is not one."""
    if file == "journal":
        return "journal", 0
    found = re.fullmatch(r"(segment|slots|bodies|persistent|transient):([0-9]{1,12})", file)
    return (found[1], int(found[2])) if found else None


BODY_SHOWN: Final = 512
"""Most bytes of a body in one answer; for a longer body the answer gives the length of the rest."""
BLOCK_BYTES: Final = 256 * 1024
OWN_FILES: Final = {kind: name for reader in FILE_READERS for kind, name in reader.names.items()}
"""Files of a single queue, by the kind of their records."""
OWN_NAMES: Final = re.compile(
    "|".join(re.escape(name).replace(r"\{\}", r"\d+") for name in OWN_FILES.values())
)


class RecordReader:
    """The files of one session as they are now, for one question. `scenario`: of the session, in full. A queue is
    named as the node calls it, with its virtual host (engine.values.labels).
    """

    def __init__(self, storage: Any, scenario: dict[str, Any]) -> None:
        self._storage = storage
        self._scenario = scenario
        self.sizes = {path: self._storage.size(path) or 0 for path in self._storage.paths()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._storage.close()

    # --- single records ---

    def record(
        self, kind: str, number: int, offset: int, queue: str = "", *, whose: bool = False
    ) -> dict[str, Any]:
        """Return the record at an offset of a file.

        Args:
            kind: "journal" or "segment" (version 1), "slots" or "bodies" (version 2), "persistent" or "transient".
            number: of the segment or store file.
            offset: of the record's first byte.
            queue: the queue of the journal or segment, or of the store's virtual host; the first queue if empty.
            whose: whether to find the seq_id of a record that has none, in the queue's index.

        Raises:
            NotThere: there is no such record now.
        """
        path = self._path(kind, number, queue)
        size = self._size(path)
        if offset >= size:
            raise NotThere("waiting", offset=offset, size=size)
        try:
            found = self._fields_of(path, offset, self._layout(path, offset, size - offset), kind, number)
        except NoRecord as error:
            raise NotThere("no_record", offset=offset, size=size) from error
        if whose and found["seq"] is None and found["msg_id"]:
            found["seq"] = self._seq_of(bytes.fromhex(found["msg_id"]), queue)
        return found

    def message(self, seq: int, queue: str = "") -> dict[str, Any]:
        """Return a message's index record (in version 2 its slot, W83), and where its other records are. `queue`: its
        queue; the first one if empty. Raises NotThere: the index files have none now.
        """
        own = {path: self.sizes[path] for path in self._files_of(queue)}
        count = self._entry_count()
        homes = ((each, each.home(own, self._reader, seq, count)) for each in FILE_READERS)
        home = None
        try:
            reader, home = next(((each, found) for each, found in homes if found is not None), (None, None))
            if not self.sizes:
                raise NotThere("asleep")
            if reader is None or home is None:
                raise NotThere("absent", seq=seq)
            shape = self._layout(home.path, home.offset, home.size)
            found = self._fields_of(home.path, home.offset, shape, home.kind, home.number)
            return found | reader.about(home, shape, self._reader, seq)
        except NoRecord as error:  # the engine writes the file at this moment, or has not yet
            if home is None:
                raise NotThere("absent", seq=seq) from error
            raise NotThere("waiting", offset=home.offset, size=self.sizes[home.path]) from error

    def _seq_of(self, msg_id: bytes, queue: str) -> int | None:
        """Return the seq_id that a message has in a queue's index, or None. `msg_id`: the 16 bytes."""
        own = {path: self.sizes[path] for path in self._files_of(queue)}
        count = self._entry_count()
        seqs = (each.seq_with_id(own, self._reader, msg_id, count) for each in FILE_READERS)
        try:
            return next((seq for seq in seqs if seq is not None), None)
        except NoRecord:  # the engine writes the file at this moment
            return None

    def _layout(self, path: str, offset: int, at_least: int) -> FileLayout:
        name = _name(path)
        return file_reader(name).layout_at(name, self._reader(path), offset, at_least)

    def _fields_of(self, path: str, offset: int, shape: FileLayout, kind: str, number: int) -> dict[str, Any]:
        data = self._reader(path)(offset, shape.size)
        room = BODY_SHOWN
        shown: list[bytes] = []
        fields = []
        for field in shape.fields:
            count = field.length
            if field.part == "body":
                count = min(count, room)
                room -= count
            elif count > BODY_SHOWN:
                count = BODY_SHOWN
            shown.append(data[field.offset : field.offset + count])
            fields.append(
                {
                    "name": field.name,
                    "part": field.part,
                    "offset": field.offset,
                    "length": field.length,
                    "shown": count,
                    "value": field.value,
                    "rule": field.rule,
                    "depth": field.depth,
                    "bits": [[bit.name, bit.high, bit.low, bit.value, bit.words] for bit in field.bits],
                }
            )
        seq = shape.number
        if seq is not None and any(kind in each.counts_from_file for each in FILE_READERS):
            seq += number * self._entry_count()
        return {
            "path": path,
            "file": kind if kind == "journal" else f"{kind}:{number}",
            "name": _name(path),
            "kind": shape.kind,
            "offset": offset,
            "size": shape.size,
            "file_size": self.sizes[path],
            "seq": seq,
            "msg_id": shape.msg_id.hex() if shape.msg_id else None,
            "embedded": shape.embedded_bytes,
            "hex": b"".join(shown).hex(),
            "fields": fields,
        }

    def _vhost(self, queue: str) -> str | None:
        folder = vhost_directory(host_of(queue))
        ends = (f"/{folder}/.config", f"/{folder}/.vhost")
        return next((_folder(path) for path in self.sizes if path.endswith(ends)), None)

    def _directory(self, queue: str) -> str | None:
        """Return the directory of a queue's index; without a name, of the first queue. None if there is none."""
        folders = {
            _name(folder): folder
            for path in self.sizes
            if _is_queues(path) and path.startswith(f"{self._vhost(queue)}/")
            for folder in (_folder(path),)
        }
        if not bare(queue):
            return next(iter(folders.values()), None)
        return next((folders[each] for each in _hashes_of(queue) if each in folders), None)

    def _files_of(self, queue: str) -> list[str]:
        directory = self._directory(queue)
        return [path for path in self.sizes if _folder(path) == directory]

    def _path(self, kind: str, number: int, queue: str = "") -> str:
        if kind in OWN_FILES:
            return f"{self._directory(queue)}/{OWN_FILES[kind].format(number)}"
        return f"{self._vhost(queue)}/msg_store_{kind}/{number}.rdq"

    def _size(self, path: str) -> int:
        if not self.sizes:
            raise NotThere("asleep")
        if path not in self.sizes:
            raise NotThere("no_file")
        return self.sizes[path]

    def _reader(self, path: str) -> Read:
        return lambda offset, count: self._storage.read_bytes(path, offset, count)

    def _entry_count(self) -> int:
        """Return the entries of a segment: 3.8.9 leaves no `.config` that would tell."""
        return segment_entries(self._scenario["profile"], self._scenario["settings"])

    # --- to take away ---

    def blocks(self, path: str) -> Iterator[bytes]:
        """Yield one file up to the length that it had when reading began. `path`: as `sizes` has it. Raises
        FileMissing: there is no such file.
        """
        if path not in self.sizes:
            raise FileMissing(path)
        left, at = self.sizes[path], 0
        while left > 0:
            data = self._storage.read_bytes(path, at, min(BLOCK_BYTES, left))
            if not data:
                return
            yield data
            at += len(data)
            left -= len(data)

    def archive(self) -> Iterator[bytes]:
        """Yield a zip of all files in pieces, each file up to its length when reading began. Files that the
        engine deletes meanwhile are left out.
        """
        sink = _Sink()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for path in self.sizes:
                try:
                    blocks = self.blocks(path)
                    first = next(blocks, b"")
                except (FileMissing, OSError):
                    continue
                with packed.open(zipfile.ZipInfo(path), "w") as member:
                    member.write(first)
                    yield sink.take()
                    try:
                        for block in blocks:
                            member.write(block)
                            yield sink.take()
                    except (FileMissing, OSError):
                        pass  # it ends where it was read last
        yield sink.take()


class _Sink(io.RawIOBase):
    """A write-only file whose contents are fetched in pieces."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: Any, /) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def flush(self) -> None:
        """Do nothing: there is nowhere to flush to."""

    def take(self) -> bytes:
        """Return what was written since the last call."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _hashes_of(queue: str) -> Iterator[str]:
    """Yield the names that a queue's directory may have: of `orders:5` itself, and of one priority of `orders`."""
    vhost, name = host_of(queue), bare(queue_of(queue))
    yield queue_directory(vhost, name)
    part = re.fullmatch(r"(.*):([0-9]{1,3})", name, re.DOTALL)
    if part is not None and int(part[2]) <= MAX_PRIORITY:
        yield queue_directory(vhost, priority_resource(part[1], int(part[2])))


def _is_queues(path: str) -> bool:
    return _name(path) == ".queue_name" or OWN_NAMES.fullmatch(_name(path)) is not None
