"""Which numbers of a queue's record changed: asked after every verb of a queue."""

from __future__ import annotations

from typing import Any


def differing(names: tuple[str, ...], now: tuple[Any, ...], before: tuple[Any, ...]) -> dict[str, Any]:
    """Return the numbers that differ, by name. It counts, where `zip` would make a tuple of each.

    Args:
        names: of the numbers.
        now, before: the numbers, in the order of their names.
    """
    found: dict[str, Any] = {}
    for at in range(len(names)):
        value = now[at]
        if value != before[at]:
            found[names[at]] = value
    return found
