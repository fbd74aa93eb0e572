"""The heatmaps that come with the project: their descriptions, and where the page reads them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq

from spark_jobs.engine_build import ROOT
from spark_jobs.findings import asked, write_findings
from spark_jobs.schema import CELLS
from spark_jobs.session import start_session
from spark_jobs.spec import SHIPPED_NAME, read_grid
from spark_jobs.sweep import Report, sweep

DESCRIPTIONS = ROOT / "spark_jobs" / "sweeps"
"""One directory for each heatmap: grid.json, which names its workloads, or workloads/ with scenarios of its own."""

PUBLISHED = ROOT / "playground" / "heatmaps"
"""What the what-if page reads. The web process never computes a cell itself."""


def make_heatmaps(
    out: Path, published: Path, master: str, report: Report, descriptions: Path = DESCRIPTIONS
) -> int:
    """Sweep every description into `out`, then copy tables and pages to `published`.

    Returns:
        the number of failed cells; nothing of a sweep with failed cells is copied.
    """
    failed = 0
    published.mkdir(parents=True, exist_ok=True)
    for description in sorted(path for path in descriptions.iterdir() if path.is_dir()):
        target = out / description.name
        _take_published(published / f"{read_grid(description / 'grid.json').name}.parquet", target)
        failures = sweep(workloads_of(description), description / "grid.json", str(target), master, report)
        failed += failures
        if not failures:
            name = read_grid(description / "grid.json").name
            write_findings(
                start_session(master), str(target / f"{name}.parquet"), str(target), asked(), report
            )
            for path in (*sorted(target.glob("*.json")), *sorted(target.glob("*.parquet"))):
                shutil.copyfile(path, published / path.name)
    return failed


def _take_published(table: Path, target: Path) -> None:
    """Give a sweep the cells that are published, so that a clone computes only those that its engine changed."""
    if table.is_file():
        (target / "cells").mkdir(parents=True, exist_ok=True)
        rows = pq.read_table(
            table, columns=[name for name in CELLS.names if name in pq.read_schema(table).names]
        )
        pq.write_table(rows, target / "cells" / "published.parquet", compression="zstd")


def workloads_of(description: Path) -> str:
    """Return where a shipped description takes its workloads from."""
    own = description / "workloads"
    return str(own) if own.is_dir() else SHIPPED_NAME
