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

NUMBERS_END = 1 << 63
"""Where seq_ids, counts, sizes and offsets end: no broker gets so far, and no page can show more."""
MOST_SHOWN = 500
"""Characters of a term in an error."""


class TermError(ValueRefused):
    """The bytes are not an external term, or the value has no place in one."""


class ErlangAtom(str):
    """An atom, kept apart from binaries (S42)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Atom({str.__repr__(self)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ErlangAtom) and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)


class OpaqueTerm(msgspec.Struct, frozen=True):
    """A value that is carried but not understood, such as a pid or a reference (S41). `data`: tag and
    content, without the version byte.
    """

    data: bytes


TRUE, FALSE, NONE = ErlangAtom("true"), ErlangAtom("false"), ErlangAtom("none")

Term = Any
"""Atom, int, float, bytes, tuple, list (proper), `ImproperList` or `OpaqueTerm`."""


_Leaf = Callable[[bytes, int], tuple[Term, int]]
"""Reads a term without terms in it, behind its tag; returns it, and where it ends."""


class ImproperList(msgspec.Struct, frozen=True):
    """A list whose tail is not a list, with at least one element before it."""

    items: tuple[Term, ...]
    tail: Term


def shown(term: Term) -> str:
    """Return a term as a short text for an error; Python writes no number of thousands of digits."""
    try:
        return repr(term)[:MOST_SHOWN]
    except ValueError:
        return "a number of thousands of digits"


def encode(term: Term) -> bytes:
    """Write a term byte for byte as `term_to_binary` of OTP 25 does (S40). Raises TermError: the value has no
    external form.
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
    if isinstance(term, ErlangAtom):
        _write_atom(out, term)
    elif isinstance(term, bytes):
        out += struct.pack(">BI", 109, len(term))
        out += term
    elif isinstance(term, int) and not isinstance(term, bool):
        _write_int(out, term)
    elif isinstance(term, float):
        out += struct.pack(">Bd", 70, term)
    elif isinstance(term, OpaqueTerm):
        out += term.data
    else:
        raise TermError("no_external_form", value=repr(term))


def _write_atom(out: bytearray, atom: ErlangAtom) -> None:
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
    """Read one external term that fills the bytes (S41). Raises TermError: the bytes are no term, are cut
    off, or go on behind it.
    """
    if not data or data[0] != VERSION:
        raise TermError("term_without_version", version=VERSION)
    term, at = _read(data, 1, 0)
    if at != len(data):
        raise TermError("bytes_behind_term", count=len(data) - at)
    return term


def pairs_of(found: OpaqueTerm) -> list[tuple[Term, Term]]:
    """Return the keys and values of a map that `decode` left as it was; nothing for what is not a map. Raises
    TermError: it cannot be read.
    """
    if found.data[:1] != b"t":
        return []
    count, at = _number(found.data, 1, 4)
    flat, _at = _items(found.data, at, 2 * count, 1)
    return [(flat[at], flat[at + 1]) for at in range(0, 2 * count, 2)]


def _read(data: bytes, at: int, depth: int) -> tuple[Term, int]:
    """Read the term at an offset; return it, and where it ends."""
    if depth > MAX_DEPTH:
        raise TermError("term_too_deep", most=MAX_DEPTH)
    if at >= len(data):
        raise _cut_off(data, at + 1)
    tag = data[at]
    leaf = LEAVES.get(tag)
    if leaf is not None:
        return leaf(data, at + 1)
    if tag == 104:
        count, at = _number(data, at + 1, 1)
        return _items(data, at, count, depth)
    if tag == 105:
        count, at = _number(data, at + 1, 4)
        return _items(data, at, count, depth)
    if tag == 108:
        count, at = _number(data, at + 1, 4)
        items, at = _items(data, at, count, depth)
        tail, at = _read(data, at, depth + 1)
        return ([*items, *tail] if isinstance(tail, list) else ImproperList(items, tail)), at
    end = _skip(data, at, tag, depth)
    return OpaqueTerm(data[at:end]), end


def _cut_off(data: bytes, end: int) -> TermError:
    return TermError("term_cut_off", at=len(data), count=end - len(data))


def _number(data: bytes, at: int, size: int) -> tuple[int, int]:
    end = at + size
    if end > len(data):
        raise _cut_off(data, end)
    return int.from_bytes(data[at:end], "big"), end


def _items(data: bytes, at: int, count: int, depth: int) -> tuple[tuple[Term, ...], int]:
    if count > len(data) - at:
        raise TermError("too_few_bytes", count=count, left=len(data) - at)
    items = []
    for _ in range(count):
        item, at = _read(data, at, depth + 1)
        items.append(item)
    return tuple(items), at


def _skip(data: bytes, at: int, tag: int, depth: int) -> int:
    """Pass over what is only carried: map, bit string, pid and reference; return where it ends."""
    at += 1
    if tag == 116:
        count, at = _number(data, at, 4)
        return _items(data, at, 2 * count, depth)[1]
    if tag == 77:
        count, at = _number(data, at, 4)
        end = at + count + 1
    elif tag == 88:
        end = _read(data, at, depth + 1)[1] + 12
    elif tag == 90:
        words, at = _number(data, at, 2)
        end = _read(data, at, depth + 1)[1] + 4 + 4 * words
    else:
        raise TermError("unknown_tag", tag=tag, at=at - 1)
    if end > len(data):
        raise _cut_off(data, end)
    return end


def _sized(length_bytes: int, made: Callable[[bytes], Term]) -> _Leaf:
    """Return what reads a length, and so many bytes behind it."""

    def read(data: bytes, at: int) -> tuple[Term, int]:
        begin = at + length_bytes
        end = begin + int.from_bytes(data[at:begin], "big")
        if begin > len(data) or end > len(data):
            raise _cut_off(data, max(begin, end))
        return made(data[begin:end]), end

    return read


def _fixed(size: int, made: Callable[[bytes], Term]) -> _Leaf:
    """Return what reads a number of bytes."""

    def read(data: bytes, at: int) -> tuple[Term, int]:
        end = at + size
        if end > len(data):
            raise _cut_off(data, end)
        return made(data[at:end]), end

    return read


def _atom(charset: str) -> Callable[[bytes], ErlangAtom]:
    def read(name: bytes) -> ErlangAtom:
        try:
            return ErlangAtom(name.decode(charset))
        except UnicodeDecodeError as error:
            raise TermError("atom_not_in_charset", charset=charset, why=error.reason) from None

    return read


def _big(length_bytes: int) -> _Leaf:
    def read(data: bytes, at: int) -> tuple[int, int]:
        length, at = _number(data, at, length_bytes)
        negative, at = _number(data, at, 1)
        end = at + length
        if end > len(data):
            raise _cut_off(data, end)
        value = int.from_bytes(data[at:end], "little")
        return -value if negative else value, end

    return read


def _old_float(data: bytes) -> float:
    text = data.split(b"\0")[0]
    try:
        return float(text)
    except ValueError:
        raise TermError("no_float", text=repr(text)) from None


def _double(data: bytes) -> float:
    value: float = struct.unpack(">d", data)[0]
    return value


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


LEAVES: dict[int, _Leaf] = {
    70: _fixed(8, _double),
    97: _fixed(1, ord),
    98: _fixed(4, _signed),
    99: _fixed(31, _old_float),
    100: _sized(2, _atom("latin-1")),
    106: _fixed(0, list),
    107: _sized(2, list),
    109: _sized(4, bytes),
    110: _big(1),
    111: _big(4),
    115: _sized(1, _atom("latin-1")),
    118: _sized(2, _atom("utf-8")),
    119: _sized(1, _atom("utf-8")),
}
"""What reads the terms without terms in them, by tag."""
