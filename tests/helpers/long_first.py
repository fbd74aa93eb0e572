"""The order of tests for several workers: each begins with its share of what takes long.

pytest-xdist's `worksteal` gives each worker a piece of the list, of equal length, and a worker without work takes the
end of another's piece. A test of a minute at the end of a piece is begun last, while all others have nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

TOGETHER = ("tests/proofs/wasm/", "tests/layering/")
"""Folders whose tests share what takes most of their time (an engine, all sources parsed): one worker gets all."""


def dealt(
    items: Sequence[T], name: Callable[[T], str], workers: int, seconds: Mapping[str, float]
) -> list[T]:
    """Return the items so that each of the list's equal pieces begins with its share of what takes long.

    Args:
        items: in the order in which they were found.
        name: what a test is called.
        workers: how many pieces the list is cut into.
        seconds: by their names, what those take that take long.
    """
    shares: dict[str, list[T]] = {}
    for item in items:
        folder = next((each for each in TOGETHER if name(item).startswith(each)), None)
        if folder or name(item) in seconds:
            shares.setdefault(folder or name(item), []).append(item)
    took = {key: sum(seconds.get(name(item), 0.0) for item in share) for key, share in shares.items()}
    long = [shares[key] for key in sorted(shares, key=lambda key: -took[key])]
    dear = {id(item) for share in long for item in share}
    rest = iter([item for item in items if id(item) not in dear])
    order: list[T] = []
    for worker in range(workers):
        piece = [item for share in long[worker::workers] for item in share]
        size = (len(items) - len(order)) // (workers - worker)
        order += [*piece, *islice(rest, max(0, size - len(piece)))]
    return [*order, *rest]
