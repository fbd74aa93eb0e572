"""What the formats use of numpy, in plain Python: slow, and enough for the few bytes that a run on a ledger needs.

Names and arguments are numpy's; a table has bytes in rows, and only what is used here exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

uint8: Final = "u1"
WORD_MASK: Final = (1 << 64) - 1


def uint16(value: int) -> int:
    return value & 0xFFFF


def uint64(value: int) -> int:
    return value & WORD_MASK


def empty(shape: tuple[int, int], _dtype: Any) -> ByteTable:
    count, width = shape
    return ByteTable([bytearray(width) for _ in range(count)])


def frombuffer(data: bytes, _dtype: Any) -> ByteLine:
    return ByteLine(bytes(data))


def arange(start: int, stop: int | None = None, step: int = 1, dtype: Any = None) -> NumberArray:
    return NumberArray(range(start) if stop is None else range(start, stop, step))


def array_equal(one: ByteTable, other: ByteTable) -> bool:
    return one.rows == other.rows


class ByteLine:
    """Bytes one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, part: slice) -> ByteLine:
        return ByteLine(self.data[part])

    def reshape(self, count: int, width: int) -> ByteTable:
        """Return the bytes in rows."""
        if count * width != len(self.data):
            raise ValueError(f"{len(self.data)} bytes are not {count} rows of {width}")
        return ByteTable([bytearray(self.data[at * width : (at + 1) * width]) for at in range(count)])

    def tobytes(self) -> bytes:
        return self.data


class NumberArray:
    """Whole numbers; as bytes, `width` for each, the highest first."""

    def __init__(self, values: Iterable[int], width: int = 8) -> None:
        self.values = list(values)
        self.width = width

    def __len__(self) -> int:
        return len(self.values)

    def __radd__(self, first: int) -> NumberArray:
        return NumberArray((first + each & WORD_MASK for each in self.values), self.width)

    def __rsub__(self, first: int) -> NumberArray:
        return NumberArray((first - each & WORD_MASK for each in self.values), self.width)

    def __or__(self, bits: int) -> NumberArray:
        return NumberArray((each | bits for each in self.values), self.width)

    def astype(self, dtype: Any) -> NumberArray:
        """Return the numbers at the width of ">u2" or ">u8"; other types leave it."""
        return NumberArray(self.values, int(dtype[2:])) if isinstance(dtype, str) else self

    def view(self, _dtype: Any) -> ByteLine:
        return ByteLine(b"".join(each.to_bytes(self.width, "big") for each in self.values))

    def argmax(self) -> int:
        return self.values.index(max(self.values))


class ByteTable:
    """Rows of bytes, all as long as each other."""

    def __init__(self, rows: list[bytearray]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | tuple[slice, slice]) -> ByteTable:
        if isinstance(part, tuple):
            return ByteTable([row[part[1]] for row in self.rows[part[0]]])
        return ByteTable(self.rows[part])

    def __setitem__(self, part: tuple[slice, slice | int], value: ByteTable | ByteLine | int) -> None:
        columns = part[1]
        for at, row in enumerate(self.rows[part[0]]):
            if isinstance(columns, int):
                assert isinstance(value, int)
                row[columns] = value
                continue
            width = len(row[columns])
            new = bytes([value]) * width if isinstance(value, int) else _row(value, at)
            if len(new) != width:
                raise ValueError(f"{len(new)} bytes do not fit into {width} columns")
            row[columns] = new

    def __ne__(self, other: object) -> Any:
        """Return where two tables differ, as a table of 1 and 0."""
        assert isinstance(other, ByteTable)
        return ByteTable(
            [
                bytearray(mine != its for mine, its in zip(one, two, strict=True))
                for one, two in zip(self.rows, other.rows, strict=True)
            ]
        )

    __hash__ = None  # type: ignore[assignment]

    def any(self, axis: int) -> NumberArray:
        """Return 1 for each row that has anything but zeros, else 0."""
        return NumberArray(int(any(row)) for row in self.rows)

    def tobytes(self) -> bytes:
        return b"".join(self.rows)


def _row(value: ByteTable | ByteLine, at: int) -> bytes:
    return value.data if isinstance(value, ByteLine) else bytes(value.rows[at])
