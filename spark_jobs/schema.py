"""The columns of the table of cells. One row is one run, or the error that ended it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from engine.metrics import METRICS
from spark_jobs.states import STATES

SERIES = ("series_ram_bytes", "series_ready", *(f"series_{state}" for state in STATES))
"""Samples at equal distances of virtual time, the last one at the end: memory, and messages in each state."""

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
    *(pa.field(each.name, pa.int64() if each.whole else pa.float64()) for each in METRICS.values()),
    *(pa.field(name, pa.list_(pa.int64())) for name in SERIES),
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
