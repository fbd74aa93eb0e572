"""A real cluster of processes: the engine travels as a zip, and a lost worker changes nothing but the time."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from spark_jobs.cluster import Cluster, running
from spark_jobs.engine_build import engine_build
from spark_jobs.spec import read_spec
from sweeps.cell import run_cell
from sweeps.plan import make_plan
from tests.spark.conftest import write_sweep
from tests.spark.long_sweep import GRID, WORKLOAD, lines_until, sweeping
from tests.spark.test_run import comparable


@pytest.fixture
def cluster(tmp_path: Path, java_home: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Start a master and two workers, outside of the repository so that they cannot import from it."""
    monkeypatch.setenv("JAVA_HOME", java_home)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    with running(tmp_path / "cluster") as started:
        yield started


def test_a_worker_killed_in_the_middle_changes_nothing(
    tmp_path: Path, cluster: Cluster, java_home: str
) -> None:
    write_sweep(tmp_path, WORKLOAD, GRID)
    spec = read_spec(tmp_path / "burst.json", tmp_path / "grid.json")
    cells = make_plan(spec, ENGINE_VERSION).cells
    process = sweeping(tmp_path, cluster.url, java_home)
    lines_until(process, "tasks of this wave")
    cluster.workers[0].end(signal.SIGKILL)
    assert not cluster.workers[0].alive
    rest, _nothing = process.communicate(timeout=300)
    assert process.returncode == 0, rest
    assert "24 of 24 cells" in rest  # so it was not done yet when the worker went
    assert "Traceback" not in rest
    table = pq.read_table(tmp_path / "out" / "watched.parquet")
    columns = [name for name in table.column_names if name not in spec.points]
    rows = comparable(table.select(columns).to_pylist())
    assert rows == comparable([run_cell(cell, engine_build()) for cell in cells])
