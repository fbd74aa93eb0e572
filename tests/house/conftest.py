"""Every worker begins with targets of the Makefile: each takes up to a minute, and at the end the others would wait."""

from __future__ import annotations

from itertools import chain, islice
from typing import TypeVar

import pytest

LONG = "test_makefile.py"
Item = TypeVar("Item")


@pytest.hookimpl(trylast=True)  # what is not run is left out before
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the long tests in front of what each worker begins with: an equal part of all tests, in their order."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = dealt(items, [item.path.name == LONG for item in items], workers)


def dealt(items: list[Item], long: list[bool], workers: int) -> list[Item]:
    """Return all items, in as many equal parts as there are workers: each part begins with its share of the long ones."""
    first = [item for item, is_long in zip(items, long, strict=True) if is_long]
    rest = iter([item for item, is_long in zip(items, long, strict=True) if not is_long])
    parts = []
    for number in range(workers):
        size = len(items) * (number + 1) // workers - len(items) * number // workers
        mine = first[number::workers]
        parts.append([*mine, *islice(rest, size - len(mine))])
    return [*chain(*parts), *rest]
