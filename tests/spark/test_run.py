"""A sweep on Spark is the plain loop, spread out."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from engine import ENGINE_VERSION
from spark_jobs.dataset import known_rows
from spark_jobs.run import cells_frame, run_cells, run_frame
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


def collected(frame: Any) -> list[dict[str, Any]]:
    """Return a frame's rows as dicts."""
    return [row.asDict(recursive=True) for row in frame.collect()]


def test_spark_gives_the_table_of_the_plain_loop_however_it_is_partitioned(session: Any, spec: Spec) -> None:
    cells = make_plan(spec, ENGINE_VERSION).cells
    plain = comparable([run_cell(cell, BUILD) for cell in cells])
    assert all(row["error"] is None and len(row["digest"]) == 32 for row in plain)
    assert len({row["digest"] for row in plain}) == len(cells)
    for tasks in (1, 5, None):
        frame = run_frame(cells_frame(session, cells, tasks), BUILD)
        assert frame.columns == CELLS.names
        assert comparable(collected(frame)) == plain


def test_cells_are_dealt_to_full_tasks(session: Any, spec: Spec) -> None:
    cells = make_plan(spec, ENGINE_VERSION).cells
    sizes = cells_frame(session, cells).frame.rdd.glom().map(len).collect()
    assert sum(sizes) == 6
    assert min(sizes) >= 1


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
    done: list[int] = []
    run_cells(session, [good[0], bad, good[1]], BUILD, out, done.append)
    rows = {row["cell_id"]: row for row in pq.read_table(out).to_pylist()}
    assert done == [3]
    assert len(rows) == 3
    assert read(rows[bad.cell_id]["error"]).code == "no_setting"
    assert rows[bad.cell_id]["digest"] is None
    assert rows[bad.cell_id]["peak_ram_bytes"] is None
    assert set(known_rows(out, ENGINE_VERSION, BUILD)) == {cell.cell_id for cell in good}
    assert known_rows(out, ENGINE_VERSION, "another") == {}
