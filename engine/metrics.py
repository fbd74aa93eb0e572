"""The metrics of a run, counted from its transitions. Nothing is counted that the engine did not report.

METRICS has all of them by name, for tables, pages, exports and docs/whatif.md. `RunMeter` counts them during a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine import generations  # noqa: F401 - each registers its own
from engine.counting import backlog, disk, load, survival  # noqa: F401 - they register
from engine.counting.meter import RunMeter
from engine.counting.metric import METRICS, BetterWay, Metric, MetricUnit, PowerCut, RunEnding
from engine.releases import BrokerRelease

__all__ = [
    "METRICS",
    "BetterWay",
    "Metric",
    "MetricUnit",
    "PowerCut",
    "RunEnding",
    "RunMeter",
    "is_answered",
    "is_had",
]

TOPICS: Final = ("load", "backlog", "disk", "survival")
"""Names of the modules in `engine.counting` and in a generation's folder, in the order of the tables."""

COMMON: Final = "counting"
"""The room of what is counted of every generation; others are counted of the generation in whose room they are."""
OF_PAGING: Final = frozenset({load.paging_at_bytes.name, load.paging_s.name})

OF_EVENTS: Final = frozenset(
    {
        "transitions",
        "disk_reads",
        "disk_writes",
        "fsyncs",
        "journal_flushes",
        "segments_written",
        "segments_deleted",
        "returned_after_power_cut",
    }
)
"""What counts events: of bursts there are fewer than of the messages that a log has in them (`bench.gathered_log`)."""
OF_SLEEP: Final = frozenset({load.peak_ram_bytes.name, load.peak_ram_share.name})
"""What is less where a queue sleeps between two bursts, and writes its journal before: one that nobody reads."""
OF_WIDE_BURSTS: Final = frozenset({disk.bytes_written.name, disk.write_amplification.name})
"""What a burst as wide as a sleep moves by some per cent where a queue of 4.x has a backlog."""
SLEEPS_US: Final = 1_000_000
"""After so long without an event a queue sleeps at the earliest."""


def is_answered(scenario: Mapping[str, Any], name: str) -> bool:
    """Return whether a metric of a scenario's run is that of the log from which an import made it.

    Args:
        scenario: as JSON; its `burst_us` says how wide the bursts are in which the log's messages were gathered.
        name: of the metric.
    """
    burst_us = scenario.get("burst_us", 0)
    if (burst_us and name in OF_EVENTS) or (burst_us >= SLEEPS_US and name in OF_WIDE_BURSTS):
        return False
    if burst_us < SLEEPS_US or name not in OF_SLEEP:
        return True
    return any(each["do"] == "set_consumer" for each in scenario["commands"])


def is_had(release: BrokerRelease, name: str) -> bool:
    """Return whether a release has what a metric counts: a journal, say, or a memory at which paging begins.

    Args:
        release: the broker's.
        name: of the metric.
    """
    room, files = (
        module.split(".")[1]
        for module in (METRICS[name].function.__module__, release.storage.host_files.__module__)
    )
    return room in (COMMON, files) and not (name in OF_PAGING and "paging" in release.gone)


def _place(metric: Metric) -> tuple[int, bool]:
    room, _, topic = metric.function.__module__.rpartition(".")
    return TOPICS.index(topic), room != "engine.counting"


_in_order = sorted(METRICS.values(), key=_place)
METRICS.clear()
METRICS.update((each.name, each) for each in _in_order)
