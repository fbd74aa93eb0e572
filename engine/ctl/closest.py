"""Which command somebody may have meant, as the broker's command line guesses it: the nearest by Jaro's measure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

NEAR: Final = 0.75
"""From this likeness on a command is suggested."""


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is most like a name, None where none is near."""
    likeness, found = max((jaro(each, name), each) for each in sorted(known))
    return found if likeness >= NEAR else None


def jaro(one: str, other: str) -> float:
    """Return how alike two words are, from 0 to 1: common letters near the same place, less for those out of order.

    Elixir counts a letter as out of order where its match lies before the match of the letter before it.
    """
    short, long = (one, other) if len(one) < len(other) else (other, one)
    reach = len(long) // 2 - 1
    free = list(long)
    common = swapped = 0
    former = -1
    for at, letter in enumerate(short):
        window = range(max(0, at - reach), min(len(long), at + reach + 1))
        place = next((each for each in window if free[each] == letter), None)
        if place is not None:
            free[place] = ""
            common += 1
            swapped += place < former
            former = place
    if not common:
        return float(one == other)
    return (common / len(one) + common / len(other) + (common - swapped) / common) / 3
