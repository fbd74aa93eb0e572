"""The results of a sweep as files: a Parquet table for analysis, and compact JSON for the what-if page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from engine.metrics import METRICS
from spark_jobs.dataset import locate
from spark_jobs.errors import SweepError
from spark_jobs.parameters import Scenario
from spark_jobs.schema import Row
from spark_jobs.spec import Spec
from spark_jobs.states import STATES

MOST_PAGE_CELLS = 20_000
"""More would be slow to open in a browser; the Parquet table has no such limit."""


MOST_OFFERED = 6
"""A sweep that names no metrics offers the first ones of the registry."""

AXES = b"waterline.axes"
"""Under this name the table's metadata tells the axes and their values, in JSON and in order."""


def write_table(spec: Spec, table: pa.Table, path: str) -> None:
    """Write the sweep's table as one Parquet file that knows its axes."""
    filesystem, inner = locate(path)
    axes = msgspec.json.encode(list(spec.points.items()))
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), AXES: axes})
    pq.write_table(table, inner, filesystem=filesystem, compression="zstd")


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
    """Return the published form, version 2.

    Keys: version, name, title, engine_version, workloads (each with the scenario of its first cell), axes, seeds,
    home, offered, metrics, columns, cells. `cells` are lists in the order of `columns`: cell_id, workload, seed,
    values (one for each axis, in the order of `axes`), digest, error, metrics (in the order of `metrics`), changes
    (how the cell's scenario differs from that of its workload's first cell, see `changes`), series_ram_kib,
    series_states (one for each of STATES).
    """
    grid = spec.grid
    metrics = [*grid.metrics, *(name for name in METRICS if name not in grid.metrics)]
    # A cell of the workload's own, so that a command which an axis adds is in all of them.
    bases = {
        row["workload"]: msgspec.json.decode(row["scenario"])
        for row in reversed(table.select(["workload", "scenario"]).to_pylist())
    }
    return {
        "version": 2,
        "name": grid.name,
        "title": grid.title,
        "engine_version": engine_version,
        "workloads": [
            {"name": each.name, "title": each.title, "scenario": bases[each.name]} for each in spec.workloads
        ],
        "axes": [{"parameter": name, "values": values} for name, values in spec.points.items()],
        "seeds": grid.seeds,
        "home": grid.home,
        "offered": grid.metrics or tuple(METRICS)[:MOST_OFFERED],
        "metrics": metrics,
        "columns": COLUMNS,
        "cells": [
            _cell(row, list(spec.points), metrics, bases[row["workload"]]) for row in table.to_pylist()
        ],
    }


COLUMNS = (
    "cell_id",
    "workload",
    "seed",
    "values",
    "digest",
    "error",
    "metrics",
    "changes",
    "series_ram_kib",
    "series_states",
)


def _cell(row: Row, axes: list[str], metrics: list[str], base: Scenario) -> list[Any]:
    return [
        row["cell_id"],
        row["workload"],
        row["seed"],
        [row[name] for name in axes],
        row["digest"],
        row["error"],
        None if row["error"] else [rounded(row[name]) for name in metrics],
        list(changes(base, msgspec.json.decode(row["scenario"]))),
        [value // 1024 for value in row["series_ram_bytes"] or ()],
        [row[f"series_{state}"] or [] for state in STATES],
    ]


def rounded(value: float | None) -> float | None:
    """Return a metric as the page has it: whole numbers as they are, others with six significant digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def changes(
    before: Any, after: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[list[str | int], Any]]:
    """Yield what turns one JSON value into another: where (keys and indices from the top), and what stands there.

    A key that goes, or a list of another length, is told by its whole surroundings.
    """
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() <= after.keys():
        for key, value in after.items():
            if key in before:
                yield from changes(before[key], value, (*path, key))
            else:
                yield [*path, key], value
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes(old, new, (*path, index))
    elif before != after or type(before) is not type(after):
        yield list(path), after


def one_cell_per_line(document: dict[str, Any]) -> bytes:
    """Encode the page with each cell on a line of its own, so that one changed cell is one changed line."""
    head = msgspec.json.encode({**document, "cells": []}).removesuffix(b"]}")
    return head + b"\n" + b",\n".join(map(msgspec.json.encode, document["cells"])) + b"\n]}\n"
