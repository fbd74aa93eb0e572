"""Records in the files that a queue of version 2 has for itself: slots of `.qi`, entries of `.qs` (W81, W83, W112)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from engine.classic_v2.formats.header import HEADER_BYTES, INDEX_MAGIC, read_header
from engine.classic_v2.formats.layout import body_place, entry_layout, header_layout, slot_layout
from engine.classic_v2.formats.qi import SLOT_BYTES, Location
from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.formats.layout.field import Layout, NoRecord

Read = Callable[[int, int], bytes]
"""Some bytes of a file: (offset, count)."""
BLOCK_SLOTS = 8192


class SlotPlace(msgspec.Struct, frozen=True):
    """Where the slot of a message is: its file, the segment's number and first position, and the slot's offset."""

    path: str
    segment: int
    first: int
    offset: int


def slot_of(paths: Iterable[str], read: Callable[[str], Read], seq: int) -> SlotPlace | None:
    """Return where the slot of a message is, None where no index file has room for it.

    Args:
        paths: the files of the queue.
        read: gives a file's bytes.
        seq: the seq_id.
    """
    indexes = [path for path in paths if path.endswith(".qi")]
    for path in indexes:
        header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC)
        if header is None or header.end <= header.first:
            continue
        count = header.end - header.first  # the same in all of them: the release does not let it change (W3)
        segment, rel = divmod(seq, count)
        wanted = f"{path.rpartition('/')[0]}/{segment}.qi"
        if wanted not in indexes:
            return None
        return SlotPlace(wanted, segment, segment * count, HEADER_BYTES + rel * SLOT_BYTES)
    return None


def layout_at(path: str, read: Read, offset: int) -> Layout:
    """Return the slot or the entry at an offset of a file; at 0 its header.

    Args:
        path: of a `.qi` or `.qs` file.
        read: gives its bytes.
        offset: of the first byte.

    Raises:
        NoRecord: none begins there.
    """
    if offset == 0:
        return header_layout(read(0, HEADER_BYTES))
    if path.endswith(".qi"):
        rel, inside = divmod(offset - HEADER_BYTES, SLOT_BYTES)
        if rel < 0 or inside:
            raise NoRecord("no slot begins there (W81)")
        return slot_layout(read(offset, SLOT_BYTES), rel)
    size = int.from_bytes(read(offset, 4), "big")
    return entry_layout(read(offset, ENTRY_HEADER_BYTES + size))


def body_of(slot: SlotPlace, read: Read) -> dict[str, int | str] | None:
    """Return the place in `.qs` that a slot names, as a question for the entry there; None where it names none."""
    place = body_place(read(slot.offset, SLOT_BYTES))
    return None if place is None else {"file": f"bodies:{slot.segment}", "offset": place[0]}


def seq_with_id(sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes) -> int | None:
    """Return the seq_id of the live slot that names a body of the shared store, or None.

    Args:
        sizes: the files of the queue, with their bytes.
        read: gives a file's bytes.
        msg_id: the 16 bytes.
    """
    for path, size in sizes.items():
        header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC) if path.endswith(".qi") else None
        if header is None:
            continue
        for at in range(HEADER_BYTES, size, BLOCK_SLOTS * SLOT_BYTES):
            rel = _slot_with_id(read(path)(at, BLOCK_SLOTS * SLOT_BYTES), msg_id)
            if rel is not None:
                return header.first + (at - HEADER_BYTES) // SLOT_BYTES + rel
    return None


def _slot_with_id(data: bytes, msg_id: bytes) -> int | None:
    """Return the number of the slot in some slots that names an id."""
    at = data.find(msg_id)
    while at >= 0:
        rel, inside = divmod(at, SLOT_BYTES)
        if inside == 4 and data[at - 4] == 1 and data[at - 1] == Location.SHARED:
            return rel
        at = data.find(msg_id, at + 1)
    return None
