"""The file itself: the live page's own template in each language, the program, and the recorded run, packed."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from engine.replay.frames import encode
from engine.values.sizes import plain
from playground.hosting.engine_factory import door
from playground.offline import kept_bytes, modules, recording
from playground.sessions.scenario_links import LinkPlace
from playground.storybook.story import ScenarioStory
from playground.storybook.texts import in_language, localized
from playground.web import live_page

ENTRY: Final = "js/pages/recorded.js"
SHEET: Final = re.compile(r"""(?:css/|vendor/uplot/)[a-z-]+\.css""")
SPRITE: Final = re.compile(r'href="[^"]*/icons/sprite[^"#]*\.svg#')
SESSION: Final = "offline"


class PageSource(msgspec.Struct, frozen=True):
    """What becomes a page.

    Args:
        scenario: the run in full.
        story: title, sentences and questions around the run.
        story_json: the same as pages get it.
        home: address of the server that it comes from, with a slash at the end; empty where there is none.
        address: where the run opens there.
        place: the moment at which the page opens.
    """

    scenario: dict[str, Any]
    story: ScenarioStory | None = None
    story_json: dict[str, Any] = {}
    home: str = ""
    address: str = ""
    place: LinkPlace = LinkPlace()


def write(source: PageSource, give_up: Callable[[], bool] = lambda: False) -> str:
    """Return the page of a run. Raises RunTooLong when `give_up` returns true."""
    stops = recording.stops_of(source.story, source.scenario["until_us"])
    recorded = recording.record(door(), source.scenario, stops, kept_bytes.MOST_DISK_BYTES // 2, give_up)
    chosen = (
        tuple(each.msg for each in source.story.annotations if each.msg is not None) if source.story else ()
    )
    moments = recorded.stops[: recorded.small]
    records = kept_bytes.keep(door(), source.scenario, moments, chosen, give_up)
    packed = {"program": _packed(encode(_program()))}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            packed[f"page-{code}"] = _packed(encode(_page(source, recorded, moments)))
    packed |= {f"run-{at}": _packed(part) for at, part in enumerate(recorded.parts)}
    packed |= {f"bytes-{at}": _packed(encode(found)) for at, found in enumerate(records)}
    return render_to_string(
        "offline/file.html",
        {
            "title": in_language(source.story.title, "en") if source.story else source.scenario["title"],
            "languages": json.dumps([code for code, _name in settings.LANGUAGES]),
            "engine": door().version,
            "digest": recorded.digest,
            "boot": mark_safe(modules.read("js/offline/boot.js")),  # noqa: S308 - our own file
            "packed": [(name, base64.b64encode(data).decode()) for name, data in packed.items()],
        },
    )


def _packed(data: bytes) -> bytes:
    """Return data compressed, to the same bytes each time."""
    return gzip.compress(data, 9, mtime=0)


def _program() -> dict[str, Any]:
    """Return what is the same in every language."""
    template = (settings.BASE_DIR / "templates" / "playground" / "live.html").read_text("utf-8")
    sheets = ["css/tokens.css", "css/base.css", *SHEET.findall(template), "css/offline.css"]
    return {
        "modules": modules.modules(ENTRY),
        "entry": modules.NAME + ENTRY,
        "css": modules.styles(sheets),
        "sprite": modules.sprite(),
    }


def _page(
    source: PageSource, recorded: recording.RecordedRun, moments: list[recording.RecordedStop]
) -> dict[str, Any]:
    """Return the page in the present language."""
    story = localized(source.story_json) if source.story_json else None
    place = source.place
    about = {
        "parts": len(recorded.parts),
        "ends_us": source.scenario["until_us"],
        "moments": msgspec.to_builtins(moments, enc_hook=plain),
        "whole": recorded.whole,
        "digest": recorded.digest,
        "engine": door().version,
        "home": source.home,
        "address": source.address,
        "rules": f"{source.home}rules/" if source.home else "",
    }
    data = {
        "session": f"{SESSION}-{recorded.digest[:12]}",  # what a reader notes on the page belongs to this run
        "story": story,
        "urls": live_page.NOWHERE,
        "place": {"at_us": place.at_us, "number": place.number, "msg": place.msg},
        "recording": about,
    }
    context = live_page.context_of(SESSION, source.scenario, data)
    logo = modules.read("icons/waterline.svg").replace(
        "<svg ", '<svg width="22" height="22" aria-hidden="true" ', 1
    )
    html = render_to_string(
        "playground/live.html",
        {
            **context,
            "base_template": "offline/base.html",
            "csrf_token": SESSION,
            "recording": {**about, "logo": mark_safe(logo)},  # noqa: S308 - our own file
        },
    )
    title = story["title"] if story else source.scenario["title"]
    return {
        "html": SPRITE.sub(f'href="#{modules.ICON}', html),
        "title": f"{title or 'Waterline'} · Waterline",
        "catalog": live_page.script_texts(),
        "data": context["live_data"],
    }
