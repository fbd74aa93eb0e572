"""The order of tests for several workers: each begins with its share of what takes long.

pytest-xdist's `worksteal` gives each worker a piece of the list, of equal length, and a worker without work takes the
end of another's piece. A test of a minute at the end of a piece is begun last, while all others have nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

LONG = (
    "tests/house/test_makefile.py::test_a_real_broker",
    "tests/house/test_makefile.py::test_a_broker",
    "tests/house/test_makefile.py",
    "tests/proofs/wasm/",
    "tests/house/test_alone.py",
    "tests/house/test_container.py",
    "tests/survival/",
    "tests/web/classroom/test_whole_class.py",
)
"""How the names of tests begin that take ten seconds and more, the longest first."""
TOGETHER = {"tests/proofs/wasm/"}
"""Those that share what takes most of their time to start: one worker gets all of them."""


def dealt(items: Sequence[T], name: Callable[[T], str], workers: int) -> list[T]:
    """Return the items so that each of the list's equal pieces begins with its share of what takes long.

    Args:
        items: in the order in which they were found.
        name: what a test is called, as in `LONG`.
        workers: how many pieces the list is cut into.
    """
    ranks = {id(item): _rank(name(item)) for item in items}
    long: list[list[T]] = []
    for rank, beginning in enumerate(LONG):
        alike = [item for item in items if ranks[id(item)] == rank]
        long += [alike] if beginning in TOGETHER else [[item] for item in alike]
    rest = iter([item for item in items if ranks[id(item)] == len(LONG)])
    order: list[T] = []
    for worker in range(workers):
        piece = [item for share in long[worker::workers] for item in share]
        size = (len(items) - len(order)) // (workers - worker)
        order += [*piece, *islice(rest, max(0, size - len(piece)))]
    return [*order, *rest]


def _rank(name: str) -> int:
    """Return the place in `LONG` of the first beginning that fits, or its length."""
    return next((at for at, each in enumerate(LONG) if name.startswith(each)), len(LONG))
