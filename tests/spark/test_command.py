"""`python -m spark_jobs sweep` from end to end, as a person types it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine import ENGINE_VERSION
from engine.metrics import METRICS
from playground.whatif.shipped import heatmaps
from tests.spark import long_sweep
from tests.spark.conftest import GRID, ROOT, WORKLOAD, environment, write_sweep
from tests.spark.long_sweep import lines_until, sweeping

MOST_SECONDS = 300
"""A program that hangs ends; a machine with other work may take long."""


def command(*arguments: str, java_home: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "spark_jobs", *arguments],
        cwd=cwd,
        env=environment(java_home),
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )


def sweep(folder: Path, java_home: str, *options: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the sweep whose files lie in `folder`."""
    out = folder / "out"
    arguments = ["sweep", "--workloads", str(folder / "burst.json"), "--grid", str(folder / "grid.json")]
    return command(
        *arguments, "--out", str(out), "--master", "local[2]", *options, java_home=java_home, cwd=cwd
    )


def interrupt(folder: Path, java_home: str) -> None:
    """Start a long sweep and stop it by Ctrl-C in the middle."""
    write_sweep(folder, long_sweep.WORKLOAD, long_sweep.GRID)
    process = sweeping(folder, "local[2]", java_home)
    lines_until(process, "to start")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: everything hears of it
    rest, _nothing = process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 130, rest
    assert rest.splitlines()[-1] == "interrupted; the same command goes on where this one stopped"
    assert "Traceback" not in rest
    assert "py4j" not in rest


def test_a_sweep_after_an_interrupt_writes_a_table_and_a_page_and_knows_its_cells_the_next_time(
    tmp_path: Path, java_home: str
) -> None:
    interrupt(tmp_path, java_home)
    write_sweep(tmp_path)
    first = sweep(tmp_path, java_home, cwd=tmp_path)  # from anywhere, not only from the repository
    assert first.returncode == 0, first.stderr
    assert "6 cells, 0 already known, 6 to run" in first.stdout
    table = pq.read_table(tmp_path / "out" / "tiny.parquet").to_pylist()
    assert [(row["vm_memory_high_watermark"], row["message_size_bytes"]) for row in table] == [
        (0.3, 1000),
        (0.3, 6000),
        (0.4, 1000),
        (0.4, 6000),
        (0.6, 1000),
        (0.6, 6000),
    ]
    assert all(set(METRICS) <= row.keys() for row in table)
    assert all(json.loads(row["scenario"])["version"] == 1 for row in table)

    page = heatmaps(tmp_path / "out")["tiny"]  # what the web side makes of it
    assert page.engine_version == ENGINE_VERSION
    assert [run.digest for run in page.cells] == [row["digest"] for row in table]
    assert page.value(page.cells[3], "peak_ram_bytes") == table[3]["peak_ram_bytes"]

    again = sweep(tmp_path, java_home)
    assert again.returncode == 0, again.stderr
    assert "6 already known, 0 to run" in again.stdout
    assert "Spark" not in again.stdout  # nothing to compute, so it is not even started

    (tmp_path / "grid.json").write_text(json.dumps({**GRID, "seeds": [1, 2]}))
    more = sweep(tmp_path, java_home, "--plan")
    assert "12 cells, 6 already known, 6 to run" in more.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"axes": GRID["axes"][:1]}, "a sweep needs two or more"),
        ({"axes": [{"parameter": "colour", "values": [1]}, GRID["axes"][0]]}, "called 'colour'; known:"),
    ],
)
def test_a_refusal_is_one_line_with_the_fix(
    tmp_path: Path, java_home: str, change: dict[str, Any], message: str
) -> None:
    write_sweep(tmp_path, WORKLOAD, {**GRID, **change})
    result = sweep(tmp_path, java_home)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
