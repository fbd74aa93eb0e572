"""The what-if page in a real browser: pickers, keys, tips, and a cell opened live with an equal digest.

Only a browser: keys and pointer over cells, tips that stay or leave, history of addresses, a finger.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.axe import OF_COLOURS, findings
from tests.browser.conftest import PHONE

OpenPage = Callable[..., Page]


def cell_texts(page: Page) -> list[str]:
    return page.locator(".whatif-cell").all_inner_texts()


def test_pickers_are_the_question_and_the_address_is_the_view(page: Page, open_page: OpenPage) -> None:
    page.goto("/whatif/")
    before = cell_texts(page)
    page.get_by_label("measure").focus()
    page.get_by_label("measure").select_option("peak_ram_bytes")
    page.wait_for_url("**m=peak_ram_bytes**")
    expect(page.get_by_label("measure")).to_be_focused()
    expect(page.locator(".whatif-unit")).to_have_text("MiB")
    assert cell_texts(page) != before
    expect(page.locator('.whatif-cell[tabindex="0"]')).to_have_count(
        1
    )  # the new view is awake, its pickers too
    page.get_by_label("X axis", exact=True).select_option("vm_memory_high_watermark")
    page.wait_for_url("**x=vm_memory_high_watermark&y=vm_memory_high_watermark_paging_ratio**")
    page.get_by_role("link", name="Difference from the defaults").click()
    page.wait_for_url("**mode=difference**")
    expect(page.get_by_role("link", name="Difference from the defaults")).to_have_attribute(
        "aria-current", "true"
    )
    shown = cell_texts(page)
    colleague = open_page()
    colleague.goto(page.url)
    expect(colleague.locator(".whatif-cell")).to_have_text(shown)
    page.go_back()
    page.wait_for_url(lambda address: "mode=" not in address)
    # The page is loaded anew, after its address changed.
    expect(page.locator(".whatif-cell")).not_to_have_text(shown)


def test_keys_walk_the_cells_and_the_tip_follows(page: Page) -> None:
    page.goto("/whatif/?w=backlog-drain")
    home = page.locator(".whatif-cell.home")
    expect(home).to_have_attribute("tabindex", "0")
    assert page.locator('.whatif-cell[tabindex="0"]').count() == 1
    home.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("paging ratio 0.6, high watermark 0.5")
    expect(tip).to_contain_text("Peak memory", ignore_case=True)
    focused = page.locator(".whatif-cell:focus")
    expect(focused).to_have_attribute("aria-describedby", "whatif-tip")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("Home")
    expect(page.locator(".whatif-cell:focus")).to_have_attribute("data-column", "0")


def test_the_tip_of_a_pointer_leaves_with_it(page: Page) -> None:
    page.goto("/whatif/")
    page.locator(".whatif-cell").nth(10).hover()
    tip = page.get_by_role("tooltip")
    expect(tip.get_by_role("button", name="Open in the playground")).to_be_visible()
    tip.hover()
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_a_cell_opens_live_and_reaches_the_same_digest(page: Page) -> None:
    page.goto("/whatif/?h=power-cut&w=steady")
    page.locator(".whatif-cell.home").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/*/?at=*")
    page.get_by_role("button", name="Play (Space)").click()
    page.get_by_role("button", name="10×").click()
    expect(page.get_by_text("the same run")).to_be_visible()


def test_two_pinned_cells_are_compared(page: Page) -> None:
    page.goto("/whatif/?h=power-cut&w=steady")
    page.locator(".whatif-cell.home").focus()
    page.keyboard.press("p")
    page.wait_for_url("**pin=**")
    expect(page.locator(".whatif-pins li")).to_have_count(1)
    page.wait_for_load_state("networkidle")  # what the first pin changed is all there
    tip = page.get_by_role("tooltip")
    page.locator(".whatif-cell").nth(3).hover()
    expect(tip).to_be_visible()
    tip.get_by_role("button", name="Pin", exact=True).click()
    page.wait_for_url("**pin=*%2C*")
    page.get_by_role("button", name="Compare A and B").click()
    page.wait_for_url("**/compare/**")


def test_everybody_can_use_it(page: Page, assert_accessible: Callable[[Page], None]) -> None:
    for query in ("", "?h=size-embed&mode=difference"):
        page.emulate_media(color_scheme="light")
        page.goto(f"/whatif/{query}")
        page.mouse.move(5, 5)  # what lay there before was of another page
        page.locator(".whatif-cell").nth(10).hover()
        expect(page.get_by_role("tooltip")).to_be_visible()
        assert_accessible(page)
        page.emulate_media(color_scheme="dark")
        expect(page.get_by_role("tooltip")).to_be_visible()
        assert findings(page, OF_COLOURS) == []


def test_a_finger_sees_the_numbers_before_it_opens_a_run(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.goto("/whatif/")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator(".whatif-cell").nth(17).tap()
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    tip.get_by_role("button", name="Open in the playground").tap()
    page.wait_for_url(re.compile(r"/s/[2-9a-z]+/"))


def test_on_a_small_phone_the_tip_leaves_its_cell_in_sight(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 640})
    page.goto("/whatif/?w=backlog-drain")
    for cell in (page.locator(".whatif-cell").first, page.locator(".whatif-cell").last):
        cell.focus()
        tip = page.get_by_role("tooltip")
        expect(tip).to_be_visible()
        of_cell, of_tip = cell.bounding_box(), tip.bounding_box()
        assert of_cell
        assert of_tip
        above = of_cell["y"] >= 0 and of_cell["y"] + of_cell["height"] <= of_tip["y"]
        assert above or of_cell["y"] >= of_tip["y"] + of_tip["height"]
