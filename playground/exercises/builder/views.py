"""Pages of the builder, where teachers make exercises from their own sessions."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playground.exercises import authors, services, variants
from playground.exercises.builder import drafts, made
from playground.exercises.builder.drafts import proved
from playground.exercises.kinds import KINDS
from playground.exercises.models import Made
from playground.exercises.variants import filled
from playground.jobs.job import RUN, job
from playground.limits import work_places
from playground.records import selectors, session_ownership
from playground.texts.page_message import PageMessage, RequestRefused
from playground.web.access import rate_limited, rate_limited_reading
from playground.web.errors import PageGone


def _teacher(request: HttpRequest) -> HttpResponse | None:
    """Return where to send a visitor who is not a teacher."""
    if request.user.is_authenticated:
        return None
    return redirect(f"{reverse('login')}?next={request.path}")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limited_reading
def build(request: HttpRequest, session_id: str) -> HttpResponse:
    """Ask about a moment of one's own session: fill in, let the engine evaluate, keep."""
    away = _teacher(request)
    if away is not None:
        return away
    session = selectors.session_by_id(session_id)
    if session is None or not session_ownership.owns(request.session, session_id):
        raise PageGone(
            _("There is no such session of yours"), PageMessage(_("Open one in the playground first."))
        )
    filled = request.POST if request.method == "POST" else request.GET
    kind = filled.get("kind", "")
    kind = kind if kind in KINDS else next(iter(KINDS))
    at_us, end_us = (_moment(filled.get(name, "")) for name in ("at", "end"))
    problem, right, run = "", "", None
    try:
        run = authors.of_session(session.scenario, services.log_of(session), at_us, end_us)
        if request.method == "POST":
            with work_places.for_request(request):
                plain = drafts.content(kind, request.POST, run)
                if "keep" in request.POST:
                    kept = made.keep(request.user, plain)
                    return redirect("exercise", "made", kept.slug)
                proved(plain)
            right = _("The engine has checked it: it can be solved, and is not solved by doing nothing.")
    except RequestRefused as refused:
        problem = str(refused.message)
    except TimeoutError:
        problem = _("The session is busy. Pause it, and try again.")
    context = {"session_id": session_id, "kind": kind, "problem": problem, "right": right, "run": run}
    context["kinds"] = [(name, each.author_label) for name, each in KINDS.items()]
    if run is not None:
        context |= offers(kind, run)
    context["values"] = {name: value for name, value in filled.items() if name != "csrfmiddlewaretoken"}
    status = 422 if problem and request.method == "POST" else 200
    return render(request, "exercises/build.html", context, status=status)


def _moment(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 13 else None


@job(RUN)
def offers(kind: str, run: authors.AuthoredRun) -> dict[str, Any]:
    return {
        "moments": [
            (each["at_us"] - 1, authors.command_line(each)) for each in run.commands if each["at_us"] > 0
        ],
        "at_s": run.at_us / 1e6,
        "observables": [
            (name, each.label, each.compared) for name, each in authors.observables_of(run).items()
        ],
        "ops": authors.OPS,
        "places": variants.places_of(run.scenario).answers,
        "numbers": drafts.of_run(run),
        "fields": KINDS[kind].author_template,
        **KINDS[kind].offers(run),
    }


@require_safe
@never_cache
def listed(request: HttpRequest) -> HttpResponse:
    """List a teacher's made exercises, with the form to import one."""
    return _teacher(request) or _list(request)


def _list(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    rows = [
        {
            "slug": each.slug,
            "title": filled(each.content, 0)["en"]["title"],
            "kind": each.content["kind"],
            "made": each.created,
        }
        for each in Made.objects.filter(author=request.user)
    ]
    return render(request, "exercises/made.html", {"rows": rows, "problem": problem}, status=status)


@require_POST
@rate_limited
def bring(request: HttpRequest) -> HttpResponse:
    """Import an exercise from a file that somebody else made; the engine proves it first."""
    away = _teacher(request)
    if away is not None:
        return away
    upload = request.FILES.get("file")
    text = (
        upload.read(made.MOST_BYTES + 1).decode("utf-8", "replace")
        if upload
        else request.POST.get("text", "")
    )
    try:
        with work_places.for_request(request):
            kept = made.keep(request.user, made.of_file(text))
    except RequestRefused as refused:
        return _list(request, str(refused.message), 422)
    return redirect("exercise", "made", kept.slug)


@require_safe
@never_cache
@rate_limited_reading
def take(request: HttpRequest, slug: str) -> HttpResponse:
    """Download a made exercise as a file. It holds the key, so only teachers may."""
    away = _teacher(request)
    if away is not None:
        return away
    found = Made.objects.filter(slug=slug).first()
    if found is None:
        raise PageGone(_("There is no such exercise"), PageMessage(_("Its author may have deleted it.")))
    response = HttpResponse(made.as_file(found), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}.json"'
    return response


@require_POST
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    away = _teacher(request)
    if away is not None:
        return away
    made.delete(request.user, slug)
    return redirect("made")
