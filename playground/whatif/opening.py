"""Opening a cell: a session of the playground on the cell's own scenario, with the digest that it must reach."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import override

from playground import ownership, services
from playground.doors import door
from playground.models import Scenario, Session
from playground.whatif.labels import parameter
from playground.whatif.numbers import setting
from playground.whatif.shipped import CellRun, Heatmap

LONGEST_TITLE = 120


def keep_run(heatmap: Heatmap, run: CellRun) -> Scenario:
    """Keep the run's scenario with the digest that it must reach, so that it has an address.

    The engine version noted with it is the one that computed the cell: if the engine has moved on since, the live
    page can say so.
    """
    scenario = {**heatmap.scenario(run), "title": run_title(heatmap, run), "digest": run.digest}
    return services.keep_scenario(door().check(scenario), heatmap.engine_version)


def open_run(request: HttpRequest, heatmap: Heatmap, run: CellRun) -> Session:
    """Begin a session of this browser that repeats the run, up to its peak."""
    session = services.replay_session(keep_run(heatmap, run), peak_us(heatmap, run))
    ownership.claim(request.session, session.public_id)
    return session


def peak_us(heatmap: Heatmap, run: CellRun) -> int:
    """Return the moment of a run at which memory is at its peak: that is what one wants to see of a cell.

    It is a second before the end at the latest, so that the run can go on and its end says whether it is the same.
    """
    until_us = int(heatmap.workload(run.workload).scenario["until_us"])
    samples = run.series_ram_kib
    if not samples:
        return 0
    peak = until_us * (samples.index(max(samples)) + 1) // len(samples)
    return max(0, min(peak, until_us - 1_000_000))


def run_title(heatmap: Heatmap, run: CellRun) -> str:
    """Return a title that tells which cell it was, in English: it is part of what is kept."""
    workload = heatmap.workload(run.workload).title
    with override("en"):
        places = (
            f"{parameter(axis.parameter).name} {setting(axis.parameter, value)}"
            for axis, value in zip(heatmap.axes, run.values, strict=True)
        )
        return f"{workload}: {', '.join(places)}"[:LONGEST_TITLE]
