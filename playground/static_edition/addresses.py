"""Where a page of the server and the small figures beside its claims lie in the static edition, and the links between
these files: relative, under any prefix.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs

from django.conf import settings
from django.urls import Resolver404, resolve

from playground.hosting.real_engine import door
from playground.storybook import ready_scenarios
from playground.storybook.cards import leads_to

FOLDER: Final = "data/leads"
"""Where they lie in an edition."""
_ASKED: Final = re.compile(r' data-lead="/r/([2-9a-z]+)/lead\.json\?at=(\d+)"')
_LEAD: Final = re.compile(r"/r/([2-9a-z]+)/lead\.json")

Moment = tuple[str, int]
"""A link's name, and virtual microseconds."""


def moments(html: str) -> set[Moment]:
    """Return the moments of which a page of the server has figures."""
    return {(short_id, int(at_us)) for short_id, at_us in _ASKED.findall(html)}


def lead_file(path: str, query: str) -> str | None:
    """Return the file of a figure below the folder of a language, None where the address is of none. `path`: of the
    server. `query`: with the moment, as `?at=5`.
    """
    found = _LEAD.fullmatch(path)
    return f"../{FOLDER}/{found[1]}-{query.removeprefix('?at=')}.json" if found else None


def write_leads(
    out: Path, wanted: Iterable[Moment], names: Mapping[str, str], most_runs: int | None = None
) -> frozenset[Path]:
    """Play each run once for all its moments, and write what leads there, as the server answers it.

    Args:
        out: the edition.
        wanted: the moments.
        names: the slugs of ready scenarios by the names of their links.
        most_runs: how many of the runs are played; all unless given.

    Returns the files that are not written for that.
    """
    folder = out / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    runs = {entry.slug: entry.run for entry in ready_scenarios.entries()}
    of_runs: defaultdict[str, list[int]] = defaultdict(list)
    for short_id, at_us in sorted(wanted):
        of_runs[short_id].append(at_us)
    for short_id, moments_us in islice(of_runs.items(), most_runs):
        run = runs[names[short_id]]
        led = leads_to(door(), run, [min(at_us, run["until_us"]) for at_us in moments_us])
        for at_us in moments_us:
            _file(folder, short_id, at_us).write_bytes(led[min(at_us, run["until_us"])])
    left_out = islice(of_runs.items(), most_runs, None) if most_runs is not None else ()
    return frozenset(_file(folder, short_id, at_us) for short_id, each in left_out for at_us in each)


def _file(folder: Path, short_id: str, at_us: int) -> Path:
    return folder / f"{short_id}-{at_us}.json"


PAGES: Final = frozenset(
    "home playground library library-file scenario-schema subjects subject glossary glossary-words rules "
    "rules-document rule units exercise example whatif fidelity javascript-catalog needs-a-server inspect".split()
)
"""Names of the addresses that are files of the edition. All others need a server."""
PLAY: Final = "/play/"
NEEDS_A_SERVER: Final = "/needs-a-server/"

_ADDRESS = re.compile(r'(?<= )(href|src|data-words|data-sprite|data-lead)="(/[^"]*)"')
_FOLDER = re.compile(r'(?<= )(data-root|data-rules)="/([^"]*)"')
_HTMX = re.compile(r'<script src="[^"]*htmx[^"]*"[^>]*></script>')
_TOKEN = re.compile(r'<input type="hidden" name="csrfmiddlewaretoken" value="[^"]*">')
_NAVIGATION = re.compile(r"<header class=\"top\">.*?</header>", re.DOTALL)
_LINK = re.compile(r'<a href="(/[^"]*)"[^>]*>[^<]*</a>')
_PERMALINK = re.compile(r"/r/([2-9a-z]+)/")
_CARRIED = re.compile(r"/x/([A-Za-z0-9_-]{2,8000})/")
_TABLE = re.compile(r"/whatif/table\.(csv|parquet)")


def is_there(path: str) -> bool:
    """Return whether the edition has this page of the server."""
    return page_of(path) in PAGES


def page_of(path: str) -> str | None:
    """Return the name of the page that the server has at an address, if it has one."""
    return _page_of(path, settings.ROOT_URLCONF)


@lru_cache(maxsize=10_000)
def _page_of(path: str, addresses: str) -> str | None:
    """Look an address up once: the same few hundred are in thousands of links."""
    try:
        return resolve(path, addresses).url_name
    except Resolver404:
        return None


def file_of(path: str) -> str:
    """Return the file of a page below the folder of its language: `/rules/Q3` is in `rules/Q3/index.html`."""
    name = path.strip("/")
    return name if "." in posixpath.basename(name) else posixpath.join(name, "index.html").lstrip("/")


def relative(html: str, at: str, permalinks: Mapping[str, str]) -> str:
    """Return a page whose links lead to files of the edition. `html`: as the server writes it. `at`: the file in
    which it will stand, below the folder of its language. `permalinks`: the ready scenarios by the names that the
    server's links give them.
    """

    def in_navigation(found: re.Match[str]) -> str:
        return _LINK.sub(lambda link: link[0] if is_there(link[1].partition("?")[0]) else "", found[0])

    def moved(found: re.Match[str]) -> str:
        return f'{found[1]}="{link(found[2], at, permalinks)}"'

    def folder(found: re.Match[str]) -> str:
        return f'{found[1]}="{_from(at, found[2] or "./")}"'

    plain = _HTMX.sub("", _TOKEN.sub("", html))
    return _FOLDER.sub(folder, _ADDRESS.sub(moved, _NAVIGATION.sub(in_navigation, plain, count=1)))


def link(address: str, at: str, permalinks: Mapping[str, str]) -> str:
    """Return one address of the server as a link from a file of the edition."""
    rest = re.search(r"[?#].*", address)
    path, end = address.partition("?")[0].partition("#")[0], rest[0] if rest else ""
    kept = _PERMALINK.fullmatch(path)
    carried, table = _CARRIED.fullmatch(path), _TABLE.fullmatch(path)
    lead = lead_file(path, end)
    if path.startswith("/static/"):
        return _from(at, f"..{path}") + end
    if lead:
        return _from(at, lead)
    if kept and kept[1] in permalinks:
        path, end = PLAY, f"?s={permalinks[kept[1]]}{end.replace('?', '&amp;')}"
    elif carried:  # the engine runs in the reader's browser, and no host is told the run
        path, end = PLAY, f"#x={carried[1]}{end.replace('?', '&amp;')}"
    elif table:
        return _from(at, table_file(table[1], end))
    elif not is_there(path):
        path, end = NEEDS_A_SERVER, ""
    return _from(at, file_of(path)) + end


def table_file(form: str, query: str) -> str:
    """Return the file of a heatmap's table; one of CSV has a single workload."""
    asked = parse_qs(query.lstrip("?").replace("&amp;", "&"))
    name, workload = (re.sub(r"[^a-z0-9_-]", "", asked.get(key, [""])[0]) for key in "hw")
    return (
        f"../data/heatmaps/{name}.parquet" if form == "parquet" else f"../data/heatmaps/{name}-{workload}.csv"
    )


def _from(at: str, to: str) -> str:
    here = posixpath.join("/edition/language", posixpath.dirname(at))
    found = posixpath.relpath(posixpath.join("/edition/language", to), here)
    return f"{found}/" if to.endswith("/") else found
