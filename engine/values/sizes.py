"""Sizes of a run's messages: one number for all, or a column. A column has the body bytes of consecutive
message numbers, with running sums, so the total of many unequal messages is one subtraction, and a search in
the sums finds where they reach a bound.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from engine.values.vectors import reaching, running_sums, span

LOWEST_FIRST: Final = array("H", [1]).tobytes() == b"\1\0"
"""Whether this machine is little-endian."""


def little_endian(words: array[int]) -> bytes:
    """Return the bytes of numbers, the lowest byte of each first."""
    return _turned(words).tobytes()


def from_little_endian(kind: str, data: bytes | bytearray) -> array[int]:
    """Return numbers from little-endian bytes. `kind`: "I" for numbers of four bytes, "Q" for eight, as in
    `array`. `data`: the bytes.
    """
    words = array(kind)
    words.frombytes(data)
    return _turned(words)


def _turned(words: array[int]) -> array[int]:
    """Return numbers with swapped bytes on a big-endian machine."""
    if LOWEST_FIRST:
        return words
    turned = words[:]
    turned.byteswap()
    return turned


MOST_BYTES: Final = (1 << 32) - 1
"""The largest body that fits the four bytes of a column's number."""


class BodyCost:
    """A function of body bytes that is linear in a range, so that the cost of many bodies needs no calls.
    `least`, `most`: the body bytes between which, both included, it is linear.
    """

    __slots__ = ("of", "least", "most", "fixed", "per_byte")

    def __init__(self, of: Callable[[int], int], least: int, most: int = MOST_BYTES) -> None:
        self.of = of
        self.least = least
        self.most = most
        self.per_byte = of(least + 1) - of(least)
        self.fixed = of(least) - self.per_byte * least

    def beside(self, size_bytes: int) -> int:
        """Return by how much a body costs more than the line says: 0 in its range."""
        return self.of(size_bytes) - self.fixed - self.per_byte * size_bytes


OWN_BITS: Final = 20
"""A record without its body is shorter than 2^20 bytes; with the number of its column it is exact in a browser."""
FRAME_BYTES: Final = 131064
"""Largest body frame of a client with the default frame_max (S53)."""


def framed_bytes(size_bytes: int, frame_bytes: int = FRAME_BYTES) -> int:
    """Return what a body takes in a stored term: its frames and their list; an empty body has no frame (S55)."""
    return 5 + 5 * -(-size_bytes // frame_bytes) + size_bytes if size_bytes else 0


def unframed_bytes(framed: int, frame_bytes: int = FRAME_BYTES) -> int:
    """Return the body size that takes this many bytes in a stored term, a negative number if none does (S55)."""
    if not framed:
        return 0
    return framed - 5 - 5 * -(-(framed - 5) // (frame_bytes + 5)) or -1


FRAMED: Final = BodyCost(framed_bytes, 1, FRAME_BYTES)
"""The same of many: nearly every body has one frame (S55)."""


class Sizes:
    """Body bytes of consecutive messages; it never changes. `first`: number of the first message. `sizes`:
    body bytes of each.
    """

    __slots__ = ("first", "number", "sizes", "_least", "_most", "_sums", "_beside", "_borders")

    def __init__(self, first: int, sizes: Iterable[int]) -> None:
        self.first = first
        self.sizes = sizes[:] if isinstance(sizes, array) and sizes.typecode == "I" else array("I", sizes)
        self.number = crc32(little_endian(self.sizes), crc32(f"{first}".encode()))
        """By which the wire names it: another one where anything differs."""
        self._forget()

    def _forget(self) -> None:
        self._least, self._most = span(self.sizes)
        self._sums: array[int] | None = None
        self._beside: dict[BodyCost, tuple[list[int], list[int]]] = {}
        self._borders: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self.sizes)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Sizes) and self.first == other.first and self.sizes == other.sizes

    def __hash__(self) -> int:
        return self.first + len(self.sizes)

    def __repr__(self) -> str:
        return f"Sizes({self.first}, {len(self.sizes)} messages)"

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the sums: for a checkpoint of the run."""
        return {"first": self.first, "number": self.number, "sizes": self.sizes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.first, self.number, self.sizes = state["first"], state["number"], state["sizes"]
        self._forget()

    @property
    def most(self) -> int:
        """The body bytes of the largest."""
        return self._most

    def at(self, msg_no: int) -> int:
        return self.sizes[msg_no - self.first]

    def of(self, msg_no: int, count: int) -> array[int]:
        at = msg_no - self.first
        return self.sizes[at : at + count]

    def sums(self) -> array[int]:
        if self._sums is None:
            self._sums = running_sums(self.sizes)
        return self._sums

    def total(self, msg_no: int, count: int, cost: BodyCost | None = None) -> int:
        """Return the total body bytes, or the total cost, of `count` messages."""
        sums = self._sums
        if sums is None:
            sums = self.sums()
        at = msg_no - self.first
        size_bytes = sums[at + count] - sums[at]
        if cost is None:
            return size_bytes
        on_line = cost.fixed * count + cost.per_byte * size_bytes
        if cost.least <= self._least and self._most <= cost.most:
            return on_line
        places, beside = self._beside_line(cost)
        return on_line + beside[bisect_left(places, at + count)] - beside[bisect_left(places, at)]

    def _beside_line(self, cost: BodyCost) -> tuple[list[int], list[int]]:
        """Return the places of bodies outside a cost's linear range, and the running sums of their differences."""
        known = self._beside.get(cost)
        if known is None:
            least, most = cost.least, cost.most
            places = [at for at, size in enumerate(self.sizes) if size < least or size > most]
            more = [cost.beside(self.sizes[at]) for at in places]
            known = self._beside[cost] = places, [0, *accumulate(more)]
        return known

    def alike(self, msg_no: int, count: int, border: int) -> int:
        """Return how many messages from `msg_no` on lie on the same side of a border, at most `count`."""
        borders = self._borders.get(border)
        if borders is None:
            borders = self._borders[border] = self._sides(border)
        found = bisect_right(borders, msg_no - self.first)
        return count if found == len(borders) else min(count, borders[found] - (msg_no - self.first))

    def _sides(self, border: int) -> array[int]:
        """Return the places at which another side of a border begins."""
        found = array("I")
        if self._least >= border or self._most < border:
            return found
        above = reaching(self.sizes, border)
        at = above.find(1 - above[0])
        while at > 0:
            found.append(at)
            at = above.find(1 - above[at], at)
        return found


class Lengths:
    """Bytes of consecutive records, each with its own body; they never change. `each`: bytes of a record
    without its framed body.
    """

    __slots__ = ("each", "sizes")

    def __init__(self, each: int, sizes: Sizes) -> None:
        self.each = each
        self.sizes = sizes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lengths) and self.each == other.each and self.sizes == other.sizes

    def __hash__(self) -> int:
        return self.each + self.sizes.number

    @property
    def most(self) -> int:
        """The bytes of the longest record of the column."""
        return self.each + framed_bytes(self.sizes.most)

    def __add__(self, more: int) -> Lengths:
        """Return the lengths of records that are `more` bytes longer."""
        return Lengths(self.each + more, self.sizes)

    def at(self, msg_no: int) -> int:
        """Return the bytes of one message's record."""
        return self.each + framed_bytes(self.sizes.at(msg_no))

    def total(self, msg_no: int, count: int) -> int:
        """Return the bytes of the records of `count` messages."""
        return self.each * count + self.sizes.total(msg_no, count, FRAMED)


def total(each: int | Sizes | Lengths, msg_no: int, count: int) -> int:
    """Return the total of `count` messages. `each`: number or column. `msg_no`: number of the first. `count`:
    how many.
    """
    return each * count if isinstance(each, int) else each.total(msg_no, count)


def at(each: int | Sizes | Lengths, msg_no: int) -> int:
    return each if isinstance(each, int) else each.at(msg_no)


def most_of(each: int | Sizes | Lengths) -> int:
    return each if isinstance(each, int) else each.most


def equal(each: int | Sizes | Lengths) -> int:
    """Return the one number that all have; whoever asks gets no columns."""
    assert isinstance(each, int), "a column where all messages have to be equal"
    return each


def reach(each: int | Sizes | Lengths, msg_no: int, count: int, step: int, needed: int) -> int:
    """Return how many messages have `needed` in total: at least 1, at most `count`. `each`: number or column.
    `msg_no`: number of the first. `step`: 1 to begin with the first, -1 with the last.
    """
    if count == 1:
        return 1
    if isinstance(each, int):
        return min(count, max(1, -(-needed // each))) if each else count
    if step > 0:
        found = bisect_left(range(1, count), needed, key=lambda many: each.total(msg_no, many))
    else:
        end = msg_no + count
        found = bisect_left(range(1, count), needed, key=lambda many: each.total(end - many, many))
    return found + 1


def sides(each: int | Sizes, msg_no: int, count: int, border: int) -> list[tuple[int, int, bool]]:
    """Return runs of messages on one side of a border: how many are before, how many there are, whether they
    reach it. `msg_no`: number of the first. `count`: how many there are.
    """
    if isinstance(each, int):
        return [(0, count, each >= border)]
    if count == 1:
        return [(0, 1, each.at(msg_no) >= border)]
    found: list[tuple[int, int, bool]] = []
    done = 0
    while done < count:
        many = each.alike(msg_no + done, count - done, border)
        found.append((done, many, each.at(msg_no + done) >= border))
        done += many
    return found


def read_length(columns: Iterable[Sizes], each: int) -> int | Lengths:
    """Return the bytes of each record from what stands for them (see `plain`). `columns`: of which a negative
    number says one.
    """
    if each >= 0:
        return each
    number, own = divmod(-1 - each, 1 << OWN_BITS)
    return Lengths(own, next(column for column in columns if column.number == number))


def plain(value: object) -> object:
    """Return what stands on the wire for a column, which was sent before: a negative number; its sizes are a
    list. The number says which column, and of lengths besides how many bytes a record has without its body.
    Raises NotImplementedError: the value is nothing of this module.
    """
    if type(value) is Sizes:  # of each extent of a log: no call is made
        return -1 - (value.number << OWN_BITS)
    if isinstance(value, Lengths):
        return -1 - (value.sizes.number << OWN_BITS | value.each)
    if isinstance(value, array):
        return value.tolist()
    raise NotImplementedError(type(value))


if TYPE_CHECKING:
    Each = int | Sizes
    """Body bytes of each message."""
    Length = int | Lengths
    """Bytes of each record."""
else:  # decoders of plain values make numbers: what `plain` of that module returned
    Each = Length = int
