"""One message is found and followed: its wire to index and store, its life as a strip, and the moments in it.

Only a browser: wires that are drawn from a message to its bytes, what leads back by a click, a field that / opens.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE
from tests.browser.sessions import unfold
from tests.browser.test_bytes import id_bytes, start, strip
from tests.browser.test_story import pause
from tests.browser.waits import until

OpenPage = Callable[..., Page]


def find(page: Page, text: str) -> None:
    page.keyboard.press("/")  # where few messages are, the field comes when it is asked for
    page.get_by_role("textbox", name="Find a message").fill(text)
    page.keyboard.press("Enter")


def test_a_message_is_found_followed_and_its_moments_lead_back(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    start(page)
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Find a message")).to_be_focused()
    find(page, "4000")
    expect(page.locator("#alerts")).to_contain_text("There is no message 4")
    find(page, "7")
    life = page.get_by_role("group", name="Life of the message")
    expect(life).to_contain_text("message 7")
    expect(life.get_by_role("button", name=re.compile("published to q4"))).to_be_visible()
    expect(page.locator("[data-leader] path.line:not(.behind)")).to_have_count(2)
    expect(page.locator("[data-leader] rect.ring").first).to_be_visible()
    expect(strip(page, "index").locator("[data-part='message id']").first).to_be_visible()
    message_id = id_bytes(page, "index")
    unfold(page, "consumer")
    page.get_by_role("combobox", name="Acks").select_option("each")
    page.get_by_role("button", name="Consume steadily").click()
    page.get_by_role("button", name="10×").click()
    acked = life.get_by_role("button", name=re.compile("acked"))
    expect(acked).to_be_attached()
    pause(page)
    life.get_by_role("button", name=re.compile("published to q4")).click()
    expect(page.locator("[data-moment]")).to_be_visible()
    expect(life).to_contain_text("q4 · alpha")
    assert_accessible(page)
    find(page, "8")
    expect(life).to_contain_text("message 8")
    find(page, message_id)
    expect(life).to_contain_text("message 7")
    page.keyboard.press("Escape")
    expect(life).to_be_hidden()
    expect(page.locator("[data-leader] path.line")).to_have_count(0)


def test_on_a_phone_the_strip_scrolls_and_no_wire_crosses_the_panels(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    start(page)
    find(page, "3")
    expect(page.locator("[data-life-list] button").first).to_be_visible()
    expect(page.locator("[data-leader] rect.ring").first).to_be_attached()
    expect(page.locator("[data-leader] path.line")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_going_back_shows_the_files_of_that_moment(open_page: OpenPage) -> None:
    page = open_page()
    start(page)
    find(page, "7")
    expect(strip(page, "store").locator("[data-part='message id']").first).to_be_visible()
    message_id = id_bytes(page, "store")
    unfold(page, "queue")
    page.get_by_role("button", name="Purge").click()
    expect(strip(page, "store")).to_contain_text("This message is over")
    pause(page)
    life = page.get_by_role("group", name="Life of the message")
    life.get_by_role("button", name=re.compile("journal synced")).first.click()
    for side in ("index", "store"):
        expect(strip(page, side)).to_contain_text("as of transition")
        expect(strip(page, side).locator("[data-part='message id']").first).to_be_visible()
        until(page, partial(id_bytes, page, side), message_id.__eq__)
    with page.expect_download() as packed:
        strip(page, "store").get_by_role("link", name="all files (zip)").click()
    assert re.search(r"-\d+\.zip$", packed.value.suggested_filename)
    page.locator("#situation").click()
    page.keyboard.press("End")
    expect(strip(page, "store").locator("[data-as-of]")).to_be_hidden()
