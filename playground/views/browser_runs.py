"""A run that the reader's own browser plays, as a page of this server: for when it has no place for another session."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.records import paused_sessions, selectors, services
from playground.texts.page_message import RequestRefused
from playground.views.links import in_its_language
from playground.web import engine_files, live_page
from playground.web.access import rate_limited_reading, scenario_or_gone, session_or_gone
from playground.web.errors import answer
from playground.whatif.shipped import cell_scenario, peak_us
from playground.whatif.views import known_to


@require_safe
@rate_limited_reading
@never_cache
@in_its_language
def page(request: HttpRequest) -> HttpResponse:
    """Show the page of the run that the address names: a link, what a link carries, a session, or a heatmap's cell."""
    addresses = engine_files.addresses()
    if not addresses["worker"]:
        return answer(request, 404, _("This server has no engine for browsers"), "", {"browser": ""})
    try:
        run = _run(request)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
    blank = services.blank_scenario("classroom")
    data = {
        "story": {"title": "Waterline"},
        "place": {"at_us": None, "number": None, "msg": None, "view": ""},
        "urls": {**live_page.NOWHERE, "past": "#", "survival": ""},
        "browser_run": {
            **addresses,
            "link": reverse("stateless", args=["00"]),
            **run,
        },
    }
    return render(request, "links/browser_run.html", live_page.context_of("browser", blank, data))


def _run(request: HttpRequest) -> dict[str, Any]:
    """Return the run that the address names, and the name under which the browser keeps what is done in it.

    Raises:
        RequestRefused: the session waits for an answer of its reader, so it must not be played elsewhere.
    """
    given = request.GET
    if "s" in given:
        session = session_or_gone(given["s"][:64])
        paused_sessions.check_may_leave(session.public_id, link=True)
        record = selectors.remembered(session.public_id)
        story = session.origin.story if session.origin else None
        found = {
            "scenario": record.scenario,
            "story": live_page.story_for_page(story) if story else None,
            "made_with": record.recorded_by,
            "commands": record.commands,
            "until_us": record.reached_us,
        }
        return {"name": f"s-{session.public_id}", "found": found}
    if "h" in given:
        heatmap = known_to(given["h"]).get(given["h"])
        run = heatmap.runs.get(given.get("cell", "")) if heatmap else None
        if heatmap is None or run is None:
            raise RequestRefused(_("This run is not there any more"))
        question = {
            "scenario": cell_scenario(heatmap, run),
            "story": None,
            "made_with": heatmap.engine_version,
        }
        return {"name": f"cell-{run.cell_id}", "kept": question, "at_us": peak_us(heatmap, run)}
    if "x" in given:
        return {"name": f"x-{given['x']}", "packed": given["x"]}
    kept = scenario_or_gone(given.get("r", "")[:80])
    question = {
        "scenario": selectors.scenario_body(kept),
        "story": live_page.story_for_page(kept.story) if kept.story else None,
        "made_with": kept.engine_version,
    }
    return {"name": f"r-{kept.short_id}", "kept": question}
