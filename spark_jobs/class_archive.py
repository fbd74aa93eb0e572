"""Spark's classes as the JVM lays them out once they are loaded, kept in a file: the next start takes half of the work.

A JVM that starts Spark reads and checks 20,000 classes, which costs more than a small sweep does. Java can write what
came of it (class data sharing), and map it again. `make spark-env` writes the archive once; without one, or with one
of another Java or Spark, everything works as well and starts more slowly.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from spark_jobs.findings import DEFAULT_CONSTRAINTS, DEFAULT_OBJECTIVE, asked, write_findings
from spark_jobs.session import ARCHIVE, start_session
from spark_jobs.sweep import sweep

MASTER = "local[1]"
WORKLOAD: dict[str, Any] = {
    "version": 1,
    "title": "One message",
    "profile": "classroom",
    "settings": {},
    "seed": 1,
    "commands": [{"at_us": 0, "do": "publish", "count": 1, "size_bytes": 100}],
    "until_us": 1_000_000,
}
GRID: dict[str, Any] = {
    "version": 1,
    "name": "least",
    "title": "The least sweep",
    "axes": [
        {"parameter": "vm_memory_high_watermark", "values": [0.4]},
        {"parameter": "message_size_bytes", "values": [100]},
    ],
    "metrics": ["peak_ram_bytes"],
    "home": {"vm_memory_high_watermark": 0.4, "message_size_bytes": 100},
}


def write_archive(archive: Path = ARCHIVE) -> None:
    """Do what the least sweep and its analysis do, and keep the classes that this loaded.

    Raises:
        JobError: Spark cannot be started.
    """
    with tempfile.TemporaryDirectory(dir=archive.parent) as name:
        folder = Path(name)
        new = folder / archive.name
        session = start_session(MASTER, f'"-XX:ArchiveClassesAtExit={new}"')
        gateway = session.sparkContext._gateway
        assert gateway is not None
        _sweep_and_analyse(folder)
        gateway.shutdown()
        process = gateway.proc  # pyspark's own name for the JVM that it started
        process.stdin.close()  # at which the JVM ends by itself, and writes
        process.wait()
        os.replace(new, archive)


def _sweep_and_analyse(folder: Path) -> None:
    workload, grid, out = folder / "least.json", folder / "grid.json", folder / "out"
    workload.write_text(json.dumps(WORKLOAD))
    grid.write_text(json.dumps(GRID))
    sweep(str(workload), grid, str(out), MASTER, lambda line: None)
    table = str(out / "least.parquet")
    question = asked(list(DEFAULT_CONSTRAINTS), DEFAULT_OBJECTIVE)
    write_findings(start_session(MASTER), table, str(out), question, lambda line: None)


if __name__ == "__main__":
    write_archive()
    print(f"{ARCHIVE}: {ARCHIVE.stat().st_size:,} bytes", file=sys.stderr)
