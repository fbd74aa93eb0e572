"""What stands around the stage, by keyboard and mouse: clients, palette, undo, fork, instruments, presentation.

Only a browser: focus in dialogs and palette, keys that reach the page, a plot clicked at a place, what is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.sessions import begin
from tests.browser.test_story import wait_for_lane

OpenPage = Callable[..., Page]


def palette(page: Page, words: str) -> None:
    """Do something by its name."""
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Name of an action")
    expect(field).to_be_focused()
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def test_a_publisher_is_made_paused_and_killed_and_a_queue_declared_and_deleted(
    page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    begin(page)
    page.get_by_role("button", name="Add a publisher").click()
    dialog = page.get_by_role("dialog", name="A new publisher")
    dialog.get_by_label("Messages per second").fill("0")
    dialog.get_by_role("button", name="Start").click()
    expect(dialog.get_by_text("A whole number from 1")).to_be_visible()
    expect(dialog.get_by_label("Messages per second")).to_be_focused()
    assert_accessible(page)
    dialog.get_by_label("Messages per second").fill("10")
    dialog.get_by_label("confirms").check()
    page.keyboard.press("Enter")
    client = page.locator("[data-client=p1]")
    expect(client).to_contain_text("10/s")
    wait_for_lane(page, "q4", "some")
    expect(client.locator(".lamps .lit").first).to_be_visible()
    client.get_by_role("button", name="Pause p1").click()
    expect(client).to_contain_text("stopped")
    client.get_by_role("button", name=re.compile("Kill p1")).click()
    expect(client).to_have_count(0)

    palette(page, "queues, exchanges")
    dialog = page.get_by_role("dialog", name="Queues and what leads to them")
    dialog.get_by_label("Name of the queue").fill("ü" * 128)
    dialog.get_by_label("Name of the queue").press("Enter")
    expect(dialog.get_by_text("A name has 1 to 255 bytes of UTF-8.")).to_be_visible()
    dialog.get_by_label("Name of the queue").fill("spare")
    dialog.get_by_label("Name of the queue").press("Enter")
    expect(dialog.get_by_role("listitem").filter(has_text="spare")).to_be_visible()
    assert_accessible(page)
    dialog.get_by_role("button", name="Delete spare").click()
    expect(dialog.get_by_role("listitem").filter(has_text="spare")).to_have_count(0)


def test_the_palette_finds_actions_undo_takes_the_last_command_back_and_a_fork_goes_on(
    page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    begin(page)
    page.get_by_role("button", name="Publish the first messages").click()
    wait_for_lane(page, "q4", "some")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette-list [role=option]").first).to_be_visible()
    assert_accessible(page)
    page.keyboard.type("no action is called so")
    expect(page.get_by_text("No action of this name")).to_be_visible()
    page.keyboard.press("Escape")
    palette(page, "purge")
    wait_for_lane(page, "q4", "none")
    palette(page, "undo")
    wait_for_lane(page, "q4", "some")
    expect(page.get_by_text("the session was run again without its last command")).to_be_visible()

    # A fork goes on from the moment that is shown.
    before = page.url
    page.keyboard.press("f")
    page.wait_for_url(lambda url: url != before and "/s/" in url)
    wait_for_lane(page, "q4", "some")


def test_the_instruments_have_plots_and_a_table(
    page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    begin(page)
    page.get_by_role("button", name="Publish the first messages").click()
    wait_for_lane(page, "q4", "some")
    page.keyboard.press("i")
    instruments = page.get_by_role("region", name="Instruments")
    expect(instruments.get_by_role("img", name="Lengths")).to_be_visible()
    instruments.get_by_text("Show as table").click()
    expect(instruments.get_by_role("columnheader", name="fsyncs/s")).to_be_visible()
    assert_accessible(page)
    instruments.locator(".u-over").first.click(position={"x": 3, "y": 40})
    expect(page.get_by_role("button", name="Back to now")).to_be_visible()


def test_presentation_and_contrast_by_keyboard(page: Page, assert_accessible: Callable[[Page], None]) -> None:
    begin(page)
    page.keyboard.press("b")
    expect(page.get_by_role("region", name="Controls")).to_be_hidden()
    assert_accessible(page)
    page.get_by_role("button", name="Leave the presentation").click()
    expect(page.get_by_role("region", name="Controls")).to_be_visible()
    palette(page, "more contrast")
    expect(page.locator("html")).to_have_attribute("data-contrast", "more")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-contrast", "more")
    page.get_by_role("button", name="Publish the first messages").wait_for()
    assert_accessible(page)
