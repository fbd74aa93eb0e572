"""A session's page, its real files, what it asks of the past, and what can be taken away from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from engine.releases import RELEASES
from playground.hosting import past
from playground.hosting.file_records import NotThere
from playground.hosting.past import KINDS, PendingAnswers
from playground.hosting.real_engine import door
from playground.hosting.session_record import RecordedSession
from playground.limits import request_callers, work_places
from playground.models import Scenario, Session
from playground.records import kept_bytes, kept_runs, paused_sessions
from playground.sessions import live_hosts, session_sharing
from playground.sessions.scenario_links import packed
from playground.texts import PageMessage, RequestRefused
from playground.web import live_page
from playground.web.access import (
    charge,
    keeps,
    may_repeat,
    rate_limited,
    rate_limited_reading,
    say,
    session_or_gone,
    whole_number,
)
from playground.web.errors import PageGone, answer, too_many

LISTED = 200
FILE_BYTES = 4096
"""Most bytes of a file in one answer."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """List what this browser began, with what it takes; delete what was chosen."""
    if request.method == "POST":
        kept_runs.delete_sessions(
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
    text = packed(kept_runs.scenario_body(kept), kept.engine_version)
    return request.build_absolute_uri(reverse("stateless", args=[text])) if text else ""


def kept_until(kept: Scenario) -> int:
    return int(kept_runs.scenario_body(kept)["until_us"])


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
    charge(request, kept_runs.scenario_body(kept))
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
    kept_runs.claim(request.session, forked)
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
    kept_runs.claim(request.session, other)
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
    directory = live_hosts.files_of(found.public_id)
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


rows_kept: Final = PendingAnswers(24 * 1024 * 1024)


fates_kept: Final = PendingAnswers(4 * 1024 * 1024)
"""For the next page that asks the same."""


MISSING: Final = {
    "future": gettext_lazy("The run has not reached that moment yet."),
    "too_long": gettext_lazy("Repeating the run up to that moment takes longer than this server allows."),
}


@require_safe
@rate_limited_reading
@never_cache
def rows(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return the rows of a session from number `?from=` to before `&to=`, see `playground.hosting.past`.

    Nothing is sent that the session itself has not reached, so nobody can see the future. Of a session that was
    removed while its page was still open, by "Begin again" for example, there is nothing to send: that is not an error
    of the page.
    """
    found = kept_runs.session_by_id(session_id)
    if found is None:
        return HttpResponse(past.NOTHING, content_type="application/json")
    try:
        first, last = whole_number(request, "from", "0"), whole_number(request, "to")
        if first >= last:
            raise RequestRefused(_("from must be less than to."))
        record = _reached(found)
    except RequestRefused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    except TimeoutError:
        return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)
    return _answer_kept(
        request,
        rows_kept,
        (session_id, first, last),
        record,
        lambda: live_hosts.rows_missed(first, last, record),
    )


@require_safe
@rate_limited_reading
@never_cache
def survival(request: HttpRequest, session_id: str) -> HttpResponse:
    """Return what a stop of `?kind=` would leave of each queue now, see `engine.replay.survival.Fate`.

    A session that waits for an answer sends nothing: it could contain the answer.
    """
    found = session_or_gone(session_id)
    kind = request.GET.get("kind", "")
    try:
        if kind not in KINDS:
            raise RequestRefused(_("kind must be clean, kill or power."))
        paused_sessions.check_may_leave(found.public_id)
        record = _reached(found)
    except RequestRefused as refused:
        return answer(request, 400, _("That did not work"), refused.message)
    except TimeoutError:
        return JsonResponse({"error": _("The session is busy. Pause it, and try again.")}, status=503)
    return _answer_kept(
        request,
        fates_kept,
        (session_id, kind, record.reached_us, len(record.commands)),
        record,
        lambda: live_hosts.fates(kind, record),
    )


def _answer_kept(
    request: HttpRequest,
    answers: PendingAnswers,
    key: Hashable,
    record: RecordedSession,
    repeat: Callable[[], tuple[bytes, int]],
) -> HttpResponse:
    """Answer what is kept; else repeat the run in its turn, if this address may."""
    kept = answers.find(key, record.commands)
    if kept is None:
        if not may_repeat(request):
            return too_many(request, PageMessage(_("Too many requests for past moments. Wait a little.")))
        try:
            with work_places.for_request(request):
                kept, count = repeat()
            answers.keep(key, kept, record.commands[:count])
        except NotThere as missing:
            return JsonResponse({"error": MISSING[missing.reason]}, status=404)
    return HttpResponse(kept, content_type="application/json")


def _reached(session: Session) -> RecordedSession:
    """Return the record of a session, with where its run is now: as its host has it, or as it is written down."""
    moment = live_hosts.moment(session.public_id)
    if moment is None:
        return kept_runs.remembered(session.public_id)
    return RecordedSession(scenario=moment.scenario, commands=moment.commands, reached_us=moment.at_us)
