"""How long a page may take for what a test waits for, and waits for what Playwright's own do not cover."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import FloatRect, Locator, Page

T = TypeVar("T")
WAIT_MS = 60_000
"""What comes at all comes in this time, on a slow machine with other work too; Playwright's own 5 s are not enough."""

FRAMES = """(left) => new Promise((done) => {
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""
OF_A_ROUND = 16
"""Pictures in which everything that follows a change has had its turn: panels come one after the other."""


def frames(page: Page, count: int = 3) -> None:
    """Wait for so many pictures: what a pointer or a key changes is drawn by then, on a slow machine too."""
    page.evaluate(FRAMES, count)


def until(page: Page, read: Callable[[], T], holds: Callable[[T], object] = bool) -> T:
    """Read something of a page again and again; return it once this holds of it."""
    ends = time.monotonic() + WAIT_MS / 1000
    while not holds(found := read()):
        assert time.monotonic() < ends, found
        page.wait_for_timeout(50)
    return found


def settled(page: Page, read: Callable[[], T], count: int = 6) -> T:
    """Return what is read once nothing changes it: when two readings, so many pictures apart, are equal."""
    before = read()
    ends = time.monotonic() + WAIT_MS / 1000
    while True:
        frames(page, count)
        now = read()
        if now == before:
            return now
        assert time.monotonic() < ends, (before, now)
        before = now


def still_box(locator: Locator) -> FloatRect:
    """Return where a thing is once it does not move any more: a pointer aims at it."""
    locator.wait_for()
    box = settled(locator.page, locator.bounding_box)
    assert box is not None
    return box
