"""Tags that a step of a recording chooses among the pending ones instead of naming them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tools.proofs.conformance.exsss import Exsss


def picked(pick: dict[str, Any], pending: Sequence[int]) -> list[int]:
    """Return the tags that a step chooses; none if nothing that it means is pending.

    Args:
        pick: its kind and numbers, as recorded. `range` has `first` and `last`; `random` has a seed, which begins
            Erlang's generator: it gives each pending tag a number, and the tags with the least are chosen.
        pending: every pending tag, ascending.

    Raises:
        ValueError: there is no such kind.
    """
    match pick["kind"]:
        case "all":
            found = pending
        case "every":
            found = pending[pick["offset"] :: pick["k"]]
        case "oldest":
            found = pending[: pick["n"]]
        case "newest":
            found = pending[max(0, len(pending) - pick["n"]) :]
        case "newest_desc":
            found = pending[max(0, len(pending) - pick["n"]) :][::-1]
        case "range":
            found = [tag for tag in pending if pick["first"] <= tag <= pick["last"]]
        case "random":
            numbers = Exsss(pick["seed"])
            shuffled = sorted((numbers.uniform(), tag) for tag in pending)
            found = [tag for _, tag in shuffled[: pick["n"]]]
        case other:
            raise ValueError(f"a pick of kind {other!r}")
    return list(found)
