"""Published heatmaps under a changed engine that computes the same: a sample is run again, then the stamp is renewed.

For a change that moves code but no result. Nothing is stamped unless every cell of the sample is equal in digest,
metrics and series; the table's metadata then records how many cells were compared, and with what.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from engine import ENGINE_VERSION
from engine.metrics import METRICS
from spark_jobs.engine_build import engine_build
from spark_jobs.errors import JobError
from spark_jobs.shipped import DESCRIPTIONS, workloads_of
from spark_jobs.spec import read_spec
from spark_jobs.sweep import Report
from sweeps.cell import Cell, outcome
from sweeps.columns import Row, empty_outcome
from sweeps.plan import make_plan

COMPARED = b"waterline.compared"
"""Under this name the table's metadata describes the comparison: builds before and after, cells compared and in all."""

SAMPLE = 24
"""Cells of each heatmap that are run again, spread evenly over it."""


def restamp(published: Path, sample: int, report: Report) -> None:
    """Compare a sample of every published heatmap with what this engine computes, and stamp those that are equal.

    Args:
        published: the directory of tables and pages.
        sample: how many cells of each to run again.
        report: called with lines of progress.

    Raises:
        JobError: a cell differs, or the heatmap is of another version, other cells or other metrics.
    """
    for description in sorted(path for path in DESCRIPTIONS.iterdir() if path.is_dir()):
        spec = read_spec(workloads_of(description), description / "grid.json")
        path = published / f"{spec.grid.name}.parquet"
        table = pq.read_table(path)
        cells = make_plan(spec, ENGINE_VERSION).cells
        chosen = _check(spec.grid.name, table, cells, sample)
        stamped = _stamped(table, chosen)
        pq.write_table(stamped, path, compression="zstd")
        report(
            f"{spec.grid.name}: {chosen} of {len(cells)} cells run again and equal; stamped {engine_build()}"
        )


def _check(name: str, table: pa.Table, cells: Sequence[Cell], sample: int) -> int:
    """Run a sample again and return how many cells it has."""
    if table.column("cell_id").to_pylist() != [cell.cell_id for cell in cells]:
        raise JobError("other_cells", name=name)
    missing = METRICS.keys() - set(table.column_names)
    if missing:
        raise JobError("metric_missing", name=name, metric=min(missing))
    count = min(max(1, sample), len(cells))
    places = sorted({round(step * (len(cells) - 1) / max(1, count - 1)) for step in range(count)})
    for place in places:
        row: Row = table.slice(place, 1).to_pylist()[0]
        again = {**empty_outcome(), **outcome(cells[place])}
        differing = [key for key, value in again.items() if row[key] != value]
        if differing:
            raise JobError("cell_differs", name=name, cell=row["cell_id"], metrics=", ".join(differing))
    return len(places)


def _stamped(table: pa.Table, compared: int) -> pa.Table:
    """Return the table with this engine's fingerprint, and a note of how that came."""
    number = table.schema.get_field_index("engine_build")
    before = sorted(set(table.column(number).to_pylist()))
    note = {"before": before, "after": engine_build(), "compared": compared, "cells": table.num_rows}
    stamp = pa.array([engine_build()] * table.num_rows, pa.string())
    table = table.set_column(number, table.schema.field(number), stamp)
    return table.replace_schema_metadata(
        {**(table.schema.metadata or {}), COMPARED: msgspec.json.encode(note)}
    )
