"""Two runs side by side: choose one change, see where they part, scrub both at once.

Only a browser: two stages beside each other on a desktop and a phone, moved by one slider.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE

SHIFTS = """window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
  }).observe({ type: "layout-shift", buffered: true });"""
"""How much of the page moves while it loads (https://web.dev/articles/cls)."""
MOST_SHIFT = 0.05

OpenPage = Callable[..., Page]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_default_against_lazy(
    open_page: OpenPage, assert_accessible: Callable[[Page], None], viewport: dict[str, int]
) -> None:
    page = open_page(viewport=viewport)
    page.add_init_script(SHIFTS)
    page.goto("/compare/")
    assert_accessible(page)
    page.get_by_label("A, the run").select_option(label="First burst")
    page.get_by_role("button", name="Default against lazy").click()
    parting = page.get_by_role("region", name="Where they part")
    expect(parting).to_contain_text("published to delta")
    assert page.evaluate("window.shifts") < MOST_SHIFT
    page.get_by_role("button", name="Go there").click()
    situations = page.locator("[data-situation]")
    expect(situations.nth(0)).to_contain_text("in RAM")
    expect(situations.nth(1)).to_contain_text("Lazy mode")
    expect(page.get_by_role("table").last).to_contain_text("peak memory")
    before = page.locator("[data-clock]").inner_text()
    page.get_by_role("slider", name="Time").press("ArrowRight")
    expect(page.locator("[data-clock]")).not_to_have_text(before)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_four_releases_are_in_view_and_what_matters_is_said_first(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(SHIFTS)
    page.goto("/compare/")
    for box in page.locator("input[name=release]").all():
        box.check()
    page.get_by_role("button", name="Power cut after the confirms").click()
    answer = page.locator("[data-answer]")
    expect(answer).to_have_text(
        re.compile(r"^Confirmed messages lost: 0 \(3\.8\.9, 3\.10\.8\), 24 \(4\.0\.5, ")
    )
    expect(page.locator("[data-clock]")).to_have_text("00:00.500")  # where they part
    assert page.evaluate("window.shifts") < MOST_SHIFT
    ends = page.evaluate(
        """[...document.querySelectorAll(".compare-stage, .compare-against")]
          .map((each) => each.getBoundingClientRect().bottom)"""
    )
    assert len(ends) == 7
    dock = page.evaluate("document.querySelector('.compare-time').getBoundingClientRect().top")
    assert max(ends) <= dock + 1, "no stage and no line of differences lies below the dock"
