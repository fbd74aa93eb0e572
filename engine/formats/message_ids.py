"""The ids of stored messages, and the numbers that stand for them (S56)."""

from __future__ import annotations

from typing import Final

from engine.formats.arrays import Bytes2D, np

FIRST_FOREIGN: Final = 1 << 52
"""Numbers from here on stand for ids that another node made; they stay exact in a browser's numbers."""
OWN_PREFIX: Final = b"waterlin"
"""The first half of own ids unless the scenario seeds another. It is not zero, so that no publish record is (S114)."""


class MessageIds:
    """Knows the id of each message number, and the number of each id.

    Args:
        id_prefix: first 8 bytes of every own id; the other 8 are the message number.

    Raises:
        ValueError: the prefix has not 8 bytes.
    """

    def __init__(self, id_prefix: bytes) -> None:
        if len(id_prefix) != 8:
            raise ValueError(f"id_prefix has {len(id_prefix)} bytes; it needs 8")
        self.id_prefix = id_prefix
        self._foreign: list[bytes] = []
        self._foreign_numbers: dict[bytes, int] = {}

    def share_ids_with(self, other: MessageIds) -> None:
        """Let another have the same numbers for ids of other nodes, now and later."""
        other._foreign, other._foreign_numbers = self._foreign, self._foreign_numbers

    def ids(self, msg_no: int, count: int) -> Bytes2D:
        """Return the ids of consecutive message numbers as one table, 16 bytes a row."""
        if msg_no >= FIRST_FOREIGN:
            joined = b"".join(self._foreign[msg_no - FIRST_FOREIGN : msg_no - FIRST_FOREIGN + count])
            if len(joined) != 16 * count:
                raise ValueError(f"message {msg_no + count - 1} was never read from a file")
            return np.frombuffer(joined, np.uint8).reshape(count, 16)
        rows = np.empty((count, 16), np.uint8)
        rows[:, :8] = np.frombuffer(self.id_prefix, np.uint8)
        rows[:, 8:] = big_endian(msg_no, count)
        return rows

    def id_bytes(self, msg_no: int) -> bytes:
        """Return the 16 id bytes of a message number (S56)."""
        if msg_no >= FIRST_FOREIGN:
            return self._foreign[msg_no - FIRST_FOREIGN]
        return self.id_prefix + msg_no.to_bytes(8, "big")

    def msg_no_of(self, id16: bytes) -> int:
        """Return the number of an id, giving another node's id a fresh one when it is new.

        Args:
            id16: the 16 id bytes.
        """
        if id16[:8] == self.id_prefix:
            number = int.from_bytes(id16[8:], "big")
            if number < FIRST_FOREIGN:
                return number
        known = self._foreign_numbers.get(id16)
        if known is None:
            known = self._foreign_numbers[id16] = FIRST_FOREIGN + len(self._foreign)
            self._foreign.append(bytes(id16))
        return known


def big_endian(start: int, count: int, step: int = 1) -> Bytes2D:
    """Return consecutive numbers as 8 big-endian bytes a row.

    Args:
        start: the first number.
        count: how many.
        step: 1 for ascending, -1 for descending.
    """
    numbers = np.arange(count, dtype=np.uint64)
    first = np.uint64(start)
    values = first + numbers if step > 0 else first - numbers
    return values.astype(">u8").view(np.uint8).reshape(count, 8)
