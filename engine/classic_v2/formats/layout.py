"""Slots of `.qi` and entries of `.qs`, field by field (W82-W84, W112)."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from engine.classic_v2.formats.qi import HEADER_BYTES, SLOT_BYTES, BodyLocation, read_header
from engine.classic_v2.formats.qs import ENTRY, ENTRY_HEADER_BYTES
from engine.formats.layout import FieldBits, FileField, FileLayout, NoRecord, term_fields

_LOCATIONS: Final = {
    BodyLocation.MEMORY: "0: no body on disk",
    BodyLocation.SHARED: "1: the body is in the shared store",
    BodyLocation.QUEUE: "2: the body is in the queue's .qs file",
}
_HEADER_PARTS: Final = (
    ("magic", 0, 4),
    ("version", 4, 1),
    ("first seq_id", 5, 8),
    ("seq_id behind the segment", 13, 8),
    ("unused", 21, 43),
)


def header_layout(data: bytes) -> FileLayout:
    """Return the 64 bytes with which a `.qi` or `.qs` file begins (W82, W110). `data`: the file's beginning.
    Raises NoRecord: it is no such header.
    """
    if len(data) < HEADER_BYTES or read_header(data, data[:4]) is None:
        raise NoRecord("no header of a segment's file (W82)")
    values = (data[:4].decode("latin-1"), *struct.unpack_from(">BQQ", data, 4), "43 zero bytes")
    fields = tuple(
        FileField(name, "head", at, length, str(value), "W82" if data[:4] == b"RCQI" else "W110")
        for (name, at, length), value in zip(_HEADER_PARTS, values, strict=True)
    )
    return FileLayout("header", HEADER_BYTES, fields)


def slot_layout(data: bytes, rel: int) -> FileLayout:
    """Return a slot of a `.qi` file (W83, W84).

    Args:
        data: bytes from the slot on.
        rel: number of the slot in its segment.

    Returns:
        A layout of kind "slot", or "empty" where the slot is no message's: acknowledged, or never written.

    Raises:
        NoRecord: the file ends before the slot does.
    """
    slot = data[:SLOT_BYTES]
    if len(slot) < SLOT_BYTES:
        raise NoRecord("the file ends inside the slot")
    if not any(slot):
        nothing = FileField("empty slot", "head", 0, SLOT_BYTES, "32 zero bytes", "W84")
        return FileLayout("empty", SLOT_BYTES, (nothing,), rel)
    status, flags, zero, location = slot[:4]
    size, expiry_us = struct.unpack_from(">IQ", slot, 20)
    lasting = "persistent" if flags & 1 else "transient"
    meaning = "1: a message" if status == 1 else f"{status}: none"
    persistent = FieldBits("persistent", 0, 0, flags & 1, lasting)
    fields = [
        FileField("status", "head", 0, 1, meaning, "W83" if status else "W84"),
        FileField("slot flags", "head", 1, 1, lasting, "W83", 0, (persistent,)),
        FileField("unused", "head", 2, 1, str(zero), "W83"),
        FileField("location", "head", 3, 1, _LOCATIONS.get(location, str(location)), "W83"),  # type: ignore[call-overload]
        *_place(slot, location),
        FileField("body size", "body size", 20, 4, f"{size} bytes", "W83"),
        FileField("expiry", "expiry", 24, 8, f"at {expiry_us} us" if expiry_us else "none", "W83"),
    ]
    msg_id = slot[4:20] if location == BodyLocation.SHARED else None
    return FileLayout("slot" if status == 1 else "empty", SLOT_BYTES, tuple(fields), rel, msg_id)


def _place(slot: bytes, location: int) -> list[FileField]:
    if location == BodyLocation.SHARED:
        return [FileField("message id", "message id", 4, 16, slot[4:20].hex(), "W83")]
    if location != BodyLocation.QUEUE:
        return [FileField("unused", "head", 4, 16, "16 bytes", "W83")]
    offset, size, rest = struct.unpack_from(">QII", slot, 4)
    return [
        FileField("offset in .qs", "place", 4, 8, f"0x{offset:X}", "W83"),
        FileField("term size", "place", 12, 4, f"{size} bytes", "W83"),
        FileField("unused", "head", 16, 4, str(rest), "W83"),
    ]


def body_place(slot: bytes) -> tuple[int, int] | None:
    """Return offset and size of the entry in `.qs` that a slot names, None where it names none."""
    if slot[0] != 1 or slot[3] != BodyLocation.QUEUE:
        return None
    offset, size = struct.unpack_from(">QI", slot, 4)
    return offset, size


def entry_layout(data: bytes) -> FileLayout:
    """Return an entry of a `.qs` file (W112). `data`: bytes from the entry on. Raises NoRecord: no whole
    entry begins there.
    """
    if len(data) < ENTRY_HEADER_BYTES:
        raise NoRecord("the file ends before an entry can begin")
    size, flags, checksum, zero = ENTRY.unpack_from(data)
    end = ENTRY_HEADER_BYTES + size
    if not size:
        raise NoRecord("zeros: a hole (W113, W116)")
    if len(data) < end:
        raise NoRecord(f"the entry says {end} bytes, but the file has {len(data)} from there on")
    term = data[ENTRY_HEADER_BYTES:end]
    own = zlib.crc32(term) & 0xFFFF
    checked = f"{checksum:#06x}"
    if flags & 1 and own != checksum:
        checked += f", but the term has {own:#06x}"
    there = "with a checksum" if flags & 1 else "without a checksum"
    has_checksum = FieldBits("checksum", 0, 0, flags & 1, there)
    fields = (
        FileField("term size", "size", 0, 4, f"{size} bytes", "W112"),
        FileField("entry flags", "head", 4, 1, there, "W112", 0, (has_checksum,)),
        FileField("checksum", "head", 5, 2, checked, "W112"),
        FileField("unused", "head", 7, 1, str(zero), "W112"),
        *term_fields(term, ENTRY_HEADER_BYTES),
    )
    ids = next((field for field in fields if field.part == "message id" and field.length == 16), None)
    msg_id = data[ids.offset : ids.offset + 16] if ids else None
    return FileLayout("entry", end, fields, None, msg_id)
