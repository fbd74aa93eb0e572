"""What the template of the what-if page is given: pickers, the table, small multiples, and the numbers for tips."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from engine.counting.load import limit_bytes, paging_at_bytes
from playground.storybook.cards import STRATEGY, counted_as
from playground.sweeping.asked import failure
from playground.whatif.query import (
    CLAMPS,
    FIELDS,
    FIXED,
    WORKLOAD,
    HeatmapQuery,
    answer,
    band,
    band_words,
    base_place,
    base_words,
    held_back,
    measured_with,
    subtractions,
)
from playground.whatif.shipped import (
    ADVISED,
    FAILED,
    HEATMAPS,
    NOTHING,
    QUESTIONS,
    WORKLOADS,
    CellRun,
    NamedHeatmap,
    ShippedHeatmap,
    full,
    metric,
    named,
    parameter,
    setting,
    unit_for,
)
from playground.whatif.table import (
    HeatmapTable,
    all_values,
    boundaries,
    clamped,
    cliff_edges,
    findings,
    front_ids,
    make_table,
    mini,
    panel,
    run_place,
)

SELECTED = SafeString(" selected")


class FormOption(NamedTuple):
    """One choice of a picker or list: its value, its words, whether it is the present one, and its address."""

    value: str
    label: str
    chosen: bool
    address: str = ""


def page_context(query: HeatmapQuery, known: dict[str, ShippedHeatmap]) -> dict[str, Any]:
    """Return everything that `whatif/_view.html` shows."""
    heatmap = query.heatmap
    found = findings(heatmap.name)
    table = make_table(query, cliff_edges(query, found))
    shown = panel(query, found)
    objectives = [
        FormOption(name, str(metric(name).name), name == shown["best"]["objective"])
        for name in heatmap.metrics
    ]
    metrics = _metric_options(query)
    front = front_ids(query, found)
    drawn = {cell.run.cell_id for row in table.rows for cell in row.cells}
    return {
        "query": query,
        "table": table,
        "scale": "d" if query.difference else "h",
        "sentence": _sentence(query),
        "title": heatmap_title(heatmap),
        "question": QUESTIONS.get(heatmap.name, ""),
        "answer": answer(query),
        "base_words": base_words(heatmap),
        "measured_with": measured_with(),
        "heatmaps": [
            FormOption(each.name, heatmap_title(each), each is heatmap, query.address(h=each.name))
            for each in known.values()
        ],
        "offered": metrics[: len(heatmap.offered)],
        "others": metrics[len(heatmap.offered) :],
        "fixed": _fixed_pickers(query),
        "parameters": _parameters(query, advised=True),
        "properties": _parameters(query, advised=False),
        "metric_name": metric(query.metric).name,
        "x_name": parameter(query.x).name,
        "y_name": parameter(query.y).name,
        "x_help": parameter(query.x).help,
        "y_help": parameter(query.y).help,
        "workload_name": workload_title(heatmap.workload(query.workload)),
        "multiples": _multiples(query) if len(heatmap.workloads) > 1 else [],
        "modes": _modes(query),
        "minus": _minus_picker(query),
        "clamp": _clamp_picker(query),
        "address": query.address(),
        "panel": shown,
        "least": _picker("least", _("what should be best"), objectives),
        "front": front,
        "fronted": not front.isdisjoint(drawn),
        "starred": not shown["best"]["runs"].isdisjoint(drawn),
        "pins": _pins(query),
        "kept_keys": [pair for pair in parse_qsl(query.address()) if pair[0] not in FIELDS],
        "kept_for_ask": [pair for pair in parse_qsl(query.address()) if pair[0] in {*FIELDS, "pin"}],
        "tips": tips(query, table),
        "runs": sum(len(each.cells) for each in known.values()),
        "seeds": len(heatmap.seeds),
        "counted_as": _counted_as(heatmap),
    }


def _counted_as(heatmap: ShippedHeatmap) -> str:
    """Return the memory strategies of the runs: an axis', or else those of the workloads."""
    for axis in heatmap.axes:
        if axis.parameter == STRATEGY:
            return ", ".join(map(str, axis.values))
    return counted_as(each.scenario for each in heatmap.workloads)


def _modes(query: HeatmapQuery) -> list[FormOption]:
    """Return what the cells can show; lazy minus default where both modes were swept and neither axis has them."""
    plain = query.minus is None
    modes = [
        FormOption("values", _("Values"), plain and query.mode == "values", query.address(mode="values")),
        FormOption(
            "difference",
            _("Difference from %(base)s") % {"base": base_words(query.heatmap)},
            plain and query.mode == "difference",
            query.address(mode="difference"),
        ),
    ]
    if "queue_mode" in query.fixed:
        minus = "queue_mode:default"
        chosen = str(query.minus) == minus and query.fixed["queue_mode"] == "lazy"
        address = query.address(**{FIXED + "queue_mode": "lazy"}, minus=minus, mode="values")
        modes.append(FormOption("lazy", _("Lazy minus default"), chosen, address))
    return modes


def _minus_picker(query: HeatmapQuery) -> str:
    """Return the picker of what is taken away from each cell, empty where there is nothing to choose."""
    others = subtractions(query)
    if not others:
        return ""
    options = [FormOption("", _("as it is"), query.minus is None)]
    for each in others:
        if each.key == WORKLOAD:
            words = workload_title(query.heatmap.workload(each.value))
        else:
            [words] = named({each.key: each.value})
        options.append(FormOption(str(each), _("minus %(other)s") % {"other": words}, each == query.minus))
    return _picker("minus", _("what is taken away"), options, "select-bare")


def _clamp_picker(query: HeatmapQuery) -> str:
    texts = {each: _("up to %(percent)s %% of cells") % {"percent": each} for each in CLAMPS}
    texts[CLAMPS[0]] = _("the whole range")
    options = [FormOption(str(each), text, each == query.clamp) for each, text in texts.items()]
    return _picker("clamp", _("values that the colours tell apart"), options, "select-bare")


def _pins(query: HeatmapQuery) -> dict[str, Any]:
    """Return the pinned cells, and whether there is a page that compares them."""
    heatmap = query.heatmap
    kind = metric(query.metric).kind
    pinned = []
    for letter, cell_id in zip("AB", query.pins, strict=False):
        run = heatmap.runs[cell_id]
        value = heatmap.value(run, query.metric)
        pinned.append(
            {
                "letter": letter,
                "cell": cell_id,
                "workload": workload_title(heatmap.workload(run.workload)),
                "at": run_place(query, run),
                "value": NOTHING if value is None else full(value, kind),
                "off": query.address(pin=",".join(each for each in query.pins if each != cell_id)),
            }
        )
    try:
        comparable = bool(reverse("compare")) and len(pinned) == len("AB")
    except NoReverseMatch:
        comparable = False
    return {
        "cells": pinned,
        "comparable": comparable,
        "letters": {each["cell"]: each["letter"] for each in pinned},
    }


def heatmap_title(heatmap: ShippedHeatmap) -> str:
    """Return the heatmap's title in the reader's language, if it is one of ours."""
    return str(HEATMAPS.get(heatmap.name, heatmap.title))


def workload_title(workload: NamedHeatmap) -> str:
    """Return the workload's name in the reader's language, if it is one of ours."""
    return str(WORKLOADS.get(workload.name, workload.title))


def tips(query: HeatmapQuery, table: HeatmapTable) -> dict[str, Any]:
    """Return, by cell id, the content of a cell's tip: its place, its numbers, its memory over time."""
    heatmap = query.heatmap
    base = base_place(query)
    names = list(dict.fromkeys((query.metric, *heatmap.offered)))
    return {
        "labels": [str(metric(name).name) for name in names],
        "unpinned": query.address(pin=""),
        "pins": query.pins,
        "failed": _("This run failed: %(error)s"),
        "states": _("messages over time:"),
        "seconds": _(
            "memory over %(seconds)s s, with the watermark (solid) and where paging begins (dashed)"
        ),
        "cells": {
            cell.run.cell_id: {
                "at": cell.at,
                "numbers": [
                    _number(heatmap, cell.run, name) + _between(cell.runs, heatmap, name) for name in names
                ],
                "ram_kib": cell.run.series_ram_kib,
                "states": cell.run.series_states,
                "limit_kib": _kib(heatmap, cell.run, limit_bytes.name),
                "paging_kib": _kib(heatmap, cell.run, paging_at_bytes.name),
                "until_s": heatmap.workload(query.workload).scenario["until_us"] // 1_000_000,
                "error": failure(cell.run.error),
                "note": held_back(query, base, cell.runs),
                "value": cell.value,
            }
            for row in table.rows
            for cell in row.cells
        },
    }


def _kib(heatmap: ShippedHeatmap, run: CellRun, name: str) -> int | None:
    """Return a threshold for the small chart, None where the heatmap does not have it."""
    value = heatmap.value(run, name) if name in heatmap.metrics else None
    return None if value is None else int(value) // 1024


def _between(runs: list[CellRun], heatmap: ShippedHeatmap, name: str) -> str:
    """Return a cell's band in brackets, nothing where it has none."""
    words = band_words(band(heatmap, runs, name), name)
    return f" ({words})" if words else ""


def _number(heatmap: ShippedHeatmap, run: CellRun, name: str) -> str:
    value = heatmap.value(run, name)
    if value is None:
        return NOTHING if run.metrics is not None else FAILED
    return full(value, metric(name).kind)


def _sentence(query: HeatmapQuery) -> str:
    """Return the question as a sentence whose nouns are pickers, in the word order of the reader's language."""
    return format_html(
        _("How {x} and {y} move {metric}, for {workload}"),
        metric=format_html("<q>{}</q>", _picker("m", _("measure"), _metric_options(query))),
        x=_picker("x", _("X axis"), _axis_options(query, "x")),
        y=_picker("y", _("Y axis"), _axis_options(query, "y")),
        workload=_picker("w", _("workload"), _workload_options(query)),
    )


def _picker(key: str, name: str, options: list[FormOption], style: str = "whatif-pick") -> str:
    """Return a select element of the form that asks; in the usual style it reads as part of a sentence."""
    return format_html(
        '<select class="{}" name="{}" id="whatif-pick-{}" form="{}" aria-label="{}">{}</select>',
        style,
        key,
        key,
        "whatif-best" if key == "least" else "whatif-ask",
        name,
        format_html_join(
            "",
            '<option value="{}"{}>{}</option>',
            ((each.value, SELECTED if each.chosen else "", each.label) for each in options),
        ),
    )


def _metric_options(query: HeatmapQuery) -> list[FormOption]:
    """Return every metric, those that the sweep is about first."""
    names = dict.fromkeys((*query.heatmap.offered, *query.heatmap.metrics))
    return [
        FormOption(name, str(metric(name).name), name == query.metric, query.address(m=name))
        for name in names
    ]


def _axis_options(query: HeatmapQuery, key: str) -> list[FormOption]:
    return [
        FormOption(axis.parameter, str(parameter(axis.parameter).name), axis.parameter == getattr(query, key))
        for axis in query.heatmap.axes
    ]


def _workload_options(query: HeatmapQuery) -> list[FormOption]:
    return [
        FormOption(each.name, workload_title(each), each.name == query.workload)
        for each in query.heatmap.workloads
    ]


def _fixed_pickers(query: HeatmapQuery) -> list[dict[str, Any]]:
    """Return a picker for each swept parameter that is on neither axis."""
    return [
        {
            "name": parameter(name).name,
            "picker": _picker(
                FIXED + name,
                str(parameter(name).name),
                [
                    FormOption(str(each), setting(name, each), each == value)
                    for each in query.heatmap.axis(name).values
                ],
            ),
        }
        for name, value in query.fixed.items()
    ]


def _parameters(query: HeatmapQuery, *, advised: bool) -> list[dict[str, Any]]:
    """Return the swept settings, or properties of the workload, with the addresses that put each on an axis."""
    return [
        {
            "name": parameter(axis.parameter).name,
            "on_x": axis.parameter == query.x,
            "on_y": axis.parameter == query.y,
            "to_x": query.address(x=axis.parameter),
            "to_y": query.address(y=axis.parameter),
            "range": f"{setting(axis.parameter, axis.values[0])} – {setting(axis.parameter, axis.values[-1])}",
        }
        for axis in query.heatmap.axes
        if (axis.parameter in ADVISED) == advised
    ]


def _multiples(query: HeatmapQuery) -> list[dict[str, Any]]:
    """Return one small heatmap for each workload, all with the scale of the large one."""
    values = all_values(query.heatmap, query.metric)
    unit = unit_for(metric(query.metric).kind, max(values, default=0))
    edges = boundaries(clamped(values, query.clamp), unit.divisor)
    found = []
    for workload in query.heatmap.workloads:
        most = max(all_values(query.heatmap, query.metric, workload.name), default=0)
        found.append(
            {
                "title": workload_title(workload),
                "address": query.address(w=workload.name),
                "chosen": workload.name == query.workload,
                "rows": mini(query, workload.name, edges),
                "worst": _("up to %(value)s") % {"value": full(most, metric(query.metric).kind)},
            }
        )
    return found
