"""The results of a sweep as files: a Parquet table for analysis, and compact JSON for the what-if page."""

from __future__ import annotations

from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from engine.metrics import METRICS
from spark_jobs.dataset import locate
from spark_jobs.errors import SweepError
from spark_jobs.schema import COST
from spark_jobs.spec import Spec

MOST_PAGE_CELLS = 20_000
"""More would be slow to open in a browser; the Parquet table has no such limit."""


def write_table(table: pa.Table, path: str) -> None:
    """Write the sweep's table as one Parquet file, without what differs from run to run."""
    filesystem, inner = locate(path)
    pq.write_table(table.drop_columns([COST]), inner, filesystem=filesystem, compression="zstd")


def write_page(spec: Spec, table: pa.Table, engine_version: str, path: str) -> None:
    """Write the JSON that the what-if page reads.

    Raises:
        SweepError: the sweep is too large for a page.
    """
    if table.num_rows > MOST_PAGE_CELLS:
        raise SweepError(
            f"{table.num_rows} cells are too many for the page (at most {MOST_PAGE_CELLS}); the Parquet table is "
            "written, take steps out of an axis for the page"
        )
    filesystem, inner = locate(path)
    with filesystem.open_output_stream(inner) as stream:
        stream.write(one_cell_per_line(page(spec, table, engine_version)))


def page(spec: Spec, table: pa.Table, engine_version: str) -> dict[str, Any]:
    """Return the published form, version 1.

    Keys: version, name, title, engine_version, workloads, axes, seeds, home, metrics, columns, cells. `cells` are
    lists in the order of `columns`: cell_id, workload, seed, values (one for each axis, in the order of `axes`),
    digest, error, metrics (in the order of `metrics`), series_ram_kib, series_ready, scenario (complete).
    """
    grid = spec.grid
    metrics = [*grid.metrics, *(name for name in METRICS if name not in grid.metrics)]
    return {
        "version": 1,
        "name": grid.name,
        "title": grid.title,
        "engine_version": engine_version,
        "workloads": [{"name": each.name, "title": each.title} for each in spec.workloads],
        "axes": [{"parameter": name, "values": values} for name, values in spec.points.items()],
        "seeds": grid.seeds,
        "home": grid.home,
        "offered": grid.metrics or METRICS[:6],
        "metrics": metrics,
        "columns": COLUMNS,
        "cells": [_cell(row, list(spec.points), metrics) for row in table.to_pylist()],
    }


COLUMNS = (
    "cell_id",
    "workload",
    "seed",
    "values",
    "digest",
    "error",
    "metrics",
    "series_ram_kib",
    "series_ready",
    "scenario",
)


def _cell(row: dict[str, Any], axes: list[str], metrics: list[str]) -> list[Any]:
    return [
        row["cell_id"],
        row["workload"],
        row["seed"],
        [row[name] for name in axes],
        row["digest"],
        row["error"],
        None if row["error"] else [row[name] for name in metrics],
        [value // 1024 for value in row["series_ram_bytes"] or ()],
        row["series_ready"] or [],
        msgspec.json.decode(row["scenario"]),
    ]


def one_cell_per_line(document: dict[str, Any]) -> bytes:
    """Encode the page with each cell on a line of its own, so that one changed cell is one changed line."""
    head = msgspec.json.encode({**document, "cells": []}).removesuffix(b"]}")
    return head + b"\n" + b",\n".join(map(msgspec.json.encode, document["cells"])) + b"\n]}\n"
