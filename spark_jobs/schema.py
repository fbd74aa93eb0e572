"""The columns of the table of cells. One row is one run, or the error that ended it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from engine.metrics import COUNTS, LEVELS, SECONDS

_IDENTITY = [
    pa.field("cell_id", pa.string(), nullable=False),
    pa.field("workload", pa.string(), nullable=False),
    pa.field("seed", pa.int64(), nullable=False),
    pa.field("values", pa.string(), nullable=False),
    pa.field("scenario", pa.string(), nullable=False),
    pa.field("engine_version", pa.string(), nullable=False),
    pa.field("engine_build", pa.string(), nullable=False),
]
_OUTCOME = [
    pa.field("error", pa.string()),
    pa.field("digest", pa.string()),
    *(pa.field(name, pa.int64()) for name in (*COUNTS, *LEVELS, "refused")),
    *(pa.field(name, pa.float64()) for name in SECONDS),
    pa.field("series_ram_bytes", pa.list_(pa.int64())),
    pa.field("series_ready", pa.list_(pa.int64())),
]
COST = "cost_s"
"""Seconds of real time that the cell took: the one column that differs from run to run."""

CELLS = pa.schema([*_IDENTITY, *_OUTCOME, pa.field(COST, pa.float64())])
"""What `spark_jobs.cell.run_cell` returns and the dataset `cells` holds. values and scenario are JSON."""

Row = dict[str, Any]
"""One row of `CELLS` as a dict."""


def empty_outcome() -> Row:
    """Return the outcome columns of a run that told nothing."""
    return {field.name: None for field in _OUTCOME}
