"""The fence of target_ram_count: dragged, moved by keys, and freed by its chip.

Only a browser: a line on the stage is dragged by the pointer, on a desktop and on a phone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE
from tests.browser.test_bytes import start
from tests.browser.test_story import pause, wait_for_lane
from tests.browser.waits import still_box, until

OpenPage = Callable[..., Page]


def aims_at(fence: Locator) -> bool:
    """Move the pointer onto the fence's label, and return whether it is there: the target changes by itself too."""
    box = fence.locator("[data-fence-text]").bounding_box()
    if box is None:
        return False
    x, y = box["x"] + 8, box["y"] + 5
    fence.page.mouse.move(x, y)
    there: bool = fence.evaluate("(each, [x, y]) => each.contains(document.elementFromPoint(x, y))", [x, y])
    return there


@pytest.mark.parametrize(
    "options",
    [pytest.param({}, id="desktop"), pytest.param({"viewport": PHONE}, id="phone", marks=pytest.mark.soak)],
)
def test_the_fence_is_dragged_moved_by_keys_and_freed(
    open_page: OpenPage, options: dict[str, object], assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(**options)
    start(page, count=4)
    fence = page.get_by_role("slider", name=re.compile("target_ram_count"))
    expect(fence).to_be_hidden()
    page.get_by_label("Messages in a burst").fill("24")
    page.get_by_role("button", name=re.compile("Publish 24")).click()
    wait_for_lane(page, "q4", "some")
    fence.scroll_into_view_if_needed()
    expect(fence).to_be_visible()
    pause(page)  # else the target moves by itself, between the aim and the press too
    fence.scroll_into_view_if_needed()  # on a phone the button lies elsewhere
    stage = still_box(page.locator("[data-canvas=stage]"))
    still_box(fence.locator("[data-fence-text]"))
    until(page, lambda: aims_at(fence))
    page.mouse.down()
    across, down = (0.06, 0.8) if options else (0.85, 0.3)
    page.mouse.move(stage["x"] + stage["width"] * across, stage["y"] + stage["height"] * down, steps=6)
    page.mouse.up()
    free = page.get_by_role("button", name="Pinned: free the target")
    expect(free).to_be_visible()
    page.locator("[data-act=play]").click()
    fence.focus()
    page.keyboard.press("Home")
    expect(fence).to_have_attribute("aria-valuenow", "0")
    wait_for_lane(page, "q4", "none")
    page.keyboard.press("ArrowLeft")
    expect(fence).to_have_attribute("aria-valuenow", "1")
    assert_accessible(page)
    free.click()
    expect(free).to_be_hidden()
    expect(fence).to_be_focused()
