"""The pages of the comparison: choosing a change, both runs side by side, and the reel that they play."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from engine.releases import PROFILES, RELEASES
from playground.comparing import changes
from playground.comparing.changes import ChangeForm
from playground.comparing.reel import CURVES, figure_labels, studio
from playground.hosting.real_engine import door
from playground.hosting.refusals import message_of
from playground.limits import request_callers, session_limits, work_places
from playground.models import Scenario
from playground.records import kept_bytes, kept_runs, paused_sessions
from playground.sessions import session_sharing
from playground.storybook import rehearsal
from playground.storybook.cards import counted_as
from playground.storybook.story import in_language
from playground.texts import PageMessage, RequestRefused
from playground.web.access import charge, keeps, rate_limited, say, scenario_or_gone, session_or_gone
from playground.web.errors import answer
from playground.whatif.shipped import metric

US = 1_000_000
USUAL_RELEASES = ("3.10", "4.3")
"""Those that are chosen at first."""
EXAMPLE = "first-burst"
"""The ready scenario that the first page compares with its lazy twin."""


@require_safe
@rate_limited
def choose(request: HttpRequest) -> HttpResponse:
    """Choose A and what is to be different in B; or, with `a` and `b`, show these two."""
    a, b = (request.GET.get(side, "")[:80] for side in "ab")
    if a and b:
        return redirect(_address([scenario_or_gone(each).short_id for each in (a, b)]))
    session = request.GET.get("session", "")[:32]
    if session:
        try:
            found = session_or_gone(session)
            kept_bytes.check(request_callers.of_request(request))
            paused_sessions.check_may_leave(found.public_id)
            a = session_sharing.share(found).short_id
        except RequestRefused as refused:
            return answer(request, 409, _("That did not work"), refused.message)
    initial = {
        name: request.GET[name] for name in ("change", "value", "at_s", "more_s") if name in request.GET
    }
    return _choose(request, a, ChangeForm(initial=initial))


def _choose(request: HttpRequest, a: str, form: ChangeForm, status: int = 200) -> HttpResponse:
    chosen = scenario_or_gone(a) if a else kept_runs.scenario_by_name(EXAMPLE)
    context = {
        "form": form,
        "chosen": chosen,
        "runs": [{"slug": each.slug, "title": _shown_title(each)} for each in kept_runs.library()],
        "presets": changes.PRESETS,
        "ready": changes.READY.values(),
        "releases": [(series, each.name) for series, each in RELEASES.items()],
        "usual_releases": USUAL_RELEASES,
    }
    if not a and chosen is not None:
        context |= _shown(*_example(chosen)) | {"running": True}
    return render(request, "comparing/choose.html", context, status=status)


def _example(a: Scenario) -> tuple[Scenario, Scenario]:
    """Return the two runs with which the first page begins: one of the library, and the same with lazy queues."""
    body = kept_runs.scenario_body(a)
    lazy = changes.apply("queue_mode", "lazy", body)
    return a, kept_runs.keep_scenario(
        door().check({**lazy, "title": changes.changed_title(body["title"], "queue_mode", "lazy")})
    )


@require_POST
@keeps
def new(request: HttpRequest) -> HttpResponse:
    """Make B out of A with one change, and show both."""
    kept = scenario_or_gone(request.POST.get("a", "")[:80])
    form = ChangeForm(_asked(request))
    if not form.is_valid():
        return _choose(request, kept.slug or kept.short_id, form, status=422)
    wanted = form.cleaned_data
    a = kept_runs.scenario_body(kept)
    if wanted["more_s"]:
        a |= {"until_us": a["until_us"] + round(wanted["more_s"] * US), "digest": None}
    changed = changes.apply(wanted["change"], wanted["value"], a, round(wanted["at_s"] * US))
    title = changes.changed_title(a["title"], wanted["change"], wanted["value"])
    try:
        checked = rehearsal.check_run({**changed, "title": title})
        session_limits.check(checked, session_limits.current())
        b = kept_runs.keep_scenario(checked)
        charge(request, checked)
        a_kept = kept_runs.keep_scenario(rehearsal.check_run(a)) if wanted["more_s"] else kept
    except RequestRefused as refused:
        form.add_error(None, str(refused.message))
        return _choose(request, kept.slug or kept.short_id, form, status=422)
    except door().no_scenario as error:
        form.add_error(None, str(message_of(error))[:300])
        return _choose(request, kept.slug or kept.short_id, form, status=422)
    return redirect(_address([a_kept.short_id, b.short_id]))


def _asked(request: HttpRequest) -> Any:
    """Return the form's data; a preset stands for a change and a value."""
    asked = request.POST.copy()
    asked.setdefault("at_s", "0")
    asked.setdefault("more_s", "0")
    number = asked.get("preset", "")
    if number.isascii() and number.isdigit() and int(number) < len(changes.PRESETS):
        asked["change"], asked["value"] = changes.PRESETS[int(number)][:2]
        asked["at_s"] = "0"
    return asked


@require_POST
@keeps
def releases(request: HttpRequest) -> HttpResponse:
    """Show a run, or one that is ready for this, on the chosen releases."""
    chosen = [series for series in RELEASES if series in request.POST.getlist("release")]
    form = ChangeForm()
    prepared = changes.READY.get(request.POST.get("ready", ""))
    a = request.POST.get("a", "")[:80]
    body = prepared.scenario() if prepared else kept_runs.scenario_body(scenario_or_gone(a))
    if len(chosen) < 2:
        form.releases_error = _("Choose two releases or more.")
        return _choose(request, "" if prepared else a, form, status=422)
    kept: list[Scenario] = []
    said: dict[str, PageMessage] = {}
    for series in chosen:
        taken = rehearsal.taken_to(series, body)
        title = f"{body['title']} ({RELEASES[series].name})"[:200]
        try:
            checked = rehearsal.check_run({**taken.scenario, "title": title})
            session_limits.check(checked, session_limits.current())
        except RequestRefused as refused:
            form.releases_error = str(refused.message)
            return _choose(request, "" if prepared else a, form, status=422)
        said |= {str(each): each for each in taken.said}
        kept.append(kept_runs.keep_scenario(checked))
        charge(request, checked)
    say(request, said.values())
    return redirect(_address([each.short_id for each in kept]))


def _address(ids: list[str]) -> str:
    return reverse("compare-runs", args=["/".join(ids)])


@require_safe
@rate_limited
def runs(request: HttpRequest, ids: str) -> HttpResponse:
    return render(request, "comparing/pair.html", _shown(*map(scenario_or_gone, ids.split("/"))))


def _shown_title(kept: Scenario) -> str:
    """Return a run's title in the reader's language, where it has one."""
    return in_language((kept.story or {}).get("title")) or changes.shown_title(kept.title)


def _shown(*sides: Scenario) -> dict[str, Any]:
    """Return what a page needs to show runs: named by their releases where all differ, else by letters."""
    releases = [rehearsal.shown_release(kept_runs.scenario_body(each)).name for each in sides]
    names = releases if len(set(releases)) == len(releases) else list("ABCD"[: len(sides)])
    return {
        "sides": [
            {"name": name, "kept": kept, "title": _shown_title(kept)}
            for name, kept in zip(names, sides, strict=True)
        ],
        "compare_data": {
            "names": names,
            "reel": _address([kept.short_id for kept in sides]) + "reel",
            "figures": figure_labels(),
        },
        "differences": _differences(*sides),
        "curves": [(name, metric(name).name) for name in CURVES],
        "counted_as": counted_as(kept_runs.scenario_body(each) for each in sides),
    }


@require_safe
def reel(request: HttpRequest, ids: str) -> HttpResponse:
    """Return the reel of these runs, or how far its making is; ask again then."""
    bodies = [kept_runs.scenario_body(scenario_or_gone(each)) for each in ids.split("/")]
    try:
        group = request_callers.of_request(request).group
        making = studio.ask(ids, bodies, work_places.for_request(request), group)
    except RequestRefused as refused:
        return _ask_again(refused.message)
    if making.busy is not None:
        studio.forget(ids, making)
        return _ask_again(making.busy)
    if making.problem is not None:
        return JsonResponse({"problem": str(making.problem)}, status=409)
    if making.data is None:
        return JsonResponse({"share": making.share}, status=202)
    response = HttpResponse(making.data, content_type="application/json")
    response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = "private, max-age=600"
    return response


def _ask_again(why: PageMessage) -> JsonResponse:
    return JsonResponse({"busy": str(why)}, status=503, headers={"Retry-After": str(work_places.AGAIN_S)})


def _differences(*sides: Scenario) -> list[dict[str, Any]]:
    """Return what the scenarios have different, part by part: a value for each."""
    bodies = [kept_runs.scenario_body(each) for each in sides]
    rows = [
        (name, [body["settings"].get(name, "–") for body in bodies])
        for name in sorted(set().union(*(body["settings"] for body in bodies)))
    ]
    rows.append((_("release"), [rehearsal.shown_release(body).name for body in bodies]))
    rows.append((_("profile"), [str(PROFILES[body["profile"]].scale) for body in bodies]))
    commands = [body["commands"] for body in bodies]
    shared = set.intersection(*({_written(each) for each in of_one} for of_one in commands))
    rows.append(
        (
            _("commands"),
            [_listed([each for each in of_one if _written(each) not in shared]) for of_one in commands],
        )
    )
    return [
        {"what": what, "values": values}
        for what, values in rows
        if any(value != values[0] for value in values[1:])
    ]


def _written(command: dict[str, Any]) -> bytes:
    return msgspec.json.encode(command, order="deterministic")


def _listed(commands: list[dict[str, Any]]) -> str:
    texts = [f"{each['at_us'] / US:g} s {_told(each)}".strip() for each in commands[:4]]
    if len(commands) > len(texts):
        texts.append("…")
    return "; ".join(texts) or "–"


def _told(command: dict[str, Any]) -> str:
    """Return a command in words: a setting by its label, anything else by its verb and its values."""
    change = changes.CHANGES.get(command.get("name", "")) if command["do"] == "set" else None
    if change is not None:
        return f"{change.label}: {command['value']}"
    return f"{command['do'].replace('_', ' ')} {_arguments(command)}"


def _arguments(command: dict[str, Any]) -> str:
    shown = (
        (name, value)
        for name, value in command.items()
        if name not in {"at_us", "do"} and value not in (None, {}, "")
    )
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown)
