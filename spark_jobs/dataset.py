"""Reading what sweeps have written: the dataset of cells, and the rows that one sweep needs, in its order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from spark_jobs.errors import JobError
from spark_jobs.schema import CELLS
from sweeps.cell import Cell
from sweeps.columns import COST, Row
from workloads import store
from workloads.errors import WorkloadError


def known_rows(path: str, engine_version: str, engine_build: str) -> dict[str, Row]:
    """Return the rows without an error that this very engine has computed, by cell id.

    Args:
        path: path or URI of the dataset; one that does not exist yet has no rows.
        engine_version: version that must be equal.
        engine_build: fingerprint of sources that must be equal.
    """
    filesystem, inner = locate(path)
    if filesystem.get_file_info(inner).type != fs.FileType.Directory:
        return {}
    dataset = ds.dataset(inner, filesystem=filesystem, format="parquet", schema=CELLS)
    wanted = (
        (ds.field("engine_version") == engine_version)
        & (ds.field("engine_build") == engine_build)
        & ds.field("error").is_null()
    )
    return {row["cell_id"]: row for row in dataset.to_table(filter=wanted).to_pylist()}


def mean_costs_s(rows: Iterable[Row]) -> dict[str, float]:
    """Return what the cells of each workload took on average, in seconds."""
    costs: dict[str, list[float]] = {}
    for row in rows:
        costs.setdefault(row["workload"], []).append(row[COST])
    return {workload: sum(each) / len(each) for workload, each in costs.items()}


def failed_rows(path: str, cell_ids: Iterable[str], engine_build: str) -> dict[str, Row]:
    """Return the rows of cells that ended in an error, by cell id."""
    filesystem, inner = locate(path)
    if filesystem.get_file_info(inner).type != fs.FileType.Directory:
        return {}
    dataset = ds.dataset(inner, filesystem=filesystem, format="parquet", schema=CELLS)
    wanted = (
        ds.field("cell_id").isin(list(cell_ids))
        & (ds.field("engine_build") == engine_build)
        & ds.field("error").is_valid()
    )
    return {row["cell_id"]: row for row in dataset.to_table(filter=wanted).to_pylist()}


def sweep_table(cells: Sequence[Cell], rows: dict[str, Row]) -> pa.Table:
    """Return one row for each cell of the sweep, in the sweep's order, with a column for each axis.

    A run that two workloads or seeds share was computed once; each of its rows has its own workload and seed.

    Raises:
        JobError: a cell has no row.
    """
    missing = sum(cell.cell_id not in rows for cell in cells)
    if missing:
        raise JobError("cells_missing", count=missing)
    table = [
        {**rows[cell.cell_id], "workload": cell.workload, "values": msgspec.json.encode(cell.values).decode()}
        for cell in cells
    ]
    whole = pa.Table.from_pylist(table, schema=CELLS)
    for place, name in enumerate(cells[0].values):
        whole = whole.add_column(2 + place, name, pa.array([cell.values[name] for cell in cells]))
    return whole


def locate(path: str) -> tuple[fs.FileSystem, str]:
    """Return the file system and the path inside it for a local path or a URI.

    Raises:
        JobError: the kind of URI is not known here.
    """
    try:
        return store.locate(path)
    except WorkloadError as error:
        raise error.inside("", JobError) from None
