"""The answer before the picture: what the defaults do, what the best setting does, and the lines that set it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from engine.ctl.stands_for import CLIENT, STANDS_FOR
from playground.storybook import other_release
from playground.whatif import bounds
from playground.whatif.certainty import band, band_words
from playground.whatif.labels import metric as label
from playground.whatif.labels import parameter
from playground.whatif.numbers import NOTHING, full, setting
from playground.whatif.query import HeatmapQuery
from playground.whatif.shipped import CellRun, ShippedHeatmap


def answer(query: HeatmapQuery) -> dict[str, Any]:
    """Return the defaults and the best setting with their bands, and how to set the best one."""
    heatmap = query.heatmap
    kept = bounds.feasible(heatmap, query.workload, query.bounds)
    best = bounds.best_run(heatmap, query.workload, kept)
    lines = [] if best is None else list(_lines(heatmap, best))
    return {
        "metric": label(query.metric).name,
        "home": _place_and_value(query, _home(query)),
        "best": None if best is None else _place_and_value(query, _runs_at(heatmap, best)),
        "same": best is not None and best in _home(query),
        "commands": [line for kind, line in lines if kind == "command"],
        "conf": [line for kind, line in lines if kind == "line"],
        "releases": [
            str(each) for axis in heatmap.axes for each in other_release.where_it_works(axis.parameter)
        ],
    }


def _home(query: HeatmapQuery) -> list[CellRun]:
    """Return the runs with the defaults, none where they are not on the grid."""
    home = query.heatmap.home
    place = (query.workload, *(home.get(axis.parameter) for axis in query.heatmap.axes))
    return query.heatmap.places.get(place, [])


def _runs_at(heatmap: ShippedHeatmap, run: CellRun) -> list[CellRun]:
    return heatmap.places[(run.workload, *run.values)]


def _place_and_value(query: HeatmapQuery, runs: list[CellRun]) -> dict[str, str] | None:
    """Return where a cell lies, and its metric with the band."""
    if not runs:
        return None
    heatmap = query.heatmap
    typical = heatmap.typical(runs, query.metric)
    value = heatmap.value(typical, query.metric)
    words = band_words(band(heatmap, runs, query.metric), query.metric)
    places = (
        f"{parameter(axis.parameter).name} {setting(axis.parameter, each)}"
        for axis, each in zip(heatmap.axes, typical.values, strict=True)
    )
    number = NOTHING if value is None else full(value, label(query.metric).kind)
    return {"at": ", ".join(places), "value": words or number}


def _lines(heatmap: ShippedHeatmap, run: CellRun) -> Iterator[tuple[str, str]]:
    """Yield what sets a run's values on a broker: `command` lines for now, `line` ones for its configuration."""
    for axis, value in zip(heatmap.axes, run.values, strict=True):
        key = axis.parameter
        if f"{key}.from_1" in STANDS_FOR and isinstance(value, int | float) and value >= 1:
            key = f"{key}.from_1"
        known = STANDS_FOR.get(key)
        if known is None:
            continue
        names = {"value": value, "queue": _("name-of-the-queue")}
        if known.command is not None:
            yield "command", known.command.format(**names)
        if known.line is not None and known.file != CLIENT:
            yield (
                "line",
                known.line.format(**names) + (f"   # {known.file}" if known.file != "rabbitmq.conf" else ""),
            )
