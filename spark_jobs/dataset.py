"""The dataset of cells: rows are written as they come, and read in the order that one sweep needs.

Arrow alone reads and writes it, so one spelling of a path or URI works for the driver, the executors and `analyse`.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs

from spark_jobs.errors import JobError
from spark_jobs.schema import CELLS
from sweeps.cell import Cell
from sweeps.columns import COST, Row
from workloads import store
from workloads.errors import WorkloadError


def inside(base: str, name: str) -> str:
    """Return the path or URI of a name below another; the options of a URI stay at its end."""
    place, mark, options = base.partition("?") if "://" in base else (base, "", "")
    return f"{place.rstrip('/')}/{name}{mark}{options}"


def shown(uri: str) -> str:
    """Return a path or URI as it may be printed: without a key, a secret or options."""
    scheme, mark, rest = uri.partition("?")[0].rstrip("/").partition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}" if mark else scheme


def make_directory(path: str) -> None:
    """Make a directory, with all above it."""
    filesystem, inner = locate(path)
    filesystem.create_dir(inner, recursive=True)


def append_rows(path: str, rows: Sequence[Row]) -> None:
    """Write rows to the dataset as one file, whole or not at all; the same rows once more replace it.

    Args:
        path: path or URI of the dataset, which exists.
        rows: at least one, with the columns of `CELLS`.
    """
    filesystem, inner = locate(path)
    content = hashlib.sha256("".join(row["cell_id"] for row in rows).encode()).hexdigest()[:16]
    unfinished = f"{inner}/_{uuid.uuid4().hex}"  # nothing reads a name that begins so
    table = pa.Table.from_pylist(list(rows), schema=CELLS)
    pq.write_table(table, unfinished, filesystem=filesystem, compression="zstd")
    filesystem.move(unfinished, f"{inner}/{content}.parquet")


class ArrivingRows:
    """The rows that come to a dataset while a sweep runs.

    Args:
        path: path or URI of the dataset, which exists.
    """

    def __init__(self, path: str) -> None:
        self._filesystem, self._inner = locate(path)
        self._seen = set(self._files())

    def arrived(self) -> list[Row]:
        """Return id, values, error and cost of all rows that have come since the last call."""
        new = [name for name in self._files() if name not in self._seen]
        self._seen.update(new)
        if not new:
            return []
        rows = ds.dataset(new, filesystem=self._filesystem, format="parquet", schema=CELLS)
        return rows.to_table(columns=["cell_id", "values", "error", COST]).to_pylist()

    def _files(self) -> list[str]:
        found = self._filesystem.get_file_info(fs.FileSelector(self._inner))
        return [each.path for each in found if each.base_name.endswith(".parquet")]


def _rows(path: str, wanted: ds.Expression, columns: list[str] | None = None) -> list[Row]:
    """Return the rows of a dataset that a filter takes; none where the dataset does not exist yet."""
    filesystem, inner = locate(path)
    if filesystem.get_file_info(inner).type != fs.FileType.Directory:
        return []
    dataset = ds.dataset(inner, filesystem=filesystem, format="parquet", schema=CELLS)
    return dataset.to_table(columns=columns, filter=wanted).to_pylist()


def finished_ids(path: str, engine_build: str) -> set[str]:
    """Return the ids of the cells that have a row of this engine, with an error or without."""
    return {row["cell_id"] for row in _rows(path, ds.field("engine_build") == engine_build, ["cell_id"])}


def known_rows(path: str, engine_version: str, engine_build: str) -> dict[str, Row]:
    """Return the rows without an error that this very engine has computed, by cell id.

    Args:
        path: path or URI of the dataset; one that does not exist yet has no rows.
        engine_version: version that must be equal.
        engine_build: fingerprint of sources that must be equal.
    """
    wanted = (
        (ds.field("engine_version") == engine_version)
        & (ds.field("engine_build") == engine_build)
        & ds.field("error").is_null()
    )
    return {row["cell_id"]: row for row in _rows(path, wanted)}


def mean_costs_s(rows: Iterable[Row]) -> dict[str, float]:
    """Return what the cells of each workload took on average, in seconds."""
    costs: dict[str, list[float]] = {}
    for row in rows:
        costs.setdefault(row["workload"], []).append(row[COST])
    return {workload: sum(each) / len(each) for workload, each in costs.items()}


def failed_rows(path: str, cell_ids: Iterable[str], engine_build: str) -> dict[str, Row]:
    """Return the rows of cells that ended in an error, by cell id."""
    wanted = (
        ds.field("cell_id").isin(list(cell_ids))
        & (ds.field("engine_build") == engine_build)
        & ds.field("error").is_valid()
    )
    return {row["cell_id"]: row for row in _rows(path, wanted)}


def read_table(path: str) -> pa.Table:
    """Return a Parquet table."""
    filesystem, inner = locate(path)
    return pq.read_table(inner, filesystem=filesystem)


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
