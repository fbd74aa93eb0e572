"""A sweep of 400 cells, a million messages each: Spark on one and on two cores against the plain loop."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from bench.measure import Result
from engine import ENGINE_VERSION
from spark_jobs.cell import Cell, run_cell
from spark_jobs.engine_build import engine_build
from spark_jobs.plan import make_plan
from spark_jobs.run import run_cells
from spark_jobs.session import end_session, start_session
from spark_jobs.spec import Axis, Grid, make_spec
from workloads.workload import checked

BURSTS, BURST = 10, 100_000
CORES = 2
LEAST_EFFICIENCY = 0.85
MOST_S = 120.0
PLAIN_EVERY = 4
"""The plain loop takes every fourth cell: they cost about the same, and it is the slowest way."""

SCENARIO: dict[str, Any] = {
    "version": 1,
    "title": "A million messages in bursts",
    "profile": "real",
    "settings": {"ram_bytes": 536_870_912},
    "commands": [
        {
            "at_us": 0,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 80_000,
            "prefetch": 2000,
            "ack": "multiple",
        },
        *(
            {"at_us": second * 1_000_000, "do": "publish", "count": BURST, "size_bytes": 1024}
            for second in range(BURSTS)
        ),
    ],
    "until_us": (BURSTS + 1) * 1_000_000,
}
GRID = Grid(
    version=1,
    name="bench",
    title="Paging ratio and watermark",
    axes=(
        Axis(parameter="vm_memory_high_watermark_paging_ratio", first=0.1, last=1.0, steps=20),
        Axis(parameter="vm_memory_high_watermark", first=0.2, last=0.7, steps=20),
    ),
)


def run() -> Result:
    """Measure the plain loop, then Spark on one and two cores; the aims are those of the two constants above."""
    cells = make_plan(make_spec((checked("million", SCENARIO),), GRID), ENGINE_VERSION).cells
    part = cells[::PLAIN_EVERY]
    run_cell(part[0], "warm")
    began = time.perf_counter()
    rows = [run_cell(cell, "plain") for cell in part]
    plain_s = (time.perf_counter() - began) / len(part)
    failed = [row["error"] for row in rows if row["error"]]
    one = _spark(part, 1)
    two = _spark(cells, CORES)
    efficiency = {
        cores: plain_s * each["cells"] / (each["wall_s"] * cores) for cores, each in ((1, one), (2, two))
    }
    return {
        "cells": len(cells),
        "messages_in_a_cell": BURSTS * BURST,
        "failed": len(failed),
        "plain_cells_per_s": round(1 / plain_s, 2),
        "plain_seconds_per_million_messages": round(plain_s * 1e6 / (BURSTS * BURST), 3),
        "spark_cells_per_s_and_core": {
            "1": round(one["cells"] / one["wall_s"], 2),
            "2": round(two["cells"] / two["wall_s"] / CORES, 2),
        },
        "efficiency": {str(cores): round(each, 3) for cores, each in efficiency.items()},
        "spark_overhead_share": {
            "1": round(1 - one["cost_s"] / one["wall_s"], 3),
            "2": round(1 - two["cost_s"] / (two["wall_s"] * CORES), 3),
        },
        "seconds_for_all_on_2_cores": round(two["wall_s"], 1),
        "spark_start_s": round(one["start_s"], 1),
        "jvm_peak_mb": round(two["jvm_mb"]),
        "each_worker_peak_mb": round(two["worker_mb"]),
        "passed": not failed and efficiency[CORES] >= LEAST_EFFICIENCY and two["wall_s"] <= MOST_S,
    }


def _spark(cells: tuple[Cell, ...], cores: int) -> dict[str, float]:
    """Run cells on Spark with so many cores, after a first run that starts the workers."""
    folder = Path(tempfile.mkdtemp(prefix="waterline-bench-"))
    began = time.perf_counter()
    session = start_session(f"local[{cores}]")
    start_s = time.perf_counter() - began
    try:
        run_cells(session, cells[: 4 * cores], "warm", str(folder / "warm"), lambda done: None)
        began = time.perf_counter()
        run_cells(session, cells, engine_build(), str(folder / "cells"), lambda done: None)
        wall_s = time.perf_counter() - began
        jvm = session.sparkContext._gateway.proc.pid  # noqa: SLF001 - nothing else tells it
        memory = {"jvm_mb": _peak_mb(jvm), "worker_mb": max(map(_peak_mb, _below(jvm)), default=0.0)}
    finally:
        end_session(session)
    cost_s = sum(pq.read_table(folder / "cells", columns=["cost_s"]).column(0).to_pylist())
    shutil.rmtree(folder)
    return {"cells": len(cells), "wall_s": wall_s, "cost_s": cost_s, "start_s": start_s, **memory}


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
    """Return the most memory that a process had, 0 where the system does not tell."""
    try:
        return int(_status(pid)["VmHWM"].split()[0]) / 1024
    except (OSError, KeyError):
        return 0.0


def _status(pid: int) -> dict[str, str]:
    lines = (Path("/proc") / str(pid) / "status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)
