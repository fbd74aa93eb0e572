"""An upgrade rehearsed from a directory: printed alone, and stepped through to a moment that shows what came of it.

Only a browser: paper, windows that a page opens, and sessions that pass from one to the other in the browser.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage

READER_MS = 120_000
RECORDED = Path(__file__).resolve().parents[1] / "recordings" / "datadirs" / "clean-mixed"


def give(page: Page, reads: str = "there") -> None:
    """Give the directory of a real 3.10.8 to who reads: the browser's engine, or the server."""
    page.goto("/inspect/")
    expect(page.locator("body")).to_have_attribute("data-reads", reads, timeout=READER_MS)
    page.locator("[data-directory]").set_input_files(RECORDED)
    if reads == "there":
        page.get_by_role("button", name="Send to this server and read").click()
    page.locator("summary", has_text="What would an upgrade do").click(timeout=READER_MS)
    expect(page.locator("section.upgrades")).to_be_visible()


def unfold(page: Page) -> None:
    """Open what is folded below the answer."""
    page.evaluate("for (const each of document.querySelectorAll('.inspect-report details')) each.open = true")


def is_printed_alone(page: Page) -> None:
    """Print the rehearsal, and look at the paper."""
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name="Print the rehearsal").click()
    page.emulate_media(media="print")
    expect(page.locator("section.upgrades").get_by_text("RabbitMQ 4.0.5").first).to_be_visible()
    for other in (page.locator("canvas"), page.locator("header"), page.get_by_text("What is in these files")):
        expect(other.locator("visible=true")).to_have_count(0)
    expect(page.locator("button").locator("visible=true")).to_have_count(0)
    page.emulate_media(media="screen")


def test_it_is_printed_alone_and_a_policy_and_a_second_start_are_stepped_through(
    open_page: OpenPage, reads: str
) -> None:
    """W100: the policy converts while the node runs; of files of version 1 a 4.3.6 finds no message.

    Time stands still just before the policy, whoever reads the files.
    """
    page = open_page()
    give(page, reads)
    if reads == "there":  # what is printed is the same page
        is_printed_alone(page)
    unfold(page)
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Step through this conversion").click()
    conversion = opened.value
    expect(conversion.locator("[data-clock]")).to_have_text("00:01.999", timeout=READER_MS)
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Step through the second start").click()
    expect(opened.value.locator("[data-situation]")).to_have_text(
        "Restarted: no message was found in the files.", timeout=READER_MS
    )
    expect(conversion.locator("[data-clock]")).to_have_text("00:01.999")
