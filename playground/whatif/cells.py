"""A cell as a run: its scenario, its title, and the moment that one wants to see of it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import override

from playground.whatif.labels import parameter, setting
from playground.whatif.shipped import CellRun, ShippedHeatmap

LONGEST_TITLE = 120


def cell_scenario(heatmap: ShippedHeatmap, run: CellRun) -> dict[str, Any]:
    """Return the scenario of a run, with the digest that it must reach."""
    return {**heatmap.scenario(run), "title": run_title(heatmap, run), "digest": run.digest}


def peak_us(heatmap: ShippedHeatmap, run: CellRun) -> int:
    """Return the moment of a run at which memory is at its peak: that is what one wants to see of a cell.

    It is a second before the end at the latest, so that the run can go on and its end shows whether it is the same.
    """
    until_us = int(heatmap.workload(run.workload).scenario["until_us"])
    samples = run.series_ram_kib
    if not samples:
        return 0
    peak = until_us * (samples.index(max(samples)) + 1) // len(samples)
    return max(0, min(peak, until_us - 1_000_000))


def run_title(heatmap: ShippedHeatmap, run: CellRun) -> str:
    """Return a title that names the cell, in English, because it is stored with the run."""
    workload = heatmap.workload(run.workload).title
    with override("en"):
        places = (
            f"{parameter(axis.parameter).name} {setting(axis.parameter, value)}"
            for axis, value in zip(heatmap.axes, run.values, strict=True)
        )
        return f"{workload}: {', '.join(places)}"[:LONGEST_TITLE]
