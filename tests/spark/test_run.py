"""A sweep on Spark is the plain loop, spread out."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from spark_jobs.dataset import known_rows
from spark_jobs.run import cause_of, run_cells
from spark_jobs.schema import CELLS
from sweeps.cell import Cell, run_cell
from sweeps.columns import COST
from sweeps.errors import read
from sweeps.grid import Spec
from sweeps.parameters import Scenario
from sweeps.plan import cell_id, make_plan

BUILD = "0" * 12


def comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows in the order of their ids, without the one column that differs from run to run."""
    return sorted(
        ({name: value for name, value in row.items() if name != COST} for row in rows),
        key=lambda row: row["cell_id"],
    )


def test_spark_gives_the_table_of_the_plain_loop(session: Any, spec: Spec, tmp_path: Path) -> None:
    cells = make_plan(spec, ENGINE_VERSION).cells
    plain = comparable([run_cell(cell, BUILD) for cell in cells])
    assert all(row["error"] is None and len(row["digest"]) == 32 for row in plain)
    assert len({row["digest"] for row in plain}) == len(cells)
    told: list[str] = []
    out = str(tmp_path / "cells")
    run_cells(session, cells, BUILD, out, lambda rows: told.extend(row["cell_id"] for row in rows))
    written = pq.read_table(out)
    assert written.schema.names == CELLS.names
    assert comparable(written.to_pylist()) == plain
    assert sorted(told) == sorted(cell.cell_id for cell in cells)  # each once


def test_what_an_executor_says_is_told(session: Any) -> None:
    def breaks(number: int) -> None:
        raise ValueError(f"no such thing as {number}")

    with pytest.raises(Exception, match="no such thing") as raised:
        session.sparkContext.parallelize([7], 1).foreach(breaks)
    assert cause_of(raised.value) == "ValueError: no such thing as 7"
    lost = "Job aborted: Task 0 failed 4 times, most recent failure: Lost task 0.3: ExecutorLost\n\tat x"
    assert cause_of(RuntimeError(lost)) == "Lost task 0.3: ExecutorLost"
    assert cause_of(RuntimeError("An error\nbelow")) == "An error"


def broken(cell: Cell) -> Cell:
    """Return a cell whose scenario the engine refuses."""
    scenario: Scenario = {**cell.scenario, "settings": {"colour": 1}}
    return Cell(
        cell_id=cell_id(scenario, 4, ENGINE_VERSION),
        workload=cell.workload,
        values=cell.values,
        seed=1,
        scenario=scenario,
        series_points=4,
    )


def test_a_failed_cell_is_a_row_with_its_error(session: Any, spec: Spec, tmp_path: Path) -> None:
    good = make_plan(spec, ENGINE_VERSION).cells[:2]
    bad = broken(good[0])
    out = str(tmp_path / "cells")
    done: list[str] = []
    run_cells(
        session,
        [good[0], bad, good[1]],
        BUILD,
        out,
        lambda rows: done.extend(row["error"] or "" for row in rows),
    )
    rows = {row["cell_id"]: row for row in pq.read_table(out).to_pylist()}
    assert sorted(map(bool, done)) == [False, False, True]
    assert len(rows) == 3
    assert read(rows[bad.cell_id]["error"]).code == "no_setting"
    assert rows[bad.cell_id]["digest"] is None
    assert rows[bad.cell_id]["peak_ram_bytes"] is None
    assert set(known_rows(out, ENGINE_VERSION, BUILD)) == {cell.cell_id for cell in good}
    assert known_rows(out, ENGINE_VERSION, "another") == {}
