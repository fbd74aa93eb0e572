"""A sweep that was killed, with its JVM and its workers, keeps each cell that was done, from the first on."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from spark_jobs.engine_build import engine_build
from spark_jobs.spec import read_spec
from sweeps.cell import run_cell
from sweeps.plan import make_plan
from tests.spark.conftest import write_sweep
from tests.spark.long_sweep import GRID, lines_until, sweeping
from tests.spark.test_run import comparable

pytestmark = pytest.mark.soak

WORKLOAD: dict[str, Any] = {
    "version": 1,
    "title": "Many messages",
    "profile": "real",
    "seed": 1,
    "commands": [{"at_us": 0, "do": "publish", "count": 100_001, "size_bytes": 5000}],
    "until_us": 1_000_000,
}


def test_only_what_was_not_written_runs_again(tmp_path: Path, java_home: str) -> None:
    write_sweep(tmp_path, WORKLOAD, GRID)
    spec = read_spec(tmp_path / "burst.json", tmp_path / "grid.json")
    cells = make_plan(spec, ENGINE_VERSION).cells
    process = sweeping(tmp_path, "local[2]", java_home)
    lines_until(process, f" of {len(cells)} cells, ")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not (tmp_path / "out" / "watched.parquet").exists()

    kept = pq.read_table(tmp_path / "out" / "cells", columns=["cell_id"]).num_rows
    assert 0 < kept < len(cells)

    again = sweeping(tmp_path, "local[2]", java_home)
    printed, _nothing = again.communicate(timeout=300)
    assert again.returncode == 0, printed
    assert f"{len(cells)} cells, {kept} already known, {len(cells) - kept} to run" in printed
    table = pq.read_table(tmp_path / "out" / "watched.parquet")
    columns = [name for name in table.column_names if name not in spec.points]
    rows = comparable(table.select(columns).to_pylist())
    assert rows == comparable([run_cell(cell, engine_build()) for cell in cells])
