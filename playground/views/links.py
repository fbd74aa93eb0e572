"""Links to runs and moments: opened, previewed, framed, and played by the reader's own browser."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Final

import msgspec
from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from engine.values.errors import RunTooLong
from playground.hosting.real_engine import door
from playground.jobs import PICTURE, JobEnded, job
from playground.limits import work_places
from playground.models import Scenario, Session
from playground.records import kept_runs, paused_sessions
from playground.sessions import live_hosts, scenario_links
from playground.sessions.past_runs import PendingAnswers
from playground.sessions.scenario_links import LinkPlace, place_of
from playground.storybook import ready_scenarios, rehearsal
from playground.storybook.cards import lead_to
from playground.storybook.rehearsal import RunUnrepeatable, StoryRehearsal
from playground.storybook.story import in_language
from playground.texts import PageMessage, RequestRefused
from playground.web import engine_files, link_picture, live_page
from playground.web.access import (
    View,
    charge,
    keeps,
    rate_limited_reading,
    say,
    scenario_or_gone,
    session_or_gone,
)
from playground.web.errors import PageGone, answer
from playground.whatif.shipped import cell_scenario, peak_us
from playground.whatif.views import known_to

logger = logging.getLogger(__name__)

PREVIEWERS = re.compile(
    r"bot\b|crawler|spider|facebookexternalhit|whatsapp|slack|discord|telegram|twitter|linkedin|embedly|preview|mastodon",
    re.IGNORECASE,
)
"""Programs that fetch a link to show what it is: they get its description, and no session is made for them."""
PICTURE_S = 6.0
UNFOLDS = 16
"""How much longer than its address a scenario usually is."""
pictures: Final = PendingAnswers(4 * 1024 * 1024)
leads: Final = PendingAnswers(16 * 1024 * 1024)
"""What was drawn and led to last, by the run's name and the moment."""


def in_a_language(view: View) -> View:
    """Answer in the language that the address names, and leave the browser's own as it is: for frames."""

    @wraps(view)
    def spoken(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with translation.override(place_of(request.GET).lang or translation.get_language()):
            return view(request, *args, **kwargs)

    return spoken


def in_its_language(view: View) -> View:
    """Answer in the language that the address names, and let the browser remember it."""

    @wraps(view)
    def spoken(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = in_a_language(view)(request, *args, **kwargs)
        if lang := place_of(request.GET).lang:
            response.set_cookie(settings.LANGUAGE_COOKIE_NAME, lang, samesite="Lax")
        return response

    return spoken


# --- opening ---


@require_safe
@keeps
@never_cache
@in_its_language
def permalink(request: HttpRequest, short_id: str) -> HttpResponse:
    """Open a session of one's own that repeats a shared run, at the moment that the link names."""
    kept = scenario_or_gone(short_id)
    if _is_prefetch(request):
        return HttpResponse(status=204)
    place = place_of(request.GET)
    if PREVIEWERS.search(request.headers.get("user-agent", "")):
        return _preview(request, kept.title, _card_address(kept.short_id, place))
    try:
        scenario = _repeatable(kept)
    except RunUnrepeatable as problem:
        logger.info("the link %s cannot be repeated: %s", short_id, problem)
        return _unrepeatable(request, kept, str(problem.message))
    charge(request, scenario)
    ready_scenarios.note(request.session, kept.slug or "")
    return _open(request, kept, scenario, place)


@require_safe
@keeps
@never_cache
@in_its_language
def stateless(request: HttpRequest, packed: str) -> HttpResponse:
    """Open a session that repeats the run which the address itself holds."""
    entry, made_with = _unpacked(request, packed)
    if _is_prefetch(request):
        return HttpResponse(status=204)
    place = place_of(request.GET)
    if PREVIEWERS.search(request.headers.get("user-agent", "")):
        return _preview(request, entry.run["title"], reverse("stateless-card", args=[packed]) + place.query())
    kept = kept_runs.keep_scenario(entry.run, made_with or None, entry.story_json())
    charge(request, entry.run)
    return _open(request, kept, kept_runs.scenario_body(kept), place)


def _open(request: HttpRequest, kept: Scenario, scenario: dict[str, Any], place: LinkPlace) -> HttpResponse:
    """Begin a session with a link's run, on the release that the link names."""
    start_us = place.start_us(scenario["until_us"])
    taken = rehearsal.asked_for(place.release, scenario)
    if taken is None:
        _warn_of_another_engine(request, kept)
        return _go(request, kept_runs.start_session(scenario, kept, start_us), place)
    say(request, taken.said)
    session = kept_runs.start_session(rehearsal.check_run(taken.scenario), reached_us=start_us)
    return _go(request, session, msgspec.structs.replace(place, release=""))


def _unpacked(request: HttpRequest, packed: str) -> scenario_links.CarriedScenario:
    """Return the scenario that an address holds; a long one may become a very long one."""
    try:
        with work_places.for_text(request, UNFOLDS * len(packed)):
            return scenario_links.unpacked(packed)
    except scenario_links.BadLink as bad:
        raise PageGone(_("This link leads nowhere"), bad.message) from None


def _is_prefetch(request: HttpRequest) -> bool:
    """Return whether a messenger only asks if there is something, or a browser guesses."""
    return request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")


def _go(request: HttpRequest, session: Session, place: LinkPlace) -> HttpResponse:
    kept_runs.claim(request.session, session)
    return redirect(reverse("session", args=[session.public_id]) + place.query())


def _repeatable(kept: Scenario) -> dict[str, Any]:
    """Return the scenario of a link in the present form. Raises Unrepeatable."""
    return rehearsal.repeatable(kept_runs.scenario_body(kept))


def _unrepeatable(request: HttpRequest, kept: Scenario, why: str) -> HttpResponse:
    context = {
        "title": kept.title,
        "engine": kept.engine_version,
        "now": door().version,
        "why": why[:300],
        "file": reverse("permalink-file", args=[kept.short_id]),
    }
    return render(request, "links/unrepeatable.html", context, status=409)


def _warn_of_another_engine(request: HttpRequest, kept: Scenario) -> None:
    if kept.engine_version != door().version:
        text = _(
            "This link was made with engine %(then)s; this is %(now)s. The run is repeated, and its end says whether "
            "it is still the same."
        )
        messages.info(request, text % {"then": kept.engine_version, "now": door().version})


@require_safe
@rate_limited_reading
def kept_file(request: HttpRequest, short_id: str) -> HttpResponse:
    """Download what a link holds, whether it can be repeated or not."""
    kept = scenario_or_gone(short_id)
    response = JsonResponse(
        {**kept_runs.scenario_body(kept), **(kept.story or {})},
        json_dumps_params={"indent": 2, "ensure_ascii": False},
    )
    response["Content-Disposition"] = f'attachment; filename="waterline-{kept.short_id}.json"'
    return response


# --- previews ---


def _preview(request: HttpRequest, title: str, card: str) -> HttpResponse:
    context = {
        "title": title,
        "card": request.build_absolute_uri(card),
        "address": request.build_absolute_uri(),
    }
    return render(request, "links/preview.html", context)


def _card_address(short_id: str, place: LinkPlace) -> str:
    return reverse("permalink-card", args=[short_id]) + LinkPlace(place.at_us).query()


@require_safe
@rate_limited_reading
@cache_control(public=True, max_age=86_400)
def card(request: HttpRequest, short_id: str) -> HttpResponse:
    """Draw the moment of a link, for those who show what it is."""
    kept = scenario_or_gone(short_id)
    return _drawn(request, kept_runs.packed_name(kept), lambda: (kept.title, _repeatable(kept)))


@require_safe
@rate_limited_reading
@cache_control(public=True, max_age=86_400)
def stateless_card(request: HttpRequest, packed: str) -> HttpResponse:
    def carried() -> tuple[str, dict[str, Any]]:
        run = scenario_links.unpacked(packed).entry.run
        return run["title"], run

    return _drawn(request, packed, carried)


def _drawn(request: HttpRequest, name: str, find: Callable[[], tuple[str, dict[str, Any]]]) -> HttpResponse:
    """Return the picture of a run at the address's moment. `name`: of the run. `find`: its title, and the run."""
    at_us = place_of(request.GET).at_us

    def drawn() -> bytes:
        title, run = find()
        return draw_moment(title, run, _moment(at_us, run))

    try:
        data = _kept(request, pictures, (name, at_us), drawn)
    except scenario_links.BadLink as bad:
        raise PageGone(_("This link leads nowhere"), bad.message) from None
    except RunUnrepeatable:
        text = PageMessage(_("This run cannot be repeated any more."))
        raise PageGone(_("No such picture"), text) from None
    except JobEnded as ended:
        raise PageGone(_("No such picture"), ended.message) from None
    return HttpResponse(data, content_type="image/png")


def _kept(request: HttpRequest, answers: PendingAnswers, key: Hashable, find: Callable[[], bytes]) -> bytes:
    """Return an answer that is kept, which needs no place; else find it in a place of whoever asks."""
    data = answers.find(key)
    if data is not None:
        return data
    with work_places.for_request(request, picture=True):
        data = answers.find(key)  # others may have asked for the same meanwhile
        return answers.keep(key, find()) if data is None else data


def _moment(at_us: int | None, scenario: dict[str, Any]) -> int:
    """Return the moment that an address names, the run's end where it names none."""
    until_us = int(scenario["until_us"])
    return until_us if at_us is None else min(at_us, until_us)


@job(PICTURE)
def draw_moment(title: str, scenario: dict[str, Any], at_us: int) -> bytes:
    """Play up to a moment and draw it; a run that takes too long is drawn as far as it came."""
    played = StoryRehearsal(scenario, PICTURE_S)
    try:
        state = played.go(at_us)
    except RunTooLong:
        state = played.node.snapshot()
    return link_picture.draw(title, scenario, state, played.node.now_us)


# --- figures ---


@require_safe
@rate_limited_reading
@cache_control(public=True, max_age=86_400)
def lead(request: HttpRequest, short_id: str) -> HttpResponse:
    """Return what leads to a moment of a link, for a figure that plays it without a session."""
    kept, at_us = scenario_or_gone(short_id), place_of(request.GET).at_us

    def led() -> bytes:
        scenario = _repeatable(kept)
        return lead_of(scenario, _moment(at_us, scenario))

    try:
        data = _kept(request, leads, (kept_runs.packed_name(kept), at_us), led)
    except RequestRefused as problem:
        return answer(request, 409, _("That did not work"), problem.message)
    except RunTooLong:
        return answer(
            request, 409, _("That did not work"), _("Repeating the run takes longer than this server allows.")
        )
    return HttpResponse(data, content_type="application/json")


@job(PICTURE)
def lead_of(scenario: dict[str, Any], at_us: int) -> bytes:
    """Play up to a moment, and return what leads to it. Raises RunTooLong."""
    deadline_s = time.monotonic() + PICTURE_S
    return lead_to(door(), scenario, at_us, lambda: time.monotonic() > deadline_s)


# --- frames ---


def framed(view: View) -> View:
    """Let other sites frame a page. It takes no cookie and gives none."""
    rules = {"frame-ancestors": ["*"], "form-action": [NONE], "connect-src": [SELF]}
    return csp_replace(rules)(xframe_options_exempt(view))


@require_safe
@rate_limited_reading
@in_a_language
@framed
def embed(request: HttpRequest, short_id: str) -> HttpResponse:
    """Show a run in a frame: a picture of the moment, and the stage as soon as somebody plays."""
    kept = scenario_or_gone(short_id)
    place = place_of(request.GET)
    context = {
        "title": in_language((kept.story or {}).get("title")) or kept.title,
        "card": _card_address(kept.short_id, place),
        "address": request.build_absolute_uri(reverse("permalink", args=[kept.short_id]) + place.query()),
        "embed_data": {
            "start": reverse("embed-start", args=[kept.short_id]) + place.query(),
            "place": {"at_us": place.at_us, "number": place.number, "msg": place.msg},
        },
    }
    return render(request, "links/embed.html", context)


@csrf_exempt  # nothing here depends on who asks: no cookie is read, and none is set
@require_POST
@keeps
@framed
def embed_start(request: HttpRequest, short_id: str) -> HttpResponse:
    """Begin a session for a frame; the key in the answer lets its socket play, and no more."""
    kept = scenario_or_gone(short_id)
    place = place_of(request.GET)
    try:
        scenario = _repeatable(kept)
    except RunUnrepeatable as problem:
        return answer(request, 409, _("That did not work"), str(problem.message))
    session = kept_runs.start_session(scenario, kept, place.start_us(scenario["until_us"]))
    paused_sessions.lock(session.public_id, paused_sessions.SKIPPED)  # a frame shows no question
    charge(request, scenario)
    key = kept_runs.play_key(session.public_id)
    return JsonResponse({"websocket": live_hosts.socket_path(session.public_id, key=key)})


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
    blank = kept_runs.blank_scenario("classroom")
    data = {
        "story": {"title": "Waterline"},
        "place": {"at_us": None, "number": None, "msg": None, "view": ""},
        "urls": {**live_page.NOWHERE, "past": "#", "survival": ""},
        "browser_run": {**addresses, "link": reverse("stateless", args=["00"]), **run},
    }
    return render(request, "links/browser_run.html", live_page.context_of("browser", blank, data))


def _run(request: HttpRequest) -> dict[str, Any]:
    """Return the run that the address names, and the name under which the browser keeps what is done in it. Raises
    RequestRefused: the session waits for an answer of its reader, so it must not be played elsewhere.
    """
    given = request.GET
    if "s" in given:
        session = session_or_gone(given["s"][:64])
        paused_sessions.check_may_leave(session.public_id, link=True)
        record = kept_runs.remembered(session.public_id)
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
        scenario = cell_scenario(heatmap, run)
        question = {"scenario": scenario, "story": None, "made_with": heatmap.engine_version}
        return {"name": f"cell-{run.cell_id}", "kept": question, "at_us": peak_us(heatmap, run)}
    if "x" in given:
        return {"name": f"x-{given['x']}", "packed": given["x"]}
    kept = scenario_or_gone(given.get("r", "")[:80])
    question = {
        "scenario": kept_runs.scenario_body(kept),
        "story": live_page.story_for_page(kept.story) if kept.story else None,
        "made_with": kept.engine_version,
    }
    return {"name": f"r-{kept.short_id}", "kept": question}
