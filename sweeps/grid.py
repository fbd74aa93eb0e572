"""The description of a sweep: workloads and a grid, checked before anything runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Literal

import msgspec

from engine.metrics import METRICS
from sweeps.errors import SweepError
from sweeps.parameters import Value, parameter
from workloads.workload import Workload

MOST_CELLS = 1_000_000
MOST_STEPS = 1_000


class Axis(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One parameter and the values that it takes: a list, or `first` to `last` in `steps` steps.

    Args:
        parameter: a name of `sweeps.parameters.PARAMETERS`.
        values: the values themselves.
        first, last, steps: instead of `values`; both ends are included.
        scale: `linear` or `log` distances between the steps.
    """

    parameter: str
    values: tuple[Value, ...] = ()
    first: float | None = None
    last: float | None = None
    steps: int | None = None
    scale: Literal["linear", "log"] = "linear"

    def points(self) -> tuple[Value, ...]:
        """Return the checked values in the order given, each once.

        Raises:
            SweepError: neither or both of list and range are given, or a value is not possible.
        """
        known = parameter(self.parameter)
        raw: tuple[Value, ...] = self.values or tuple(self._range(whole=known.whole))
        points = tuple(known.check(value) for value in raw)
        if len(set(points)) != len(points):
            raise SweepError("axis_value_twice", name=self.parameter)
        return points

    def _range(self, *, whole: bool) -> Iterator[float]:
        if self.first is None or self.last is None or self.steps is None:
            raise SweepError("axis_empty", name=self.parameter)
        if not 2 <= self.steps <= MOST_STEPS:
            raise SweepError("axis_steps", name=self.parameter, steps=self.steps, most=MOST_STEPS)
        if self.scale == "log" and min(self.first, self.last) <= 0:
            raise SweepError("axis_log_from_zero", name=self.parameter)
        for step in range(self.steps):
            share = step / (self.steps - 1)
            if self.scale == "log":
                value = math.exp(math.log(self.first) * (1 - share) + math.log(self.last) * share)
            else:
                value = self.first * (1 - share) + self.last * share
            yield round(value) if whole else float(f"{value:.6g}")


class Grid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is varied.

    Args:
        version: 1.
        name: becomes the file name of the published heatmap.
        title: one line for people.
        workloads: names of those to take, in this order; none takes all that there are.
        axes: two or more; the first two are X and Y unless the reader chooses otherwise.
        seeds: every cell runs once with each: another seed is also another phase of the node's timers.
        metrics: names of metrics to offer on the page, the first one shown first.
        home: the values that the defaults have, for "difference from my scenario".
        series_points: how many points of memory and backlog over time each cell keeps.
        power_cut_s: when the power is cut to count what would be lost, in seconds of the run; none is its end.
    """

    version: Literal[1]
    name: str
    title: str
    axes: tuple[Axis, ...]
    workloads: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (1,)
    metrics: tuple[str, ...] = ()
    home: dict[str, Value] = {}
    series_points: int = 24
    power_cut_s: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no run could make sense of (raised as a validation error by the decoder)."""
        if not self.name.replace("-", "").isalnum() or not self.name.isascii():
            raise ValueError("name: use letters, digits and hyphens; it becomes a file name")
        if len(self.axes) < 2:
            raise ValueError("axes: a sweep needs two or more")
        if len({axis.parameter for axis in self.axes}) != len(self.axes):
            raise ValueError("axes: a parameter stands on two axes; keep one")
        if not self.seeds or len(set(self.seeds)) != len(self.seeds):
            raise ValueError("seeds: name at least one, and none twice")
        if not 2 <= self.series_points <= 200:
            raise ValueError("series_points: use 2 to 200")
        if len(set(self.workloads)) != len(self.workloads):
            raise ValueError("workloads: one is named twice; keep one")
        if self.power_cut_s is not None and not 0 <= self.power_cut_s <= 24 * 3600:
            raise ValueError("power_cut_s: use 0 to 86400 seconds of the run, or leave it out for the end")


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """A checked sweep: every workload at every combination of the axes' values, with every seed."""

    workloads: tuple[Workload, ...]
    grid: Grid
    points: dict[str, tuple[Value, ...]]

    def combinations(self) -> Iterator[dict[str, Value]]:
        """Yield one dict of parameter values for each combination, the last axis fastest."""
        names = list(self.points)
        for values in itertools.product(*self.points.values()):
            yield dict(zip(names, values, strict=True))


def make_spec(workloads: tuple[Workload, ...], grid: Grid) -> Spec:
    """Check workloads and grid against each other.

    Raises:
        SweepError: a parameter, a value, a metric or the home point is not possible, or the sweep is too large.
    """
    points = {axis.parameter: axis.points() for axis in grid.axes}
    count = len(workloads) * len(grid.seeds) * math.prod(map(len, points.values()))
    if count > MOST_CELLS:
        raise SweepError("too_many_cells", count=count, most=MOST_CELLS)
    for name in grid.metrics:
        if name not in METRICS:
            raise SweepError("no_metric", name=name, known=", ".join(METRICS))
    for name in grid.home:
        if name not in points:
            raise SweepError("home_no_axis", name=name, known=", ".join(points))
    return Spec(workloads=workloads, grid=grid, points=points)
