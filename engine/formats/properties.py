"""The AMQP 0-9-1 basic property list (S52), and the stored message taken apart (S50, S51)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from engine.formats import terms
from engine.formats.terms import MAX_DEPTH, ErlangAtom, TermError

FLAGS: Final[tuple[tuple[str, int, str], ...]] = (
    ("content_type", 0x8000, "shortstr"),
    ("content_encoding", 0x4000, "shortstr"),
    ("headers", 0x2000, "table"),
    ("delivery_mode", 0x1000, "octet"),
    ("priority", 0x0800, "octet"),
    ("correlation_id", 0x0400, "shortstr"),
    ("reply_to", 0x0200, "shortstr"),
    ("expiration", 0x0100, "shortstr"),
    ("message_id", 0x0080, "shortstr"),
    ("timestamp", 0x0040, "timestamp"),
    ("type", 0x0020, "shortstr"),
    ("user_id", 0x0010, "shortstr"),
    ("app_id", 0x0008, "shortstr"),
    ("cluster_id", 0x0004, "shortstr"),
)
"""Name, flag and kind of each property, in the order they are written."""

Field = tuple[str, Any]
"""Type letter and value of one header field, such as ("S", b"text")."""
Item = TypeVar("Item")
Headers = Sequence[tuple[str, Field]]
"""Name and field of each header, in order."""

_FIXED: Final = {
    "t": ">?",
    "b": ">b",
    "B": ">B",
    "s": ">h",
    "u": ">H",
    "I": ">i",
    "i": ">I",
    "l": ">q",
    "T": ">Q",
    "f": ">f",
    "d": ">d",
}
_KNOWN_BITS = sum(flag for _, flag, _ in FLAGS)


def encode(values: Mapping[str, Any]) -> bytes:
    """Write a property list. `values`: by name: strings, integers for delivery_mode, priority and timestamp,
    `Headers` for headers. Raises TermError: a property is unknown, or a value does not fit.
    """
    flags = 0
    parts: list[bytes] = []
    left = dict(values)
    for name, flag, kind in FLAGS:
        if name in left:
            flags |= flag
            parts.append(_property(kind, left.pop(name)))
    if left:
        raise TermError("unknown_properties", names=", ".join(sorted(left)))
    return struct.pack(">H", flags) + b"".join(parts)


def _property(kind: str, value: Any) -> bytes:
    try:
        if kind == "octet":
            return struct.pack(">B", value)
        if kind == "timestamp":
            return struct.pack(">Q", value)
    except struct.error as error:
        raise TermError("property_impossible", value=repr(value), why=error) from None
    return _short(value) if kind == "shortstr" else _table(value)


def _short(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > 255:
        raise TermError("no_short_string", count=len(data))
    return bytes([len(data)]) + data


def _table(headers: Headers) -> bytes:
    data = b"".join(_short(name) + _field(field) for name, field in headers)
    return struct.pack(">I", len(data)) + data


def _field(field: Field) -> bytes:
    letter, value = field
    head = letter.encode("latin-1")
    if letter in ("S", "x"):
        return head + struct.pack(">I", len(value)) + bytes(value)
    if letter == "F":
        return head + _table(value)
    if letter == "A":
        data = b"".join(_field(item) for item in value)
        return head + struct.pack(">I", len(data)) + data
    if letter == "V":
        return head
    if letter == "D":
        return head + struct.pack(">BI", *value)
    if letter not in _FIXED:
        raise TermError("unknown_field_type", letter=repr(letter))
    try:
        return head + struct.pack(_FIXED[letter], value)
    except struct.error as error:
        raise TermError("field_impossible", value=repr(value), letter=repr(letter), why=error) from None


def decode(data: bytes) -> dict[str, Any]:
    """Read a property list into the values that `encode` takes. Raises TermError: it is cut off, goes on past
    its end, or holds what the format has not.
    """
    reader = _Reader(data)
    flags = reader.number(2)
    if flags & ~_KNOWN_BITS:
        raise TermError("unknown_property_flags", flags=f"{flags & ~_KNOWN_BITS:#06x}")
    found = {name: reader.property(kind) for name, flag, kind in FLAGS if flags & flag}
    if reader.at != len(data):
        raise TermError("bytes_behind_properties", count=len(data) - reader.at)
    return found


class _Reader:
    """A cursor over a property list."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise TermError("properties_cut_off", at=len(self.data))
        self.at += count
        return found

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def property(self, kind: str) -> Any:
        if kind == "octet":
            return self.number(1)
        if kind == "timestamp":
            return self.number(8)
        return self.short() if kind == "shortstr" else self.table(0)

    def short(self) -> str:
        return self.take(self.number(1)).decode("utf-8", "surrogateescape")

    def table(self, depth: int) -> list[tuple[str, Field]]:
        return self.until_end(lambda: (self.short(), self.field(depth)))

    def until_end(self, read: Callable[[], Item]) -> list[Item]:
        """Return what is read up to the end that a length of 4 bytes says."""
        length = self.number(4)
        if length > len(self.data) - self.at:
            raise TermError("properties_cut_off", at=len(self.data))
        end = self.at + length
        found = []
        while self.at < end:
            found.append(read())
        if self.at != end:
            raise TermError("fields_end_elsewhere", end=end, at=self.at)
        return found

    def field(self, depth: int) -> Field:
        if depth > MAX_DEPTH:
            raise TermError("term_too_deep", most=MAX_DEPTH)
        letter = self.take(1).decode("latin-1")
        if letter in ("S", "x"):
            return letter, self.take(self.number(4))
        if letter == "F":
            return letter, self.table(depth + 1)
        if letter == "A":
            return letter, self.until_end(lambda: self.field(depth + 1))
        if letter == "V":
            return letter, None
        if letter == "D":
            return letter, (self.number(1), self.number(4))
        if letter not in _FIXED:
            raise TermError("unknown_field_type", letter=repr(letter))
        kind = _FIXED[letter]
        return letter, struct.unpack(kind, self.take(struct.calcsize(kind)))[0]


PERSISTENT_ONLY, TRANSIENT_ONLY = b"\x10\x00\x02", b"\x10\x00\x01"
"""Property lists with delivery_mode 2 or 1 and nothing else (S52)."""


class StoredNames:
    """The atoms of a message term, dotted so that patterns compare with them."""

    BASIC_MESSAGE = ErlangAtom("basic_message")
    RESOURCE = ErlangAtom("resource")
    EXCHANGE = ErlangAtom("exchange")
    CONTENT = ErlangAtom("content")
    PROTOCOL = ErlangAtom("rabbit_framing_amqp_0_9_1")


class ParsedMessage(msgspec.Struct, frozen=True):
    """The parts of a message term (S50, S51).

    Args:
        vhost: name of the virtual host.
        routing_keys: in stored order.
        properties: the encoded property list; None when only the decoded one is stored.
        decoded_properties: the `P_basic` tuple, or None.
        frames: body frames in the order received.
        persistent: the message's own delivery mode is 2.
    """

    vhost: bytes
    exchange: bytes
    routing_keys: tuple[bytes, ...]
    properties: bytes | None
    decoded_properties: tuple[Any, ...] | None
    frames: tuple[bytes, ...]
    id16: bytes
    persistent: bool


def parse_message(term: bytes) -> ParsedMessage:
    """Take a message's whole external term apart (S50, S51). Raises TermError: it is not a message term."""
    match terms.decode(term):
        case (
            StoredNames.BASIC_MESSAGE,
            (StoredNames.RESOURCE, bytes(vhost), StoredNames.EXCHANGE, bytes(exchange)),
            list(keys),
            (StoredNames.CONTENT, int(), decoded, encoded, ErlangAtom(), list(frames)),
            bytes(id16),
            (terms.TRUE | terms.FALSE) as flag,
        ) if len(id16) == 16 and all(isinstance(each, bytes) for each in (*keys, *frames)):
            return ParsedMessage(
                vhost,
                exchange,
                tuple(keys),
                encoded if isinstance(encoded, bytes) else None,
                decoded if isinstance(decoded, tuple) else None,
                tuple(reversed(frames)),
                id16,
                flag == terms.TRUE,
            )
    raise TermError("no_basic_message")
