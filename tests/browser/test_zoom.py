"""A lane is zoomed and moved along, by buttons and keys.

Only a browser: keys and buttons that zoom what was laid out; the numbers are those of zoom.test.js.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.test_bytes import start
from tests.browser.test_story import pause, wait_for_lane
from tests.browser.waits import settled

OpenPage = Callable[..., Page]


def test_a_long_lane_is_zoomed_and_shown_whole_again(open_page: OpenPage) -> None:
    page = open_page()
    start(page, count=400)
    wait_for_lane(page, "delta", "some")
    pause(page)
    zoom = page.get_by_role("group", name="Zoom of a lane")
    expect(zoom).to_be_visible()
    fit = zoom.get_by_role("button", name="all")
    expect(fit).to_be_disabled()
    zoom.get_by_role("button", name=re.compile(r"larger \(\+\)")).click()
    status = zoom.get_by_role("status")
    expect(status).to_contain_text(re.compile(r"of [\d\s]+$"))
    before = settled(page, status.inner_text)
    page.keyboard.press("+")
    expect(status).not_to_have_text(before)
    before = settled(page, status.inner_text)
    page.keyboard.press(",")
    expect(status).not_to_have_text(before)
    page.keyboard.press("0")
    expect(fit).to_be_disabled()
    expect(status).to_be_hidden()
