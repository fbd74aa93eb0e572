"""The static edition: the server's own pages in every language, with relative links that all lead somewhere."""

from __future__ import annotations

import html
import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.utils import translation
from pytest_django import DjangoDbBlocker

from playground.static_edition import write as pages
from playground.static_edition.addresses import FOLDER, lead_file, link, moments, write_leads
from playground.static_edition.write import astray, write
from playground.storybook import ready_scenarios
from playground.web.live_page import articles_on
from tests.web.conftest import PLAIN_NAMES, put_in_library

OF_THE_DATABASE = pytest.mark.django_db
"""Of each test that asks for the edition: by this pytest knows that its fixture will need the tables."""


@pytest.fixture(scope="module")
def edition(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return an edition of few pages, written once: what the first ones link to is not followed."""
    out = tmp_path_factory.mktemp("edition") / "dist"
    with ExitStack() as meanwhile:
        patch = meanwhile.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(pages, "_LINKED", re.compile(r'href="(/(?:subjects|learn)/(?:[a-z0-9-]*/)?)"'))
        meanwhile.enter_context(override_settings(STORAGES={**settings.STORAGES, **PLAIN_NAMES}))
        meanwhile.enter_context(translation.override("en"))
        meanwhile.enter_context(django_db_blocker.unblock())
        meanwhile.enter_context(transaction.atomic())
        put_in_library()
        write(out, ("en", "zh-hans"), ("/library/", "/learn/", "/whatif/", "/i18n/catalog.js"), figures=0)
        transaction.set_rollback(True)
    return out


def _links(page: str) -> set[str]:
    return set(re.findall(r' (?:href|src|data-words|data-sprite)="([^"#?]+)', page))


@OF_THE_DATABASE
def test_pages_are_the_servers_own_and_link_to_files(edition: Path) -> None:
    written = sorted((edition / "zh-hans").rglob("*.html"))
    names = {path.relative_to(edition / "zh-hans").as_posix() for path in written}
    assert {"index.html", "play/index.html", "library/index.html", "whatif/index.html"} <= names
    assert sum(name.startswith("subjects/") for name in names) == 31
    for path in written:
        text = path.read_text("utf-8")
        assert 'lang="zh-hans"' in text
        assert "htmx.min" not in text
        assert "csrfmiddlewaretoken" not in text
        assert {each for each in _links(text) if each.startswith("/")} == set()
        for each in _links(text):
            there = (path.parent / each).resolve()
            assert not each.startswith("../static/") or there.is_file(), each
            assert "/classroom" not in each


@OF_THE_DATABASE
def test_runs_can_be_opened_by_name_in_every_language(edition: Path) -> None:
    kept = {path.stem for path in (edition / "en" / "data").glob("*.json")}
    assert kept == {entry.slug for entry in ready_scenarios.entries()} | {"free"}
    burst = json.loads((edition / "en" / "data" / "first-burst.json").read_text("utf-8"))
    assert burst["scenario"]["digest"]
    assert burst["story"]["title"] == "First burst"
    assert burst["story"]["articles"] == articles_on("first-burst", burst["scenario"]["until_us"])
    opening = json.loads((edition / "data" / "openings" / "first-burst.json").read_text("utf-8"))
    assert opening["messages"][0]["t"] == "snapshot"
    assert opening["messages"][-1]["digest"] == burst["scenario"]["digest"], "short enough to be there whole"
    assert opening["ends_us"] == burst["scenario"]["until_us"]
    assert {path.stem for path in (edition / "data" / "openings").glob("*.json")} == kept
    assert "nothing that you do leaves it" in (edition / "en" / "index.html").read_text("utf-8")
    assert (edition / "data" / "heatmaps" / "paging-watermark.parquet").is_file()
    play = (edition / "en" / "play" / "index.html").read_text("utf-8")
    sizes = re.search(r'data-sizes="([^"]+)"', play)
    assert sizes is not None
    assert json.loads(html.unescape(sizes[1]))["real"] == "real sizes"


@OF_THE_DATABASE
def test_inspect_reads_with_the_engine_beside_it(edition: Path) -> None:
    at = edition / "zh-hans" / "inspect" / "index.html"
    data = re.search(r'id="inspect-data" type="application/json">(.*?)</script>', at.read_text("utf-8"))
    assert data is not None
    data_of_page = json.loads(data[1])
    assert (at.parent / data_of_page["worker"]).is_file()
    assert (at.parent / data_of_page["place"]).resolve() == (edition / "wasm").resolve()
    assert (data_of_page["server"], data_of_page["importing"]) == ("", "")
    assert data_of_page["sentences"]["segment_of_zeros"].startswith("全部 %(count)s 字节都是零")
    assert data_of_page["kinds"]["zeros"] == "零字节"
    assert 'href="../inspect/index.html"' in (edition / "zh-hans" / "library" / "index.html").read_text(
        "utf-8"
    )


def test_a_link_that_leads_nowhere_is_reported(tmp_path: Path) -> None:
    """`make static` ends with this list; what is right is passed over."""
    files = {
        "en/index.html": """<html data-root="./" data-rules="rules/"> <link href="../static/a.css">
            <a href="rules/index.html?q=1#one">1</a> <a href="rules/index.html#two">2</a> <a href="gone/index.html">
            <a href="/library/"> <a href="https://example.org/"> <a href="#" > <img src="../static/a%20b.svg">
            <a href="nowhere/"> <a href="play/index.html#x=1ab_c-&amp;at=5"> <a href="rules/index.html#x=1ab">
            <script id="d" type="application/json">{"text": " href="gone.html""}</script>""",
        "en/play/index.html": "",
        "en/rules/index.html": """<h2 id="one">1</h2> <use href="../../static/a%20b.svg#there"/>
            <use href="../../static/a%20b.svg#gone"/>""",
        "static/a.css": """@import "b.css"; a { background: url(a%20b.svg) } b { background: url("gone.png") }
            i { background: url(data:x) }""",
        "static/b.css": "",
        "static/a b.svg": '<symbol id="there"/>',
        "static/js/a.js": """/** import "./no.js" */
import { b } from "./b.js";
import {
  c,
} from "./c.js";
export { d } from "./d.js";
const later = () => import("./later.js");
const worker = new Worker(new URL("./worker.js", import.meta.url));
const place = new URL("../../wasm/", import.meta.url);""",
        "static/js/b.js": 'import "../b.css";',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    scripts = ("../../wasm/", "./c.js", "./d.js", "./later.js", "./worker.js")
    assert astray(tmp_path) == [
        *("en/index.html: /library/", "en/index.html: gone/index.html", "en/index.html: nowhere/"),
        *("en/index.html: rules/index.html#two", "en/index.html: rules/index.html#x=1ab"),
        "en/rules/index.html: ../../static/a%20b.svg#gone",
        "static/a.css: gone.png",
        *(f"static/js/a.js: {each}" for each in scripts),
    ]


@OF_THE_DATABASE
def test_the_rows_of_a_figure_are_those_that_the_server_sends(client: Client, tmp_path: Path) -> None:
    put_in_library()
    names = pages.permalinks()
    short_id = next(name for name, slug in names.items() if slug == "first-burst")
    ends_us = next(
        entry.run["until_us"] for entry in ready_scenarios.entries() if entry.slug == "first-burst"
    )
    addresses = [f"/r/{short_id}/lead.json?at={at_us}" for at_us in (900_000, ends_us, ends_us + 5_000_000)]
    page = "".join(f'<div data-lead="{address}"></div>' for address in [*addresses, addresses[0]])
    assert write_leads(tmp_path, moments(page), names) == frozenset()
    assert len(list((tmp_path / FOLDER).iterdir())) == len(addresses)
    bodies = []
    for address in addresses:
        path, _, query = address.partition("?")
        written = tmp_path / "en" / (lead_file(path, f"?{query}") or "")
        bodies.append(written.resolve().read_bytes())
        assert bodies[-1] == client.get(address).content, address
    assert bodies[0] != bodies[1]
    assert bodies[1] == bodies[2], "nothing comes after the end of a run"


@OF_THE_DATABASE
def test_of_some_runs_only_the_figures_of_the_others_are_named_and_count_as_there(tmp_path: Path) -> None:
    put_in_library()
    names = pages.permalinks()
    played, other = sorted(name for name, slug in names.items() if slug in ("first-burst", "journal-flush"))
    left_out = write_leads(tmp_path, {(played, 900_000), (other, 5), (other, 7)}, names, most_runs=1)
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {f"{played}-900000.json"}
    assert {path.name for path in left_out} == {f"{other}-5.json", f"{other}-7.json"}
    page = tmp_path / "en" / "index.html"
    page.parent.mkdir()
    links = [f"../{FOLDER}/{name}.json" for name in (f"{played}-900000", f"{other}-5", f"{other}-6")]
    page.write_text("".join(f'<p data-lead="{link}"></p>' for link in links), "utf-8")
    assert astray(tmp_path, left_out) == [f"en/index.html: {links[2]}"]
    assert len(astray(tmp_path)) == 2


@pytest.mark.urls("playground.static_edition.write")
@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("/subjects/paging/", "../subjects/paging/index.html"),
        ("/rules/Q3", "../rules/Q3/index.html"),
        ("/rules/?q=S60-S66", "../rules/index.html?q=S60-S66"),
        ("/r/abc234/?at=5", "../play/index.html?s=first-burst&amp;at=5"),
        ("/x/1ab_c-/?at=5", "../play/index.html#x=1ab_c-&amp;at=5"),
        ("/class/", "../needs-a-server/index.html"),
        ("/static/css/base.css", "../../static/css/base.css"),
        ("/whatif/table.csv?h=ram-rate&amp;w=steady", "../../data/heatmaps/ram-rate-steady.csv"),
        ("/glossary/#delta", "../glossary/index.html#delta"),
    ],
)
def test_links_lead_to_files(address: str, found: str) -> None:
    assert link(address, "library/index.html", {"abc234": "first-burst"}) == found
