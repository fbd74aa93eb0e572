"""What a message costs by its body: nearly everywhere so much, and so much for each byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

MOST_BYTES: Final = (1 << 32) - 1
"""No body has more that a column of four bytes each can hold."""


class BodyCost:
    """A function of body bytes that is a straight line in a range, so that what many cost is found without asking it.

    Args:
        of: the cost of a body.
        least, most: the body bytes between which, both included, it is a straight line.
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
