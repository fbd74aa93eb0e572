"""The columns of a sweep's row, by name: one row is one run, or the error that ended it."""

from __future__ import annotations

from typing import Any

from engine.metrics import METRICS
from sweeps.states import STATES

SERIES = ("series_ram_bytes", "series_ready", *(f"series_{state}" for state in STATES))
"""Samples at equal distances of virtual time, the last one at the end: memory, and messages in each state."""

COST = "cost_s"
"""Seconds of a processor that the cell took: the one column that differs from run to run."""

Row = dict[str, Any]
"""One row as a dict."""


def empty_outcome() -> Row:
    """Return the outcome columns of a run without results."""
    return dict.fromkeys(("error", "digest", *METRICS, *SERIES))
