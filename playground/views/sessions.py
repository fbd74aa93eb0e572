"""A session's page, its real files, and what can be taken away from it."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.releases import RELEASES
from playground.callers import request_callers
from playground.hosting.real_engine import door
from playground.models import Scenario
from playground.records import kept_bytes, paused_sessions, selectors, services, session_ownership
from playground.sessions import owner_address, session_sharing
from playground.sessions.scenario_links import packed
from playground.texts.page_message import PageMessage, RequestRefused
from playground.web import live_page
from playground.web.access import (
    charge,
    keeps,
    rate_limited,
    rate_limited_reading,
    say,
    session_or_gone,
    whole_number,
)
from playground.web.errors import PageGone, answer

LISTED = 200
FILE_BYTES = 4096
"""Most bytes of a file in one answer."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """List what this browser began, with what it takes; delete what was chosen."""
    if request.method == "POST":
        services.delete_sessions(
            kept_bytes.sessions_of(request.session).filter(public_id__in=request.POST.getlist("session"))
        )
        return redirect("sessions")
    rows = [
        {
            "public_id": each.public_id,
            "title": each.origin.title if each.origin and each.origin.title else _("Playground"),
            "begun": each.created,
            "goes": kept_bytes.goes_at(each),
            "size_bytes": kept_bytes.SESSION_BYTES + each.record_bytes + each.text_bytes,
        }
        for each in kept_bytes.sessions_of(request.session)[:LISTED]
    ]
    context = {"rows": rows, "used": kept_bytes.shown(request_callers.of_request(request))}
    return render(request, "playground/sessions.html", context)


@require_safe
@never_cache
def session(request: HttpRequest, session_id: str) -> HttpResponse:
    found = session_or_gone(session_id)
    session_sharing.adopt_demo(request.session, found.public_id)
    return render(request, "playground/live.html", live_page.context(request, found))


def _stateless(request: HttpRequest, kept: Scenario) -> str:
    """Return the address that carries the run itself, or nothing when it is too long for one."""
    text = packed(selectors.scenario_body(kept), kept.engine_version)
    return request.build_absolute_uri(reverse("stateless", args=[text])) if text else ""


def kept_until(kept: Scenario) -> int:
    return int(selectors.scenario_body(kept)["until_us"])


@require_POST
@keeps
def share(request: HttpRequest, session_id: str) -> HttpResponse:
    """Make a link that repeats the session up to now."""
    found = session_or_gone(session_id)
    try:
        paused_sessions.check_may_leave(found.public_id, link=True)
        kept = session_sharing.share(found)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
    charge(request, selectors.scenario_body(kept))
    url = request.build_absolute_uri(reverse("permalink", args=[kept.short_id]))
    context = {"url": url, "short_id": kept.short_id, "digest": kept.digest, "until_us": kept_until(kept)}
    context["stateless"] = _stateless(request, kept)
    context["embed"] = request.build_absolute_uri(reverse("embed", args=[kept.short_id]))
    if request.htmx:
        return render(request, "playground/_share.html", context)
    return JsonResponse(context)


@require_POST
@keeps
def fork(request: HttpRequest, session_id: str) -> HttpResponse:
    """Begin a session of one's own that is this one up to the moment that is looked at."""
    found = session_or_gone(session_id)
    text = request.POST.get("at_us", "")
    try:
        paused_sessions.check_may_leave(found.public_id)
        forked = session_sharing.fork(found, int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
    charge(request, forked.scenario)
    session_ownership.claim(request.session, forked)
    return redirect("session", forked.public_id)


@require_POST
@keeps
def release(request: HttpRequest, session_id: str) -> HttpResponse:
    """Begin a session of one's own with this one's commands on another release; say what does not exist there."""
    found = session_or_gone(session_id)
    series = request.POST.get("release", "")
    if series not in RELEASES:
        return redirect("session", found.public_id)
    try:
        paused_sessions.check_may_leave(found.public_id)
        other, said = session_sharing.on_release(found, series)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
    charge(request, other.scenario)
    session_ownership.claim(request.session, other)
    say(request, said)
    return redirect("session", other.public_id)


@require_safe
@rate_limited
def scenario_file(request: HttpRequest, session_id: str) -> HttpResponse:
    """Download a session as a scenario file: everything that happened so far, or the run that it repeats."""
    found = session_or_gone(session_id)
    try:
        paused_sessions.check_may_leave(found.public_id)
        scenario = session_sharing.file_of(found)
    except RequestRefused as refused:
        return answer(request, 409, _("That did not work"), refused.message)
    response = JsonResponse(scenario, json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="waterline-{found.public_id}.json"'
    return response


@require_safe
@rate_limited_reading
@never_cache
def file_bytes(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return some bytes of a real file of the session, in hexadecimal."""
    found = session_or_gone(session_id)
    try:
        path, offset, count = _wanted(request)
    except RequestRefused as refused:
        return JsonResponse({"error": str(refused)}, status=400)
    directory = owner_address.files_of(found.public_id)
    try:
        size, data = door().read_file(str(directory), path, offset, count)
    except (*door().no_file, OSError):  # type: ignore[misc]  # mypy cannot unpack a tuple here
        message = PageMessage(
            _("There is no such file now: it may have been deleted, or the session sleeps.")
        )
        raise PageGone(_("No such file"), message) from None
    return JsonResponse({"path": path, "size": size, "offset": offset, "count": len(data), "hex": data.hex()})


def _wanted(request: HttpRequest) -> tuple[str, int, int]:
    path = request.GET.get("path", "")
    if not path or len(path) > 500:
        raise RequestRefused(_("path must name a file of the session, as the page shows them."))
    return path, whole_number(request, "offset", "0"), min(whole_number(request, "count", "256"), FILE_BYTES)
