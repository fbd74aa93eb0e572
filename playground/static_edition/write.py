"""Writes the edition: pages in every language, the runs that can be opened there, the scripts; and of these a zip for
learning platforms, SCORM 1.2 around a unit or an exercise. The platform launches one page of it; exercises run in a
frame of that page, which reports their scores.
"""

from __future__ import annotations

import copy
import html
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import override_settings
from django.urls import path, reverse
from django.utils import translation
from django.utils.translation import get_language

from playground.exercises import catalog, task
from playground.exercises.schema import Exercise
from playground.hosting.real_engine import door
from playground.inspecting import views
from playground.offline.recording import record, stops_of
from playground.server.static_assets import IMPORTED, bundle, entries
from playground.static_edition.addresses import (
    Moment,
    file_of,
    is_there,
    moments,
    page_of,
    relative,
    write_leads,
)
from playground.storybook import ready_scenarios
from playground.urls import urlpatterns as server
from playground.web import live_page
from playground.whatif.query import read_query
from playground.whatif.shipped import beside, heatmaps
from playground.whatif.views import to_csv

BEGIN: Final = tuple("/library/ /subjects/ /glossary/ /glossary/words.json /rules/ /learn/ /whatif/".split())
MORE: Final = ("/fidelity/", "/i18n/catalog.js", "/schema/scenario-v1.json")
OWN: Final = frozenset(("home", "playground", "needs-a-server", "exercise", "example", "inspect"))
"""Names of pages that the edition has templates of its own for, as the server's show what only a server has."""
_LINKED = re.compile(r'href="(/[^"?#]*)"')


def pages(
    language: str, begin: tuple[str, ...] = (*BEGIN, *MORE), *, follow: bool = True
) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each page, and what the server answers there. `language`: of the pages. `begin`: where to
    begin. `follow`: whether what these link to follows, as far as the edition has it.
    """
    client = Client(SERVER_NAME="localhost", headers={"accept-language": language})
    waiting, seen = list(begin), set(begin)
    while waiting:
        path = waiting.pop()
        answer = client.get(path, follow=True)
        if answer.reason_phrase != "OK":
            raise ValueError(f"{path} answers {answer.reason_phrase}")
        body = answer.getvalue()
        yield path, body
        if not follow or not answer["Content-Type"].startswith("text/html"):
            continue
        found = {
            each for each in _LINKED.findall(body.decode()) if is_there(each) and page_of(each) not in OWN
        }
        waiting += sorted(found - seen)
        seen |= found


def permalinks() -> Mapping[str, str]:
    """Return the ready scenarios by the names that links give them."""
    from playground.records import kept_runs  # noqa: PLC0415 - the settings are named by now

    return {kept.short_id: kept.slug for kept in kept_runs.library() if kept.slug}


def edition(request: HttpRequest) -> dict[str, object]:
    return {"edition": True}


def templates() -> list[dict[str, Any]]:
    """Return the templates' settings of a server that renders the edition."""
    found: list[dict[str, Any]] = copy.deepcopy(settings.TEMPLATES)
    found[0]["OPTIONS"]["context_processors"].append(f"{__name__}.{edition.__name__}")
    return found


FREE: Final[dict[str, Any]] = {"version": 1, "title": "", "profile": "classroom", "until_us": 0, "seed": 1}
OPENING_ROWS: Final = 1_000
"""With so many transitions the beginning of a run is long enough to look at while an engine loads."""
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
    with override_settings(TEMPLATES=templates(), ROOT_URLCONF="playground.static_edition.write"):
        seen = _write_languages(out, names, languages or tuple(dict(settings.LANGUAGES)), begin, follow)
    _openings(out / "data" / "openings")
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
    inspected = views.context("../../static/js/wasm/worker.js", "../../wasm/")
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
    for slug in task.slugs():
        at = file_of(reverse("example", args=[catalog.exercise(slug).unit, slug]))
        shown = {**context, **task.example_context(slug, get_language() or "en", None)}
        own[at] = render_to_string("exercises/example.html", shown)
    for at, text in own.items():
        _put(folder / at, relative(text, at, {}).encode())


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


def _openings(folder: Path) -> None:
    """Write how each run begins, which a page plays while its engine loads (static/js/net/opening-run.js)."""
    runs = [(entry.slug, entry.run, entry.story) for entry in ready_scenarios.entries()]
    for slug, scenario, story in [("free", door().check(FREE), None), *runs]:
        stops = stops_of(story, scenario["until_us"])
        found = record(door(), scenario, stops, enough=OPENING_ROWS)
        opening = {
            "messages": [each for part in found.parts for each in msgspec.json.decode(part)],
            "ends_us": found.stops[-1].at_us if found.stops else 0,
            "begun": found.begun,
        }
        _put(folder / f"{slug}.json", msgspec.json.encode(opening))


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


_IN_PAGES: Final = re.compile(
    r'(?<= )(?:href|src|data-words|data-sprite|data-root|data-rules|data-lead)="([^"]*)"'
)
_IN_STYLES: Final = re.compile(r"(?:url\(|@import )[\"']?([^\"')]+)")
_BESIDE_SCRIPTS: Final = re.compile(r'new URL\("([^"]*)", import\.meta\.url')
_ELSEWHERE: Final = re.compile(r"[a-z]+:")
_NAMES: Final = re.compile(r' id="([^"]*)"')
_DATA: Final = re.compile(r'<script[^>]*type="application/json"[^>]*>.*?</script>', re.DOTALL)
_COMMENTS: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
LINKS: Final = {
    ".html": (_DATA, (_IN_PAGES,)),
    ".css": (_COMMENTS, (_IN_STYLES,)),
    ".js": (_COMMENTS, (IMPORTED, _BESIDE_SCRIPTS)),
}
"""How the files of each suffix name others, and what of them is not looked at."""
BY_SCRIPT: Final = frozenset(("#",))
"""Links that a script takes care of."""
_RUN: Final = re.compile(r"x=[A-Za-z0-9_-]+(?:&at=\d+)?")
"""A run that a link carries behind its hash, which the script of the live page plays: no id of an element."""


def astray(out: Path, left_out: frozenset[Path] = frozenset()) -> list[str]:
    """Return each link of an edition that leads to no file of it, behind the file that has it. `out`: where the
    edition was written, with the engine. `left_out`: files that it would have, were it whole.
    """
    places = _Places(frozenset(path.resolve() for path in left_out))
    pages = (path for path in sorted(out.rglob("*")) if path.suffix in LINKS and path.is_file())
    return [
        f"{path.relative_to(out).as_posix()}: {link}"
        for path in pages
        for link in sorted(set(_links(path)))
        if link not in BY_SCRIPT and not places.has(path, link)
    ]


def _links(path: Path) -> Iterator[str]:
    left_out, patterns = LINKS[path.suffix]
    text = left_out.sub("", path.read_text("utf-8"))
    for found in (each for pattern in patterns for each in pattern.findall(text)):
        link = html.unescape(found) if path.suffix == ".html" else found
        if not _ELSEWHERE.match(link):
            yield link


class _Places:
    """What was looked up once. `left_out`: files that count as if they were there."""

    def __init__(self, left_out: frozenset[Path]) -> None:
        self._left_out = left_out
        self._names = cache(_names)

    def has(self, path: Path, link: str) -> bool:
        """Return whether a link leads to a file (to a folder, where it ends with a slash), and to an id in it."""
        address, _hash, name = link.partition("#")
        address = unquote(address.partition("?")[0])
        if address.startswith("/"):
            return False  # an edition lies under any path
        there = Path(path.parent, address).resolve() if address else path
        if address.endswith("/"):
            return there.is_dir()
        played = there.parent.name == "play" and _RUN.fullmatch(name)
        named = name and there.suffix in (".html", ".svg") and not played
        return (there.is_file() or there in self._left_out) and (not named or name in self._names(there))


def _names(path: Path) -> frozenset[str]:
    return frozenset(_NAMES.findall(path.read_text("utf-8")))


PACKAGING: Final = "http://www.imsproject.org/xsd/imscp_rootv1p1p2"
ADL: Final = "http://www.adlnet.org/xsd/adlcp_rootv1p2"
INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance"
LAUNCHED: Final = "scorm.html"
SCRIPTS: Final = (
    ("wasm/pyodide.mjs", b"pyodide.asm.mjs", b"pyodide.asm.js"),
    ("wasm/pyodide.asm.mjs", b"", b""),
    ("static/js/wasm/python.js", b".mjs`", b".js`"),
)
"""Platforms without the ending .mjs in their lists serve it as something that browsers do not run: it is .js here.
Each is a file, and the name in it that becomes another.
"""
BEGAN: Final = (1980, 1, 1, 0, 0, 0)


class NoSuchWork(LookupError):
    """There is no unit and no exercise of this name."""


def write_package(edition: Path, out: Path, name: str, language: str) -> int:
    """Write the zip; return how many files are in it.

    Args:
        edition: where `make static` wrote.
        out: the zip.
        name: of a unit or an exercise.
        language: one of the edition's.

    Raises:
        NoSuchWork: by the name, or the edition has no such language.
    """
    title, exercises = _chosen(name, language)
    if not (edition / language / "index.html").is_file():
        raise NoSuchWork(f"{edition} has no pages in {language!r}: write them with `make static`")
    files = dict(_files(edition, language))
    launch = f"{language}/{LAUNCHED}"
    files[launch] = _launched(title, exercises, language)
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        described = {"imsmanifest.xml": manifest(name, title, launch, sorted(files)), **files}
        for path, data in described.items():
            package.writestr(zipfile.ZipInfo(path, BEGAN), data, zipfile.ZIP_DEFLATED)
    return len(described)


def _chosen(name: str, language: str) -> tuple[str, Sequence[Exercise]]:
    for unit in catalog.units():
        if unit.slug == name:
            return unit.texts(language).title, catalog.of_unit(name)
    exercise = catalog.exercises().get(name)
    if exercise is None:
        known = ", ".join(unit.slug for unit in catalog.units())
        raise NoSuchWork(f"there is no unit and no exercise {name!r}; the units are {known}")
    return exercise.texts(language).title, [exercise]


def _launched(title: str, exercises: Sequence[Exercise], language: str) -> bytes:
    with override_settings(ROOT_URLCONF="playground.static_edition.write"), translation.override(language):
        launch = {
            "first": file_of(task.address(exercises[0])),
            "exercises": [each.slug for each in exercises],
        }
        page = render_to_string("static_edition/scorm.html", {"title": title, "scorm": launch})
        return relative(page, LAUNCHED, {}).encode()


def _files(edition: Path, language: str) -> Iterator[tuple[str, bytes]]:
    """Yield what the package needs of the edition: one language, and what all of them share."""
    changed = {path: (name, into) for path, name, into in SCRIPTS}
    for folder in (language, "static", "wasm"):
        for each in sorted((edition / folder).rglob("*")):
            if not each.is_file():
                continue
            name, data = each.relative_to(edition).as_posix(), each.read_bytes()
            if name in changed:
                before, after = changed[name]
                if before not in data:
                    raise ValueError(f"{name} does not name {before.decode()} any more")
                data = data.replace(before, after) if before else data
            yield name.replace(".mjs", ".js") if name in changed else name, data


def manifest(name: str, title: str, launch: str, files: Sequence[str]) -> bytes:
    """Return imsmanifest.xml: one organization with one item, whose resource lists every file.

    Args:
        name: makes the identifiers.
        title: as the platform shows it.
        launch: the page that is opened.
        files: all of them, by their names in the zip.
    """
    ET.register_namespace("", PACKAGING)
    ET.register_namespace("adlcp", ADL)
    ET.register_namespace("xsi", INSTANCE)
    node = ET.SubElement
    root = ET.Element(f"{{{PACKAGING}}}manifest", identifier=f"waterline-{name}", version="1.0")
    schemas = f"{PACKAGING} imscp_rootv1p1p2.xsd {ADL} adlcp_rootv1p2.xsd"
    root.set(f"{{{INSTANCE}}}schemaLocation", schemas)
    metadata = node(root, f"{{{PACKAGING}}}metadata")
    node(metadata, f"{{{PACKAGING}}}schema").text = "ADL SCORM"
    node(metadata, f"{{{PACKAGING}}}schemaversion").text = "1.2"
    organizations = node(root, f"{{{PACKAGING}}}organizations", default="waterline")
    organization = node(organizations, f"{{{PACKAGING}}}organization", identifier="waterline")
    node(organization, f"{{{PACKAGING}}}title").text = title
    item = node(
        organization, f"{{{PACKAGING}}}item", identifier="work", identifierref="page", isvisible="true"
    )
    node(item, f"{{{PACKAGING}}}title").text = title
    resources = node(root, f"{{{PACKAGING}}}resources")
    page = node(
        resources, f"{{{PACKAGING}}}resource", identifier="page", type="webcontent", href=quote(launch)
    )
    page.set(f"{{{ADL}}}scormtype", "sco")
    for each in files:
        node(page, f"{{{PACKAGING}}}file", href=quote(each))
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def needs_a_server(request: HttpRequest) -> HttpResponse:
    """Answer nothing: the edition writes this page by itself."""
    raise Http404


urlpatterns = [*server, path("needs-a-server/", needs_a_server, name="needs-a-server")]
