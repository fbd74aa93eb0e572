"""A whole sweep: read and check, plan, run what is not known yet, publish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from engine import ENGINE_VERSION
from spark_jobs.dataset import (
    failed_rows,
    inside,
    known_rows,
    make_directory,
    mean_costs_s,
    shown,
    sweep_table,
)
from spark_jobs.engine_build import engine_build
from spark_jobs.publish import write_page, write_table
from spark_jobs.run import run_cells
from spark_jobs.session import end_session, start_session
from spark_jobs.spec import read_spec
from sweeps.cell import Cell
from sweeps.columns import COST, Row
from sweeps.cost import guessed_after
from sweeps.errors import read
from sweeps.grid import Spec
from sweeps.plan import Plan, duration, make_plan
from workloads.workload import messages

Report = Callable[[str], None]
MOST_TOLD = 3
"""Failed cells that are named at a time; all of them keep their error in their rows."""


def sweep(
    workloads: str, grid: Path, out: str, master: str, report: Report, *, plan_only: bool = False
) -> int:
    """Run a sweep from its two files and publish it under `out`.

    Writes `cells/` (a Parquet dataset of every run ever made into this directory, from which known cells are
    taken), `<name>.parquet` (this sweep's table) and `<name>.json` (for the what-if page).

    Args:
        workloads: a scenario file, a directory of them, a store, or `shipped`.
        grid: the grid description.
        out: directory or URI to write to.
        master: Spark master.
        report: called with lines of progress.
        plan_only: print what is to be done, and do nothing.

    Returns:
        the number of cells that failed; each is a row with its error.

    Raises:
        SweepError: the description is not possible, or Spark cannot start.
    """
    spec = read_spec(workloads, grid)
    cells = inside(out, "cells")
    known = known_rows(cells, ENGINE_VERSION, engine_build())
    plan = make_plan(spec, ENGINE_VERSION, known, mean_costs_s(known.values()), probe=True)
    report(f"{spec.grid.name}: {plan.summary()}")
    if plan_only:
        return 0
    make_directory(out)
    if plan.todo:
        _run(plan, cells, master, report)
    return _publish(spec, plan, out, cells, report)


def _run(plan: Plan, cells: str, master: str, report: Report) -> None:
    report(f"starting Spark on {master} ...")
    began = time.perf_counter()
    session = start_session(master)
    report(f"Spark took {time.perf_counter() - began:.1f} s to start")
    progress = SweepProgress(plan.todo, report)
    try:
        run_cells(session, plan.todo, engine_build(), cells, progress.note, report)
    except KeyboardInterrupt:
        end_session(session)
        raise
    report(f"guessed: {duration(progress.guessed_s)} of one core; taken: {duration(progress.taken_s)}")


class SweepProgress:
    """What a sweep tells while it runs: cells done, time left, the slowest cell, and cells that failed.

    Args:
        todo: the cells that are to run.
        report: called with lines.
    """

    def __init__(self, todo: Sequence[Cell], report: Report) -> None:
        self._weights = {cell.cell_id: 1 + messages(cell.scenario) for cell in todo}
        self._left = dict(self._weights)
        self._todo = todo
        self._costs_s: list[float] = []
        self.guessed_s = 0.0
        """What all cells take of one core, by those that were done first."""
        self._report = report
        self._began = time.perf_counter()

    @property
    def taken_s(self) -> float:
        """How many seconds of one core the cells took that are done."""
        return sum(self._costs_s)

    def note(self, rows: Sequence[Row]) -> None:
        """Tell of cells that are done.

        Args:
            rows: id, values, error and cost of each.
        """
        if rows and not self._costs_s:
            self.guessed_s = guessed_after(self._todo, rows)
        for row in rows:
            self._left.pop(row["cell_id"], None)
            self._costs_s.append(row[COST])
        failed = [row for row in rows if row["error"] is not None]
        for row in failed[:MOST_TOLD]:
            self._report(f"cell {row['cell_id']} failed with {row['values']}: {read(row['error'])}")
        if len(failed) > MOST_TOLD:
            self._report(f"and {len(failed) - MOST_TOLD} more failed")
        took_s = time.perf_counter() - self._began
        whole, left = sum(self._weights.values()), sum(self._left.values())
        left_s = took_s * left / max(whole - left, 1)
        done = len(self._weights) - len(self._left)
        self._report(
            f"{done} of {len(self._weights)} cells, {took_s:.1f} s, {done / took_s:.1f} cells/s, about {left_s:.0f} s "
            f"left; a cell took {median(self._costs_s):.1f} s (median), the slowest {max(self._costs_s):.1f} s"
        )


def _publish(spec: Spec, plan: Plan, out: str, cells: str, report: Report) -> int:
    rows = known_rows(cells, ENGINE_VERSION, engine_build())
    missing = {cell.cell_id for cell in plan.cells} - rows.keys()
    failed = failed_rows(cells, missing, engine_build()) if missing else {}
    table = sweep_table(plan.cells, {**rows, **failed})
    write_table(spec, table, inside(out, f"{spec.grid.name}.parquet"))
    report(f"wrote {shown(out)}/{spec.grid.name}.parquet: {table.num_rows} rows")
    write_page(spec, table, ENGINE_VERSION, inside(out, f"{spec.grid.name}.json"))
    report(f"wrote {shown(out)}/{spec.grid.name}.json for the what-if page")
    if failed:
        report(f"{len(failed)} cells failed; their rows hold the error, and the next sweep tries them again")
    return len(failed)
