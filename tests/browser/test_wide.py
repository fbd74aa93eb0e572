"""The widest screen: every text is as large there as the style sheet says, once, and canvases are not enlarged besides.
Narrower ones: the bar has room for the release beside what it says of the run.

Only a browser: the zoom of nested boxes, the size that a canvas is laid out with, and what is cut off.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.sessions import begin
from tests.browser.test_story import wait_for_lane

OpenPage = Callable[..., Page]
PAGES = (
    *(
        "/",
        "/library/",
        "/learn/",
        "/learn/waterline/first-in/",
        "/learn/waterline/first-in/read/",
        "/class/",
    ),
    *("/subjects/", "/subjects/when-to-disk/", "/glossary/", "/rules/Q21", "/fidelity/", "/inspect/"),
    *("/whatif/", "/compare/", "/library/edit/"),
)
OTHERWISE = """() => {
  const wide = Number(getComputedStyle(document.documentElement).getPropertyValue("--wide"));
  const zoom = (element) => element ? (Number(getComputedStyle(element).zoom) || 1) * zoom(element.parentElement) : 1;
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
  const says = (element) => [...element.childNodes].some(isText);
  const name = (element) => `${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 20)}`;
  const all = [...document.querySelectorAll(".top *, main *")];
  const seen = all.filter((each) => each.checkVisibility() && !each.closest("svg, #twin, .visually-hidden"));
  const wrong = seen.filter((each) =>
    each.matches("canvas") ? Math.abs(zoom(each) - 1) > 0.01 : says(each) && Math.abs(zoom(each) - wide) > 0.01);
  return { wide, wrong: wrong.map(name).slice(0, 3) };
}"""


def test_on_the_widest_screen_every_text_grows_once(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 3840, "height": 2160})
    found = {}
    for path in PAGES:
        page.goto(path)
        page.locator("main").wait_for()
        found[path] = page.evaluate(OTHERWISE)
        assert page.evaluate("document.documentElement.scrollWidth") <= 3840, path
    begin(page)
    page.get_by_role("button", name="Publish the first messages").click()
    wait_for_lane(page, "q4", "some")
    found["a session"] = page.evaluate(OTHERWISE)
    assert {path: each["wrong"] for path, each in found.items() if each["wrong"]} == {}
    assert {each["wide"] for each in found.values()} == {2}


def test_a_small_stage_shows_its_disk_on_the_widest_screen(open_page: OpenPage) -> None:
    """A canvas draws twice as large there, so its box must be: the half below the line was cut off."""
    page = open_page(viewport={"width": 3840, "height": 2160})
    page.goto("/subjects/when-to-disk/")
    stage = page.locator(".small-stage canvas").first
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box
    assert box["height"] == 600
    assert box["width"] > 1200


CUT_PX = """() => {
  const crumb = document.querySelector(".top .crumb").getBoundingClientRect();
  return document.querySelector(".top .release select").getBoundingClientRect().right - crumb.right;
}"""


def test_the_release_is_whole_beside_paging_and_an_alarm(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 1280, "height": 800})
    begin(page)
    page.get_by_label("Messages in a burst").fill("5000")
    page.locator("[data-publish-label]").click()
    for chip in ("paging", "alarm"):
        page.locator(f"[data-chip={chip}]:visible").wait_for()
    found = {}
    for width in (1080, 1200, 1279, 1280, 1399, 1400, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        found[width] = page.evaluate(CUT_PX)
    assert {width: cut for width, cut in found.items() if cut > 0.5} == {}
