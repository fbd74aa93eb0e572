"""Reading the published heatmaps from their JSON files. Read once, and again when a file changes."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from statistics import median_low
from typing import Any

import msgspec

DIRECTORY = Path(__file__).resolve().parents[1] / "heatmaps"
DISAGREE = 0.2
"""Runs with different seeds that lie further apart than this share of their median get a mark."""

log = logging.getLogger(__name__)


class Named(msgspec.Struct, frozen=True):
    """A workload: its name in the file, and its title."""

    name: str
    title: str


class Axis(msgspec.Struct, frozen=True):
    """A swept parameter and its values in order."""

    parameter: str
    values: tuple[int | float | bool | str, ...]


class Run(msgspec.Struct, frozen=True, array_like=True):
    """One run of one cell, as `spark_jobs.publish` writes it; `metrics` is None when it failed."""

    cell_id: str
    workload: str
    seed: int
    values: tuple[int | float | bool | str, ...]
    digest: str | None
    error: str | None
    metrics: tuple[float, ...] | None
    series_ram_kib: tuple[int, ...]
    series_ready: tuple[int, ...]
    scenario: dict[str, Any]


class Heatmap(msgspec.Struct, frozen=True, dict=True):
    """A published sweep."""

    version: int
    name: str
    title: str
    engine_version: str
    workloads: tuple[Named, ...]
    axes: tuple[Axis, ...]
    seeds: tuple[int, ...]
    home: dict[str, int | float | bool | str]
    offered: tuple[str, ...]
    metrics: tuple[str, ...]
    cells: tuple[Run, ...]

    @functools.cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by cell id."""
        return {run.cell_id: run for run in self.cells}

    @functools.cached_property
    def places(self) -> dict[tuple[Any, ...], list[Run]]:
        """The runs (one for each seed) by workload and values, in the order of the axes."""
        found: dict[tuple[Any, ...], list[Run]] = {}
        for run in self.cells:
            found.setdefault((run.workload, *run.values), []).append(run)
        return found

    def axis(self, parameter: str) -> Axis:
        """Return the axis of a parameter."""
        return next(axis for axis in self.axes if axis.parameter == parameter)

    def value(self, run: Run, metric: str) -> float | None:
        """Return a metric of a run, None when the run failed."""
        return None if run.metrics is None else run.metrics[self.metrics.index(metric)]

    def typical(self, runs: list[Run], metric: str) -> Run:
        """Return the run with the median of a metric: the one that a cell shows and opens."""
        good = [run for run in runs if run.metrics is not None]
        if not good:
            return runs[0]
        middle = median_low(self.value(run, metric) or 0 for run in good)
        return next(run for run in good if self.value(run, metric) == middle)

    def disagree(self, runs: list[Run], metric: str) -> bool:
        """Tell whether the seeds of one cell lie far apart."""
        values = [self.value(run, metric) or 0 for run in runs if run.metrics is not None]
        return len(values) > 1 and max(values) - min(values) > DISAGREE * max(median_low(values), 1e-9)


def heatmaps(directory: Path | None = None) -> dict[str, Heatmap]:
    """Return the published heatmaps by name, in the order of names. A damaged file is logged and left out."""
    found: dict[str, Heatmap] = {}
    for path in sorted((directory or DIRECTORY).glob("*.json")):
        try:
            heatmap = _read(path, path.stat().st_mtime_ns)
        except (msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
            log.error("heatmap %s cannot be read: %s", path.name, error)
            continue
        found[heatmap.name] = heatmap
    return found


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int) -> Heatmap:
    """Read one file; `changed_ns` makes a changed file another entry of the cache."""
    return msgspec.json.decode(path.read_bytes(), type=Heatmap)
