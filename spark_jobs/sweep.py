"""A whole sweep: read and check, plan, run what is not known yet, publish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

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
from sweeps.columns import Row
from sweeps.errors import read
from sweeps.grid import Spec
from sweeps.plan import Plan, duration, make_plan
from sweeps.progress import SweepProgress, SweepStanding

Report = Callable[[str], None]
MOST_TOLD = 3
"""Failed cells that are named at a time; all of them keep their error in their rows."""


def sweep(
    workloads: str,
    grid: Path,
    out: str,
    master: str,
    report: Report,
    *,
    plan_only: bool = False,
    progress: Path | None = None,
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
        progress: a file that says how far the sweep is, as JSON.

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
        _run(plan, cells, master, report, progress)
    return _publish(spec, plan, out, cells, report)


def _run(plan: Plan, cells: str, master: str, report: Report, progress: Path | None) -> None:
    report(f"starting Spark on {master} ...")
    began = time.perf_counter()
    session = start_session(master)
    report(f"Spark took {time.perf_counter() - began:.1f} s to start")
    teller = SweepTeller(plan.todo, report, progress)
    try:
        run_cells(session, plan.todo, engine_build(), cells, teller.note, teller.warn)
    except KeyboardInterrupt:
        end_session(session)
        raise
    guessed_s, taken_s = teller.standing.guessed_s, teller.standing.taken_s
    report(f"guessed: {duration(guessed_s)} of one core; taken: {duration(taken_s)}")


class SweepTeller:
    """Tells how far a sweep is: in lines, and in a file for a page that shows it.

    Args:
        todo: the cells that are to run.
        report: called with lines.
        file: written anew each time, as the JSON of `sweeps.progress.SweepStanding`.
    """

    def __init__(self, todo: Sequence[Cell], report: Report, file: Path | None = None) -> None:
        self._cells = len(todo)
        self._progress = SweepProgress(todo)
        self._report = report
        self._file = file

    @property
    def standing(self) -> SweepStanding:
        return self._progress.standing

    def note(self, rows: Sequence[Row]) -> None:
        """Tell of cells that have ended: id, values, error and cost of each, at least one."""
        failed = [row for row in rows if row["error"] is not None]
        for row in failed[:MOST_TOLD]:
            self._report(f"cell {row['cell_id']} failed with {row['values']}: {read(row['error'])}")
        if len(failed) > MOST_TOLD:
            self._report(f"and {len(failed) - MOST_TOLD} more failed")
        self._progress.note(rows)
        now, took_s = self.standing, self._progress.took_s
        self._report(
            f"{now.done} of {self._cells} cells, {took_s:.1f} s, {now.done / took_s:.1f} cells/s, "
            f"about {now.left_s:.0f} s left; "
            f"a cell took {now.middle_s:.1f} s (median), the slowest {now.slowest_s:.1f} s"
        )
        self._write()

    def warn(self, sentence: str, silent: Sequence[str]) -> None:
        """Tell that something of the cluster has become silent, or answers again; `silent` has all that is."""
        self._report(sentence)
        self._progress.silence(silent)
        self._write()

    def _write(self) -> None:
        if self._file is not None:
            new = self._file.with_suffix(".new")
            new.write_bytes(msgspec.json.encode(self.standing))
            new.replace(self._file)


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
