"""Opening a cell: a session of the playground on the cell's own scenario."""

from __future__ import annotations

from django.http import HttpRequest

from playground.whatif.shipped import Heatmap, Run


def open_run(request: HttpRequest, heatmap: Heatmap, run: Run) -> str:
    """Start a session on the run's scenario and return the address of its page."""
    raise NotImplementedError
