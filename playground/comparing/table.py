"""How the figures of two runs are called and written, for the page's table."""

from __future__ import annotations

from engine.counting.disk import bytes_written, disk_reads, disk_writes, fsyncs
from engine.counting.memory import peak_ram_bytes
from engine.counting.pressure import blocked_s, over_watermark_s
from engine.metrics import METRICS
from playground.whatif.labels import metric

FIRST = tuple(
    each.name
    for each in (
        peak_ram_bytes,
        blocked_s,
        over_watermark_s,
        disk_reads,
        disk_writes,
        fsyncs,
        bytes_written,
    )
)
"""Figures that are shown even when they are alike, in this order."""


def figure_labels() -> list[dict[str, object]]:
    """Return name, label, kind and better direction of every figure, the important ones first."""
    labels = {name: metric(name) for name in dict.fromkeys((*FIRST, *METRICS))}
    return [
        {
            "name": name,
            "label": str(label.name),
            "kind": label.kind,
            "better": label.better,
            "always": name in FIRST,
        }
        for name, label in labels.items()
    ]
