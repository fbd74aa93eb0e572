"""Draws that are the same on every machine: for what the broker leaves to chance, and a scenario must repeat."""

from __future__ import annotations

import zlib
from typing import Final

MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
MODULUS: Final = 1 << 64
"""Of Knuth's linear congruential generator."""
LOW_BITS: Final = 33
"""Those that are dropped: they repeat too soon."""


class RandomDraws:
    """A sequence of draws.

    Args:
        seed: all draws follow from it.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: str) -> None:
        self._state = zlib.crc32(seed.encode())
        self.below(1)

    def below(self, bound: int) -> int:
        """Return a whole number from 0 up to but not including `bound`."""
        self._state = (self._state * MULTIPLIER + INCREMENT) % MODULUS
        return (self._state >> LOW_BITS) % bound
