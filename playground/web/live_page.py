"""What the page of a live session gets before its socket opens."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import reverse
from django.views.i18n import JavaScriptCatalog

from engine import releases
from engine.costs import PROFILES
from playground import verdicts
from playground.hosting.real_engine import door
from playground.limits import session_limits
from playground.models import Session
from playground.records import kept_runs
from playground.sessions import live_hosts, session_sockets
from playground.sessions.scenario_links import LinkPlace, place_of
from playground.storybook import ready_scenarios, rehearsal
from playground.storybook.story import in_language, localized
from playground.verdicts import words_of
from playground.web import engine_files

NOWHERE: Final = dict.fromkeys(
    ("fork", "compare", "scenario", "csv", "jsonl", "archive", "download", "page"), "#"
)
"""Addresses of a page that has no server behind it. It has none at all of what it hides, as the crash theatre."""
OF_SESSION: Final = "share fork file record past survival download archive scenario page".split()
"""Addresses that a session has, by the ends of their names."""
CELL_LETTERS: Final = 1200
"""Longest description of a cell and its view."""


def context(request: HttpRequest, found: Session, *, plays: bool = False) -> dict[str, object]:
    """Return what a page that shows a live session needs. `plays`: whether the reader may let time pass though the
    session is not the reader's.
    """
    key = {"key": kept_runs.play_key(found.public_id)} if plays else {}
    owner = kept_runs.began(request.session, found)
    story = found.origin.story if found.origin else None
    place = place_of(request.GET)
    data = {
        "websocket": live_hosts.socket_path(found.public_id, **key),
        "story": _story(found, place) if story else None,
        "predicted": found.predicted,
        "place": {"at_us": place.at_us, "number": place.number, "msg": place.msg, "view": place.view},
        "urls": {
            **{name: reverse(f"session-{name}", args=[found.public_id]) for name in OF_SESSION},
            **{form: reverse("session-run", args=[found.public_id, form]) for form in ("csv", "jsonl")},
            "compare": f"{reverse('compare')}?session={found.public_id}",
            "upgrade": f"{reverse('inspect')}?session={found.public_id}",
        },
    }
    return {
        **context_of(found.public_id, found.scenario, data, owner=owner),
        "release": rehearsal.shown_release(found.scenario).series,
        "release_action": reverse("session-release", args=[found.public_id]),
        "story": story,
        "meta": _meta(request, found, place),
        "cell": _cell(request.GET.get("cell", "")),
        "own_run": engine_files.own_run(request),
    }


def _cell(text: str) -> dict[str, str] | None:
    """Return the way back to the cell of a heatmap from which a run was opened: its view, and its name there."""
    pairs = parse_qsl(text[:CELL_LETTERS])
    name = dict(pairs).get("cell", "")
    if not name:
        return None
    return {"view": urlencode([pair for pair in pairs if pair[0] != "cell"]), "name": name}


RELEASE_NAMES: Final = {
    "": releases.PROFILES["real"].release.name,
    **{series: each.name for series, each in releases.RELEASES.items()},
}
"""By their series, and of the usual one, which no setting of a run names."""


def context_of(
    name: str, scenario: dict[str, Any], data: dict[str, Any], *, owner: bool = True
) -> dict[str, object]:
    """Return what the live page's template needs to show any run, with a server behind it or without. `scenario`: the
    run, in full. `data`: what the page's script needs besides: its story, its addresses, and where the run comes
    from. `owner`: whether the reader may give commands.
    """
    return {
        "session_id": name,
        "scenario": scenario,
        "owner": owner,
        "work_profiles": PROFILES.values(),
        "live_data": {  # for json_script
            "session": name,
            "owner": owner,
            "limits": session_limits.current().public(),
            "scenario": scenario,
            "engine": door().version,
            "releases": RELEASE_NAMES,
            "console": session_sockets.page_data(scenario),
            **data,
        },
    }


def script_texts() -> str:
    """Return the script that brings the texts of the page's scripts in the present language."""
    return JavaScriptCatalog.as_view()(RequestFactory().get("/")).content.decode()


def story_for_page(story: dict[str, Any]) -> dict[str, Any]:
    """Return a story in the reader's language, with those of its words that the glossary explains."""
    shown = localized(story)
    return {**shown, "words": words_of(shown), "glossary": reverse("glossary")}


def articles_on(slug: str, until_us: int) -> dict[str, Any]:
    """Return what the articles say of a ready scenario that ends at `until_us`, and whether it is so. Each claim has
    the moments that show it, in microseconds; `near_us` is from how far such a moment is seen.
    """
    found = [(each, each.moments(slug, until_us)) for each in verdicts.mechanisms()]
    rows = [
        {"at_us": at_us, "claim": in_language(each.claim), "verdict": each.verdict}
        for each, at_us in found
        if at_us
    ]
    return {"near_us": verdicts.NEAR_US, "rows": rows}


def _story(found: Session, place: LinkPlace) -> dict[str, Any]:
    """Return the story around the run, with the scenario that comes after it in the library."""
    shown = story_for_page(found.origin.story if found.origin and found.origin.story else {})
    if found.origin and found.origin.slug and place.at_us is not None:
        shown["articles"] = articles_on(found.origin.slug, found.scenario["until_us"])
    following = ready_scenarios.after(found.origin.slug if found.origin else None)
    kept = kept_runs.scenario_by_name(following.slug) if following else None
    if following and kept:
        shown["next"] = {"title": following.title, "href": reverse("permalink", args=[kept.short_id])}
    return shown


def _meta(request: HttpRequest, found: Session, place: LinkPlace) -> dict[str, object]:
    """Return the page's metadata for programs that preview links; only a kept run has a picture."""
    if not found.origin:
        return {}
    at = LinkPlace(found.reached_us if place.at_us is None else place.at_us).query()
    card = reverse("permalink-card", args=[found.origin.short_id]) + at
    address = reverse("permalink", args=[found.origin.short_id]) + at
    return {
        "title": found.origin.title,
        "card": request.build_absolute_uri(card),
        "address": request.build_absolute_uri(address),
    }
