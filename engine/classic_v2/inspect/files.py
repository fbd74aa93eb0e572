"""The files that a queue of version 2 has for itself: slots of `.qi`, entries of `.qs` (W81, W83, W112)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from engine.classic_v2.formats.layout import body_place, entry_layout, header_layout, slot_layout
from engine.classic_v2.formats.qi import HEADER_BYTES, INDEX_MAGIC, SLOT_BYTES, BodyLocation, read_header
from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.formats.layout import FileLayout, FileReader, FoundBytes, IndexHome, NoRecord, Read
from engine.values.inherit import override

BLOCK_SLOTS: Final = 8192


class V2FileReader(FileReader):
    """See `FileReader`."""

    names = {"slots": "{}.qi", "bodies": "{}.qs"}
    counts_from_file = frozenset()

    @override
    def reads(self, name: str) -> bool:
        return name.endswith((".qi", ".qs"))

    @override
    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        """Return the slot or the entry at an offset of a file; at 0 its header."""
        if offset == 0:
            return header_layout(read(0, HEADER_BYTES))
        if name.endswith(".qi"):
            rel, inside = divmod(offset - HEADER_BYTES, SLOT_BYTES)
            if rel < 0 or inside:
                raise NoRecord("no slot begins there (W81)")
            return slot_layout(read(offset, SLOT_BYTES), rel)
        size = int.from_bytes(read(offset, 4), "big")
        return entry_layout(read(offset, ENTRY_HEADER_BYTES + size))

    @override
    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        raise NoRecord(f"{name} has slots or entries, which are not listed")

    @override
    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        """Return the slot; the files say how many a segment has, as the release does not let it change (W3)."""
        for path in sizes:
            header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC) if path.endswith(".qi") else None
            if header is None or header.end <= header.first:
                continue
            segment, rel = divmod(seq, header.end - header.first)
            wanted = f"{path.rpartition('/')[0]}/{segment}.qi"
            if wanted not in sizes:
                return None
            offset = HEADER_BYTES + rel * SLOT_BYTES
            return (
                None
                if _is_empty(read(wanted), offset, rel)
                else IndexHome(wanted, "slots", segment, offset, SLOT_BYTES)
            )
        return None

    @override
    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return the seq_id, and the place in `.qs` that the slot names, as a question for the entry there."""
        place = body_place(read(home.path)(home.offset, SLOT_BYTES))
        body = None if place is None else {"file": f"bodies:{home.number}", "offset": place[0]}
        return {"seq": seq, "body": body}

    @override
    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        """Return the seq_id of the live slot that names a body of the shared store."""
        for path, size in sizes.items():
            header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC) if path.endswith(".qi") else None
            if header is None:
                continue
            for at in range(HEADER_BYTES, size, BLOCK_SLOTS * SLOT_BYTES):
                rel = _slot_with_id(read(path)(at, BLOCK_SLOTS * SLOT_BYTES), msg_id)
                if rel is not None:
                    return header.first + (at - HEADER_BYTES) // SLOT_BYTES + rel
        return None


def _is_empty(read: Read, offset: int, rel: int) -> bool:
    """Return whether a slot has no message, and never had one; one that is not whole is for the reader to refuse."""
    try:
        shape = slot_layout(read(offset, SLOT_BYTES), rel)
    except NoRecord:
        return False
    return shape.kind == "empty" and len(shape.fields) == 1


def _slot_with_id(data: bytes, msg_id: bytes) -> int | None:
    """Return the number of the slot in some slots that names an id."""
    at = data.find(msg_id)
    while at >= 0:
        rel, inside = divmod(at, SLOT_BYTES)
        if inside == 4 and data[at - 4] == 1 and data[at - 1] == BodyLocation.SHARED:
            return rel
        at = data.find(msg_id, at + 1)
    return None
