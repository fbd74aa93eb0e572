"""Which engine computed a cell: a fingerprint of its sources, and the sources themselves for other machines."""

from __future__ import annotations

import functools
import hashlib
import io
import zipfile
from pathlib import Path

import engine

ROOT = Path(engine.__file__).resolve().parents[1]
"""The directory that holds the packages `engine`, `workloads` and `spark_jobs`."""

MEASURING = ("cell.py", "power_cut.py", "schema.py", "states.py")
"""What turns a run into a row, beside the engine."""


def sources(*packages: str) -> list[Path]:
    """Return the Python files of the packages in a stable order."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


@functools.cache
def engine_build() -> str:
    """Return 12 hexadecimal digits that change whenever the source of the engine or of the metrics changes.

    Known cells are reused only if this is equal, so an engine under development needs no new version number.
    """
    total = hashlib.sha256()
    for path in [*sources("engine"), *(ROOT / "spark_jobs" / name for name in MEASURING)]:
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


def packed_sources() -> bytes:
    """Return a zip of `engine`, `workloads` and `spark_jobs`, as workers on other machines import it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sources("engine", "spark_jobs", "workloads"):
            archive.write(path, path.relative_to(ROOT).as_posix())
    return buffer.getvalue()
