"""How a JVM of Spark starts quickly: with a small collector, a quick compiler, and an archive of its classes.

`make spark-env` writes the archive, a file that JVMs map into memory instead of reading thousands of classes out of
jars. It fits only the Java and the jars that it was made with. Every JVM checks that, and reads the jars where it does
not fit.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""The JVM only hands cells to Python: a small collector and a quick compiler start faster and lose nothing."""

ARCHIVE = Path(sys.prefix) / "java" / "spark.jsa"
TRAINING = """
from spark_jobs.session import start_session
start_session("local[1]").range(9).groupBy("id").count().collect()
"""
"""What a JVM does before it writes the classes that it has loaded by then: those of a start and of a query."""


def options_here() -> str:
    """Return the options for a JVM on this machine: OPTIONS, and the archive if there is one."""
    return f'{OPTIONS} -XX:SharedArchiveFile="{ARCHIVE}" -Xlog:cds*=off' if ARCHIVE.exists() else OPTIONS


def make_archive() -> bool:
    """Write the archive; return whether this Java can do so."""
    ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
    ARCHIVE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=ARCHIVE.parent) as place:
        made = Path(place) / ARCHIVE.name
        # The JVM ends after Python, and writes the archive then: as it holds the pipes, they are read to its end.
        subprocess.run(  # noqa: S603 - this Python with our own lines
            [sys.executable, "-c", TRAINING],
            env={**os.environ, "SPARK_SUBMIT_OPTS": f'-XX:ArchiveClassesAtExit="{made}"'},
            capture_output=True,
            check=False,
        )
        if made.exists():
            made.replace(ARCHIVE)
    return ARCHIVE.exists()


if __name__ == "__main__":
    print(
        "Spark's classes are archived" if make_archive() else "This Java writes no archive of Spark's classes"
    )
