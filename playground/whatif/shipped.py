"""Reading published heatmaps from their JSON files, and the scenarios of their runs. A changed file is read again."""

from __future__ import annotations

import copy
import functools
import logging
from pathlib import Path
from statistics import median_low
from typing import Any

import msgspec
from django.conf import settings
from django.utils.translation import override

from playground.whatif.labels import parameter, setting

DIRECTORY = Path(__file__).resolve().parents[1] / "heatmaps"
DISAGREE = 0.2
"""Runs with different seeds that lie further apart than this share of their median get a mark."""

VERSION = 2
"""Of the files; one of another version is left out."""

FIRST = "paging-watermark"
"""The heatmap that is shown where none is asked for; the others follow in the order of names."""

log = logging.getLogger(__name__)


class NamedHeatmap(msgspec.Struct, frozen=True):
    """A workload: its name in the file, its title, and the scenario that its cells vary."""

    name: str
    title: str
    scenario: dict[str, Any]


class HeatmapAxis(msgspec.Struct, frozen=True):
    """A swept parameter and its values in order."""

    parameter: str
    values: tuple[int | float | bool | str, ...]


class CellRun(msgspec.Struct, frozen=True, array_like=True):
    """One run of one cell, as `spark_jobs.publish` writes it.

    `metrics` is None when it failed; one of them is None when the run has no value for it, as a waiting time
    when no message was delivered. `series_states` are alpha, beta, gamma, delta and unacknowledged messages.
    """

    cell_id: str
    workload: str
    seed: int
    values: tuple[int | float | bool | str, ...]
    digest: str | None
    error: str | None
    metrics: tuple[float | None, ...] | None
    changes: tuple[tuple[tuple[str | int, ...], Any], ...]
    series_ram_kib: tuple[int, ...]
    series_states: tuple[tuple[int, ...], ...]


class ShippedHeatmap(msgspec.Struct, frozen=True, dict=True):
    """A published sweep."""

    version: int
    name: str
    title: str
    engine_version: str
    workloads: tuple[NamedHeatmap, ...]
    axes: tuple[HeatmapAxis, ...]
    seeds: tuple[int, ...]
    home: dict[str, int | float | bool | str]
    offered: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[CellRun, ...]

    @functools.cached_property
    def runs(self) -> dict[str, CellRun]:
        return {run.cell_id: run for run in self.cells}

    @functools.cached_property
    def places(self) -> dict[tuple[Any, ...], list[CellRun]]:
        """The runs (one for each seed) by workload and values, in the order of the axes."""
        found: dict[tuple[Any, ...], list[CellRun]] = {}
        for run in self.cells:
            found.setdefault((run.workload, *run.values), []).append(run)
        return found

    def workload(self, name: str) -> NamedHeatmap:
        return next(each for each in self.workloads if each.name == name)

    def scenario(self, run: CellRun) -> dict[str, Any]:
        """Return the complete scenario of a run: its workload's, with the changes that make it this cell."""
        whole = copy.deepcopy(self.workload(run.workload).scenario)
        for path, value in run.changes:
            place: Any = whole
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value
        return whole

    def axis(self, parameter: str) -> HeatmapAxis:
        return next(axis for axis in self.axes if axis.parameter == parameter)

    def value(self, run: CellRun, metric: str) -> float | None:
        """Return a metric of a run; None when the run failed, or has no value for it."""
        return None if run.metrics is None else run.metrics[self.metrics.index(metric)]

    def typical(self, runs: list[CellRun], metric: str) -> CellRun:
        """Return the run with the median of a metric: the one that a cell shows and opens."""
        values = [value for run in runs if (value := self.value(run, metric)) is not None]
        if not values:
            return next((run for run in runs if run.metrics is not None), runs[0])
        middle = median_low(values)
        return next(run for run in runs if self.value(run, metric) == middle)

    def median(self, runs: list[CellRun], metric: str) -> float | None:
        """Return a metric of a cell: what the table shows of it. None where no run has a value."""
        return self.value(self.typical(runs, metric), metric)

    def disagree(self, runs: list[CellRun], metric: str) -> bool:
        values = [value for run in runs if (value := self.value(run, metric)) is not None]
        return len(values) > 1 and max(values) - min(values) > DISAGREE * max(median_low(values), 1e-9)


def directories() -> tuple[Path, ...]:
    """Return where heatmaps lie: those that come with the project, and those that were made here."""
    return DIRECTORY, Path(settings.VAR_DIR) / "heatmaps"


def heatmaps(*places: Path) -> dict[str, ShippedHeatmap]:
    """Return the published heatmaps by name, one's own after the project's. A damaged file is logged and left out.

    Args:
        places: directories to look in instead of the usual ones; of two with one name the later counts.
    """
    found: dict[str, ShippedHeatmap] = {}
    for path in (
        path for place in places or directories() for path in sorted(place.glob("*.json"), key=_order)
    ):
        if path.name.endswith(".findings.json"):
            continue
        try:
            heatmap = _read(path, path.stat().st_mtime_ns)
            if heatmap.version != VERSION:
                log.error("heatmap %s has version %s, not %s", path.name, heatmap.version, VERSION)
                continue
        except (msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
            log.error("heatmap %s cannot be read: %s", path.name, error)
            continue
        found[heatmap.name] = heatmap
    return found


def _order(path: Path) -> tuple[bool, str]:
    return path.stem != FIRST, path.name


def beside(name: str, ending: str, *places: Path) -> Path | None:
    """Return the file of a published heatmap (its name is checked) with another ending, None if there is none."""
    paths = [place / f"{name}{ending}" for place in reversed(places or directories())]
    return next((path for path in paths if path.is_file()), None)


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int) -> ShippedHeatmap:
    """Read one file; `changed_ns` makes a changed file another entry of the cache."""
    return msgspec.json.decode(path.read_bytes(), type=ShippedHeatmap)


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
