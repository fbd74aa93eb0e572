"""What axe finds on a page as it stands."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

OF_COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""The rules that look at colours, all that a theme changes."""

AXE = """(which) => axe.run(document, {...which, resultTypes: ["violations"]}).then((found) => found.violations
  .map((each) => [each.impact, each.id, each.nodes.slice(0, 4).map((node) => node.target.join(" "))]))"""
"""Only what breaks a rule is asked for: to describe all that keeps them takes axe as long as to look."""

CHANGED = """() => !document.getAnimations().some((each) =>
  each instanceof CSSTransition && each.playState !== "finished" && /color|opacity/.test(each.transitionProperty))"""
"""Colours that change slowly have changed: half-way they may be hard to read. In a closed fold finished ones stay."""


def findings(page: Page, which: dict[str, list[str]] | None = None) -> list[list[object]]:
    """Return what breaks a rule: how grave it is, the rule, and where.

    Args:
        which: of axe's options, to look at some rules only.
    """
    page.wait_for_function(CHANGED)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[list[object]] = page.evaluate(AXE, which or {})
    return found
