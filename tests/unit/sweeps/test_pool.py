"""A plain pool gives the rows of the plain loop, and reports when a process ends."""

from __future__ import annotations

from typing import Any

import pytest

from sweeps.cell import Cell, run_cell
from sweeps.columns import COST
from sweeps.errors import SweepError
from sweeps.pool import Pool

SCENARIO: dict[str, Any] = {
    "version": 1,
    "title": "x",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [{"at_us": 0, "do": "publish", "count": 5, "size_bytes": 100}],
    "until_us": 1_000_000,
}


def cell(seed: int) -> Cell:
    return Cell(
        cell_id=str(seed),
        workload="w",
        values={},
        seed=seed,
        scenario={**SCENARIO, "seed": seed},
        series_points=2,
    )


def test_a_pool_gives_the_rows_of_the_plain_loop_and_is_used_again() -> None:
    with Pool(2) as pool:
        for seeds in ((1, 2, 3), (4,)):
            cells = [cell(seed) for seed in seeds]
            rows = {row["cell_id"]: row for row in pool.rows(cells)}
            for each in cells:
                plain = run_cell(each, "")
                assert {**rows[each.cell_id], COST: 0} == {**plain, COST: 0}


def test_a_closed_pool_runs_nothing() -> None:
    pool = Pool(1)
    pool.close()
    with pytest.raises(SweepError, match="ended"):
        list(pool.rows([cell(1)]))
