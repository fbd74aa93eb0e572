"""The rehearsal of an upgrade on a phone: each release in a few lines, all of it on paper.

Only a browser: how high a section is, the folds that a key opens, and those that paper opens.
"""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.test_rehearsal import give
from tests.browser.waits import still_box

SCREENS = 1.5
"""How many screens of a phone the section may take while nothing of it is open; unfolded it took ten."""


def test_it_is_folded_to_what_comes_back_and_printed_whole(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 640})
    give(page)
    section = page.locator("section.upgrades")
    box = still_box(section)
    assert box["height"] < SCREENS * 640, box
    folded = section.locator("details[data-upgrade]")
    today = section.locator("[data-upgrade='4.3.6'] > summary")
    expect(today).to_contain_text("Messages after a crash: 17 → 0; after an orderly stop: 17 → 0")
    today.focus()
    page.keyboard.press("Enter")
    expect(section.get_by_role("button", name="Step through this start")).to_be_visible()
    expect(section.get_by_text("not the same messages").first).to_be_visible()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(section.locator("details:not([open])")).to_have_count(0)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert [each.get_attribute("open") is None for each in folded.all()].count(True) == folded.count() - 1
