"""Every page without a serious finding, in both themes, and none wider than the smallest phone.

Only a browser: the names, roles and colours that axe finds in what was really laid out; how wide a page becomes.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.axe import OF_COLOURS, findings

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


def serious(page: Page, which: dict[str, list[str]] | None = None) -> list[object]:
    """Return the findings that count, each with where it is."""
    return [each for each in findings(page, which) if each[0] in SERIOUS]


def test_no_page_has_a_serious_finding(open_page: OpenPage, expected_errors: list[str]) -> None:
    expected_errors.append("404")
    page = open_page()
    found = {}
    for path in PAGES:
        page.emulate_media(color_scheme="light")
        page.goto(path)
        page.wait_for_timeout(500)  # not until the network rests: some pages play a run of their own
        found[path, "light"] = serious(page)
        page.emulate_media(color_scheme="dark")
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
