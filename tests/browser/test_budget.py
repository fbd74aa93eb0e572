"""What a first visit costs: requests and bytes on the wire, compressed as the server sends them.

Only a browser: which files a first visit really loads, and how many bytes of them came over the wire.
"""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.sessions import live

BUDGET_KB = {".js": 60, ".css": 12, ".woff2": 120, "/": 12}
REQUESTS = 25
SESSION_KB = 300
MEASURE = """() => performance.getEntries()
  .filter((entry) => ["navigation", "resource"].includes(entry.entryType))
  .map((entry) => [new URL(entry.name).pathname, entry.encodedBodySize])"""


def test_the_first_page_stays_small_and_the_instruments_library_waits_until_it_is_wanted(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    page.locator("#demo").get_by_text("engine live").wait_for()
    page.wait_for_timeout(500)
    entries = page.evaluate(MEASURE)
    kinds = {kind: sum(size for name, size in entries if name.endswith(kind)) / 1000 for kind in BUDGET_KB}
    assert len(entries) <= REQUESTS, (len(entries), kinds)
    for kind, most in BUDGET_KB.items():
        assert 0 < kinds[kind] <= most, kinds
    page.get_by_role("button", name="Play it yourself").click()
    live(page)
    page.get_by_role("button", name="Publish the first messages").wait_for()
    entries = page.evaluate(MEASURE)
    assert len(entries) <= REQUESTS, entries
    assert sum(size for _name, size in entries) <= SESSION_KB * 1000, entries
    assert not [url for url in asked if "uplot" in url and ".js" in url]
    page.keyboard.press("i")
    page.locator(".u-over").first.wait_for()
    assert [url for url in asked if "uplot" in url and ".js" in url]
