"""What was measured on a real node: cells, and the runs of each (tests/recordings/validation)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from tests.conftest import RECORDINGS
from tools.proofs.differential.installation import LATEST
from tools.proofs.predictions.logs import log_cells

PLACE: Final = RECORDINGS / "validation"
RUNS: Final = PLACE / "runs.json"

STRATEGY: Final = "erlang"
"""How the node counted its memory in the runs that are predicted; the two others show what `rss` does."""

FITTED: Final = frozenset(
    {"drain p.5 w.4", "drain p.5 w.6", "slow p.5 w.4", "burst p.5 w.4", "pdrain 4000 e0", "fan-out 8192"}
)
"""Cells by which the engine's constants were chosen; all others judge them."""

NAMES: Final = {"sent": "published"}
"""Metrics that the measurements call otherwise."""

FLOORS: Final = {
    "peak_ram_bytes": 1e6,
    "final_ram_bytes": 1e6,
    "blocked_s": 1.0,
    "over_watermark_s": 1.0,
    "first_paging_s": 1.0,
    "sent": 10.0,
    "delivered": 10.0,
    "throughput_per_s": 1.0,
    "latency_p50_s": 0.05,
    "latency_p95_s": 0.05,
    "confirm_p50_s": 0.05,
    "confirm_p95_s": 0.05,
    "bytes_written": 1e6,
    "write_amplification": 0.05,
    "disk_writes": 20.0,
    "fsyncs": 20.0,
    "bytes_read": 1e6,
    "disk_reads": 50.0,
}
"""The metrics that are compared; errors are shares of what was measured, and of at least this.

Memory is looked at once a second, so one second of being blocked is as fine as it gets.
"""


class Measured(NamedTuple):
    """One metric of one cell as measured: the middle of the quiet runs (of all where none was), and all extremes."""

    value: float
    low: float
    high: float


ENOUGH: Final = 2
"""Quiet runs; with fewer, all runs count."""


class MeasuredCell(NamedTuple):
    """A scenario with what a real node made of it.

    Args:
        name: of the cell.
        workload: which it is a cell of.
        scenario: as the engine takes it.
        runs: how many there were, `quiet` of them on a machine that did little else.
    """

    name: str
    workload: str
    scenario: dict[str, Any]
    runs: int
    quiet: int
    metrics: dict[str, Measured]

    @property
    def fitted(self) -> bool:
        """Whether the constants were chosen by it."""
        return self.name in FITTED


class CellToMeasure(NamedTuple):
    """A scenario as a node is to run it.

    Args:
        strategy: how the node counts its memory.
        limit_shift_bytes: added to the limit; a small node is over it from its start under `rss`.
        release: of the node.
    """

    name: str
    workload: str
    scenario: dict[str, Any]
    strategy: str = STRATEGY
    limit_shift_bytes: int = 0
    release: str = LATEST


TODAYS_RELEASE: Final = "4.3.6"
ON_TODAYS: Final = (
    "drain p.5 w.4",
    "drain 24k p.5 w.4",
    "slow p.5 w.4",
    "bursts p.5 w.4",
    "pdrain 4000 e4096",
    "mixed 8192",
    "fan-out 8192",
    "log p.5 w.4",
)
"""Cells that a node of today's release ran as well; none of its constants was chosen by them."""

UNDER_RSS: Final = {"drain p.5 w.4 rss": 0, "drain p.5 w.4 rss+75": 75_000_000}
"""Cells of the first one under 3.10.8's own strategy, with what was added to the limit."""


def cells() -> list[CellToMeasure]:
    """Return every cell: shipped workloads with the settings of a heatmap's cell, others, logs, and those under `rss`.

    Cells that nobody has measured yet are predicted by nobody: `make predict` measures them first.
    """
    return list(_cells())


@cache  # drawing the logs and importing them takes a second
def _cells() -> tuple[CellToMeasure, ...]:
    found = [
        CellToMeasure(
            each["name"],
            each["workload"],
            each["scenario"],
            each.get("strategy", STRATEGY),
            each.get("limit_shift_bytes", 0),
        )
        for each in [*json.loads((PLACE / "cells.json").read_text(encoding="utf-8")), *log_cells()]
    ]
    first = found[0]
    by_name = {each.name: each for each in found}
    return (
        *found,
        *(
            first._replace(name=name, strategy="rss", limit_shift_bytes=shift)
            for name, shift in UNDER_RSS.items()
        ),
        *(_on_todays(by_name[name]) for name in ON_TODAYS),
    )


def _on_todays(cell: CellToMeasure) -> CellToMeasure:
    return cell._replace(
        name=f"{cell.name} {TODAYS_RELEASE}",
        scenario={**cell.scenario, "profile": TODAYS_RELEASE},
        release=TODAYS_RELEASE,
    )


def read(strategy: str = STRATEGY, runs: Path = RUNS, release: str = LATEST) -> list[MeasuredCell]:
    """Return every cell that was measured with a strategy, its scenario as the engine is to run it.

    Runs without a day had clients that waited for each other; they count where there are no others.

    Args:
        runs: the file of what was measured.
        release: of the node that ran them.
    """
    rows = json.loads(runs.read_text(encoding="utf-8"))
    found = []
    for cell in cells():
        own = [each for each in rows if each["cell"] == cell.name and each["strategy"] == strategy]
        if (cell.strategy, cell.release) != (strategy, release) or not own:
            continue
        own = [each for each in own if "date" in each] or own
        quiet = [each for each in own if each["quiet"]]
        best = quiet if len(quiet) >= ENOUGH else own
        metrics = {name: _measured(NAMES.get(name, name), own, best) for name in FLOORS}
        kept = {name: each for name, each in metrics.items() if each is not None}
        found.append(MeasuredCell(cell.name, cell.workload, _as_measured(cell), len(own), len(quiet), kept))
    return found


def _as_measured(cell: CellToMeasure) -> dict[str, Any]:
    """Return the scenario with the strategy and the limit that the node had."""
    if cell.strategy == STRATEGY:
        return cell.scenario
    settings = cell.scenario["settings"]
    limit = int(settings["ram_bytes"] * settings.get("vm_memory_high_watermark", 0.4))
    changed = {
        "vm_memory_calculation_strategy": cell.strategy,
        "vm_memory_high_watermark": {"absolute": limit + cell.limit_shift_bytes},
    }
    return {**cell.scenario, "settings": {**settings, **changed}}


def _measured(name: str, runs: list[dict[str, Any]], best: list[dict[str, Any]]) -> Measured | None:
    values = [each[name] for each in runs if each.get(name) is not None]
    if not values:
        return None
    quiet = [each[name] for each in best if each.get(name) is not None]
    return Measured(median(quiet or values), min(values), max(values))
