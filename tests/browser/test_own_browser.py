"""A server without a place for another session or sweep: the reader's own browser runs both, with the same digests.

Only a browser: WebAssembly in workers, keys over a veil that comes and goes, what a browser keeps.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.browser.axe import findings
from tests.browser.conftest import PHONE
from tools import live_server

ENGINE_MS = 180_000
"""WebAssembly is compiled and the engine imported, in several workers at once, on a machine with other work."""
WIDE: ViewportSize = {"width": 1280, "height": 900}
LINE = "perf-test --producers 1 --consumers 1 --rate 40 --consumer-rate 30 --size 500 --time 2"
OFFER = {
    "en": "Run it in this browser",
    "zh-hans": "在此浏览器中运行",
    "zh-hant": "在此瀏覽器中執行",
}


@pytest.fixture(scope="module")
def full(
    tmp_path_factory: pytest.TempPathFactory, engine_for_browsers: Path
) -> Iterator[live_server.LiveServer]:
    """Run a server with the engine for browsers that has no place for a session or a sweep."""
    var_dir = tmp_path_factory.mktemp("full")
    more = {"WATERLINE_SESSIONS": "0", "WATERLINE_SWEEPS_WAITING": "0"}
    with live_server.running(var_dir, more=more) as server:
        shutil.copytree(engine_for_browsers, var_dir / "wasm")
        yield server


@pytest.fixture
def visit(browser: Browser, full: live_server.LiveServer) -> Iterator[Any]:
    """Return a function that opens a visitor's page; no script of any may fail."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def arrive(**options: Any) -> Page:
        context = browser.new_context(base_url=full.url, **options)
        context.set_default_timeout(ENGINE_MS)
        context.on("weberror", lambda failed: errors.append(str(failed.error)))
        contexts.append(context)
        return context.new_page()

    yield arrive
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def link(visit: Any) -> str:
    """Return the link of a ready run that ends soon."""
    page: Page = visit()
    page.goto("/library/")
    return page.locator("a[href*='/r/']").first.get_attribute("href") or ""


@pytest.mark.parametrize(
    ("language", "viewport", "scheme"),
    [("en", WIDE, "light"), ("zh-hans", PHONE, "dark"), ("zh-hant", WIDE, "dark"), ("en", PHONE, "light")],
)
def test_a_link_is_run_by_the_readers_browser_with_the_same_digest(
    link: str, visit: Any, language: str, viewport: ViewportSize, scheme: str
) -> None:
    """By keyboard: from the veil over the session that got no place to the verdict at the run's end."""
    page: Page = visit(viewport=viewport, color_scheme=scheme)
    page.goto(f"{link}?lang={language}&at=99000000")  # its end, where the digest is known
    offer = page.locator("[data-when-full] a")
    expect(offer).to_be_visible()
    expect(offer).to_have_text(OFFER[language])
    assert findings(page) == []
    offer.press("Enter")
    page.wait_for_url(re.compile(r"/browser/\?.*at=99000000"))
    expect(page.locator("[data-link]")).to_have_attribute("data-state", "live", timeout=ENGINE_MS)
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert findings(page) == []
    verdict = page.locator("#alerts .level-info")
    expect(verdict).to_contain_text(re.compile("[0-9a-f]{8}"), timeout=ENGINE_MS)
    expect(page.locator("#alerts .level-error")).to_have_count(0)
    page.locator("[data-act=share]").first.press("Enter")
    shared = page.locator("#share-dialog input[readonly]").first
    expect(shared).to_have_value(re.compile(r"/x/[A-Za-z0-9_-]+/"), timeout=ENGINE_MS)


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
def test_a_small_sweep_is_run_by_the_readers_browser_and_its_cells_open(
    visit: Any, viewport: ViewportSize, scheme: str
) -> None:
    page: Page = visit(viewport=viewport, color_scheme=scheme)
    page.goto("/whatif/own/")
    page.locator("#own-text").fill(LINE)
    page.locator("#own-x").select_option("queue_mode")
    page.locator("#own-y").select_option("persistent")
    page.locator(".own-form [type=submit]").press("Enter")
    offer = page.locator("[data-own-browser]")
    expect(offer).to_be_visible()
    assert findings(page) == []
    offer.press("Enter")
    page.wait_for_url("**/whatif/browser/")
    expect(page.locator("[data-progress] [data-words]")).to_contain_text("of 12 runs", timeout=ENGINE_MS)
    expect(page.locator("[data-progress] [data-words]")).to_contain_text("the slowest", timeout=ENGINE_MS)
    cells = page.locator(".whatif-cell")
    expect(cells).to_have_count(4, timeout=ENGINE_MS)
    expect(page.locator("[data-progress] [data-words]")).to_contain_text("12 of 12 runs")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.reload()  # the latest heatmap is kept by the browser
    expect(cells).to_have_count(4, timeout=ENGINE_MS)
    cells.first.press("Enter")
    page.wait_for_url("**/browser/?x=*")
    expect(page.locator("[data-link]")).to_have_attribute("data-state", "live", timeout=ENGINE_MS)
    at_s = int(parse_qs(urlsplit(page.url).query)["at"][0]) / 1e6
    expect(page.get_by_role("timer")).to_have_text(f"00:{at_s:06.3f}", timeout=ENGINE_MS)
    page.locator("[data-speed='10']").press("Enter")
    page.get_by_role("button", name="Play (Space)").press("Enter")
    expect(page.locator("#alerts .level-info")).to_contain_text(re.compile("[0-9a-f]{8}"), timeout=ENGINE_MS)
    expect(page.locator("#alerts .level-error")).to_have_count(0)


def test_a_sweep_in_the_browser_says_what_is_wrong_and_stops(visit: Any) -> None:
    page: Page = visit()
    page.goto("/whatif/browser/")
    page.locator("#own-text").fill("rm -rf /")
    page.get_by_role("button", name="Run the sweep").click()
    expect(page.locator("[data-problem]")).to_contain_text("cannot be read", timeout=ENGINE_MS)
    page.locator("#own-text").fill(LINE)
    page.get_by_role("button", name="Run the sweep").click()
    stop = page.get_by_role("button", name="Stop")
    expect(page.locator("[data-progress] [data-words]")).to_contain_text("of", timeout=ENGINE_MS)
    stop.click()
    expect(stop).to_be_hidden(timeout=ENGINE_MS)
    expect(page.locator("[data-problem]")).to_be_hidden()
