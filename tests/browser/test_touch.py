"""Fingers on the smallest phone: each target has 44 px, or 24 px and room around it (WCAG 2.2, 2.5.8).

Only a browser: how large each target is on the smallest phone, and what stands near it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

OpenPage = Callable[..., Page]

PAGES = (
    *(
        "/",
        "/library/",
        "/library/?path=memory",
        "/learn/",
        "/learn/waterline/first-in/",
        "/class/",
        "/class/join/",
    ),
    *("/subjects/", "/subjects/paging/", "/glossary/", "/rules/", "/rules/Q21", "/fidelity/", "/inspect/"),
    *("/whatif/", "/compare/", "/library/edit/", "/privacy/"),
)
TOO_SMALL = """() => {
  const apart = "[inert], .visually-hidden, .skip";
  const shown = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(apart);
  const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab]";
  // A link in a sentence is exempt: its line decides. So is a box that a larger label stands for.
  const own = (each) => [...each.childNodes].filter((one) => one.nodeType === 3).map((one) => one.data.trim());
  const letters = (each) => own(each).join("").length;
  const inSentence = (each) =>
    each.tagName === "A" && getComputedStyle(each).display === "inline" &&
    [each.parentElement, each.closest("p, li, dd, q")].some((around) => around && letters(around) > 3);
  const wide = (each) => each.getBoundingClientRect().width > 1;
  const all = [...document.querySelectorAll(wanted)].filter((each) => shown(each) && wide(each));
  const stands = (each) => (each.matches("input") && (each.closest("label") ?? each.closest(".input"))) || each;
  // What stays in place while the page moves below it stands beside nothing of the page.
  const floats = (each) =>
    each && (["fixed", "sticky"].includes(getComputedStyle(each).position) ? each : floats(each.parentElement));
  const boxes = all.map((each) => stands(each).getBoundingClientRect());
  return all.flatMap((each, at) => {
    const box = boxes[at];
    if (inSentence(each) || (box.width >= 44 && box.height >= 44)) return [];
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // Few are near, so that is asked first: a page may have thousands.
    const crowded = all.some((other, to) => {
      const { left, right, top, bottom } = boxes[to];
      if (Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) >= 12) return false;
      if (floats(other) !== floats(each)) return false;
      return !(stands(other) === stands(each) || stands(each).contains(other) || other.contains(each));
    });
    if (box.width >= 24 && box.height >= 24 && !crowded) return [];
    const name = (each.textContent || each.getAttribute("aria-label") || each.name || "").trim().slice(0, 40);
    const size = `${Math.round(box.width)} x ${Math.round(box.height)}`;
    return [`${each.tagName} "${name}" ${size}${crowded ? ", crowded" : ""}`];
  });
}"""


@pytest.mark.parametrize("path", PAGES)
def test_a_finger_meets_what_it_aims_at(open_page: OpenPage, path: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True)
    page.goto(path)
    assert page.evaluate(TOO_SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_finger_meets_what_it_aims_at_in_the_playground(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True)
    page.goto("/")
    page.get_by_role("button", name="Play it yourself").click()
    page.wait_for_url("**/s/*/")
    page.locator("#live").wait_for()
    page.locator("#twin [data-lane=q4]").wait_for(state="attached")
    assert page.evaluate(TOO_SMALL) == []
