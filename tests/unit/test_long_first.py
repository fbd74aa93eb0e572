"""What takes long stands where workers begin, and nothing is lost or doubled by it."""

from __future__ import annotations

import pytest

from tests.helpers.long_first import TOGETHER, dealt, longest_files

QUICK = [f"tests/unit/test_{n}.py" for n in range(10)]
LONG = {f"tests/house/test_{n}.py": 90.0 - n for n in range(8)}


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 12])
def test_each_piece_begins_with_its_share(workers: int) -> None:
    names = list(LONG)
    found = [*QUICK[:4], *reversed(names), *QUICK[4:]]
    order = dealt(found, workers, LONG)
    assert sorted(order) == sorted(found)
    assert [name for name in order if name in QUICK] == QUICK
    begins, left = 0, len(found)
    for worker in range(min(workers, 4)):
        assert order[begins] == names[worker], "the longest first, one to each worker"
        size = left // (workers - worker)
        begins, left = begins + size, left - size


def test_without_long_ones_the_order_stays() -> None:
    assert dealt(QUICK, 3, LONG) == QUICK


@pytest.mark.parametrize("folder", TOGETHER)
def test_one_worker_gets_all_that_share_what_is_dear(folder: str) -> None:
    alike = [f"{folder}test_{n}.py" for n in range(4)]
    order = dealt([*QUICK[:3], *alike, *QUICK[3:], *LONG], 3, LONG)
    begins = order.index(alike[0])
    assert order[begins : begins + 4] == alike


def test_files_that_take_longest_come_first_and_stay_whole() -> None:
    found = ["x/a.py::1", "x/b.py::1", "y/d.py::1", "x/c.py::1", "x/b.py::2", "x/c.py::2", "y/e.py::1"]
    took = {"x/c.py::1": 6.0, "x/c.py::2": 7.0, "x/b.py::2": 9.0, "y/e.py::1": 99.0}
    assert longest_files(found, took) == [
        *("x/c.py::1", "x/c.py::2", "x/b.py::1", "x/b.py::2", "x/a.py::1"),
        *("y/e.py::1", "y/d.py::1"),
    ]
