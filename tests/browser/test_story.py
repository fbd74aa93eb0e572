"""The story of a first visit: publish, cross the paging threshold, see delta come and go, share, open the link.

Only a browser: the whole way of a first visit on one page and over a link, with nothing in any place but what is real.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.sessions import live, unfold

OpenPage = Callable[..., Page]


def start_from_the_first_page(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play it yourself").click()
    page.wait_for_url("**/s/*/")
    live(page)
    page.get_by_role("button", name="Publish the first messages").wait_for()


def wait_for_lane(page: Page, lane: str, condition: str) -> None:
    """Wait until the text of the stage has a length of `lane` for which `fits` holds."""
    page.wait_for_function(
        """([lane, condition]) => {
          const label = document.querySelector(`#twin [data-lane=${lane}]`)?.getAttribute("aria-label") || "";
          const count = Number((label.match(/, ([\\d\\s]+)/) || [0, "0"])[1].replace(/\\s/g, ""));
          return condition === "some" ? count > 0 : count === 0;
        }""",
        arg=[lane, condition],
    )


def pause(page: Page) -> None:
    page.get_by_role("button", name="Pause (Space)").click()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def test_the_whole_story(open_page: OpenPage) -> None:
    page = open_page()
    start_from_the_first_page(page)
    page.get_by_role("button", name="Publish the first messages").click()
    wait_for_lane(page, "q4", "some")
    page.get_by_label("Messages in a burst").fill("60")
    page.get_by_role("button", name=re.compile("Publish 60")).click()
    wait_for_lane(page, "q3", "some")
    wait_for_lane(page, "delta", "some")
    expect(page.locator("#narrative")).to_contain_text("delta")
    files = page.get_by_role("region", name="Files on disk")
    expect(files.get_by_role("img", name=re.compile("Queue index: .* [1-9][0-9]* segments"))).to_be_visible()
    expect(files.get_by_role("img", name=re.compile("Message store: .* [1-9][0-9]* files"))).to_be_visible()
    unfold(page, "consumer")
    page.get_by_role("combobox", name="Acks").select_option("each")
    page.get_by_role("button", name="Consume steadily").click()
    page.get_by_role("button", name="10×").click()
    wait_for_lane(page, "delta", "none")
    wait_for_lane(page, "q3", "none")
    wait_for_lane(page, "q4", "none")
    pause(page)
    page.locator("#dock summary", has_text="Details").click()
    expect(page.locator("[data-digest-text]")).to_have_text(re.compile("^[0-9a-f]{8}$"))
    page.get_by_role("button", name="Share and export").click()
    field = page.get_by_role("textbox", name="Link")
    expect(field).to_have_value(re.compile("/r/"))
    link = field.input_value().split("?")[0]  # the whole run again, not only its last moment
    colleague = open_page()
    colleague.goto(link)
    colleague.wait_for_url("**/s/*/")
    colleague.get_by_role("button", name="10×").click()
    expect(colleague.get_by_text("the same run")).to_be_visible()
