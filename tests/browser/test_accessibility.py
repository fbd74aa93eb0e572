"""Every page without a serious finding, in both themes, and none wider than the smallest phone."""

from __future__ import annotations

from collections.abc import Callable

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

OpenPage = Callable[..., Page]
PAGES = (
    "/",
    "/subjects/",
    "/subjects/lazy-queues/",
    "/glossary/",
    "/library/",
    "/compare/",
    "/whatif/",
    "/learn/",
    "/class/",
    "/fidelity/",
    "/no-such-page/",
)
SERIOUS = {"serious", "critical"}
OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""The rules that look at colours, all that a theme changes."""
AXE = """(which) => axe.run(document, {...which, resultTypes: ["violations"]}).then((found) => found.violations
  .map((each) => [each.impact, each.id, each.nodes.slice(0, 4).map((node) => node.target.join(" "))]))"""

CHANGED = "() => !document.getAnimations().some((each) => each instanceof CSSTransition)"
"""Colours that change slowly have changed."""


def serious(page: Page, which: dict[str, object]) -> list[object]:
    """Return the findings that count, each with where it is."""
    return [each for each in page.evaluate(AXE, which) if each[0] in SERIOUS]


def test_no_page_has_a_serious_finding(open_page: OpenPage, expected_errors: list[str]) -> None:
    expected_errors.append("404")
    page = open_page()
    found = {}
    for path in PAGES:
        page.emulate_media(color_scheme="light")
        page.goto(path)
        page.wait_for_timeout(500)  # not until the network rests: some pages play a run of their own
        page.evaluate(AXE_SCRIPT)
        found[path, "light"] = serious(page, {})
        page.emulate_media(color_scheme="dark")
        page.wait_for_function(CHANGED)
        found[path, "dark"] = serious(page, OF_COLOURS)
    assert {where: each for where, each in found.items() if each} == {}


def test_no_page_is_wider_than_the_smallest_phone(open_page: OpenPage, expected_errors: list[str]) -> None:
    expected_errors.append("404")
    page = open_page(viewport={"width": 360, "height": 740}, locale="zh-Hans")
    wide = {}
    for path in PAGES:
        page.goto(path)
        page.wait_for_timeout(200)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 360:
            wide[path] = width
    assert wide == {}
