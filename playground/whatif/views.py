"""The views of the what-if page: the page itself or its fragment, the CSV, and opening a cell's run."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from playground.sweeping import tables
from playground.sweeping.refusals import failure
from playground.texts.page_message import PageMessage
from playground.web.access import keeps, say
from playground.web.errors import PageGone, answer
from playground.whatif.cells import peak_us
from playground.whatif.context import page_context
from playground.whatif.export import to_csv
from playground.whatif.opening import keep_run, open_run
from playground.whatif.own import known_to, remarks_beside
from playground.whatif.query import read_query
from playground.whatif.shipped import beside, directories

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
    context = {
        **page_context(query, known),
        "notices": notices,
        "remarks": remarks_beside(query.heatmap.name),
    }
    fragment = request.htmx and not request.htmx.history_restore_request
    response = render(request, "whatif/_view.html" if fragment else "whatif/page.html", context)
    if fragment:
        response["HX-Push-Url"] = f"{reverse('whatif')}?{query.address()}"
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def table_csv(request: HttpRequest) -> HttpResponse:
    """Download every run of the present workload."""
    known = known_to(request.GET.get("h", ""))
    if not known:
        return render(request, "whatif/none.html", status=503)
    query, _notices = read_query(request.GET, known)
    response = HttpResponse(to_csv(query), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{query.heatmap.name}-{query.workload}.csv"'
    return response


@require_safe
def table_parquet(request: HttpRequest) -> HttpResponse | FileResponse:
    """Download the sweep's Parquet table: every run of every workload, as Spark wrote it."""
    known = known_to(request.GET.get("h", ""))
    if not known:
        return render(request, "whatif/none.html", status=503)
    query, _notices = read_query(request.GET, known)
    path = beside(query.heatmap.name, ".parquet", *directories(), tables.folder())
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
    try:
        address = reverse("compare")
    except NoReverseMatch:
        address = ""
    if not address or heatmap is None or any(run is None or run.digest is None for run in runs):
        raise PageGone(
            _("These two cannot be compared"), PageMessage(_("Pin two cells whose runs did not fail."))
        )
    a, b = (keep_run(heatmap, run).short_id for run in runs if run is not None)
    return redirect(f"{address}?{urlencode({'a': a, 'b': b})}")


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
