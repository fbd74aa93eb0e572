"""Which command somebody may have meant, as the broker's command line guesses it: the nearest by Jaro's measure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

NEAR: Final = 0.8
"""From this likeness on a command is suggested."""


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is most like a name, None where none is near."""
    likeness, found = max((jaro(each, name), each) for each in sorted(known))
    return found if likeness >= NEAR else None


def jaro(one: str, other: str) -> float:
    """Return how alike two words are, from 0 to 1: common letters near the same place, less for those out of order."""
    if one == other:
        return 1.0
    reach = max(len(one), len(other)) // 2 - 1
    free = list(other)
    matched = []
    places = []
    for at, letter in enumerate(one):
        for place in range(max(0, at - reach), min(len(other), at + reach + 1)):
            if free[place] == letter:
                free[place] = ""
                matched.append(letter)
                places.append(place)
                break
    if not matched:
        return 0.0
    in_order = [other[place] for place in sorted(places)]
    swapped = sum(mine != theirs for mine, theirs in zip(matched, in_order, strict=True)) / 2
    count = len(matched)
    return (count / len(one) + count / len(other) + (count - swapped) / count) / 3
