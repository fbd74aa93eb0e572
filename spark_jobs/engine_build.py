"""Which engine computed a cell: a fingerprint of what it computes, and its sources for other machines."""

from __future__ import annotations

import functools
import io
import zipfile
from pathlib import Path

from spark_jobs.fingerprint import fingerprint

ROOT = Path(__file__).resolve().parents[1]
"""The directory of the sources of `engine`, `sweeps`, `workloads` and `spark_jobs`; a compiled engine has another."""

CELL = "sweeps.cell"
"""The module that turns a scenario into a row, with all that it imports."""


def sources(*packages: str) -> list[Path]:
    """Return the Python files of the packages in a stable order."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


@functools.cache
def engine_build() -> str:
    """Return 12 hexadecimal digits that change whenever anything changes that could change a cell's row.

    Known cells are reused only if this is equal, so an engine under development needs no new version number.
    """
    return fingerprint(ROOT, CELL)


def packed_sources() -> bytes:
    """Return a zip of `engine`, `sweeps`, `workloads` and `spark_jobs`, as workers on other machines import it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sources("engine", "spark_jobs", "sweeps", "workloads"):
            archive.write(path, path.relative_to(ROOT).as_posix())
    return buffer.getvalue()
