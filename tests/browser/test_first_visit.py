"""The first five minutes: the first page lives at once, the tour leads through a real run by keyboard alone.

Only a browser: the first page plays by itself; the tour keeps the focus; storage that the next visitor does not find.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE
from tests.browser.sessions import begin
from tests.browser.visitors import Visitors
from tests.browser.waits import settled

OpenPage = Callable[..., Page]


def test_the_first_page_runs_a_real_session_at_once(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    page.goto("/")
    demo = page.locator("#demo")
    expect(demo.get_by_text("engine live")).to_be_visible()
    caption = demo.locator("[data-situation]")
    for state in ("Alpha", "Beta", "Delta", "Delivered"):
        expect(caption).to_contain_text(f"{state}: ")
        if state == "Beta":
            expect(demo.locator(".legend [aria-current]")).to_have_attribute("data-state", "beta")
            demo.get_by_role("button", name="Pause").click()
            assert_accessible(page)
            demo.get_by_role("button", name="Play").click()
    scrubber = demo.get_by_role("slider", name="How far the message has come")
    expect(scrubber).to_have_value("2")  # it rests where lanes hold most, not on an empty queue
    expect(caption).to_contain_text("Delta: ")
    expect(demo.locator("[data-demo-cause]")).to_contain_text("past 205")
    scrubber.press("Home")
    expect(caption).to_contain_text("Alpha: ")
    scrubber.press("ArrowRight")
    expect(demo.locator("[data-demo-cause]")).to_contain_text("Memory passed 205")
    box = scrubber.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.26, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.74, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(caption).to_contain_text("Gamma: ")
    demo.get_by_role("link", name="Open this run in the playground").click()
    page.wait_for_url("**/s/*/")
    expect(page.locator("#twin [data-lane=q4]")).to_have_count(1)


COVERED = """() => {
  const [card, spot, lit] = [".tour", ".spot", ".is-lit"].map((each) => document.querySelector(each));
  const part = spot.hidden ? lit.querySelector(".stage-box") ?? lit : spot;
  const [over, under] = [card, part].map((each) => each.getBoundingClientRect());
  const length = (a, b, c, d) => Math.max(0, Math.min(b, d) - Math.max(a, c));
  const across = length(over.left, over.right, under.left, under.right);
  return Math.round(across * length(over.top, over.bottom, under.top, under.bottom));
}"""
"""How many square pixels of what the step is about lie under its card."""


def test_on_a_phone_no_card_of_the_tour_covers_what_it_explains(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    page.goto("/")
    page.get_by_role("button", name="Take the tour").press("Enter")
    go_on = page.locator(".tour .btn.primary")
    for step in range(10):
        expect(page.locator(".tour .dim")).to_have_text(f"{step + 1} of 10")
        expect(go_on).not_to_have_attribute("aria-disabled", "true")
        assert settled(page, lambda: page.evaluate(COVERED)) == 0, step
        if step < 9:
            go_on.click()


def test_the_tour_by_keyboard(open_page: OpenPage, assert_accessible: Callable[[Page], None]) -> None:
    page = open_page(reduced_motion="reduce")
    page.goto("/")
    page.get_by_role("button", name="Take the tour").press("Enter")
    page.wait_for_url("**/s/*/")
    card = page.locator(".tour")
    expect(card).to_be_focused()
    following = card.get_by_role("button", name="Next")
    for title in ("Alpha", "Contents sink", "Delta", "Real files", "Why?", "The way back", "Any moment"):
        expect(following).not_to_have_attribute("aria-disabled", "true")
        page.keyboard.press("Enter")
        expect(card.get_by_role("heading")).to_contain_text(title)
        if title == "Contents sink":
            assert_accessible(page)
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.locator("html")).not_to_have_class(re.compile("touring"))


def test_the_first_paging_of_a_session_is_told_once_and_can_be_watched_again(page: Page) -> None:
    begin(page)
    page.get_by_label("Messages in a burst").fill("52")
    page.get_by_role("button", name="Publish 52").click()
    note = page.locator("[data-first-paging]")
    expect(note).to_contain_text("Memory passed 205")
    expect(page.locator("html")).to_have_class(re.compile("first-paging"))
    expect(note).to_be_hidden()
    expect(page.locator("html")).not_to_have_class(re.compile("first-paging"))
    page.keyboard.press("Control+k")
    page.keyboard.type("first paging")
    page.keyboard.press("Enter")
    expect(note).to_contain_text("Memory passed 205")


KEEP = """() => new Promise((done) => {
  localStorage.kept = "yes";
  document.cookie = "kept=yes";
  indexedDB.open("kept", 1).onsuccess = done;
}).then(() => null)"""
KEPT = """async () => [
  localStorage.kept === "yes",
  document.cookie.includes("kept=yes"),
  (await indexedDB.databases()).some(({ name }) => name === "kept"),
]"""


def test_who_comes_after_another_visitor_is_not_taken_for_them(visitors: Visitors) -> None:
    first = visitors.arrive(locale="de")
    page = first.new_page()
    page.goto("/rules/")
    page.evaluate(KEEP)
    assert page.evaluate(KEPT) == [True, True, True]
    visitors.leave(first, elsewhere=False)
    second = visitors.arrive(locale="de")
    assert second is first, "with the scripts that never change"
    page = second.new_page()
    page.goto("/rules/")
    assert page.evaluate(KEPT) == [False, False, False]
    visitors.leave(second, elsewhere=True)
    third = visitors.arrive(locale="de")
    assert third is not second, "who was elsewhere is not met again"
    visitors.leave(third, elsewhere=True)
