"""Opening a cell: a session of the playground on the cell's own scenario, with the digest that it must reach."""

from __future__ import annotations

from django.http import HttpRequest

from playground.models import Scenario, Session
from playground.records import services, session_ownership
from playground.storybook import brought
from playground.whatif.cells import cell_scenario, peak_us
from playground.whatif.shipped import CellRun, ShippedHeatmap


def keep_run(heatmap: ShippedHeatmap, run: CellRun) -> Scenario:
    """Keep the run's scenario with the digest that it must reach, so that it has an address.

    The engine version noted with it is the one that computed the cell: if the engine has moved on since, the live
    page can say so.
    """
    return services.keep_scenario(brought.check_run(cell_scenario(heatmap, run)), heatmap.engine_version)


def open_run(request: HttpRequest, heatmap: ShippedHeatmap, run: CellRun) -> Session:
    """Begin a session of this browser that repeats the run, up to its peak."""
    session = services.replay_session(keep_run(heatmap, run), peak_us(heatmap, run))
    session_ownership.claim(request.session, session.public_id)
    return session
