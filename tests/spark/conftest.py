"""One Spark session for the whole test run: it takes many seconds to start."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.spec import read_spec
from sweeps.grid import Spec

ROOT = Path(__file__).resolve().parents[2]

WORKLOAD: dict[str, Any] = {
    "version": 1,
    "title": "Burst and drain",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [
        {"at_us": 0, "do": "publish", "count": 60, "size_bytes": 6000},
        {"at_us": 1_000_000, "do": "set_consumer", "name": "c1", "rate_per_s": 50, "prefetch": 10},
    ],
    "until_us": 3_000_000,
}
GRID: dict[str, Any] = {
    "version": 1,
    "name": "tiny",
    "title": "A tiny sweep",
    "axes": [
        {"parameter": "vm_memory_high_watermark", "values": [0.3, 0.4, 0.6]},
        {"parameter": "message_size_bytes", "values": [1000, 6000]},
    ],
    "metrics": ["peak_ram_bytes", "paged_out"],
    "home": {"vm_memory_high_watermark": 0.4, "message_size_bytes": 6000},
    "series_points": 4,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m 'not spark'` leaves it out."""
    for item in items:
        if item.nodeid.startswith("tests/spark/"):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def java_home() -> str:
    """Return a Java to run on, the machine's own or the bundled one."""
    found = subprocess.run(
        [sys.executable, "tools/ensure_java.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.fixture(scope="session")
def session(java_home: str) -> Iterator[Any]:
    """Return a Spark session with two slots on this machine."""
    os.environ["JAVA_HOME"] = java_home
    from spark_jobs.session import start_session

    started = start_session("local[2]")
    yield started
    started.stop()


def environment(java_home: str) -> dict[str, str]:
    """Return what a process of its own needs to import the project and to find Java."""
    return {**os.environ, "JAVA_HOME": java_home, "PYTHONPATH": str(ROOT)}


def write_sweep(folder: Path, workload: Any = WORKLOAD, grid: Any = GRID) -> tuple[Path, Path]:
    """Write both files of a sweep and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "burst.json", folder / "grid.json"
    for path, content in zip(paths, (workload, grid), strict=True):
        path.write_text(json.dumps(content))
    return paths


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    """Return the tiny sweep: six cells."""
    return read_spec(*write_sweep(tmp_path))
