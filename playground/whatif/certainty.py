"""How certain a number is: how far its metric was from a real node, and how far the phases of the timers spread it."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from playground.library import fidelity_figures
from playground.whatif.labels import THIN_SPACE, full, short, unit_for
from playground.whatif.labels import metric as label
from playground.whatif.shipped import CellRun, ShippedHeatmap

TRUSTED = frozenset({"good", "rough"})
"""Verdicts with which a value is shown with a band; with the others at most the order of values can be trusted."""


class ErrorBand(NamedTuple):
    """Between what a metric is to be expected."""

    low: float
    high: float

    def apart_from(self, other: ErrorBand) -> bool:
        """Return whether two ranges have no value in common."""
        return self.high < other.low or other.high < self.low


class CellCertainty(NamedTuple):
    """What was measured of a metric's error.

    Args:
        verdict: `good`, `rough`, `order`, `none`; empty where it was never compared with a real node.
        median_pct, worst_pct: of the cells that no constant was chosen by.
        cells: how many those are.
        floor: errors are shares of the measured value, and of at least this.
    """

    verdict: str = ""
    median_pct: float = 0.0
    worst_pct: float = 0.0
    cells: int = 0
    floor: float = 0.0

    def words(self) -> str:
        """Return what is beside the metric's name."""
        numbers = {"median": f"{self.median_pct:.0f}", "worst": f"{self.worst_pct:.0f}", "cells": self.cells}
        if self.verdict == "good":
            text = _("± %(median)s %% (median of %(cells)s measured runs), at worst %(worst)s %%")
        elif self.verdict == "rough":
            text = _("rough: ± %(median)s %% (median of %(cells)s measured runs), at worst %(worst)s %%")
        elif self.verdict == "order":
            text = _("predicts only which setting has more; values were off by %(median)s %%")
        elif self.verdict == "none":
            text = _("not predicted: off by %(median)s %% (median of %(cells)s measured runs)")
        else:
            return _("counted by the engine; never compared with a real node")
        return text % numbers


def certainty(metric: str) -> CellCertainty:
    """Return what was measured of a metric's error, where work takes no time, as in heatmaps."""
    found = fidelity_figures.predictions() or {"metrics": {}}
    each = found.get("swept", found["metrics"]).get(metric)
    if each is None:
        return CellCertainty()
    return CellCertainty(each["verdict"], each["median_pct"], each["worst_pct"], each["cells"], each["floor"])


def measured_with() -> dict[str, Any] | None:
    """Return the reference, machine and engine of the measured errors, None where there are none."""
    found = fidelity_figures.predictions()
    return None if found is None else {key: found[key] for key in ("reference", "machine", "measured_on")}


def band(heatmap: ShippedHeatmap, runs: list[CellRun], metric: str) -> ErrorBand | None:
    """Return the lowest and highest value to expect of a cell's metric; None where its runs have none.

    The runs of a cell differ in the phase of the node's timers; around their extremes lies the metric's own error.
    """
    values = [value for run in runs if (value := heatmap.value(run, metric)) is not None]
    if not values:
        return None
    sure = certainty(metric)
    share = sure.median_pct / 100 if sure.verdict in TRUSTED else 0.0
    low, high = min(values), max(values)
    return ErrorBand(
        max(0.0, low - share * max(low, sure.floor)) if low else 0.0, high + share * max(high, sure.floor)
    )


def band_words(found: ErrorBand | None, metric: str) -> str:
    """Return a band as “4 to 7 s”, empty where its ends read alike."""
    if found is None:
        return ""
    kind = label(metric).kind
    unit = unit_for(kind, found.high)
    low, high = short(found.low, unit), short(found.high, unit)
    if low == high:
        return ""
    words = _("%(low)s to %(high)s")
    if kind == "count":
        return words % {"low": full(found.low, kind), "high": full(found.high, kind)}
    return (words % {"low": low, "high": high} + f"{THIN_SPACE}{unit.name}").strip()
