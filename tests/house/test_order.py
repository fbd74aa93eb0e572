"""The order in which the long tests begin."""

from __future__ import annotations

import pytest

from tests.house.conftest import dealt


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 40])
@pytest.mark.parametrize("many", [0, 1, 7, 8])
def test_every_worker_begins_with_long_ones_and_none_is_left_out(workers: int, many: int) -> None:
    items = list(range(103))
    found = dealt(items, [item >= 103 - many for item in items], workers)
    assert sorted(found) == items
    firsts = [found[len(items) * number // workers] for number in range(min(many, workers))]
    assert all(item >= 103 - many for item in firsts)
