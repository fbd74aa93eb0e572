"""The findings panel: cliffs, what matters most, memory against waiting time, and the best setting."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from django.utils.translation import gettext as _

from playground.whatif import shipped
from playground.whatif.answer import asked_bounds, band, given
from playground.whatif.labels import full, metric, parameter, setting
from playground.whatif.query import BLOCKED, FIXED, RAM, RAM_SHARE, WAIT, HeatmapQuery, best_cell
from playground.whatif.shipped import CellRun

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
    """Return the findings of a heatmap, None where nobody analysed it; a damaged file is logged.

    Args:
        places: directories to look in instead of the usual ones.
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
    return ", ".join(
        f"{parameter(axis.parameter).name} {setting(axis.parameter, value)}"
        for axis, value in zip(query.heatmap.axes, run.values, strict=True)
    )


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
        lines.append(
            {
                "step": f"{parameter(name).name} {setting(name, _value(query, name, cliff['below']))} → "
                f"{setting(name, _value(query, name, cliff['above']))}",
                "change": f"{full(cliff['before'], kind)} → {full(cliff['after'], kind)}",
                "at": ", ".join(
                    f"{parameter(each).name} {setting(each, value)}" for each, value in place.items()
                ),
                "address": query.address(
                    **({} if name in {query.x, query.y} else {"x": name, "y": y}), mode="values", **fixed
                ),
            }
        )
    return lines


def _parts(query: HeatmapQuery, cliff: Row) -> bool:
    """Return whether the bands on both sides of a step lie apart: what they share is not a cliff."""
    name = cliff["parameter"]
    place = _values_of(query, cliff)
    sides = []
    for side in ("below", "above"):
        at = {**place, name: _value(query, name, cliff[side])}
        runs = query.heatmap.places.get(
            (query.workload, *(at[axis.parameter] for axis in query.heatmap.axes)), []
        )
        sides.append(band(query.heatmap, runs, query.metric))
    below, above = sides
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
    heatmap = query.heatmap
    texts = {}
    for axis, name, kind in (("memory", RAM, "bytes"), ("wait", WAIT, "seconds")):
        runs = (
            [run for run in heatmap.cells if run.workload == query.workload]
            if name in heatmap.metrics
            else []
        )
        values = [value for run in runs if (value := heatmap.value(run, name)) is not None]
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
        names = list(dict.fromkeys((objective, RAM, BLOCKED)))
        values = {name: heatmap.median(runs, name) for name in names if name in heatmap.metrics}
        place = dict(zip((axis.parameter for axis in heatmap.axes), run.values, strict=True))
        found |= {
            "cell": run.cell_id,
            "runs": {each.cell_id for each in runs},
            "at": run_place(query, run),
            "figures": [
                {"name": metric(name).name, "value": full(value, metric(name).kind)}
                for name, value in values.items()
                if value is not None
            ],
            "address": query.address(
                **{FIXED + name: str(value) for name, value in place.items() if name in query.fixed}
            ),
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
