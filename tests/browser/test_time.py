"""Going back in the page: by keyboard, by the slider over the charts, by the lines of what happened; and run until.

Only a browser: the slider under a pointer, keys and lines that lead all parts to a moment, pixels without motion.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE
from tests.browser.sessions import begin, unfold
from tests.browser.test_story import pause, wait_for_lane
from tests.browser.waits import OF_A_ROUND, settled, still_box, until

OpenPage = Callable[..., Page]
TOLD = 60
"""Pictures, a second on a fast machine: the stage in words follows every 700 ms."""


COLOURS = """() => {
  const canvas = document.querySelector("[data-canvas=stage]");
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let vivid = 0;
  for (let at = 0; at < data.length; at += 4)
    if (Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60)
      vivid += 1;
  return vivid > 200;
}"""
"""Whether the stage has many pixels of some colour."""


def lane(page: Page, name: str) -> int:
    """Return how many messages the text of the stage has for a lane."""
    label = page.locator(f"#twin [data-lane={name}]").get_attribute("aria-label") or ""
    found = re.search(r", ([\d\s]+)", label)
    return int(re.sub(r"\s", "", found.group(1))) if found else 0


def lanes(page: Page, hold: Callable[[dict[str, int]], bool]) -> dict[str, int]:
    """Return the lanes once this holds of them: the stage in words follows at a pace that can be listened to."""
    return until(page, lambda: {name: lane(page, name) for name in ("q1", "q2", "delta", "q3", "q4")}, hold)


def is_empty(found: dict[str, int]) -> bool:
    return not any(found.values())


def chip(page: Page) -> Locator:
    return page.locator("[data-moment]")


def page_out(page: Page) -> dict[str, int]:
    """Publish until messages are paged out to delta, let the dust settle, and return the lanes."""
    begin(page)
    page.get_by_role("button", name="Publish the first messages").click()
    wait_for_lane(page, "q4", "some")
    page.get_by_label("Messages in a burst").fill("60")
    page.get_by_role("button", name=re.compile("Publish 60")).click()
    wait_for_lane(page, "delta", "some")
    pause(page)
    return settled(page, lambda: lanes(page, lambda found: found["delta"] > 0), TOLD)


def back_while(page: Page, key: str, holds: Callable[[str], bool]) -> None:
    """Press a key, each time when the page has followed, as long as this holds of the reason that is shown."""
    moment = page.locator("[data-number]")
    for _ in range(200):
        before = moment.text_content() or ""
        page.keyboard.press(key)
        expect(moment).not_to_have_text(before)
        if not holds(settled(page, page.locator("[data-why-title]").inner_text, OF_A_ROUND)):
            return
    raise AssertionError(f"{key} leads to no such moment")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="desktop", marks=pytest.mark.soak),
        pytest.param({"viewport": PHONE, "reduced_motion": "reduce"}, id="phone"),
    ],
)
def test_back_to_before_the_page_out_and_to_the_present(
    open_page: OpenPage, options: dict[str, object], assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(**options)
    present = page_out(page)
    page.wait_for_function(COLOURS)
    digest = page.locator("[data-digest-text]").text_content() or ""
    page.locator("#situation").click()
    back_while(page, "Shift+ArrowLeft", lambda why: "leave RAM" not in why)
    back_while(page, "ArrowLeft", lambda why: "leave RAM" in why)
    expect(chip(page)).to_contain_text(re.compile(r"looking at \d\d:\d\d\.\d, the run is at \d\d:\d\d\.\d"))
    before = lanes(page, lambda found: found["delta"] == found["q3"] == 0)
    assert before["q4"] > present["q4"]
    assert sum(before.values()) == sum(present.values())
    assert_accessible(page)
    page.keyboard.press("End")
    expect(chip(page)).to_be_hidden()
    lanes(page, present.__eq__)
    expect(page.locator("[data-digest-text]")).to_have_text(digest)  # looking back changes no run


def test_events_home_the_slider_and_the_lines_lead_to_their_moments(open_page: OpenPage) -> None:
    page = open_page()
    present = page_out(page)
    page.locator("#situation").click()
    page.keyboard.press("Home")
    lanes(page, is_empty)
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("[data-why-title]")).not_to_be_empty()
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.focus()
    value_text = slider.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", value_text or "")
    line = page.get_by_role("button", name=re.compile("messages published to q4")).last
    count = int((re.search(r"(\d+) messages", line.inner_text()) or [0, "0"])[1])
    line.click()
    expect(line).to_have_attribute("aria-pressed", "true")
    lanes(page, {"q1": 0, "q2": 0, "delta": 0, "q3": 0, "q4": count}.__eq__)
    page.get_by_role("button", name=re.compile("Back to now")).click()
    lanes(page, present.__eq__)
    box = still_box(slider)
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 132, box["y"] + 50, steps=4)
    page.mouse.up()
    lanes(page, lambda found: sum(found.values()) < sum(present.values()))
    page.get_by_role("button", name=re.compile("Publish 60")).click()
    expect(chip(page)).to_be_hidden()


def test_run_until_stops_at_the_moment(open_page: OpenPage) -> None:
    page = open_page()
    page_out(page)
    unfold(page, "consumer")
    page.get_by_role("combobox", name="Acks").select_option("each")
    page.get_by_role("button", name="Consume steadily").click()
    page.get_by_role("combobox", name="Run until").select_option("read")
    page.get_by_role("button", name="Run until this happens").click()
    expect(page.locator("#alerts")).to_contain_text(
        "Reached: segment read back. The run is paused, and this is that moment"
    )
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    expect(page.locator("[data-why-title]")).to_contain_text("read")
    lanes(page, lambda found: found["q3"] > 0)
