"""A sweep of 400 cells, a million messages each: Spark against a plain loop, and against a plain pool of processes."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from bench.measure import Result
from engine import ENGINE_VERSION
from spark_jobs.engine_build import engine_build
from spark_jobs.run import run_cells
from spark_jobs.session import end_session, start_session
from sweeps.cell import Cell, run_cell
from sweeps.grid import Axis, Grid, make_spec
from sweeps.plan import make_plan
from sweeps.pool import Pool
from workloads.workload import checked

BURSTS, BURST, TINY_BURST = 10, 100_000, 200
STEPS, TINY_STEPS = 20, 2
"""Values on each axis of the grid."""
CORES = 2
AIM = 0.95
"""Of the plain pool, which Spark with as many processes is to reach."""
LEAST_EFFICIENCY = 0.6
MOST_S = 120.0
PLAIN_EVERY = 4
"""The plain loop takes every fourth cell: they cost about the same, and it is the slowest way."""


def scenario(burst: int) -> dict[str, Any]:
    """Return a run of `BURSTS` bursts, a second apart, with one fast consumer."""
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 80_000, "prefetch": 2000, "ack": "multiple"}
    publish = {"do": "publish", "count": burst, "size_bytes": 1024}
    return {
        "version": 1,
        "title": "Bursts",
        "profile": "real",
        "settings": {"ram_bytes": 536_870_912},
        "commands": [
            {"at_us": 0, **consumer},
            *({"at_us": second * 1_000_000, **publish} for second in range(BURSTS)),
        ],
        "until_us": (BURSTS + 1) * 1_000_000,
    }


def grid(steps: int) -> Grid:
    """Return a square of so many paging ratios and watermarks."""
    return Grid(
        version=1,
        name="bench",
        title="Paging ratio and watermark",
        axes=(
            Axis(parameter="vm_memory_high_watermark_paging_ratio", first=0.1, last=1.0, steps=steps),
            Axis(parameter="vm_memory_high_watermark", first=0.2, last=0.7, steps=steps),
        ),
    )


def run(tiny: bool) -> Result:
    """Measure the plain loop, a plain pool on two cores, then Spark on one and two cores.

    In every size the digests of pool and Spark must be those of the plain loop. The aims for time are those of the
    constants above; tiny cells are over before Spark has sent them to a worker, so for them time has no aim.
    """
    burst, steps = (TINY_BURST, TINY_STEPS) if tiny else (BURST, STEPS)
    messages = BURSTS * burst
    cells = make_plan(make_spec((checked("bursts", scenario(burst)),), grid(steps)), ENGINE_VERSION).cells
    part = cells[::PLAIN_EVERY]
    run_cell(part[0], "warm")
    began = time.perf_counter()
    rows = [run_cell(cell, "plain") for cell in part]
    plain_s = (time.perf_counter() - began) / len(part)
    digests = {row["cell_id"]: row["digest"] for row in rows}
    pool_s, pool_digests = _pool(cells)
    one = _spark(part, 1)
    two = _spark(cells, CORES)
    alike = (
        one.digests == digests
        and digests.items() <= two.digests.items()
        and two.digests == pool_digests
        and None not in two.digests.values()
    )
    efficiency = {each.cores: plain_s * each.cells / (each.wall_s * each.cores) for each in (one, two)}
    in_time = efficiency[CORES] >= LEAST_EFFICIENCY and two.wall_s <= MOST_S
    return {
        "cells": len(cells),
        "messages_in_a_cell": messages,
        "digests_alike": alike,
        "plain_cells_per_s": round(1 / plain_s, 2),
        "plain_seconds_per_million_messages": round(plain_s * 1e6 / messages, 3),
        "spark_cells_per_s_and_core": {
            str(each.cores): round(each.cells / each.wall_s / each.cores, 2) for each in (one, two)
        },
        "pool_cells_per_s_and_core": round(len(cells) / pool_s / CORES, 2),
        "efficiency": {str(cores): round(each, 3) for cores, each in efficiency.items()},
        "of_the_pool": round(pool_s / two.wall_s, 3),
        "aim": AIM,
        "spark_overhead_share": {
            str(each.cores): round(1 - each.cost_s / (each.wall_s * each.cores), 3) for each in (one, two)
        },
        "seconds_for_all_on_2_cores": round(two.wall_s, 1),
        "spark_start_s": round(one.start_s, 1),
        "jvm_peak_mb": round(two.jvm_mb),
        "each_worker_peak_mb": round(two.worker_mb),
        "passed": alike and (tiny or in_time),
    }


class Sweep(NamedTuple):
    """What a run of cells on Spark took, and what it found.

    Args:
        cores: how many Spark had.
        cells: how many were run.
        digests: of each cell by its id, None for one that failed.
        start_s, wall_s: until Spark was there, and until all cells were done.
        cost_s: seconds of all cells by themselves.
        jvm_mb, worker_mb: the most memory of the JVM, and of the largest Python worker.
    """

    cores: int
    cells: int
    digests: dict[str, str | None]
    start_s: float
    wall_s: float
    cost_s: float
    jvm_mb: float
    worker_mb: float


def _pool(cells: tuple[Cell, ...]) -> tuple[float, dict[str, str | None]]:
    """Run cells on a plain pool that is awake; return the seconds, and each cell's digest."""
    with Pool(CORES) as pool:
        list(pool.rows(cells[: 4 * CORES]))
        began = time.perf_counter()
        digests = {row["cell_id"]: row["digest"] for row in pool.rows(cells)}
        return time.perf_counter() - began, digests


def _spark(cells: tuple[Cell, ...], cores: int) -> Sweep:
    """Run cells on Spark with so many cores, after a first run that starts the workers."""
    folder = Path(tempfile.mkdtemp(prefix="waterline-bench-"))
    began = time.perf_counter()
    session = start_session(f"local[{cores}]")
    start_s = time.perf_counter() - began
    try:
        run_cells(session, cells[: 4 * cores], "warm", str(folder / "warm"), lambda rows: None)
        began = time.perf_counter()
        run_cells(session, cells, engine_build(), str(folder / "cells"), lambda rows: None)
        wall_s = time.perf_counter() - began
        jvm = session.sparkContext._gateway.proc.pid  # type: ignore[union-attr]  # noqa: SLF001 - nothing else has it
        jvm_mb, worker_mb = _peak_mb(jvm), max(map(_peak_mb, _below(jvm)), default=0.0)
    finally:
        end_session(session)
    rows = pq.read_table(folder / "cells", columns=["cell_id", "digest", "cost_s"]).to_pylist()
    shutil.rmtree(folder)
    return Sweep(
        cores=cores,
        cells=len(cells),
        digests={row["cell_id"]: row["digest"] for row in rows},
        start_s=start_s,
        wall_s=wall_s,
        cost_s=sum(row["cost_s"] for row in rows),
        jvm_mb=jvm_mb,
        worker_mb=worker_mb,
    )


def _below(parent: int) -> list[int]:
    """Return the processes below one, whoever started them in between."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(_status(int(entry.name))["PPid"])
            except (OSError, KeyError):
                continue
    below: list[int] = []
    waiting = [parent]
    while waiting:
        at = waiting.pop()
        children = [pid for pid, above in parents.items() if above == at]
        below += children
        waiting += children
    return below


def _peak_mb(pid: int) -> float:
    """Return the most memory that a process had, 0 where the system does not report it."""
    try:
        return int(_status(pid)["VmHWM"].split()[0]) / 1024
    except (OSError, KeyError):
        return 0.0


def _status(pid: int) -> dict[str, str]:
    lines = (Path("/proc") / str(pid) / "status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)
