"""Two runs side by side: choose one change, see where they part, scrub both at once.

Only a browser: two stages beside each other on a desktop and a phone, moved by one slider.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE

OpenPage = Callable[..., Page]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_default_against_lazy(
    open_page: OpenPage, assert_accessible: Callable[[Page], None], viewport: dict[str, int]
) -> None:
    page = open_page(viewport=viewport)
    page.goto("/compare/")
    assert_accessible(page)
    page.get_by_label("A, the run").select_option(label="First burst")
    page.get_by_role("button", name="Default against lazy").click()
    parting = page.get_by_role("region", name="Where they part")
    expect(parting).to_contain_text("published to delta")
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
