"""Writing a scenario: a text with the engine's own findings beside it, and a button that plays it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from playground.jobs.job import JobEnded
from playground.library import ready_scenarios
from playground.limits import session_limits, work_places
from playground.models import Scenario
from playground.records import selectors, services, session_ownership
from playground.storybook import rehearsal
from playground.storybook.entry import BadScenario, EntryProblem, LibraryEntry
from playground.texts.page_message import PageMessage
from playground.texts.pasted_text import text_of
from playground.web.access import charge, keeps, rate_limited, rate_limited_reading

BLANK = """{
  "version": 1,
  "title": "",
  "question": "",
  "profile": "classroom",
  "workload": [
    {"name": "w", "start": 1, "time": 5, "rate": 20, "size": 6000, "producers": 1}
  ],
  "commands": [
    {"at_us": 8000000, "do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": 10}
  ],
  "until_us": 15000000,
  "annotations": [
    {"at_us": 4000000, "text": "Look at delta."}
  ]
}
"""


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest) -> HttpResponse:
    """Show a scenario's text; take a written one and play it."""
    if request.method == "POST":
        return _play(request)
    return _shown(request)


@rate_limited
def _shown(request: HttpRequest) -> HttpResponse:
    return _page(request, _text_of(request.GET.get("from", "")))


def _text_of(name: str) -> str:
    """Return the text of a ready scenario or of a kept run, or an example to begin with."""
    entry = ready_scenarios.entry(name) if name else None
    if entry:
        return entry.encode()
    kept = selectors.scenario_by_name(name[:80]) if name else None
    return _text_of_kept(kept) if kept else BLANK


def _text_of_kept(kept: Scenario) -> str:
    try:
        return rehearsal.read_kept({**selectors.scenario_body(kept), **(kept.story or {})}).encode()
    except (BadScenario, JobEnded):
        return BLANK


def _page(request: HttpRequest, text: str, problems: list[EntryProblem] | None = None) -> HttpResponse:
    context = {
        "text": text,
        "most": session_limits.current().scenario_bytes,
        "problems": problems,
        "checked": problems is not None,
    }
    return render(request, "library/edit.html", context, status=422 if problems else 200)


def _checked(request: HttpRequest, text: str) -> tuple[LibraryEntry | None, list[EntryProblem]]:
    most = session_limits.current().scenario_bytes
    size_bytes = len(text.encode("utf-8", "replace"))
    if size_bytes > most:
        message = PageMessage(_("The scenario has more than %(most)s bytes.") % {"most": most})
        return None, [EntryProblem("$", message)]
    try:
        with work_places.for_text(request, size_bytes):
            return rehearsal.read_file(text), []
    except BadScenario as bad:
        return None, bad.problems
    except JobEnded as ended:
        return None, [EntryProblem("$", ended.message)]


@require_POST
@rate_limited_reading
def check(request: HttpRequest) -> HttpResponse:
    entry, problems = _checked(request, text_of(request.POST.get("text", "")))
    commands = len(entry.run["commands"]) if entry else 0
    return render(
        request, "library/_problems.html", {"problems": problems, "commands": commands, "checked": True}
    )


@keeps
def _play(request: HttpRequest) -> HttpResponse:
    text = text_of(request.POST.get("text", ""))
    entry, problems = _checked(request, text)
    if entry is None:
        return _page(request, text, problems)
    kept = services.keep_scenario({**entry.run, "digest": None}, story=entry.story_json())
    charge(request, entry.run)
    session = services.replay_session(kept)
    session_ownership.claim(request.session, session)
    return redirect("session", session.public_id)
