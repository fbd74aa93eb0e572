"""Which engine computed a cell: its version, and a fingerprint of its sources."""

from __future__ import annotations

import functools
import hashlib
import io
import zipfile
from pathlib import Path

import engine

ROOT = Path(engine.__file__).resolve().parents[1]
"""The directory that holds the packages `engine` and `spark_jobs`."""


def sources(*packages: str) -> list[Path]:
    """Return the Python files of the packages in a stable order."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


@functools.cache
def engine_build() -> str:
    """Return 12 hexadecimal digits that change whenever a source file of the engine changes.

    Known cells are reused only if this is equal, so an engine under development needs no new version number.
    """
    total = hashlib.sha256()
    for path in sources("engine"):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


def packed_sources() -> bytes:
    """Return a zip of `engine` and `spark_jobs`, as workers on other machines import it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sources("engine", "spark_jobs"):
            archive.write(path, path.relative_to(ROOT).as_posix())
    return buffer.getvalue()
