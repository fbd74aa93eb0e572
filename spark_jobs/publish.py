"""The results of a sweep as files: a Parquet table for analysis, and compact JSON for the what-if page."""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.dataset import locate
from spark_jobs.errors import JobError
from sweeps.document import one_cell_per_line, page
from sweeps.grid import Spec

MOST_PAGE_CELLS = 20_000
"""More would be slow to open in a browser; the Parquet table has no such limit."""


AXES = b"waterline.axes"
"""Under this name the table's metadata has the axes and their values, in JSON and in order."""


def write_table(spec: Spec, table: pa.Table, path: str) -> None:
    """Write the sweep's table as one Parquet file with its axes."""
    filesystem, inner = locate(path)
    axes = msgspec.json.encode(list(spec.points.items()))
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), AXES: axes})
    pq.write_table(table, inner, filesystem=filesystem, compression="zstd")


def write_page(spec: Spec, table: pa.Table, engine_version: str, path: str) -> None:
    """Write the JSON that the what-if page reads.

    Raises:
        JobError: the sweep is too large for a page.
    """
    if table.num_rows > MOST_PAGE_CELLS:
        raise JobError("page_too_large", count=table.num_rows, most=MOST_PAGE_CELLS)
    filesystem, inner = locate(path)
    with filesystem.open_output_stream(inner) as stream:
        stream.write(one_cell_per_line(page(spec, table.to_pylist(), engine_version)))
