"""The page Inspect: what was sent is read in memory, answered, and forgotten."""

from __future__ import annotations

import json
import logging
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from playground import repeating
from playground.inspecting import again, definitions, figures, revival, summary, uploads
from playground.messages import Refused
from playground.web import live_page
from playground.web.access import rate_limited

logger = logging.getLogger(__name__)

MOST_SENT: Final = uploads.MOST_BYTES + 4 * 1024 * 1024
"""Bytes of a whole request, with the parts' heads."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """Show the page, or answer what was sent to it."""
    return _answer(request) if request.method == "POST" else _page(request)


def _page(request: HttpRequest, status: int = 200, **found: Any) -> HttpResponse:
    return render(request, "inspecting/page.html", {"most": uploads.MOST_BYTES >> 20, **found}, status=status)


@rate_limited
def _answer(request: HttpRequest) -> HttpResponse:
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_SENT:
            raise Refused(
                _("Together the files have more than %(most)s MiB. Send one queue and its store."),
                most=uploads.MOST_BYTES >> 20,
            )
        with repeating.for_request(request):
            return _read(request)
    except Refused as refused:
        logger.info("an inspection was refused: %.200s", refused)
        return _page(request, 422, problem=refused.message, text=request.POST.get("figures", "")[:20_000])


def _read(request: HttpRequest) -> HttpResponse:
    if "figures" in request.POST:
        text = request.POST["figures"]
        found = figures.read(text)
        if not found:
            raise Refused(_("No backing_queue_status is in this text. Paste what the command above prints."))
        return _page(request, figures=found, text=text[:20_000])
    if "definitions" in request.FILES:
        uploaded = request.FILES["definitions"]
        taken = definitions.read(uploaded.read(definitions.MOST_BYTES + 1))
        return _page(
            request, taken=taken, topology=taken.scenario["topology"], scenario=json.dumps(taken.scenario)
        )
    if "agreed" not in request.POST:
        raise Refused(_("The files would be sent to this server to be read. Agree to that first."))
    return _files(request, uploads.of_files(request.FILES.getlist("files"), request.POST.get("paths", "")))


def _files(request: HttpRequest, files: uploads.Files) -> HttpResponse:
    report = revival.report_on(files)
    revived = revival.revive(files, report)
    begun = again.scenario(report, revived) if revived is not None else None
    context = {
        "kind": report["kind"],
        "queues": summary.queue_rows(report, revived),
        "stores": summary.store_rows(report, revived),
        "damage": summary.damage_rows(report, files),
        "files": summary.file_rows(files),
        "entry_count": report.get("segment_entry_count"),
        "failure": revived.failure if revived else "",
        "begun": json.dumps(begun) if begun else "",
    }
    if revived is None or revived.state is None:
        return render(request, "inspecting/report.html", context)
    return render(request, "inspecting/start.html", {**context, **_live(revived)})


def _live(revived: revival.Revival) -> dict[str, Any]:
    """Return what the live page's template needs to show the start."""
    parts = [json.loads(part) for part in revived.messages]
    scenario = revived.scenario
    data = {
        "story": None,
        "place": {"at_us": scenario["until_us"], "number": None, "msg": None, "view": ""},
        "urls": {**live_page.NOWHERE, "past": "#"},
        "recording": {"parts": len(parts), "ends_us": scenario["until_us"], "moments": []},
    }
    return {**live_page.context_of("inspected", scenario, data), "run": parts}
