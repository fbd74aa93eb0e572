"""How the JVMs of Spark start on this machine: quickly, and where an archive was made, with its classes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""The JVM only hands cells to Python: a small collector and a quick compiler start faster and lose nothing."""

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
"""Spark's classes as a JVM laid them out (`spark_jobs.class_archive`), beside the packages whose classes they are."""

SUBMIT_OPTIONS = "SPARK_SUBMIT_OPTS"
"""The variable of the environment in which Spark's own scripts look for more options of its JVM."""


def jvm_options() -> str:
    """Return the options of a JVM on this machine.

    An archive of another Java or Spark is passed over, without a word. A JVM takes an archive or writes one.
    """
    if not ARCHIVE.is_file() or "ArchiveClassesAtExit" in os.environ.get(SUBMIT_OPTIONS, ""):
        return QUICK_START
    return f'{QUICK_START} "-XX:SharedArchiveFile={ARCHIVE}" -Xlog:disable'
