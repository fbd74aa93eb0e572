"""Erlang's generator exsss (Xorshift116** with 58 bits), as its module rand begins and draws it."""

from __future__ import annotations

from typing import Final

MASK: Final = (1 << 58) - 1
MASK_64: Final = (1 << 64) - 1


def _splitmix64(state: int) -> tuple[int, int]:
    """Return the next 64 bits of SplitMix64, and its state after them."""
    state = (state + 0x9E3779B97F4A7C15) & MASK_64
    found = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
    found = ((found ^ (found >> 27)) * 0x94D049BB133111EB) & MASK_64
    return found ^ (found >> 31), state


class Exsss:
    """The numbers that `rand:seed(exsss, Seed)` begins.

    Args:
        seed: an integer, as Erlang takes it.
    """

    def __init__(self, seed: int) -> None:
        state = seed & MASK_64
        words: list[int] = []
        while len(words) < 2:  # a word of zeros is passed over
            found, state = _splitmix64(state)
            if found & MASK:
                words.append(found & MASK)
        self.state = words[0], words[1]

    def next(self) -> int:
        """Return the next 58 bits."""
        s1, s0 = self.state
        scrambled = (s0 * 5) & MASK
        scrambled = ((scrambled << 7) | (scrambled >> 51)) & MASK
        found = (scrambled * 9) & MASK
        s1 ^= (s1 << 24) & MASK
        self.state = s0, s1 ^ s0 ^ (s1 >> 11) ^ (s0 >> 41)
        return found

    def uniform(self) -> float:
        """Return the next number from 0 up to 1, as `rand:uniform/0` does."""
        return (self.next() >> 5) * 2.0**-53
