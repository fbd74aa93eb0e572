"""Erlang's external term format as OTP 25 writes it (S40-S43)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import msgspec

from engine.values.errors import ValueRefused

VERSION = 131
MAX_DEPTH = 64
"""Deepest nesting that is read; real messages stay below ten."""


class TermError(ValueRefused):
    """The bytes are not an external term, or the value has no place in one."""


class Atom(str):
    """An atom, kept apart from binaries (S42)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Atom({str.__repr__(self)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)


class Opaque(msgspec.Struct, frozen=True):
    """A value that is carried but not understood, such as a pid or a reference (S41).

    Args:
        data: tag and content, without the version byte.
    """

    data: bytes


TRUE, FALSE, NONE = Atom("true"), Atom("false"), Atom("none")

Term = Any
"""Atom, int, float, bytes, tuple, list (proper), `ImproperList` or `Opaque`."""


class ImproperList(msgspec.Struct, frozen=True):
    """A list whose tail is no list.

    Args:
        items: the elements before the tail, at least one.
        tail: the tail.
    """

    items: tuple[Term, ...]
    tail: Term


def encode(term: Term) -> bytes:
    """Write a term byte for byte as `term_to_binary` of OTP 25 does (S40).

    Args:
        term: the value; Atom, int, float, bytes, tuple, list, ImproperList or Opaque.

    Raises:
        TermError: the value has no external form.
    """
    out = bytearray([VERSION])
    _write(out, term, 0)
    return bytes(out)


def _write(out: bytearray, term: Term, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise TermError("term_too_deep", most=MAX_DEPTH)
    if isinstance(term, tuple):
        out += struct.pack(">BB", 104, len(term)) if len(term) < 256 else struct.pack(">BI", 105, len(term))
        for item in term:
            _write(out, item, depth + 1)
    elif isinstance(term, list):
        _write_list(out, term, depth)
    elif isinstance(term, ImproperList):
        out += struct.pack(">BI", 108, len(term.items))
        for item in (*term.items, term.tail):
            _write(out, item, depth + 1)
    else:
        _write_leaf(out, term)


def _write_leaf(out: bytearray, term: Term) -> None:
    if isinstance(term, Atom):
        _write_atom(out, term)
    elif isinstance(term, bytes):
        out += struct.pack(">BI", 109, len(term))
        out += term
    elif isinstance(term, int) and not isinstance(term, bool):
        _write_int(out, term)
    elif isinstance(term, float):
        out += struct.pack(">Bd", 70, term)
    elif isinstance(term, Opaque):
        out += term.data
    else:
        raise TermError("no_external_form", value=repr(term))


def _write_atom(out: bytearray, atom: Atom) -> None:
    try:
        name = atom.encode("latin-1")
    except UnicodeEncodeError:
        name = atom.encode("utf-8")
        out += struct.pack(">BB", 119, len(name)) if len(name) < 256 else struct.pack(">BH", 118, len(name))
    else:
        out += struct.pack(">BH", 100, len(name))
    out += name


def _write_int(out: bytearray, value: int) -> None:
    if 0 <= value <= 255:
        out += struct.pack(">BB", 97, value)
    elif -(1 << 31) <= value < 1 << 31:
        out += struct.pack(">Bi", 98, value)
    else:
        magnitude = abs(value)
        data = magnitude.to_bytes((magnitude.bit_length() + 7) // 8, "little")
        sign = int(value < 0)
        if len(data) < 256:
            out += struct.pack(">BBB", 110, len(data), sign)
        else:
            out += struct.pack(">BIB", 111, len(data), sign)
        out += data


def _write_list(out: bytearray, items: list[Term], depth: int) -> None:
    if not items:
        out.append(106)
    elif len(items) < 65536 and all(type(item) is int and 0 <= item <= 255 for item in items):
        out += struct.pack(">BH", 107, len(items))
        out += bytes(items)
    else:
        out += struct.pack(">BI", 108, len(items))
        for item in items:
            _write(out, item, depth + 1)
        out.append(106)


def decode(data: bytes) -> Term:
    """Read one external term that fills the bytes (S41).

    Args:
        data: version byte and term.

    Raises:
        TermError: the bytes are no term, are cut off, or go on behind it.
    """
    if not data or data[0] != VERSION:
        raise TermError("term_without_version", version=VERSION)
    reader = _Reader(data, 1)
    term = reader.term(0)
    if reader.at != len(data):
        raise TermError("bytes_behind_term", count=len(data) - reader.at)
    return term


def pairs_of(found: Opaque) -> list[tuple[Term, Term]]:
    """Return the keys and values of a map that `decode` left as it was; nothing for what is no map.

    Raises:
        TermError: it cannot be read.
    """
    if found.data[:1] != b"t":
        return []
    reader = _Reader(found.data, 1)
    count = reader.number(4)
    flat = reader.items(2 * count, 1)
    return [(flat[at], flat[at + 1]) for at in range(0, 2 * count, 2)]


class _Reader:
    """A cursor over the bytes of one term."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise TermError("term_cut_off", at=len(self.data), count=end - len(self.data))
        found = self.data[self.at : end]
        self.at = end
        return found

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def term(self, depth: int) -> Term:
        if depth > MAX_DEPTH:
            raise TermError("term_too_deep", most=MAX_DEPTH)
        begin = self.at
        tag = self.number(1)
        if tag in _SIMPLE:
            return _SIMPLE[tag](self)
        if tag in (104, 105):
            return self.items(self.number(1 if tag == 104 else 4), depth)
        if tag == 108:
            items = self.items(self.number(4), depth)
            tail = self.term(depth + 1)
            if isinstance(tail, list):
                return [*items, *tail]
            return ImproperList(items, tail)
        self.skip(tag, depth)
        return Opaque(self.data[begin : self.at])

    def items(self, count: int, depth: int) -> tuple[Term, ...]:
        if count > len(self.data) - self.at:
            raise TermError("too_few_bytes", count=count, left=len(self.data) - self.at)
        return tuple(self.term(depth + 1) for _ in range(count))

    def skip(self, tag: int, depth: int) -> None:
        """Pass over what is only carried: map, bit string, pid and reference."""
        if tag == 116:
            self.items(2 * self.number(4), depth)
        elif tag == 77:
            self.take(self.number(4) + 1)
        elif tag == 88:
            self.term(depth + 1)
            self.take(12)
        elif tag == 90:
            words = self.number(2)
            self.term(depth + 1)
            self.take(4 + 4 * words)
        else:
            raise TermError("unknown_tag", tag=tag, at=self.at - 1)


def _atom(reader: _Reader, length_bytes: int, charset: str) -> Atom:
    name = reader.take(reader.number(length_bytes))
    try:
        return Atom(name.decode(charset))
    except UnicodeDecodeError as error:
        raise TermError("atom_not_in_charset", charset=charset, why=error.reason) from None


def _big(reader: _Reader, length_bytes: int) -> int:
    length = reader.number(length_bytes)
    negative = reader.number(1)
    value = int.from_bytes(reader.take(length), "little")
    return -value if negative else value


def _old_float(reader: _Reader) -> float:
    text = reader.take(31).split(b"\0")[0]
    try:
        return float(text)
    except ValueError:
        raise TermError("no_float", text=repr(text)) from None


def _double(reader: _Reader) -> float:
    value: float = struct.unpack(">d", reader.take(8))[0]
    return value


_SIMPLE: dict[int, Callable[[_Reader], Term]] = {
    70: _double,
    97: lambda reader: reader.number(1),
    98: lambda reader: int.from_bytes(reader.take(4), "big", signed=True),
    99: _old_float,
    100: lambda reader: _atom(reader, 2, "latin-1"),
    106: lambda reader: [],
    107: lambda reader: list(reader.take(reader.number(2))),
    109: lambda reader: bytes(reader.take(reader.number(4))),
    110: lambda reader: _big(reader, 1),
    111: lambda reader: _big(reader, 4),
    115: lambda reader: _atom(reader, 1, "latin-1"),
    118: lambda reader: _atom(reader, 2, "utf-8"),
    119: lambda reader: _atom(reader, 1, "utf-8"),
}
