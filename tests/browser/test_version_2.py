"""A live session of 4.3.6: L with its rate, a load that is seen, and what each way to stop leaves.

Only a browser: the live page of another generation is put together: gauge, guess and stop of a real session.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.sessions import begin

GAUGE = "[data-gauge-text]"


def drained(page: Page) -> None:
    """Publish twelve messages, and let a consumer take some of them."""
    begin(page, "4.3.6-classroom")
    page.get_by_role("button", name="Publish the first messages").click()
    expect(page.locator(GAUGE)).to_contain_text("L is 1 of at most 8: messages leave at 0 a second")
    page.locator("[data-act=consume]").first.click()
    expect(page.locator(GAUGE)).to_contain_text(
        re.compile(r"L is [2-8] .*messages leave at \d+(\.\d{1,3})? a second")
    )


def test_l_has_the_rate_that_feeds_it(open_page: OpenPage) -> None:
    """W32, W36: the page says the rate itself, and it gives L."""
    page = open_page()
    drained(page)
    said = page.locator(GAUGE).text_content() or ""
    found = re.search(r"L is (\d+) .*?messages leave at ([\d.]+) a second", said)
    assert found, said
    value, rate = int(found[1]), float(found[2])
    assert value == min(1 + int(2 * rate), 8), said


def test_a_kill_asks_for_a_guess_and_takes_what_it_said(open_page: OpenPage) -> None:
    """Transient messages of version 2 are lost in a crash, though all but one lie on disk."""
    page = open_page()
    begin(page, "4.3.6-classroom")
    page.get_by_role("button", name="Publish the first messages").click()
    expect(page.locator(GAUGE)).to_contain_text("L is 1 of at most 8")
    page.locator("[data-restart=kill]").click()
    expect(page.get_by_text("If the node is killed now")).to_be_visible()
    expect(page.get_by_text("How many of the 12 messages will be lost?")).to_be_visible()
    expect(page.locator("[data-theatre-act=cut]")).to_be_hidden()  # one question first, then what it answers
    page.locator("[data-theatre-guess] input").fill("12")
    page.get_by_role("button", name="Check my guess").click()
    page.locator("[data-theatre-act=cut]").click()
    expect(page.get_by_text("If the node is killed now")).to_be_hidden()
    expect(page.locator("[data-situation]")).to_have_text("Restarted: 12 transient lost.")


def test_on_a_phone_the_card_covers_no_message_that_it_asks_about(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    begin(page, "4.3.6-classroom")
    page.get_by_role("button", name="Publish the first messages").click()
    expect(page.locator(GAUGE)).to_contain_text("L is 1 of at most 8")
    page.locator("[data-restart=kill]").evaluate("each => each.click()")  # wherever it is folded
    expect(page.get_by_text("How many of the 12 messages will be lost?")).to_be_visible()
    bottom = "document.querySelector('[data-canvas=stage]').getBoundingClientRect().bottom"
    page.wait_for_function(
        f"{bottom} <= document.querySelector('[data-theatre]').getBoundingClientRect().top + 1"
    )
