"""Pages by keyboard alone, in Chinese: every stop is seen, none is a trap, and the first message is near.

Only a browser: where Tab leads, whether each stop has a ring and is on the screen, and that it leaves the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.sessions import begin

OpenPage = Callable[..., Page]
CHINESE = {"locale": "zh-CN", "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
MOST_STOPS = 250

STOP = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const each = document.activeElement;
  if (!each || each === document.body) return done(null);
  const ringed = [each, each.parentElement, each.closest("label, .input, .seg, li")].some((around) => {
    const { outlineStyle, outlineWidth } = around ? getComputedStyle(around) : {};
    return outlineStyle && outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  });
  const { left, right, top, bottom } = each.getBoundingClientRect();
  const inside = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const name = (each.ariaLabel || each.textContent || each.name || each.id).trim().slice(0, 40);
  done({ tag: each.tagName, name, seen: ringed && inside, message: Boolean(each.closest("#twin li")) });
})))"""


def stops(page: Page) -> list[dict[str, Any]]:
    """Return where Tab leads, from the beginning until it leaves the page."""
    found: list[dict[str, Any]] = []
    for _press in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None:
            return found
        found.append(stop)
    raise AssertionError(f"Tab never leaves the page; the last stops: {found[-5:]}")


@pytest.mark.parametrize(
    "path", ["/", "/library/", "/learn/waterline/first-in/", "/class/join/", "/whatif/", "/inspect/"]
)
def test_every_stop_is_seen_and_none_is_a_trap(open_page: OpenPage, path: str) -> None:
    page = open_page(**CHINESE)
    page.goto(path)
    page.wait_for_load_state()
    page.locator("main").wait_for()
    assert [stop for stop in stops(page) if not stop["seen"]] == []


def test_the_first_message_is_near(open_page: OpenPage) -> None:
    page = open_page(**CHINESE)
    begin(page)
    first = page.locator("[data-act=first]")
    page.locator(".skip").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(first).to_be_focused()  # the way to the messages passes nothing that one needs
    page.keyboard.press("Enter")
    expect(first).to_be_hidden()
    expect(page.locator("#twin")).to_be_focused()  # the focus is not lost with the button
    page.locator("#twin li").first.wait_for(state="attached")
    page.reload()
    page.locator("#twin li").first.wait_for(state="attached")
    for _press in range(8):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop["name"] == "跳到消息":
            page.keyboard.press("Enter")
        if stop["message"]:
            break
    assert stop["message"], "at most eight presses"
    page.evaluate("document.activeElement.blur()")
    assert [each for each in stops(page) if not each["seen"] and not each["message"]] == []
