"""How the figures of two runs are called and written, for the page's table."""

from __future__ import annotations

from engine.metrics import METRICS
from playground.whatif.labels import metric

FIRST = (
    "peak_ram_bytes",
    "blocked_s",
    "over_watermark_s",
    "disk_reads",
    "disk_writes",
    "fsyncs",
    "bytes_written",
)
"""Figures that are shown even when they are alike, in this order."""


def figure_labels() -> list[dict[str, object]]:
    """Return name, label and kind of every figure, the important ones first."""
    names = [*FIRST, *(name for name in METRICS if name not in FIRST)]
    return [
        {"name": name, "label": str(metric(name).name), "kind": metric(name).kind, "always": name in FIRST}
        for name in names
    ]
