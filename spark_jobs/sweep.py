"""A whole sweep: read and check, plan, run what is not known yet, publish."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine import ENGINE_VERSION
from spark_jobs.dataset import failed_rows, known_rows, locate, mean_costs_s, sweep_table
from spark_jobs.engine_build import engine_build
from spark_jobs.publish import write_page, write_table
from spark_jobs.run import run_cells
from spark_jobs.session import end_session, start_session
from spark_jobs.spec import read_spec
from sweeps.cell import Cell
from sweeps.errors import read
from sweeps.grid import Spec
from sweeps.plan import Plan, make_plan

Report = Callable[[str], None]
MOST_TOLD = 3
"""Failed cells of a wave that are named; all of them keep their error in their rows."""


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
    cells = f"{out.rstrip('/')}/cells"
    known = known_rows(cells, ENGINE_VERSION, engine_build())
    plan = make_plan(spec, ENGINE_VERSION, known, mean_costs_s(known.values()))
    report(f"{spec.grid.name}: {plan.summary()}")
    if plan_only:
        return 0
    _make_directory(out)
    if plan.todo:
        _run(plan, cells, master, report)
    return _publish(spec, plan, out, cells, report)


def _run(plan: Plan, cells: str, master: str, report: Report) -> None:
    report(f"starting Spark on {master} ...")
    began = time.perf_counter()
    session = start_session(master)
    report(f"Spark took {time.perf_counter() - began:.1f} s to start")
    began = time.perf_counter()
    total, told = len(plan.todo), 0

    def note(done: int) -> None:
        nonlocal told
        took_s = time.perf_counter() - began
        tell_failures(plan.todo[told:done], cells, report)
        told = done
        left_s = took_s / done * (total - done) if done else 0
        report(
            f"{done} of {total} cells, {took_s:.1f} s, {done / took_s:.1f} cells/s, about {left_s:.0f} s left"
        )

    def note_tasks(done: int, total: int) -> None:
        report(f"  {done} of {total} tasks of this wave, {time.perf_counter() - began:.1f} s")

    try:
        run_cells(session, plan.todo, engine_build(), cells, note, note_tasks)
    except KeyboardInterrupt:
        end_session(session)
        raise


def tell_failures(wave: Sequence[Cell], cells: str, report: Report) -> None:
    """Name the cells of a wave that failed, while the others still run.

    Args:
        wave: what was run.
        cells: the dataset in which its rows are.
        report: called with a line for each, some at most.
    """
    failed = failed_rows(cells, [cell.cell_id for cell in wave], engine_build())
    for cell_id, row in list(failed.items())[:MOST_TOLD]:
        report(f"cell {cell_id} failed with {row['values']}: {read(row['error'])}")
    if len(failed) > MOST_TOLD:
        report(f"and {len(failed) - MOST_TOLD} more of this wave failed")


def _publish(spec: Spec, plan: Plan, out: str, cells: str, report: Report) -> int:
    rows = known_rows(cells, ENGINE_VERSION, engine_build())
    missing = {cell.cell_id for cell in plan.cells} - rows.keys()
    failed = failed_rows(cells, missing, engine_build()) if missing else {}
    table = sweep_table(plan.cells, {**rows, **failed})
    base = f"{out.rstrip('/')}/{spec.grid.name}"
    write_table(spec, table, f"{base}.parquet")
    report(f"wrote {base}.parquet: {table.num_rows} rows")
    write_page(spec, table, ENGINE_VERSION, f"{base}.json")
    report(f"wrote {base}.json for the what-if page")
    if failed:
        report(f"{len(failed)} cells failed; their rows hold the error, and the next sweep tries them again")
    return len(failed)


def _make_directory(path: str) -> None:
    filesystem, inner = locate(path)
    filesystem.create_dir(inner, recursive=True)
