"""The smallest phone: what was asked for is seen above the dock, and a report is read without scrolling sideways.

Only a browser: touch, what is above the dock, and a report that is no wider than the screen.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.sessions import live
from tests.browser.test_rehearsal import unfold
from tests.browser.waits import still_box

OpenPage = Callable[..., Page]
SMALL = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
REPORT_MS = 120_000

ABOVE_THE_DOCK = """() => {
  const dock = document.querySelector(".transport").getBoundingClientRect();
  const stage = document.querySelector(".stage-box").getBoundingClientRect();
  return stage.top >= 0 && stage.bottom <= dock.top + 4;
}"""
CUT_OFF = """() => [...document.querySelectorAll(".inspect-report > .folded > .scroll")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel)"""


def test_the_first_page_fits_and_what_a_thumb_publishes_is_seen(open_page: OpenPage) -> None:
    page = open_page(**SMALL)
    page.goto("/")
    language = still_box(page.get_by_label("Language"))
    assert language["x"] + language["width"] <= 360, "the header fits"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("button", name="Play it yourself").tap()
    live(page)
    page.locator("[data-act=first]").wait_for()
    page.locator("[data-act=dock-publish]").tap()
    page.locator("#twin [data-lane=q4]").wait_for(state="attached")
    page.wait_for_function(ABOVE_THE_DOCK)


def test_the_answer_about_a_brokers_files_is_read_on_a_phone(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(**SMALL)
    page.goto("/inspect/")
    expect(page.locator("body")).to_have_attribute("data-reads", "there", timeout=REPORT_MS)
    page.get_by_role("button", name="a store file is gone").tap()
    report = page.locator(".inspect-report")
    expect(report).to_contain_text("brings back 8 of 21 persistent messages; 11 are lost", timeout=REPORT_MS)
    expect(report.locator("> details")).to_have_count(5)
    expect(report.locator("details[open]")).to_have_count(0)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(CUT_OFF) == []
    expect(page.locator(".transport")).to_be_hidden()
    assert_accessible(page)
    report.get_by_role("link", name="The start, played").tap()
    expect(page.locator(".transport")).to_be_visible()
    page.get_by_role("link", name="Read others").tap()
    expect(page.get_by_role("button", name="4.3.6, killed")).to_be_visible()
