"""Sweeps that the reader's own browser runs: a question plans a sweep, one runs a cell of it, one makes its heatmap."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

import msgspec
from django.utils.translation import gettext as _

from engine import ENGINE_VERSION
from playground.sweeping import asked
from playground.sweeping.refusals import failure, messages_of
from playground.whatif.shipped import ShippedHeatmap, heatmaps
from sweeps.cell import Cell, run_cell
from sweeps.document import one_cell_per_line, page
from sweeps.grid import Grid, Spec, make_spec
from sweeps.plan import make_plan, middle_first
from workloads.workload import Workload

Answer = dict[str, Any]
MOST_S: Final = 900
"""Of one processor, about: what the runs of a sweep may take, measured here."""

_own: dict[str, ShippedHeatmap] = {}


def known() -> dict[str, ShippedHeatmap]:
    """Return the heatmaps that come with the app, and those that were made or brought here."""
    return {**heatmaps(), **_own}


def plan(question: Answer) -> Answer:
    """Return a sweep as text, in which order its cells run, what is told of its workload, and about what it takes.

    Raises:
        RequestRefused: the workload cannot be read or varied like this.
    """
    workload, remarks = asked.workload_of(question["kind"], question["text"], None)
    name = asked.new_name()
    spec, planned = asked.plan_of(workload, name, question["x"], question["y"], False, MOST_S)
    return {
        "name": name,
        "sweep": msgspec.json.encode({"workload": workload, "grid": spec.grid}).decode(),
        "order": middle_first(len(planned.cells)),
        "estimate_s": planned.estimate_s,
        "remarks": [str(each) for each in messages_of(remarks)],
    }


@lru_cache(maxsize=1)
def _planned(sweep: str) -> tuple[Spec, tuple[Cell, ...]]:
    read = json.loads(sweep)
    spec = make_spec((msgspec.convert(read["workload"], Workload),), msgspec.convert(read["grid"], Grid))
    return spec, make_plan(spec, ENGINE_VERSION).cells


def row(question: Answer) -> Answer:
    """Run a cell; return its row without its scenario, which the sweep has, and why it failed if it did."""
    _spec, cells = _planned(question["sweep"])
    found = run_cell(cells[question["number"]], "")
    return {"row": {**found, "scenario": ""}, "failure": failure(found["error"])}


def heatmap(question: Answer) -> Answer:
    """Make the heatmap of a sweep from the rows of its cells, in their order; return it as text."""
    spec, cells = _planned(question["sweep"])
    rows = [{**found, **cell.values} for found, cell in zip(question["rows"], cells, strict=True)]
    document = one_cell_per_line(page(spec, rows, ENGINE_VERSION)).decode()
    return {"name": bring({"document": document})["name"], "document": document}


def bring(question: Answer) -> Answer:
    """Take a heatmap that was made here before."""
    found = msgspec.json.decode(question["document"], type=ShippedHeatmap)
    found = msgspec.structs.replace(found, title=_("Your own workload"))
    _own.clear()
    _own[found.name] = found
    return {"name": found.name}
