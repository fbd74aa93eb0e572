"""The file itself: the live page's own template in each language, the program, and the recorded run, packed."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from posixpath import dirname, join, normpath
from typing import Any, Final

import msgspec
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from engine.replay.player import encode
from engine.values.sizes import plain
from playground.hosting.real_engine import door
from playground.offline import recording
from playground.sessions.scenario_links import LinkPlace
from playground.storybook import rehearsal
from playground.storybook.story import ScenarioStory, in_language, localized
from playground.web import live_page
from playground.web.page_delivery import styles

NAME: Final = "waterline/"
"""Before a module's path in its name: bare names are the only ones that an import map can lead anywhere from a disk."""
IMPORT: Final = re.compile(
    r'^(\s*import\s*(?:[\w*{}\s,$]*?\bfrom\s*)?|\s*export\s*[\w*{}\s,$]*?\bfrom\s*|.*?\bawait import\()"(\.[^"\n]+)"',
    re.MULTILINE,
)
COMMENT: Final = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""On lines of its own: a cast is before what it casts, which must stay."""


def read(path: str) -> str:
    return (settings.BASE_DIR / "static" / path).read_text("utf-8")


def modules(entry: str) -> dict[str, str]:
    """Return a module and all that it imports, by name, without the comments that stand on lines of their own.
    `entry`: path below the static files.
    """
    found: dict[str, str] = {}
    wanted = [entry]
    while wanted:
        path = wanted.pop()
        if NAME + path in found:
            continue

        def named(match: re.Match[str], path: str = path) -> str:
            target = normpath(join(dirname(path), match[2]))
            wanted.append(target)
            return f'{match[1]}"{NAME}{target}"'

        found[NAME + path] = IMPORT.sub(named, COMMENT.sub("", read(path)))
    return found


def sprite() -> str:
    """Return the icons as a part of a page; each has an id that nothing else there has."""
    text = read("icons/sprite.svg").replace('<symbol id="', f'<symbol id="{ICON}')
    return text.replace("<svg ", '<svg hidden aria-hidden="true" ', 1)


ICON: Final = "icon-sprite#"
"""Before an icon's name in its id: the page's scripts write the sprite's address, `#`, and the name."""

ENTRY: Final = "js/pages/recorded.js"
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
    recorded = recording.record(door(), source.scenario, stops, recording.MOST_DISK_BYTES // 2, give_up)
    chosen = (
        tuple(each.msg for each in source.story.annotations if each.msg is not None) if source.story else ()
    )
    moments = recorded.stops[: recorded.small]
    records = recording.keep(door(), source.scenario, moments, chosen, give_up)
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
            "boot": mark_safe(read("js/offline/boot.js")),  # noqa: S308 - our own file
            "packed": [(name, base64.b64encode(data).decode()) for name, data in packed.items()],
        },
    )


def _packed(data: bytes) -> bytes:
    """Return data compressed, to the same bytes each time."""
    return gzip.compress(data, 9, mtime=0)


def _program() -> dict[str, Any]:
    return {
        "modules": modules(ENTRY),
        "entry": NAME + ENTRY,
        "css": styles("css/base.css", "css/session.css", "css/offline.css"),
        "sprite": sprite(),
    }


def _page(
    source: PageSource, recorded: recording.RecordedRun, moments: list[recording.RecordedStop]
) -> dict[str, Any]:
    """Return the page in the present language."""
    story = localized(source.story_json) if source.story_json else None
    if story and source.story and source.story.slug:
        story["articles"] = live_page.articles_on(source.story.slug, source.scenario["until_us"])
    place = source.place
    about = {
        "parts": len(recorded.parts),
        "ends_us": source.scenario["until_us"],
        "moments": msgspec.to_builtins(moments, enc_hook=plain),
        "begun": recorded.begun,
        "whole": recorded.whole,
        "digest": recorded.digest,
        "engine": door().version,
        "release": rehearsal.shown_release(source.scenario).name,
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
    logo = read("icons/waterline.svg").replace("<svg ", '<svg width="22" height="22" aria-hidden="true" ', 1)
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
        "html": SPRITE.sub(f'href="#{ICON}', html),
        "title": f"{title or translation.gettext('Playground')} · Waterline",
        "catalog": live_page.script_texts(),
        "data": context["live_data"],
    }
