"""A sweep that takes long enough to lose a worker in, or to be interrupted."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import environment

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
        {"parameter": "message_size_bytes", "first": 4000, "last": 14000, "steps": 4},
    ],
    "series_points": 4,
}


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
    printed = []
    assert process.stdout is not None
    for line in process.stdout:
        printed.append(line)
        if words in line:
            return printed
    pytest.fail(f"it never said {words!r}: {''.join(printed)}")
