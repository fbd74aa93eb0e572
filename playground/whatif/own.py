"""The pages of a visitor's own sweep: asking for it, how far it is, and its heatmap among the published ones."""

from __future__ import annotations

from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from playground.callers import browser_visitor, request_callers
from playground.limits import session_limits
from playground.models import OwnSweep, Session
from playground.records import session_ownership
from playground.sweeping import asked, records
from playground.sweeping.grids import OFFERED
from playground.sweeping.refusals import failure
from playground.sweeping.remarks import messages_of
from playground.sweeping.runner import runner
from playground.texts.page_message import PageMessage, RequestRefused
from playground.web.access import charge, keeps
from playground.web.errors import PageGone
from playground.whatif.labels import parameter
from playground.whatif.shipped import ShippedHeatmap, heatmaps


def known_to(wanted: str) -> dict[str, ShippedHeatmap]:
    """Return the published heatmaps, with the visitor's own if it is wanted: who has its address sees it."""
    known = heatmaps()
    if wanted.startswith(asked.NAME_BEGINS):
        sweep = records.find(wanted)
        if sweep is not None and sweep.document is not None:
            found = msgspec.json.decode(bytes(sweep.document), type=ShippedHeatmap)
            known = {**known, found.name: msgspec.structs.replace(found, title=_("Your own workload"))}
    return known


def remarks_beside(wanted: str) -> list[PageMessage]:
    """Return what was told of the workload of a visitor's own heatmap when it was read; nothing of published ones."""
    sweep = records.find(wanted) if wanted.startswith(asked.NAME_BEGINS) else None
    return [] if sweep is None else messages_of(records.remarks_of(sweep))


@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Show the form for a sweep of one's own, or take what it asks for."""
    return _take(request) if request.method == "POST" else _form(request, asked.answers(request.GET))


@keeps
def _take(request: HttpRequest) -> HttpResponse:
    given = asked.answers(request.POST)
    try:
        large = given["large"] and settings.SPARK_SWEEPS
        session = None
        if given["kind"] == "session" and session_ownership.owns(request.session, given["session"]):
            session = Session.objects.get(public_id=given["session"])
        workload, remarks = asked.workload_of(given["kind"], given["text"], session)
        spec, plan = asked.plan_of(workload, asked.new_name(), given["x"], given["y"], large)
        browser_visitor.visitor(request.session)
        sweep = records.ask(request_callers.again(request), spec, len(plan.cells), large, remarks)
    except RequestRefused as refused:
        return _form(request, given, _in_words(refused.message))
    charge(request, workload.scenario)
    runner().take(sweep.group, sweep.name)
    return redirect("whatif_progress", sweep.name)


def _in_words(problem: PageMessage) -> PageMessage:
    """Return a refusal that calls a parameter as the form does."""
    named = problem.values.get("parameter")
    if not isinstance(named, str):
        return problem
    return PageMessage(problem.text, **{**problem.values, "parameter": parameter(named).name})


def _form(request: HttpRequest, given: dict[str, Any], problem: PageMessage | None = None) -> HttpResponse:
    visitor = browser_visitor.known_visitor(request.session)
    bounds = session_limits.current()
    context = {
        "given": given,
        "problem": problem,
        "kinds": [
            ("perf-test", _("a PerfTest command line")),
            ("csv", _("a table of arrivals (CSV: at_s, size_bytes)")),
            ("tracing", _("a log of rabbitmq_tracing")),
            ("firehose", _("a Firehose capture (JSON lines with times)")),
            ("session", _("a session that this browser began")),
        ],
        "sessions": _sessions(request),
        "parameters": [(name, parameter(name).name, parameter(name).help) for name in OFFERED],
        "sweeps": [_shown(each) for each in records.of_visitor(visitor)],
        "cells": bounds.sweep_cells,
        "seconds": bounds.sweep_s,
        "large": settings.SPARK_SWEEPS,
        "large_cells": bounds.large_sweep_cells,
    }
    return render(request, "whatif/own.html", context, status=400 if problem else 200)


def _sessions(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the sessions that this browser began, with their titles."""
    found = Session.objects.filter(public_id__in=session_ownership.owned(request.session)).order_by(
        "-created", "-pk"
    )
    return [(each.public_id, each.scenario.get("title") or each.public_id) for each in found]


@require_safe
def progress(request: HttpRequest, name: str) -> HttpResponse:
    """Show how far a sweep is; to htmx the part that changes, and where to go when it is done."""
    sweep = records.find(name)
    if sweep is None:
        text = _("Sweeps are deleted after some days, and the oldest when a browser asks for many.")
        raise PageGone(_("There is no such sweep"), PageMessage(text))
    shown = _shown(sweep)
    if shown["state"] == "done":
        return HttpResponseClientRedirect(shown["address"]) if request.htmx else redirect(shown["address"])
    page = "whatif/_progress.html" if request.htmx else "whatif/progress.html"
    return render(request, page, {"sweep": shown})


def _shown(sweep: OwnSweep) -> dict[str, Any]:
    """Return a sweep in words: its axes, how far it is, and its page."""
    state = "waits"
    if sweep.ended:
        state = "failed" if sweep.error else "done"
    elif records.lost(sweep):
        state = "lost"
    elif sweep.done:
        state = "runs"
    axes = [parameter(axis["parameter"]).name for axis in sweep.spec["grid"]["axes"]]
    heatmap = f"{reverse('whatif')}?h={sweep.name}"
    return {
        "state": state,
        "name": sweep.name,
        "x": axes[0],
        "y": axes[1],
        "large": sweep.spec["large"],
        "done": sweep.done,
        "cells": sweep.cells,
        "error": failure(sweep.error),
        "remarks": messages_of(records.remarks_of(sweep)),
        "created": sweep.created,
        "address": heatmap if state == "done" else reverse("whatif_progress", args=[sweep.name]),
    }
