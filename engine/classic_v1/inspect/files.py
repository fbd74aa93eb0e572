"""The files of version 1, a record at a time: journal, segments, and store files (S54, S60, S62)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from engine.classic_v1.formats.layout import find_id, find_seq, record_at, records
from engine.formats.layout import FileLayout, FileReader, FoundBytes, IndexHome, NoRecord, Read
from engine.values.inherit import override

JOURNAL: Final = "journal.jif"
BLOCK_BYTES: Final = 256 * 1024
MARK_BYTES: Final = 16
"""Room for the deliver and ack records right behind a publish record."""


class V1FileReader(FileReader):
    """See `FileReader`."""

    names = {"journal": JOURNAL, "segment": "{}.idx"}
    counts_from_file = frozenset({"segment"})

    @override
    def reads(self, name: str) -> bool:
        return name == JOURNAL or name.endswith((".idx", ".rdq"))

    @override
    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        data = read(offset, at_least + MARK_BYTES if at_least < BLOCK_BYTES else BLOCK_BYTES)
        try:
            return record_at(name, data, 0)
        except NoRecord:
            if len(data) < BLOCK_BYTES:
                raise
        # A record that is longer than most: its own size is how much must be read.
        first = next(records(name, lambda at, n: read(offset + at, n), 1 << 62), None)
        if first is None:
            raise NoRecord("no record begins here")
        return record_at(name, read(offset, first.size + MARK_BYTES), 0)

    @override
    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        return records(name, read, size)

    @override
    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        segment, rel = divmod(seq, entry_count)
        found: list[tuple[str, int, str, FoundBytes]] = []
        for kind, number, name, wanted in (
            ("segment", segment, f"{segment}.idx", rel),
            ("journal", 0, JOURNAL, seq),
        ):
            path = next((each for each in sizes if each.endswith(f"/{name}")), None)
            if path is not None:
                homes = find_seq(name, read(path), sizes[path], wanted)
                found += [(kind, number, path, each) for each in homes]
        first = next((each for each in found if each[3].kind == "publish"), None)
        if first is None:
            return None
        kind, number, path, record = first
        others = tuple(
            (_mark_kind(found, at), _label(*each[:2]), each[2], each[3].offset)
            for at, each in enumerate(found)
            if each is not first
        )
        return IndexHome(path, kind, number, record.offset, record.size, others)

    @override
    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return its other records, but for those that the layout shows with the first."""
        end = home.offset + shape.size
        return {
            "more": [
                {"kind": kind, "file": label, "offset": offset}
                for kind, label, path, offset in home.others
                if not (path == home.path and home.offset < offset < end)
            ]
        }

    @override
    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        for path, size in sizes.items():
            name = path.rpartition("/")[2]
            if name != JOURNAL and not name.endswith(".idx"):
                continue
            found = find_id(name, read(path), size, msg_id)
            if found is not None and found.number is not None:
                return found.number + (0 if name == JOURNAL else int(name[:-4]) * entry_count)
        return None


def _label(kind: str, number: int) -> str:
    return kind if kind == "journal" else f"{kind}:{number}"


def _mark_kind(found: list[tuple[str, int, str, FoundBytes]], at: int) -> str:
    """Return deliver or ack for a segment's mark: the first is the one, the second the other (S60)."""
    record = found[at][3]
    if record.kind != "mark":
        return record.kind
    return "ack" if any(each[3].kind == "mark" for each in found[:at]) else "deliver"
