"""How the figures of two runs are called and written, for the page's table."""

from __future__ import annotations

from engine.counting.disk import bytes_written, disk_reads, disk_writes, fsyncs
from engine.counting.memory import paging_at_bytes, peak_ram_bytes
from engine.counting.pressure import blocked_s, over_watermark_s, paging_s
from engine.metrics import METRICS
from engine.releases import BrokerRelease
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


OF_PAGING = frozenset({paging_at_bytes.name, paging_s.name})
COMMON = "counting"
"""The room of what is counted of every generation; others are counted of the generation in whose room they are."""


def is_had(release: BrokerRelease, name: str) -> bool:
    """Return whether a release has what a metric counts: a journal, say, or a memory at which paging begins.

    Args:
        name: of the metric.
    """
    room, files = (
        module.split(".")[1]
        for module in (METRICS[name].function.__module__, release.storage.host_files.__module__)
    )
    return room in (COMMON, files) and not (name in OF_PAGING and "paging" in release.gone)


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
