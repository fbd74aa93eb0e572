"""The views of the what-if page: the page or its fragment, a visitor's own sweep, the CSV, and opening a cell's run."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import msgspec
from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from playground.hosting import session_record
from playground.limits import request_callers, session_limits
from playground.limits.work_places import GateBusy
from playground.models import OwnSweep, Scenario, Session
from playground.records import kept_runs, paused_sessions
from playground.storybook import rehearsal
from playground.sweeping import asked, runner
from playground.sweeping.asked import OFFERED, failure, messages_of
from playground.texts import PageMessage, RequestRefused
from playground.web import engine_files
from playground.web.access import charge, form_page, keeps, rate_limited_reading, say
from playground.web.errors import PageGone, answer
from playground.whatif.context import page_context
from playground.whatif.query import HeatmapQuery, read_query
from playground.whatif.shipped import (
    ADVISED,
    CellRun,
    ShippedHeatmap,
    beside,
    cell_scenario,
    directories,
    full,
    heatmaps,
    parameter,
    peak_us,
)
from sweeps.progress import SweepStanding


def keep_run(heatmap: ShippedHeatmap, run: CellRun) -> Scenario:
    """Keep the run's scenario with the digest that it must reach, so that it has an address. The engine version
    noted with it is the one that computed the cell: if the engine has moved on since, the live page can say so.
    """
    return kept_runs.keep_scenario(rehearsal.check_run(cell_scenario(heatmap, run)), heatmap.engine_version)


def open_run(request: HttpRequest, heatmap: ShippedHeatmap, run: CellRun) -> Session:
    """Begin a session of this browser that repeats the run, up to its peak."""
    session = kept_runs.replay_session(keep_run(heatmap, run), peak_us(heatmap, run))
    kept_runs.claim(request.session, session)
    return session


def to_csv(query: HeatmapQuery) -> str:
    """Return all runs of the query's workload, with a header line. Columns: the swept parameters, seed, every
    metric (bytes, seconds or counts, by its name), digest, engine_version, error. Failed runs have empty metrics.
    """
    heatmap = query.heatmap
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    axes = [axis.parameter for axis in heatmap.axes]
    writer.writerow([*axes, "seed", *heatmap.metrics, "digest", "engine_version", "error"])
    for run in heatmap.cells:
        if run.workload == query.workload:
            metrics = run.metrics if run.metrics is not None else [""] * len(heatmap.metrics)
            ends = (run.digest or "", heatmap.engine_version, failure(run.error))
            writer.writerow([*run.values, run.seed, *metrics, *ends])
    return buffer.getvalue()


def known_to(wanted: str) -> dict[str, ShippedHeatmap]:
    """Return the published heatmaps, with the visitor's own if it is wanted: who has its address sees it."""
    known = heatmaps()
    if wanted.startswith(asked.NAME_BEGINS):
        sweep = runner.find(wanted)
        if sweep is not None and sweep.document is not None:
            found = msgspec.json.decode(bytes(sweep.document), type=ShippedHeatmap)
            known = {**known, found.name: msgspec.structs.replace(found, title=_("Your own workload"))}
    return known


def remarks_beside(wanted: str) -> list[PageMessage]:
    """Return what was told of the workload of a visitor's own heatmap when it was read; nothing of published ones."""
    sweep = runner.find(wanted) if wanted.startswith(asked.NAME_BEGINS) else None
    return [] if sweep is None else [*messages_of(runner.remarks_of(sweep)), *_cost(sweep)]


def _cost(sweep: OwnSweep) -> list[PageMessage]:
    """Return what a sweep was guessed to take, and what its runs have taken so far."""
    now = runner.standing(sweep)
    if not now.guessed_s:
        return []
    guessed = full(now.guessed_s, "seconds")
    if not now.done:
        return [PageMessage(gettext_lazy("About %(guessed)s of one processor."), guessed=guessed)]
    text = gettext_lazy("Guessed: %(guessed)s of one processor; taken: %(taken)s.")
    return [PageMessage(text, guessed=guessed, taken=full(now.taken_s, "seconds"))]


SILENT: Final = {
    "master": gettext_lazy("Spark's master no longer answers; the runs that are under way go on."),
    "executors": gettext_lazy("Spark has no executor left; the sweep waits until it gets one."),
}
"""What no longer answers of a cluster, in words."""


def _pace(now: SweepStanding) -> list[PageMessage]:
    """Return how long a sweep still takes, how unlike its runs are, what failed, and what no longer answers."""
    told = [PageMessage(SILENT[name]) for name in now.silent]
    if now.done:
        seconds = full(now.left_s, "seconds")
        told.append(PageMessage(gettext_lazy("about %(seconds)s left"), seconds=seconds))
        middle, slowest = full(now.middle_s, "seconds"), full(now.slowest_s, "seconds")
        text = gettext_lazy("a run takes %(middle)s, the slowest %(slowest)s")
        told.append(PageMessage(text, middle=middle, slowest=slowest))
    if now.failed:
        text = gettext_lazy("%(failed)s failed: %(why)s")
        told.append(PageMessage(text, failed=now.failed, why=failure(now.failure)))
    return told


@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Show the form for a sweep of one's own, or take what it asks for."""
    return _take(request) if request.method == "POST" else _form(request, asked.answers(request.GET))


@keeps
def _take(request: HttpRequest) -> HttpResponse:
    given = asked.answers(request.POST)
    try:
        large = given["large"] and settings.SPARK_SWEEPS
        recorded = None
        if given["kind"] == "session" and kept_runs.owns(request.session, given["session"]):
            recorded = _recorded(Session.objects.get(public_id=given["session"]))
        workload, remarks = asked.workload_of(given["kind"], given["text"], recorded)
        spec, plan = asked.plan_of(workload, asked.new_name(), given["x"], given["y"], large)
        request_callers.visitor(request.session)
        sweep = runner.ask(request_callers.again(request), spec, plan, large, remarks)
    except (RequestRefused, GateBusy) as refused:
        full = isinstance(refused, runner.NoSweepPlace | GateBusy)
        return _form(request, given, _in_words(refused.message), full=full)
    charge(request, workload.scenario)
    runner.sweep_runner().take(sweep.group, sweep.name)
    return redirect("whatif_progress", sweep.name)


def _recorded(session: Session) -> dict[str, Any]:
    paused_sessions.check_may_leave(session.public_id)
    commands = kept_runs.commands_of(session)
    reached_us, _digest = kept_runs.reached(session, commands)
    return session_record.merged(session.scenario, commands, max(reached_us, 1), "")


def _in_words(problem: PageMessage) -> PageMessage:
    """Return a refusal that calls a parameter as the form does."""
    named = problem.values.get("parameter")
    if not isinstance(named, str):
        return problem
    return PageMessage(problem.text, **{**problem.values, "parameter": parameter(named).name})


def _form(
    request: HttpRequest, given: dict[str, Any], problem: PageMessage | None = None, *, full: bool = False
) -> HttpResponse:
    """Show the form. `problem`: why what was asked for is refused. `full`: whether it is refused only because this
    server has no place for it now.
    """
    visitor = request_callers.known_visitor(request.session)
    bounds = session_limits.current()
    context = {
        "given": given,
        "problem": problem,
        "kinds": [*_kinds(), ("session", _("a session that this browser began"))],
        "sessions": _sessions(request),
        "parameters": _offered(),
        "sweeps": [_shown(each) for each in runner.of_visitor(visitor)],
        "cells": bounds.sweep_cells,
        "seconds": bounds.sweep_s,
        "large": settings.SPARK_SWEEPS,
        "large_cells": bounds.large_sweep_cells,
        "full": full,
        "engine": bool(engine_files.worker_address()),
    }
    return render(request, "whatif/own.html", context, status=503 if full else 400 if problem else 200)


@form_page
@rate_limited_reading
def own_in_browser(request: HttpRequest) -> HttpResponse:
    """Show the page on which the reader's own browser runs a sweep: what was sent here is only shown in its form."""
    addresses = engine_files.addresses()
    if not addresses["worker"]:
        return answer(request, 404, _("This server has no engine for browsers"), "", {"browser": ""})
    context = {
        "given": asked.answers(request.POST or request.GET),
        "kinds": _kinds(),
        "parameters": _offered(),
        "own_sweep": {**addresses, "run": reverse("browser-run"), "begins": request.method == "POST"},
        "cells": session_limits.current().sweep_cells,
    }
    return render(request, "whatif/browser.html", context)


def _kinds() -> list[tuple[str, str]]:
    return [
        ("perf-test", _("a PerfTest command line")),
        ("csv", _("a table of arrivals (CSV: at_s, size_bytes)")),
        ("tracing", _("a log of rabbitmq_tracing")),
        ("firehose", _("a Firehose capture (JSON lines with times)")),
    ]


def _offered() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the parameters that an axis may have, in groups."""
    named = [(name, parameter(name).name) for name in OFFERED]
    return [
        (_("Settings"), [pair for pair in named if pair[0] in ADVISED]),
        (_("Properties of the workload"), [pair for pair in named if pair[0] not in ADVISED]),
    ]


def _sessions(request: HttpRequest) -> list[tuple[str, str]]:
    found = Session.objects.filter(public_id__in=kept_runs.owned(request.session)).order_by("-created", "-pk")
    return [(each.public_id, each.scenario.get("title") or each.public_id) for each in found]


@require_safe
def progress(request: HttpRequest, name: str) -> HttpResponse:
    """Show how far a sweep is; to htmx the part that changes, and where to go when it is done."""
    sweep = runner.find(name)
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
    now = runner.standing(sweep)
    state = "waits"
    if sweep.ended:
        state = "failed" if sweep.error else "done"
    elif runner.lost(sweep):
        state = "lost"
    elif now.done:
        state = "runs"
    axes = [parameter(axis["parameter"]).name for axis in sweep.spec["grid"]["axes"]]
    heatmap = f"{reverse('whatif')}?h={sweep.name}"
    return {
        "state": state,
        "name": sweep.name,
        "x": axes[0],
        "y": axes[1],
        "large": sweep.spec["large"],
        "done": now.done,
        "pace": [] if sweep.ended else _pace(now),
        "cells": sweep.cells,
        "error": failure(sweep.error),
        "remarks": messages_of(runner.remarks_of(sweep)),
        "cost": _cost(sweep),
        "created": sweep.created,
        "address": heatmap if state == "done" else reverse("whatif_progress", args=[sweep.name]),
    }


VIEW_LETTERS = 1000
"""Longest description of a view that a cell's run takes along, for the way back."""
WATCH = gettext_lazy(
    "This is the run of the cell, at %(seconds)s s, where memory peaks. Around this moment watch the gauge "
    "of RAM, how many contents may stay, and what sinks to disk. Then let it play on. At its end the page "
    "says whether it is exactly the heatmap's run."
)


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the view that the query string names; to htmx only the part that changes."""
    known = known_to(request.GET.get("h", ""))
    if not known:
        return render(request, "whatif/none.html", status=503)
    query, notices = read_query(request.GET, known)
    remarks = remarks_beside(query.heatmap.name)
    context = {**page_context(query, known), "notices": notices, "remarks": remarks}
    fragment = request.htmx and not request.htmx.history_restore_request
    response = render(request, "whatif/_view.html" if fragment else "whatif/page.html", context)
    if fragment:
        response["HX-Push-Url"] = f"{reverse('whatif')}?{query.address()}"
    patch_vary_headers(response, ["HX-Request"])
    return response


TableView = Callable[[HttpRequest, HeatmapQuery], HttpResponse | FileResponse]


def of_a_query(view: TableView) -> Callable[[HttpRequest], HttpResponse | FileResponse]:
    """Let a download have the question that the query string asks."""

    @require_safe
    def sent(request: HttpRequest) -> HttpResponse | FileResponse:
        known = known_to(request.GET.get("h", ""))
        if not known:
            return render(request, "whatif/none.html", status=503)
        return view(request, read_query(request.GET, known)[0])

    return sent


@of_a_query
def table_csv(request: HttpRequest, query: HeatmapQuery) -> HttpResponse:
    response = HttpResponse(to_csv(query), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{query.heatmap.name}-{query.workload}.csv"'
    return response


@of_a_query
def table_parquet(request: HttpRequest, query: HeatmapQuery) -> FileResponse:
    """Download the sweep's Parquet table: every run of every workload, as Spark wrote it."""
    path = beside(query.heatmap.name, ".parquet", *directories(), runner.folder())
    if path is None:
        raise PageGone(
            _("There is no such file"), PageMessage(_("This heatmap came without its Parquet table."))
        )
    return FileResponse(path.open("rb"), as_attachment=True, content_type="application/vnd.apache.parquet")


@require_POST
@keeps
def compare_cells(request: HttpRequest) -> HttpResponse:
    """Open the runs of two pinned cells side by side."""
    heatmap = known_to(request.POST.get("heatmap", "")).get(request.POST.get("heatmap", ""))
    runs = [heatmap.runs.get(request.POST.get(side, "")) if heatmap else None for side in "ab"]
    if heatmap is None or any(run is None or run.digest is None for run in runs):
        text = PageMessage(_("Pin two cells whose runs did not fail."))
        raise PageGone(_("These two cannot be compared"), text)
    a, b = (keep_run(heatmap, run).short_id for run in runs if run is not None)
    return redirect(f"{reverse('compare')}?{urlencode({'a': a, 'b': b})}")


@require_POST
@keeps
def open_cell(request: HttpRequest) -> HttpResponse:
    """Open the run of one cell in the playground, with the digest that it must reach."""
    heatmap = known_to(request.POST.get("heatmap", "")).get(request.POST.get("heatmap", ""))
    run = heatmap.runs.get(request.POST.get("cell", "")) if heatmap else None
    if heatmap is None or run is None:
        text = _("The heatmap was computed again. Choose a cell of the current one.")
        raise PageGone(_("This run no longer exists"), PageMessage(text))
    if run.digest is None:
        text = _("It failed when the heatmap was computed: %(error)s")
        return answer(
            request, 409, _("This run cannot be opened"), PageMessage(text, error=failure(run.error))
        )
    address = reverse("session", args=[open_run(request, heatmap, run).public_id])
    at_us = peak_us(heatmap, run)
    say(request, [PageMessage(WATCH, seconds=f"{at_us / 1_000_000:g}")])
    view = [pair for pair in parse_qsl(request.POST.get("view", "")[:VIEW_LETTERS]) if pair[0] != "cell"]
    return redirect(
        f"{address}?{urlencode({'at': at_us, 'cell': urlencode([*view, ('cell', run.cell_id)])})}"
    )
