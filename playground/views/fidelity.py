"""How we know that the picture is what RabbitMQ does."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from engine.counting.disk import write_amplification
from engine.counting.load import blocked_s, latency_p95_s, peak_ram_bytes, throughput_per_s
from playground.library import fidelity_figures as measured
from playground.library.fidelity_figures import todays_memory
from playground.views import surface_table
from playground.whatif.labels import NOTHING, full
from playground.whatif.labels import metric as label

SHOWN = tuple(
    each.name for each in (peak_ram_bytes, blocked_s, throughput_per_s, latency_p95_s, write_amplification)
)
"""Metrics whose values the page lists for every measured run."""


@require_safe
def fidelity(request: HttpRequest) -> HttpResponse:
    """Show what was measured, when, and what is modelled rather than executed."""
    context = {
        "results": measured.results(),
        "predictions": [
            _predictions(found)
            for found in (measured.predictions(), *measured.predictions_of_other_releases())
            if found is not None
        ],
        "todays": todays_memory(),
        "surfaces": surface_table.shown(),
        "others": {name: measured.of_other_releases(name) for name in measured.ON_NODES},
    }
    return render(request, "playground/fidelity.html", context)


def _predictions(found: dict[str, Any]) -> dict[str, Any]:
    verdicts = {
        "good": _("predicted"),
        "rough": _("roughly predicted"),
        "order": _("predicted in order only"),
        "none": _("not predicted"),
    }
    table = [
        {
            **each,
            "name": label(name).name,
            "verdict": verdicts[each["verdict"]],
            "missed": ", ".join(missed(found["cells"], name)),
            "worst_run": worst_run(found["cells"], name),
        }
        for name, each in found["metrics"].items()
    ]
    runs = [
        {**each, "values": [_beside(name, each["metrics"].get(name)) for name in SHOWN]}
        for each in (*found["cells"], *({**each, "under_rss": True} for each in found.get("rss", ())))
    ]
    return {**found, "table": table, "runs": runs, "columns": [label(name).name for name in SHOWN]}


MISSED_PCT = 30
"""A run whose prediction lies further than this outside of the node's own range is named beside the verdict."""


def missed(cells: list[dict[str, Any]], metric: str) -> list[str]:
    """Return the names of judged runs in which a metric was further off than any verdict allows."""
    return [
        each["name"]
        for each in cells
        if not each["fitted"]
        and metric in each["metrics"]
        and each["metrics"][metric]["beyond_pct"] > MISSED_PCT
    ]


def worst_run(cells: list[dict[str, Any]], metric: str) -> str:
    """Return the name of the judged run whose metric was predicted worst."""
    errors = {
        each["name"]: abs(each["metrics"][metric]["error_pct"])
        for each in cells
        if not each["fitted"] and metric in each["metrics"]
    }
    return max(errors, key=lambda name: errors[name])


def _beside(name: str, each: dict[str, Any] | None) -> str:
    """Return predicted and measured value of a metric, each with the lowest and the highest of its runs."""
    if each is None:
        return NOTHING
    predicted = _with_range(label(name).kind, each["predicted"], each["low"], each["high"])
    measured = _with_range(label(name).kind, each["measured"], each["measured_low"], each["measured_high"])
    return f"{predicted} / {measured}"


def _with_range(kind: str, value: float, low: float, high: float) -> str:
    words, *ends = (full(each, kind) for each in (value, low, high))
    return words if {*ends} == {words} else f"{words} ({ends[0]}–{ends[1]})"
