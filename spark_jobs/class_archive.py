"""Spark's classes as the JVM lays them out once they are loaded, kept in a file: the next start takes half of the work.

A JVM that starts Spark reads and checks 20,000 classes, which costs more than a small sweep does. Java can write what
came of it (class data sharing), and map it again. `make spark-classes` writes the archive; without one, or with one
of another Java or Spark, everything works as well and starts more slowly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine.counting.load import peak_ram_bytes
from spark_jobs.findings import asked, write_findings
from spark_jobs.jvm import ARCHIVE, SUBMIT_OPTIONS
from spark_jobs.session import end_session, start_session
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
    "metrics": [peak_ram_bytes.name],
    "home": {"vm_memory_high_watermark": 0.4, "message_size_bytes": 100},
}


def write_archive(archive: Path = ARCHIVE) -> None:
    """Do in a process of its own what the least sweep and its analysis do, and keep the classes that its JVM loaded.

    Raises:
        CalledProcessError: Spark cannot be started there; why is printed.
    """
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        new = Path(folder) / archive.name
        # The JVM writes while it ends, after the process that started it; it holds the pipe for so long.
        subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "spark_jobs.class_archive", folder],
            env={**os.environ, SUBMIT_OPTIONS: f'"-XX:ArchiveClassesAtExit={new}" -Xlog:disable'},
            stdout=subprocess.PIPE,
            check=True,
        )
        new.replace(archive)


def sweep_and_analyse(folder: Path) -> None:
    """Run the least sweep and its analysis in a folder."""
    workload, grid, out = folder / "least.json", folder / "grid.json", folder / "out"
    workload.write_text(json.dumps(WORKLOAD))
    grid.write_text(json.dumps(GRID))
    session = start_session(MASTER)
    sweep(str(workload), grid, str(out), MASTER, lambda line: None)
    write_findings(session, str(out / "least.parquet"), str(out), asked(), lambda line: None)
    end_session(session)


if __name__ == "__main__":
    if sys.argv[1:]:
        sweep_and_analyse(Path(sys.argv[1]))
    else:
        write_archive()
        print(f"{ARCHIVE}: {ARCHIVE.stat().st_size:,} bytes")
