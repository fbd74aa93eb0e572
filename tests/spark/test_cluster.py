"""A real cluster of processes: the engine travels as a zip, and a lost worker changes nothing but the time."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from spark_jobs.cluster import Cluster, running
from spark_jobs.engine_build import engine_build
from spark_jobs.spec import read_spec
from sweeps.cell import run_cell
from sweeps.plan import make_plan
from tests.spark.conftest import write_sweep
from tests.spark.long_sweep import GRID, WORKLOAD, sweeping
from tests.spark.test_run import comparable

MIDDLE: dict[str, Any] = {
    **GRID,
    "axes": [
        {"parameter": "ram_bytes", "values": [180_000_000, 260_000_000, 400_000_000]},
        {"parameter": "message_size_bytes", "values": [4000, 7000, 10_000, 14_000]},
    ],
}
"""Twelve cells in eight tasks for two workers: when the first task is done, six more have to be."""
SECONDS = 300
"""A sweep that hangs ends; a machine with other work may take long."""


@pytest.fixture
def cluster(tmp_path: Path, java_home: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Start a master and two workers, outside of the repository so that they cannot import from it."""
    monkeypatch.setenv("JAVA_HOME", java_home)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    with running(tmp_path / "cluster") as started:
        yield started


def until_a_cell_is_done(out: Path) -> None:
    """Return as soon as the first cell is written."""
    ends = time.monotonic() + SECONDS
    while not any((out / "cells").glob("*.parquet")):
        assert time.monotonic() < ends, "no cell of the sweep was ever done"
        time.sleep(0.02)


def test_a_worker_killed_in_the_middle_changes_nothing(
    tmp_path: Path, cluster: Cluster, java_home: str
) -> None:
    write_sweep(tmp_path, {**WORKLOAD, "until_us": 6_000_000}, MIDDLE)
    spec = read_spec(tmp_path / "burst.json", tmp_path / "grid.json")
    cells = make_plan(spec, ENGINE_VERSION).cells
    process = sweeping(tmp_path, cluster.url, java_home)
    until_a_cell_is_done(tmp_path / "out")
    cluster.workers[0].end(signal.SIGKILL)
    assert not cluster.workers[0].alive
    assert cluster.replace_dead_workers() == ["worker-1"]  # as `make spark-cluster` does
    assert cluster.replace_dead_workers() == []
    assert not (tmp_path / "out" / "watched.parquet").exists()  # so it was not done yet when the worker went
    rest, _nothing = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, rest
    assert "12 of 12 cells" in rest
    assert "Traceback" not in rest
    table = pq.read_table(tmp_path / "out" / "watched.parquet")
    columns = [name for name in table.column_names if name not in spec.points]
    assert pq.read_table(tmp_path / "out" / "cells", columns=["cell_id"]).num_rows == len(cells)  # none twice
    rows = comparable(table.select(columns).to_pylist())
    assert rows == comparable([run_cell(cell, engine_build()) for cell in cells])
