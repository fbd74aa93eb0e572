"""The columns of the table of cells. One row is one run, or the error that ended it."""

from __future__ import annotations

import pyarrow as pa

from engine.metrics import METRICS
from sweeps.columns import COST, SERIES

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
CELLS = pa.schema([*_IDENTITY, *_OUTCOME, pa.field(COST, pa.float64())])
"""What `sweeps.cell.run_cell` returns and the dataset `cells` holds. values and scenario are JSON."""
