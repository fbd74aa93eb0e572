"""What every byte of a record means, field by field: what the records of all releases share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final, Protocol

import msgspec

from engine.formats import properties, terms
from engine.formats.terms import MAX_DEPTH, TermError


class NoRecord(ValueError):
    """No whole record begins at the place that was given; the text names the reason."""


class FieldBits(msgspec.Struct, frozen=True):
    """Some bits of a field. `high`: number of the highest one, counted from the field's last bit as 0. `low`:
    number of the lowest one. `words`: what that value means.
    """

    name: str
    high: int
    low: int
    value: int
    words: str


class FileField(msgspec.Struct, frozen=True):
    """Some bytes of a record that have one meaning. The fields of a record cover it without gaps, in order.

    Args:
        name: what they are called; the same for the same meaning, whatever the value.
        part: the larger part of the record they belong to, such as "message id" or "term".
        offset: of the first one, from the beginning of the record.
        depth: how deep inside the Erlang term, 0 outside of it.
        bits: the bit fields inside, highest first.
    """

    name: str
    part: str
    offset: int
    length: int
    value: str
    rule: str
    depth: int = 0
    bits: tuple[FieldBits, ...] = ()


class FileLayout(msgspec.Struct, frozen=True):
    """One record, field by field.

    Args:
        kind: "publish", "mark" (a segment's deliver or ack), "deliver", "ack", or "content" (of a store).
        size: bytes of the record with the deliver and ack records of the same message right behind it.
        number: the rel of a segment record (S60) or the seq_id of a journal record (S62), else None.
        embedded_bytes: length of the embedded term, 0 without one.
    """

    kind: str
    size: int
    fields: tuple[FileField, ...]
    number: int | None = None
    msg_id: bytes | None = None
    embedded_bytes: int = 0


Read = Callable[[int, int], bytes]
"""Some bytes of a file: (offset, count)."""


class FoundBytes(msgspec.Struct, frozen=True):
    """One record on the way. `kind`: "publish", "mark" (a segment's deliver or ack), "deliver", "ack" or
    "content". `offset`: of its first byte. `number`: rel in a segment, seq_id in the journal, None in a
    store.
    """

    kind: str
    offset: int
    size: int
    number: int | None
    msg_id: bytes | None


class IndexHome(msgspec.Struct, frozen=True):
    """Where the index has a message.

    Args:
        kind: of its records, as in `FileReader.names`.
        number: of the segment; 0 for a file of which there is one.
        offset: of the record's first byte.
        others: its other records, each as kind and label of the file, path and record.
    """

    path: str
    kind: str
    number: int
    offset: int
    size: int
    others: tuple[tuple[str, str, str, int], ...] = ()


class FileReader(Protocol):
    """Reads the files of one generation, a record at a time."""

    names: ClassVar[Mapping[str, str]]
    """Files that a queue has for itself, by the kind of their records; a number is in place of `{}`."""
    counts_from_file: ClassVar[frozenset[str]]
    """Kinds whose records are numbered from the beginning of their file."""

    def reads(self, name: str) -> bool:
        """Return whether a file is one of its own, by its name."""

    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        """Return the record at an offset of a file. `read`: gives its bytes. `offset`: of the record's first
        byte. `at_least`: how long it is, or what the file has from there on. Raises NoRecord: none begins
        there.
        """

    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        """Yield the records of a file from front to back; raise NoRecord where that is not known."""

    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        """Return where a queue's index has a message, None where it has none. `sizes`: the files in the
        queue's directory, with their bytes. `read`: gives a file's bytes. `entry_count`: entries in a
        segment, where the virtual host says so.
        """

    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return what else is known of a message, for whoever has read its record."""

    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        """Return the seq_id that a queue's index has for an id, None where it has none; arguments as of `home`."""


PART: Final = "term"
BODY: Final = "body"
MOST_FIELDS: Final = 300
"""A message with very many headers or routing keys is shown up to here; the rest is one field."""

Path = tuple[int | str, ...]
"""Where a value is in a term: numbers of elements, names of annotations; -1 stands for every element of a list."""
_ID = "message id"


class _Shape(msgspec.Struct, frozen=True):
    """How messages of one kind are built.

    Args:
        parts: name and rule of each place.
        lists: lists whose elements all mean the same.
        content: where the content is.
        ids: where the message id is.
    """

    parts: Mapping[Path, tuple[str, str]]
    lists: tuple[Path, ...]
    content: Path
    ids: Path

    def content_part(self, *path: int) -> Path:
        return (*self.content, *path)


def _content(at: int) -> dict[Path, tuple[str, str]]:
    """Name the places of a content that is an element of its message."""
    return {
        (at,): ("content tuple", "S51"),
        (at, 0): ("record name", "S51"),
        (at, 1): ("class", "S51"),
        (at, 2): ("decoded properties", "S51"),
        (at, 3): ("properties", "S52"),
        (at, 4): ("protocol", "S51"),
        (at, 5): ("body fragments", "S53"),
        (at, 5, -1): (BODY, "S53"),
    }


_BASIC_MESSAGE: Final = _Shape(
    {
        (): ("message tuple", "S50"),
        (0,): ("record name", "S50"),
        (1,): ("exchange tuple", "S50"),
        (1, 0): ("resource", "S50"),
        (1, 1): ("virtual host", "S50"),
        (1, 2): ("kind of resource", "S50"),
        (1, 3): ("exchange name", "S50"),
        (2,): ("routing keys", "S50"),
        (2, -1): ("routing key", "S50"),
        **_content(3),
        (4,): (_ID, "S50"),
        (5,): ("persistent", "S50"),
    },
    ((2,), (3, 5)),
    (3,),
    (4,),
)
"""A message of 3.x, which stays as it is where 4.x converted it (S50, W100)."""
_CONTAINER: Final = _Shape(
    {
        (): ("container tuple", "W160"),
        (0,): ("record name", "W160"),
        (1,): ("kind of message", "W160"),
        **_content(2),
        (3,): ("annotations", "W161"),
        (3, "id"): (_ID, "W161"),
        (3, "x"): ("exchange name", "W161"),
        (3, "rk"): ("routing keys", "W161"),
        (3, "rk", -1): ("routing key", "W161"),
        (3, "rts"): ("arrival time", "W161"),
        (3, "d"): ("durable mark", "W161"),
    },
    ((3, "rk"), (2, 5)),
    (2,),
    (3, "id"),
)
"""A message container of 4.x (W160, W161)."""
_CONTAINER_BEGINS: Final = b"\x83h\x04w\x02mc"
_DECODED: Final = ("record name", *(name for name, _, _ in properties.FLAGS))


def term_fields(data: bytes, offset: int) -> list[FileField]:
    """Return the fields of an external term (S40), which cover it without gaps."""
    found: list[FileField] = []
    walker = _Walker(data, _CONTAINER if data.startswith(_CONTAINER_BEGINS) else _BASIC_MESSAGE)
    try:
        for field in walker.term():
            found.append(field)
            if len(found) == MOST_FIELDS:
                break
    except (TermError, struct.error, IndexError):
        pass
    at = found[-1].offset + found[-1].length if found else 0
    if at < len(data):
        words = f"{len(data) - at} bytes that are not taken apart here"
        found.append(FileField("rest of the term", PART, at, len(data) - at, words, "S41", 1))
    return [msgspec.structs.replace(each, offset=each.offset + offset) for each in found]


class _Walker:
    """Goes through a term from front to back."""

    def __init__(self, data: bytes, shape: _Shape) -> None:
        self.data = data
        self.at = 0
        self.shape = shape
        self._split = {shape.content_part(3), shape.content_part(5, -1), shape.ids}
        """Binaries of which tag and length are a field of their own."""

    def term(self) -> Iterator[FileField]:
        """Yield the fields of the whole term."""
        if not self.data or self.data[0] != terms.VERSION:
            raise TermError("term_without_version", version=terms.VERSION)
        yield self._take(1, "external term", "version 131", "S40", 1)
        yield from self._value((), 1)

    def _take(
        self,
        length: int,
        name: str,
        value: str,
        rule: str,
        depth: int,
        part: str = PART,
        bits: tuple[FieldBits, ...] = (),
    ) -> FileField:
        if self.at + length > len(self.data):
            raise TermError("term_cut_off", at=len(self.data), count=self.at + length - len(self.data))
        field = FileField(name, part, self.at, length, value, rule, depth, bits)
        self.at += length
        return field

    def _value(self, path: Path, depth: int) -> Iterator[FileField]:
        if depth > MAX_DEPTH:
            raise TermError("term_too_deep", most=MAX_DEPTH)
        name, rule = self._named(path)
        tag = self.data[self.at]
        if tag in (104, 105):
            count, head = (self.data[self.at + 1], 2) if tag == 104 else (self._number(">I", 1), 5)
            yield self._take(head, name, f"tuple of {count}", rule, depth)
            for place in range(count):
                yield from self._value((*path, place), depth + 1)
        elif tag == 108:
            count = self._number(">I", 1)
            yield self._take(5, name, f"list of {count}", rule, depth)
            for place in range(count):
                yield from self._value((*path, -1 if path in self.shape.lists else place), depth + 1)
            if self.data[self.at] == 106:
                yield self._take(1, "end of the list", "the empty list", "S41", depth)
            else:
                yield from self._value((*path, count), depth + 1)
        elif tag == 116:
            count = self._number(">I", 1)
            yield self._take(5, name, f"map of {count}", rule, depth)
            for _ in range(count):
                key = self._leaf("annotation", rule, depth + 1)
                yield key
                yield from self._value((*path, key.value.removeprefix("atom ")), depth + 1)
        elif tag == 109 and path in self._split:
            yield from self._long_binary(path, name, rule, depth)
        else:
            yield self._leaf(name, rule, depth)

    def _named(self, path: Path) -> tuple[str, str]:
        known = self.shape.parts.get(path)
        if known is None and path[:-1] == self.shape.content_part(2) and isinstance(path[-1], int):
            known = (_DECODED[path[-1]] if path[-1] < len(_DECODED) else "property", "S51")
        return known or ("value", "S41")

    def _number(self, form: str, ahead: int) -> int:
        return int(struct.unpack_from(form, self.data, self.at + ahead)[0])

    def _long_binary(self, path: Path, name: str, rule: str, depth: int) -> Iterator[FileField]:
        """Yield tag and length apart from what matters most: id, properties, body."""
        count = self._number(">I", 1)
        yield self._take(5, "binary", f"{count} bytes follow: {name}", "S41", depth)
        if not count:
            return
        if path == self.shape.content_part(3):
            yield from self._properties(count, depth)
        elif path == self.shape.ids:
            yield self._take(count, name, self.data[self.at : self.at + count].hex(), rule, depth, _ID)
        else:
            yield self._take(count, name, f"{count} bytes", rule, depth, BODY)

    def _leaf(self, name: str, rule: str, depth: int) -> FileField:
        tag = self.data[self.at]
        leaf = terms.LEAVES.get(tag)
        if leaf is None:
            raise TermError("unknown_tag", tag=tag, at=self.at)
        value, end = leaf(self.data, self.at + 1)
        return self._take(end - self.at, name, _worded(value), rule, depth)

    # --- the property list (S52) ---
    def _properties(self, count: int, depth: int) -> Iterator[FileField]:
        end = self.at + count
        if count < 2:
            yield self._take(count, "properties", f"{count} bytes", "S52", depth, "properties")
            return
        flags = self._number(">H", 0)
        present = [each for each in properties.FLAGS if flags & each[1]]
        bits = tuple(
            FieldBits(
                name,
                flag.bit_length() - 1,
                flag.bit_length() - 1,
                int(bool(flags & flag)),
                "present" if flags & flag else "absent",
            )
            for name, flag, _ in properties.FLAGS
        )
        words = ", ".join(name for name, _, _ in present) or "none"
        yield self._take(2, "property flags", words, "S52", depth, "properties", bits)
        for name, _, kind in present:
            length = {"octet": 1, "timestamp": 8}.get(kind)
            if length is None:
                length = 4 + self._number(">I", 0) if kind == "table" else 1 + self.data[self.at]
            if self.at + length > end:
                break
            raw = self.data[self.at : self.at + length]
            yield self._take(length, name, _property_words(kind, raw), "S52", depth, "properties")
        if self.at < end:
            yield self._take(
                end - self.at, "properties", f"{end - self.at} bytes", "S52", depth, "properties"
            )


def _property_words(kind: str, raw: bytes) -> str:
    if kind in ("octet", "timestamp"):
        return str(int.from_bytes(raw, "big"))
    if kind == "table":
        return f"{len(raw) - 4} bytes of headers"
    return _quoted(raw[1:])


def _worded(value: terms.Term) -> str:
    if isinstance(value, terms.ErlangAtom):
        return f"atom {value!s}"
    if isinstance(value, bytes):
        return f"binary {_quoted(value)}"
    if value == []:
        return "the empty list"
    if isinstance(value, list):
        return f"list of {len(value)} small numbers"
    return str(value)


def _quoted(data: bytes) -> str:
    text = data[:80].decode("utf-8", "replace")
    shown = "".join(each if each.isprintable() else "\ufffd" for each in text)
    return f'"{shown}{"…" if len(data) > 80 else ""}"'
