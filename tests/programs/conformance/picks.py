"""Tags that a step of a recording chooses among the pending ones instead of naming them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any


def picked(pick: dict[str, Any], pending: Sequence[int]) -> list[int]:
    """Return the tags that a step chooses.

    Args:
        pick: its kind and numbers, as recorded; a random choice has its seed with it.
        pending: every pending tag, ascending.
    """
    kind = pick["kind"]
    if kind == "every":
        return list(pending[pick["offset"] :: pick["k"]])
    if kind == "oldest":
        return list(pending[: pick["n"]])
    newest = list(pending[-pick["n"] :])
    if kind == "newest":
        return newest
    if kind == "newest_desc":
        return newest[::-1]
    return random.Random(pick["seed"]).sample(pending, min(pick["n"], len(pending)))
