"""From a question to what is drawn: cells, colours with their steps, outlines, slices, legend; and the findings.

Findings are cliffs, what matters most, memory against waiting time, and the best setting.
"""

from __future__ import annotations

import bisect
import functools
import logging
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from django.utils.translation import gettext as _

from engine.classic_v1.metrics.backlog import paged_out
from playground.whatif import shipped
from playground.whatif.query import (
    BLOCKED,
    FIXED,
    RAM,
    RAM_SHARE,
    WAIT,
    HeatmapQuery,
    asked_bounds,
    band,
    band_words,
    best_cell,
    given,
)
from playground.whatif.shipped import (
    FAILED,
    NOTHING,
    CellRun,
    NumberUnit,
    ShippedHeatmap,
    full,
    metric,
    named,
    parameter,
    setting,
    short,
    signed,
    unit_for,
)
from playground.whatif.shipped import metric as metric_label

STEPS = 9
WIDE, WIDEST = 8, 2000
"""Ratios of largest to smallest from which on steps grow with the value, and are equal factors."""

NARROWEST = 1 / 10_000
"""Values below this share of the largest are one step: a clamp against outliers near zero."""


def clamped(values: Sequence[float], percent: int) -> list[float]:
    """Return the values, the largest ones cut down so that the scale distinguishes `percent` in a hundred. Zeros do
    not count: where most of a grid is zero, the rest still has its colours.
    """
    above = sorted(abs(value) for value in values if value)
    if percent >= 100 or not above:
        return list(values)
    cap = above[(len(above) - 1) * percent // 100]
    return [max(-cap, min(cap, value)) for value in values]


def boundaries(values: Sequence[float], unit: float = 1) -> list[float]:
    """Return up to eight ascending boundaries between the nine steps.

    Zero has a step of its own where it occurs, because "never" differs from "little".

    Args:
        values: all values that will be drawn, none negative.
        unit: what one is on the page, so that boundaries are round there.

    Returns:
        boundaries in raw values; none when all values are equal.
    """
    scaled = [value / unit for value in values]
    if not scaled or min(scaled) == max(scaled):
        return []
    largest, has_zero = max(scaled), min(scaled) == 0
    smallest = max(min(value for value in scaled if value > 0), largest * NARROWEST)
    inner = STEPS - 1 - has_zero
    shares = [step / (inner + 1) for step in range(1, inner + 1)]
    low = 0 if has_zero else smallest
    if largest / smallest >= WIDEST:
        edges = [smallest * (largest / smallest) ** share for share in shares]
    elif largest / smallest >= WIDE:
        edges = [low + (largest - low) * share**2 for share in shares]
    else:
        edges = [low + (largest - low) * share for share in shares]
    rounded = sorted({round_to(edge, largest) for edge in edges} - {0.0})
    return [0.0] * has_zero + [edge * unit for edge in rounded]


def round_to(value: float, largest: float) -> float:
    """Return a value with two significant digits, but no finer than a hundredth of the largest."""
    if value <= 0:
        return 0.0
    digits = 1 - math.floor(math.log10(value))
    finest = 2 - math.floor(math.log10(largest)) + 1
    return round(value, min(digits, finest))


def step_of(value: float, edges: Sequence[float]) -> int:
    """Return the step 0 to 8 of a value. With an edge at 0, only zero itself is below it."""
    if edges and edges[0] == 0:
        return 0 if value <= 0 else bisect.bisect_right(edges, value)
    return bisect.bisect_right(edges, value)


def difference_edges(values: Sequence[float]) -> list[float]:
    """Return eight boundaries that lie symmetrically around zero; step 4 is "about the same"."""
    largest = max((abs(value) for value in values), default=0)
    if largest == 0:
        return []
    positive = [round_to(largest * share, largest) for share in (0.02, 0.2, 0.45, 0.75)]
    return [*(-edge for edge in reversed(positive)), *positive]


def difference_step(value: float, edges: Sequence[float]) -> int:
    """Return the step 0 to 8 of a difference, 4 for none."""
    return bisect.bisect_right(edges, value) if edges else STEPS // 2


LONGER = 1.5
"""How many times longer than the axis' shortest step a step is that gets a mark."""


def breaks(values: Sequence[Any]) -> frozenset[int]:
    """Return the indices of the values before which an axis jumps. An axis counts by differences or by ratios,
    whichever makes its steps more alike: 256, 1024, 4096 is even. `values`: the values of the axis, ascending where
    they are numbers; words and switches have no steps.
    """
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < len(values) or len(values) < 3:
        return frozenset()
    scales = [[after - before for before, after in pairwise(numbers)]]
    if numbers[0] > 0:
        scales.append([math.log(after / before) for before, after in pairwise(numbers)])
    steps = min(scales, key=lambda each: max(each) / min(each))
    # a hair above, so that 0.15 after 0.1 is the same whichever way its last digit was rounded
    return frozenset(at for at, step in enumerate(steps, 1) if step > min(steps) * LONGER * 1.001)


PAGING = paged_out.name
"""Of this and of BLOCKED the first cell that is not zero is outlined."""

PAGING_RATIO = "vm_memory_high_watermark_paging_ratio"


class HeatmapCell(NamedTuple):
    """One cell as drawn. `value` is None when its run failed, or has no value for the metric."""

    run: CellRun
    runs: list[CellRun]
    column: int
    row: int
    value: float | None
    text: str
    step: int | None
    at: str
    spoken: str
    classes: str
    home: bool
    disagree: bool
    failed: bool
    cliffs: tuple[str, ...] = ()


class TableRow(NamedTuple):
    """One row of cells, with its value on the Y axis, and whether the axis jumps between it and the row below."""

    label: str
    cells: list[HeatmapCell]
    jumps: bool


class ColourSample(NamedTuple):
    """One colour of the legend and the boundary at its left edge."""

    step: int
    edge: str


class TableColumn(NamedTuple):
    """The heading of one value of the X axis, and whether the axis jumps before it."""

    label: str
    jumps: bool


class HeatmapTable(NamedTuple):
    """Everything about one heatmap that the template draws."""

    columns: list[TableColumn]
    rows: list[TableRow]
    jumps: bool
    unsettable: bool
    unit: NumberUnit
    legend: list[ColourSample]
    home: HeatmapCell | None
    outlined: set[str]
    edges: list[float]
    disagrees: bool


Grid = list[list[list[CellRun]]]
Values = list[list[float | None]]
"""By row (Y ascending) and column (X ascending)."""


def make_table(query: HeatmapQuery, cliffs: dict[tuple[int, int], list[str]] | None = None) -> HeatmapTable:
    """Return the drawn table: the largest value of the Y axis on top, X ascending to the right. `cliffs`: on which
    edges of which cells (row, column) the largest changes lie.
    """
    heatmap = query.heatmap
    grid = runs_grid(query, query.workload)
    kind = metric_label(query.metric).kind
    values = typical_values(query, grid)
    shown = _shown(query, grid, values)
    unit = unit_for(kind, max(all_values(heatmap, query.metric), default=0))
    if query.difference:
        unit = unit_for(
            kind, max((abs(each) for line in shown for each in line if each is not None), default=0)
        )
    edges = _edges(query, shown, unit)
    home = _home_place(query)
    outlines = _outlines(heatmap, grid)
    columns = heatmap.axis(query.x).values
    lines = heatmap.axis(query.y).values
    across, down = breaks(columns), breaks(lines)
    rows = []
    for j, line in enumerate(reversed(lines)):
        row = len(lines) - 1 - j
        cells = []
        for column in range(len(columns)):
            runs = grid[row][column]
            run = heatmap.typical(runs, query.metric)
            number = shown[row][column]
            at = ", ".join(named({query.x: columns[column], query.y: line}))
            cells.append(
                HeatmapCell(
                    run=run,
                    runs=runs,
                    column=column,
                    row=j,
                    value=number,
                    text=_text(run, number, unit, difference=query.difference),
                    step=_step(number, edges, difference=query.difference),
                    at=at,
                    spoken=f"{at}: {_spoken(run, number, kind, difference=query.difference)}{_between(query, runs)}",
                    classes=" ".join(outlines.get((row, column), ())),
                    home=(row, column) == home,
                    disagree=heatmap.disagree(runs, query.metric),
                    failed=run.metrics is None,
                    cliffs=tuple((cliffs or {}).get((row, column), ())),
                )
            )
        rows.append(TableRow(_heading(query.y, line), cells, row in down))
    return HeatmapTable(
        columns=[TableColumn(_heading(query.x, value), at in across) for at, value in enumerate(columns)],
        rows=rows,
        jumps=bool(across or down),
        unsettable=any(
            unsettable(name, value) for name in (query.x, query.y) for value in heatmap.axis(name).values
        ),
        unit=unit,
        legend=_legend(edges, unit, difference=query.difference),
        home=next((cell for row in rows for cell in row.cells if cell.home), None),
        outlined={name.split("-")[0] for names in outlines.values() for name in names},
        edges=edges,
        disagrees=any(cell.disagree for row in rows for cell in row.cells),
    )


def unsettable(name: str, value: Any) -> bool:
    """Return whether rabbitmq.conf refuses a value: a paging ratio of 1 and more (M6)."""
    return name == PAGING_RATIO and value >= 1


def _heading(name: str, value: Any) -> str:
    """Return an axis's value, with a mark where rabbitmq.conf refuses it."""
    return setting(name, value) + ("*" if unsettable(name, value) else "")


def typical_values(query: HeatmapQuery, grid: Grid) -> Values:
    """Return the metric of each cell: that of its typical run."""
    return [[query.heatmap.median(runs, query.metric) for runs in row] for row in grid]


def _shown(query: HeatmapQuery, grid: Grid, values: Values) -> Values:
    """Return the values of the cells: the metric, or how it differs from the defaults or from another view."""
    other, home = query.other(), _home_place(query)
    if other is not None:
        taken = typical_values(other, runs_grid(other, other.workload))
    elif query.mode == "difference" and home is not None:
        taken = [[values[home[0]][home[1]]] * len(line) for line in values]
    else:
        return values
    return [
        [
            None if value is None or base is None else value - base
            for value, base in zip(line, bases, strict=True)
        ]
        for line, bases in zip(values, taken, strict=True)
    ]


def _edges(query: HeatmapQuery, shown: Values, unit: NumberUnit) -> list[float]:
    """Return the boundaries between colours: of values for all workloads alike, of differences for this view."""
    if query.difference:
        differences = [value for line in shown for value in line if value is not None]
        return difference_edges(clamped(differences, query.clamp))
    return boundaries(clamped(all_values(query.heatmap, query.metric), query.clamp), unit.divisor)


def _text(run: CellRun, shown: float | None, unit: NumberUnit, *, difference: bool) -> str:
    if shown is None:
        return NOTHING if run.metrics is not None else FAILED
    return signed(shown, unit) if difference else short(shown, unit)


def _spoken(run: CellRun, value: float | None, kind: str, *, difference: bool) -> str:
    if value is None:
        return str(_("nothing to tell")) if run.metrics is not None else str(_("failed"))
    return f"+{full(value, kind)}" if difference and value > 0 else full(value, kind)


def _between(query: HeatmapQuery, runs: list[CellRun]) -> str:
    """Return the band of a cell for whoever cannot see it, nothing where differences are shown."""
    words = "" if query.difference else band_words(band(query.heatmap, runs, query.metric), query.metric)
    return f" ({words})" if words else ""


def runs_grid(query: HeatmapQuery, workload: str) -> Grid:
    """Return the runs of a workload by row (Y ascending) and column (X ascending)."""
    heatmap = query.heatmap
    return [
        [
            heatmap.runs_at(workload, {**query.fixed, query.x: x, query.y: y})
            for x in heatmap.axis(query.x).values
        ]
        for y in heatmap.axis(query.y).values
    ]


def all_values(heatmap: ShippedHeatmap, metric: str, workload: str = "") -> list[float]:
    """Return a metric's values over all workloads (one scale serves them all, so they can be compared), or in one."""
    runs = (run for run in heatmap.cells if not workload or run.workload == workload)
    return [value for run in runs if (value := heatmap.value(run, metric)) is not None]


def mini(query: HeatmapQuery, workload: str, edges: list[float]) -> list[list[int | None]]:
    """Return the steps of a small multiple, the largest Y on top."""
    values = typical_values(query, runs_grid(query, workload))
    return [[_step(value, edges, difference=False) for value in row] for row in reversed(values)]


def _step(value: float | None, edges: list[float], *, difference: bool) -> int | None:
    if value is None:
        return None
    return (difference_step if difference else step_of)(value, edges)


def _home_place(query: HeatmapQuery) -> tuple[int, int] | None:
    """Return row and column of the defaults, None when they are not on the grid."""
    home = query.heatmap.home
    x, y = home.get(query.x), home.get(query.y)
    columns, rows = query.heatmap.axis(query.x).values, query.heatmap.axis(query.y).values
    if x not in columns or y not in rows or any(home.get(name, v) != v for name, v in query.fixed.items()):
        return None
    return rows.index(y), columns.index(x)


def _outlines(heatmap: ShippedHeatmap, grid: Grid) -> dict[tuple[int, int], list[str]]:
    """Return the CSS classes that draw the borders of the blocked and of the paging region. A border stands at the
    right or the upper edge of a cell (rows ascend upwards), where one side has none of the metric and the other has
    some.
    """
    found: dict[tuple[int, int], list[str]] = {}
    for name, asked in (("blocked", BLOCKED), ("paging", PAGING)):
        if asked not in heatmap.metrics:
            continue
        # None where the run failed, so that nothing is known
        values = [[heatmap.median(runs, asked) for runs in row] for row in grid]
        some = [[None if value is None else value > 0 for value in row] for row in values]
        for row, line in enumerate(some):
            for column, here in enumerate(line):
                if column + 1 < len(line) and {here, line[column + 1]} == {True, False}:
                    found.setdefault((row, column), []).append(f"{name}-right")
                if row + 1 < len(some) and {here, some[row + 1][column]} == {True, False}:
                    found.setdefault((row, column), []).append(f"{name}-top")
    return found


def _legend(edges: list[float], unit: NumberUnit, *, difference: bool) -> list[ColourSample]:
    """Return the swatches; the first has no lower boundary, but for zero itself."""
    if not edges:
        return []
    write = signed if difference else short
    texts = ["", *(write(edge, unit) for edge in edges)]
    if edges[0] == 0:
        texts[:2] = ["0", ""]
    return [ColourSample(step, text) for step, text in enumerate(texts)]


VERSION = 1

log = logging.getLogger(__name__)

Row = dict[str, Any]


class _Table(msgspec.Struct, frozen=True):
    """Column names and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def dicts(self) -> list[Row]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class SweepFindings(
    msgspec.Struct, frozen=True, dict=True, rename={"of_cliffs": "cliffs", "of_sensitivity": "sensitivity"}
):
    """The findings of one heatmap; see `spark_jobs.analyse` for the columns."""

    version: int
    name: str
    aggregates: _Table
    of_sensitivity: _Table
    of_cliffs: _Table
    pareto: _Table
    best: _Table

    def cliffs(self, workload: str, metric: str) -> list[Row]:
        """Return the largest changes between neighbours, the largest first."""
        return self._of(self.of_cliffs, workload, metric)

    def sensitivity(self, workload: str, metric: str) -> list[Row]:
        """Return how much each parameter moves the metric, the strongest first."""
        return sorted(self._of(self.of_sensitivity, workload, metric), key=lambda row: -row["share"])

    def summary(self, workload: str, metric: str) -> Row | None:
        """Return least, median, mean and greatest value of the metric, None if there is no value."""
        return next(iter(self._of(self.aggregates, workload, metric)), None)

    def front(self, workload: str) -> list[Row]:
        """Return the runs that no other beats in memory and waiting time, the least memory first."""
        return [row for row in self.pareto.dicts() if row["workload"] == workload]

    @staticmethod
    def _of(table: _Table, workload: str, metric: str) -> list[Row]:
        return [row for row in table.dicts() if (row["workload"], row["metric"]) == (workload, metric)]


def findings(name: str, *places: Path) -> SweepFindings | None:
    """Return the findings of a heatmap, None where nobody analysed it; a damaged file is logged. `places`:
    directories to look in instead of the usual ones.
    """
    path = shipped.beside(name, ".findings.json", *places)
    if path is None:
        return None
    try:
        found = _read(path, path.stat().st_mtime_ns)
    except (msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
        log.error("findings %s cannot be read: %s", path.name, error)
        return None
    return found if found.version == VERSION else None


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int) -> SweepFindings:
    """Read one file; `changed_ns` makes a changed file another entry of the cache."""
    return msgspec.json.decode(path.read_bytes(), type=SweepFindings)


SHOWN_CLIFFS = 3


class PanelPoint(NamedTuple):
    """A run in the picture of memory against waiting time, in a box 100 wide and 50 high."""

    x: float
    y: float
    front: bool
    words: str


def panel(query: HeatmapQuery, found: SweepFindings | None) -> dict[str, Any]:
    return {
        "analysed": found is not None,
        "summary": _summary(query, found),
        "cliffs": [] if found is None else _cliff_lines(query, found),
        "strengths": [] if found is None else _strengths(query, found),
        "front": [] if found is None else _front(query, found),
        "points": [] if found is None else _points(query, found),
        "scales": _scales(query),
        "best": _best(query),
    }


def cliff_edges(query: HeatmapQuery, found: SweepFindings | None) -> dict[tuple[int, int], list[str]]:
    """Return on which edges (right, top) of which cells of the present view the largest changes lie."""
    edges: dict[tuple[int, int], list[str]] = {}
    if found is None or query.difference:
        return edges
    columns, lines = query.heatmap.axis(query.x).values, query.heatmap.axis(query.y).values
    for cliff in found.cliffs(query.workload, query.metric):
        place = _values_of(query, cliff)
        if cliff["parameter"] not in {query.x, query.y} or not _parts(query, cliff):
            continue
        if any(place[name] != value for name, value in query.fixed.items()):
            continue
        across = cliff["parameter"] == query.x
        below = _value(query, cliff["parameter"], cliff["below"])
        at = {**place, cliff["parameter"]: below}
        cell = lines.index(at[query.y]), columns.index(at[query.x])
        edges.setdefault(cell, []).append("right" if across else "top")
    return edges


def front_runs(query: HeatmapQuery, found: SweepFindings | None) -> set[str]:
    """Return the runs of the present workload that no other beats in memory and waiting time."""
    return set() if found is None else {row["cell_id"] for row in found.front(query.workload)}


def front_ids(query: HeatmapQuery, found: SweepFindings | None) -> set[str]:
    """Return the same with the other runs of their cells: what is shown decides which run stands for a cell."""
    unbeaten = front_runs(query, found)
    cells = query.heatmap.places.values()
    return {run.cell_id for runs in cells if any(each.cell_id in unbeaten for each in runs) for run in runs}


def run_place(query: HeatmapQuery, run: CellRun) -> str:
    """Return where a run stands, in words."""
    return ", ".join(named(query.heatmap.values(run)))


def _summary(query: HeatmapQuery, found: SweepFindings | None) -> str:
    row = None if found is None else found.summary(query.workload, query.metric)
    if row is None:
        return ""
    kind = metric(query.metric).kind
    return _("from %(least)s to %(greatest)s, half of the cells up to %(median)s") % {
        name: full(row[name], kind) for name in ("least", "greatest", "median")
    }


def _cliff_lines(query: HeatmapQuery, found: SweepFindings) -> list[dict[str, str]]:
    """Return the largest changes as sentences, each with the address of a view that shows it."""
    kind = metric(query.metric).kind
    lines = []
    for cliff in found.cliffs(query.workload, query.metric)[:SHOWN_CLIFFS]:
        if not _parts(query, cliff):
            continue
        name = cliff["parameter"]
        place = _values_of(query, cliff)
        y = next(
            (other for other in (query.y, query.x) if other != name),
            next(axis.parameter for axis in query.heatmap.axes if axis.parameter != name),
        )
        fixed = {FIXED + other: str(value) for other, value in place.items() if other not in {name, y}}
        axes = {} if name in {query.x, query.y} else {"x": name, "y": y}
        below, above = (setting(name, _value(query, name, cliff[side])) for side in ("below", "above"))
        lines.append(
            {
                "step": f"{parameter(name).name} {below} → {above}",
                "change": f"{full(cliff['before'], kind)} → {full(cliff['after'], kind)}",
                "at": ", ".join(named(place)),
                "address": query.address(**axes, mode="values", **fixed),
            }
        )
    return lines


def _parts(query: HeatmapQuery, cliff: Row) -> bool:
    """Return whether the bands on both sides of a step lie apart: what they share is not a cliff."""
    name, place = cliff["parameter"], _values_of(query, cliff)
    below, above = (
        band(query.heatmap, query.heatmap.runs_at(query.workload, {**place, name: value}), query.metric)
        for value in (_value(query, name, cliff[side]) for side in ("below", "above"))
    )
    return below is None or above is None or below.apart_from(above)


def _strengths(query: HeatmapQuery, found: SweepFindings) -> list[dict[str, Any]]:
    """Return the parameters by how much they move the metric, as whole percents of its range."""
    return [
        {"name": parameter(row["parameter"]).name, "percent": round(100 * row["share"])}
        for row in found.sensitivity(query.workload, query.metric)
    ]


def _front(query: HeatmapQuery, found: SweepFindings) -> list[dict[str, str]]:
    runs = query.heatmap.runs
    return [
        {
            "cell": row["cell_id"],
            "at": run_place(query, runs[row["cell_id"]]),
            "ram": full(row[RAM], "bytes"),
            "wait": full(row[WAIT], "seconds"),
        }
        for row in found.front(query.workload)
        if row["cell_id"] in runs
    ]


def _points(query: HeatmapQuery, found: SweepFindings) -> list[PanelPoint]:
    """Return every run of the workload as a point, those of the front last so that they lie on top."""
    heatmap = query.heatmap
    if RAM not in heatmap.metrics or WAIT not in heatmap.metrics:
        return []
    front = front_runs(query, found)
    dots = [
        (run, ram, wait)
        for run in heatmap.cells
        if run.workload == query.workload
        and (ram := heatmap.value(run, RAM)) is not None
        and (wait := heatmap.value(run, WAIT)) is not None
    ]
    if not dots:
        return []
    across, upwards = _spread([each[1] for each in dots]), _spread([each[2] for each in dots])
    points = [
        PanelPoint(
            x=round(3 + 94 * across(ram), 2),
            y=round(47 - 44 * upwards(wait), 2),
            front=run.cell_id in front,
            words=f"{run_place(query, run)}: {full(ram, 'bytes')}, {full(wait, 'seconds')}",
        )
        for run, ram, wait in dots
    ]
    # Many runs lie on the same spot; one of them is enough to see and to point at.
    return sorted(
        {(point.x, point.y, point.front): point for point in points}.values(), key=lambda each: each.front
    )


def _scales(query: HeatmapQuery) -> dict[str, list[str]]:
    """Return the least and the greatest value on the axes of the points, as texts."""
    texts = {}
    for axis, name, kind in (("memory", RAM, "bytes"), ("wait", WAIT, "seconds")):
        values = all_values(query.heatmap, name, query.workload) if name in query.heatmap.metrics else []
        texts[axis] = [full(each, kind) for each in (min(values), max(values))] if values else []
    return texts


def _spread(values: list[float]) -> Callable[[float], float]:
    """Return where a value lies between the least and the greatest, 0 to 1; in the middle if they are equal."""
    least, greatest = min(values), max(values)
    return lambda value: (value - least) / (greatest - least) if greatest > least else 0.5


def _best(query: HeatmapQuery) -> dict[str, Any]:
    heatmap = query.heatmap
    kept = asked_bounds(query)
    runs = best_cell(heatmap, query.workload, kept, given(query))
    objective = kept.objective(heatmap.metrics)
    found: dict[str, Any] = {
        "ram": _field(kept.ram_percent) if RAM_SHARE in heatmap.metrics else None,
        "blocked": _field(kept.blocked_s) if BLOCKED in heatmap.metrics else None,
        "wait": _field(kept.wait_s) if WAIT in heatmap.metrics else None,
        "objective": objective,
        "cell": "",
        "runs": set[str](),
    }
    if runs is not None:
        run = heatmap.typical(runs, objective)
        names = dict.fromkeys((objective, RAM, BLOCKED))
        values = {name: heatmap.median(runs, name) for name in names if name in heatmap.metrics}
        place = heatmap.values(run)
        found |= {
            "cell": run.cell_id,
            "runs": {each.cell_id for each in runs},
            "at": run_place(query, run),
            "figures": [
                {"name": metric(name).name, "value": full(value, metric(name).kind)}
                for name, value in values.items()
                if value is not None
            ],
            "address": query.address(**{FIXED + name: str(place[name]) for name in query.fixed}),
        }
    return found


def _field(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _values_of(query: HeatmapQuery, cliff: Row) -> dict[str, Any]:
    """Return the values of the other axes where a cliff is."""
    place = msgspec.json.decode(cliff["at"])
    return {name: _value(query, name, str(value)) for name, value in place.items()}


def _value(query: HeatmapQuery, name: str, text: str) -> Any:
    values = query.heatmap.axis(name).values
    return next((value for value in values if _same(value, text)), values[0])


def _same(value: Any, text: str) -> bool:
    if isinstance(value, bool | str):
        return str(value).lower() == text.lower()
    try:
        return float(text) == value
    except ValueError:
        return False
