"""Writes the edition: pages in every language, the runs that can be opened there, the scripts."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string
from django.test.utils import override_settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language

from playground.exercises import catalog, examples, task
from playground.hosting.real_engine import door
from playground.inspecting import page
from playground.library import ready_scenarios
from playground.server.static_assets import bundle, entries
from playground.static_edition.addresses import file_of, relative
from playground.static_edition.context import templates
from playground.static_edition.figures import Moment, moments, write_leads
from playground.static_edition.pages import BEGIN, MORE, pages, permalinks
from playground.web import live_page
from playground.whatif.query import read_query
from playground.whatif.shipped import beside, heatmaps
from playground.whatif.views import to_csv

FREE: Final[dict[str, Any]] = {
    "version": 1,
    "title": "",
    "profile": "classroom",
    "commands": [],
    "until_us": 0,
    "seed": 1,
}
LEFT_OUT: Final = ("classroom", "compare")
"""Folders of scripts that only pages with a server use."""
FIRST: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Waterline</title>
<meta http-equiv="refresh" content="0; url=en/index.html"><a href="en/index.html">Waterline</a></html>
"""


def write(
    out: Path,
    languages: tuple[str, ...] | None = None,
    begin: tuple[str, ...] = (*BEGIN, *MORE),
    *,
    follow: bool = True,
    figures: int | None = None,
) -> frozenset[Path]:
    """Write all of it.

    Args:
        out: the directory.
        languages: of the pages; all that there are unless given.
        begin: the first pages of the server; see `pages`.
        follow: whether others follow from them.
        figures: of how many runs the claims' small figures are played and written; of all unless given.

    Returns the files of figures that are left out for that.
    """
    shutil.copytree(
        settings.BASE_DIR / "static",
        out / "static",
        dirs_exist_ok=True,
        ignore=shutil.ignore_patterns(*LEFT_OUT),
    )
    _bundle(out / "static")
    names = permalinks()
    with override_settings(TEMPLATES=templates(), ROOT_URLCONF="playground.static_edition.urls"):
        seen = _write_languages(out, names, languages or tuple(dict(settings.LANGUAGES)), begin, follow)
    left_out = write_leads(out, seen, names, figures)
    _tables(out / "data" / "heatmaps")
    (out / "index.html").write_text(FIRST, "utf-8")
    return left_out


def _bundle(static: Path) -> None:
    """Put each script and style sheet together with what it imports, where there is a bundler."""
    with tempfile.TemporaryDirectory() as folder:
        bundled = Path(folder) / "bundled"
        if bundle(entries(settings.BASE_DIR / "templates", static, edition=True), static, bundled):
            shutil.copytree(bundled, static, dirs_exist_ok=True)


def _write_languages(
    out: Path, names: Mapping[str, str], languages: tuple[str, ...], begin: tuple[str, ...], follow: bool
) -> set[Moment]:
    """Write the pages, and return the moments of their figures."""
    seen: set[Moment] = set()
    for code in languages:
        with translation.override(code):
            _own_pages(out / code)
            for path, body in pages(code, begin, follow=follow):
                at = file_of(path)
                html = path.endswith("/") or "." not in path
                seen |= moments(body.decode()) if html else set()
                data = relative(body.decode(), at, names).encode() if html else body
                _put(out / code / at, data)
            _stories(out / code / "data")
    return seen


def _own_pages(folder: Path) -> None:
    """Write the pages whose sessions are the reader's own."""
    context: dict[str, Any] = {"edition": True, "csrf_token": "static", "engine": door().version}
    play = live_page.context_of("static", FREE, _nothing())
    inspected = page.context("../../static/js/wasm/worker.js", "../../wasm/")
    own = {
        "index.html": render_to_string("static_edition/index.html", context),
        "needs-a-server/index.html": render_to_string("static_edition/needs_a_server.html", context),
        "play/index.html": render_to_string("static_edition/play.html", {**context, **play}),
        "inspect/index.html": render_to_string("inspecting/page.html", {**context, **inspected}),
    }
    for each in catalog.exercises().values():
        at = file_of(task.address(each))
        shown = {**context, **play, **task.context(each, None, None, get_language() or "en")}
        own[at] = render_to_string("static_edition/exercise.html", shown)
    for slug in examples.slugs():
        at = file_of(reverse("example", args=[catalog.exercise(slug).unit, slug]))
        shown = {**context, **examples.context(slug, get_language() or "en", None)}
        own[at] = render_to_string("exercises/example.html", shown)
    for at, html in own.items():
        _put(folder / at, relative(html, at, {}).encode())


def _nothing() -> dict[str, Any]:
    """Return the data of a live page that learns from its own address what it shows."""
    return {
        "story": {"title": "Waterline"},
        "place": {"at_us": None, "number": None, "msg": None, "view": ""},
        "urls": {**live_page.NOWHERE, "past": "#", "survival": ""},
    }


def _stories(folder: Path) -> None:
    """Write each run that can be opened by its name, with its story in the present language."""
    runs: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [("free", door().check(FREE), None)]
    for entry in ready_scenarios.entries():
        page_data = live_page.story_for_page(entry.story_json())
        following = ready_scenarios.after(entry.slug)
        if following:
            page_data["next"] = {"title": following.title, "href": f"?s={following.slug}"}
        page_data["articles"] = live_page.articles_on(entry.slug, entry.run["until_us"])
        runs.append((entry.slug, entry.run, {**page_data, "glossary": "../glossary/index.html"}))
    for slug, scenario, story in runs:
        title = story["title"] if story else scenario["title"]
        data = {"scenario": scenario, "story": story, "title": title or "Waterline"}
        _put(folder / f"{slug}.json", json.dumps(data, ensure_ascii=False).encode())


def _tables(folder: Path) -> None:
    """Write what the what-if page offers for download."""
    known = heatmaps()
    for name, heatmap in known.items():
        table = beside(name, ".parquet")
        if table:
            _put(folder / table.name, table.read_bytes())
        for workload in heatmap.workloads:
            query, _notices = read_query({"h": name, "w": workload.name}, known)
            _put(folder / f"{name}-{workload.name}.csv", to_csv(query).encode())


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
