"""A real cluster of processes: the engine travels as a zip, and a lost worker changes nothing but the time."""

import json
import os
import signal
import subprocess
import sys
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
from tests.spark.conftest import environment, write_sweep
from tests.spark.test_run import comparable

WORKLOAD: dict[str, Any] = {
    "version": 1,
    "title": "A second of a queue that pages",
    "profile": "real",
    "seed": 1,
    "commands": [
        {"at_us": 0, "do": "set_publisher", "name": "p1", "rate_per_s": 900, "size_bytes": 12288},
        {
            "at_us": 0,
            "do": "set_consumer",
            "name": "c1",
            "rate_per_s": 400,
            "prefetch": 50,
            "ack": "multiple",
        },
    ],
    "until_us": 12_000_000,
}
GRID: dict[str, Any] = {
    "version": 1,
    "name": "watched",
    "title": "Long enough to lose a worker in",
    "axes": [
        {"parameter": "ram_bytes", "first": 180_000_000, "last": 400_000_000, "steps": 6},
        {"parameter": "message_size_bytes", "first": 4000, "last": 14000, "steps": 8},
    ],
    "series_points": 4,
}


@pytest.fixture
def cluster(tmp_path: Path, java_home: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Start a master and two workers, outside of the repository so that they cannot import from it."""
    monkeypatch.setenv("JAVA_HOME", java_home)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    with running(tmp_path / "cluster") as started:
        yield started


def sweeping(folder: Path, master: str, java_home: str) -> subprocess.Popen[str]:
    """Start a sweep of the two files in `folder`."""
    files = ["--workloads", str(folder / "burst.json"), "--grid", str(folder / "grid.json")]
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "spark_jobs",
            "sweep",
            *files,
            "--out",
            str(folder / "out"),
            "--master",
            master,
        ],
        env=environment(java_home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def lines_until(process: subprocess.Popen[str], words: str) -> list[str]:
    """Return what the process says, up to a line with these words."""
    said = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if words in line:
            return said
    pytest.fail(f"it never said {words!r}: {''.join(said)}")


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
    assert "48 of 48 cells" in rest  # so it was not done yet when the worker went
    assert "Traceback" not in rest
    table = pq.read_table(tmp_path / "out" / "watched.parquet")
    columns = [name for name in table.column_names if name not in spec.points]
    rows = comparable(table.select(columns).to_pylist())
    assert rows == comparable([run_cell(cell, engine_build()) for cell in cells])


def test_an_interrupt_says_one_sentence_and_the_next_run_goes_on(tmp_path: Path, java_home: str) -> None:
    write_sweep(tmp_path, WORKLOAD, {**GRID, "name": "short", "axes": GRID["axes"][::-1]})
    process = sweeping(tmp_path, "local[2]", java_home)
    lines_until(process, "to start")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everything hears of it
    rest, _nothing = process.communicate(timeout=60)
    assert process.returncode == 130, rest
    assert rest.splitlines()[-1] == "interrupted; the same command goes on where this one stopped"
    assert "Traceback" not in rest
    assert "py4j" not in rest
    small = {**GRID, "axes": [{**axis, "steps": 2} for axis in GRID["axes"]]}
    (tmp_path / "grid.json").write_text(json.dumps(small))
    again = sweeping(tmp_path, "local[2]", java_home)
    said, _nothing = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert "4 of 4 cells" in said
