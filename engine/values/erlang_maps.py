"""In which order Erlang walks a map whose keys are small integers: OTP 27 and 29, 64 bits."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

FLAT: Final = 32
"""Most keys of a map that is an array sorted by key; a larger map is a tree by the hash of keys."""
_WORD: Final = 2**64 - 1
_TAG: Final = 0xF
_LEVEL_BITS: Final = 4


def walked(keys: Collection[int]) -> list[int]:
    """Return the keys of a map in the order in which `maps:fold/3` comes to them (W212).

    Args:
        keys: integers from 0 to 2**59 - 1.
    """
    return sorted(keys, key=_place if len(keys) > FLAT else None)


def _place(key: int) -> int:
    """Return a number that orders keys as the tree does: the hash, its lowest four bits first."""
    bits, place = _hash(key), 0
    for _level in range(64 // _LEVEL_BITS):
        place = place << _LEVEL_BITS | bits & (1 << _LEVEL_BITS) - 1
        bits >>= _LEVEL_BITS
    return place


def _hash(key: int) -> int:
    """Return the runtime's hash of a small integer: its tagged word, mixed as MurmurHash3 ends."""
    word = key << 4 | _TAG
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        word = (word ^ word >> 33) * factor & _WORD
    return word ^ word >> 33
