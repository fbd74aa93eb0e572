"""The first page, beginning a session from it, and what is kept of a visitor."""

from __future__ import annotations

import logging
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from engine.releases import PROFILES
from playground.classroom.services import LEARNERS_KEEP_DAYS, UNDO_MINUTES
from playground.jobs import JobEnded
from playground.limits import request_callers, session_limits, work_places
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.sessions import live_hosts
from playground.sessions.session_sharing import DEMO_FOLLOWED, DEMO_KEY, demo_session
from playground.storybook import ready_scenarios, rehearsal
from playground.storybook.entry import BadScenario
from playground.storybook.story import in_language
from playground.typed_texts import given_text
from playground.web import engine_files
from playground.web.access import View, charge, keeps, say, scenario_or_gone

logger = logging.getLogger(__name__)

USUAL_PROFILE: Final = "classroom"
CLUSTER = 3
"""Nodes of a session that begins as a cluster."""
FEATURED = ("first-burst paging-spike backlog-spiral restart-matrix confirm-timeline lazy-vs-default").split()
"""The ready scenarios that the first page shows."""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    request_callers.visitor(request.session)
    return _home(request)


def _home(
    request: HttpRequest, import_error: str = "", import_text: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "library": [_entry(kept) for kept in featured()],
        "followed": DEMO_FOLLOWED,
        "browser_run": engine_files.worker_address() and reverse("browser-run"),
        "latest": kept_runs.latest_of(_own(request)),
        "import_error": import_error,
        "import_text": import_text,
        "import_bytes": session_limits.current().scenario_bytes,
    }
    return render(request, "playground/home.html", context, status=status)


def featured() -> list[Scenario]:
    kept = {each.slug: each for each in kept_runs.library()}
    return [kept[slug] for slug in FEATURED if slug in kept]


def _own(request: HttpRequest) -> list[str]:
    """Return the sessions that this browser began by itself: not the one that runs on the first page."""
    return [each for each in kept_runs.owned(request.session) if each != request.session.get(DEMO_KEY)]


def _entry(kept: Scenario) -> dict[str, object]:
    body, story = kept_runs.scenario_body(kept), kept.story or {}
    return {
        "short_id": kept.short_id,
        "title": in_language(story.get("title")) or kept.title,
        "profile": body["profile"],
        "text": in_language(story.get("question")),
        "seconds": round(body["until_us"] / 1_000_000),
    }


@require_GET
def resume(request: HttpRequest) -> HttpResponse:
    """Lead to the browser's latest session, or to the first page when there is none."""
    latest = kept_runs.latest_of(_own(request))
    return redirect("session", latest.public_id) if latest else redirect("home")


def leads_home(view: View) -> View:
    """Lead whoever comes to a form's address by a link (after switching the language, say) to the first page."""

    @wraps(view)
    def led(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in {"GET", "HEAD"}:
            return redirect("home")
        return view(request, *args, **kwargs)

    return led


@leads_home
@require_POST
@keeps
def new(request: HttpRequest) -> HttpResponse:
    """Begin a session: with a ready or shared scenario, or with nothing but a profile."""
    name = request.POST.get("scenario", "")
    if name:
        kept = scenario_or_gone(name[:80])
        session = _ready(request, kept)
        ready_scenarios.note(request.session, kept.slug or "")
    else:
        profile = request.POST.get("profile", USUAL_PROFILE)
        if profile not in PROFILES:
            profile = USUAL_PROFILE
        nodes = CLUSTER if request.POST.get("nodes") == str(CLUSTER) else 1
        session = kept_runs.start_session(kept_runs.blank_scenario(profile, nodes))
    kept_runs.claim(request.session, session)
    address = reverse("session", args=[session.public_id])
    return redirect(f"{address}?tour=1" if "tour" in request.POST else address)


def _ready(request: HttpRequest, kept: Scenario) -> Session:
    """Begin a session with a kept scenario, on the release that the form names if it is another one."""
    scenario = kept_runs.scenario_body(kept)
    taken = rehearsal.asked_for(request.POST.get("release", ""), scenario)
    if taken is None:
        return kept_runs.replay_session(kept)
    say(request, taken.said)
    return kept_runs.start_session(rehearsal.check_run(taken.scenario))


@leads_home
@require_POST
@keeps
def demo(request: HttpRequest) -> HttpResponse:
    """Return the session that runs on the first page, for its script: one for each browser, made when missing."""
    session = demo_session(request.session, again="again" in request.POST)
    return JsonResponse(
        {
            "session": session.public_id,
            "websocket": live_hosts.socket_path(session.public_id),
            "url": reverse("session", args=[session.public_id]),
        }
    )


@leads_home
@require_POST
@keeps
def import_scenario(request: HttpRequest) -> HttpResponse:
    """Begin a session with a scenario that somebody saved: an uploaded file, or pasted text."""
    most = session_limits.current().scenario_bytes
    uploaded = request.FILES.get("file")
    if uploaded is not None and (uploaded.size or 0) > most:
        data, problem = b"", _("The file has more than %(most)s bytes.") % {"most": most}
    else:
        pasted = given_text(request.POST.get("text", "")).encode("utf-8", "replace")
        data = uploaded.read() if uploaded else pasted
        problem = "" if data.strip() else _("Choose a file, or paste a scenario.")
    if not problem and len(data) > most:
        problem = _("The scenario has more than %(most)s bytes.") % {"most": most}
    if not problem:
        try:
            with work_places.for_text(request, len(data)):
                entry = rehearsal.read_file(data)
        except BadScenario as bad:
            problem = bad.first[:300]
        except JobEnded as ended:
            problem = str(ended.message)
    if problem:
        logger.info("an imported scenario was refused: %.200s", problem)
        return _home(request, problem, data[:20_000].decode("utf-8", "replace"), status=422)
    kept = kept_runs.keep_scenario(entry.run, story=entry.story_json())
    charge(request, entry.run)
    session = kept_runs.replay_session(kept)
    kept_runs.claim(request.session, session)
    return redirect("session", session.public_id)


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Say it with the numbers that this server obeys."""
    current = session_limits.current()
    context = {
        "sessions_days": current.keep_days,
        "links_days": current.links_days,
        "learners_days": LEARNERS_KEEP_DAYS,
        "undo_minutes": UNDO_MINUTES,
        "controller": settings.WATERLINE_CONTROLLER,
        "contact": settings.WATERLINE_CONTACT,
        "legal_basis": settings.WATERLINE_LEGAL_BASIS,
    }
    return render(request, "playground/privacy.html", context)
