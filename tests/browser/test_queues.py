"""Several queues in one session: one is shown, and the stage, the lines and the files follow the choice."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.test_bytes import SLOW_MS

OpenPage = Callable[..., Page]

COMMANDS = [
    {
        "at_us": 100_000,
        "do": "publish",
        "count": 9,
        "size_bytes": 6144,
        "persistent": True,
        "routing_key": "audit",
    },
    {
        "at_us": 200_000,
        "do": "publish",
        "count": 4,
        "size_bytes": 6144,
        "persistent": True,
        "routing_key": "orders",
    },
]
SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "topology": {"queues": [{"name": "orders"}, {"name": "audit"}]},
    "commands": COMMANDS,
    "until_us": 1_000_000,
}


def lane(page: Page, name: str) -> str:
    return page.locator(f"#twin [data-lane={name}]").get_attribute("aria-label") or ""


def test_another_queue_is_chosen_and_everything_follows(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    page.goto("/")
    page.locator("details.import summary").click()
    page.locator("#import-text").fill(json.dumps(SCENARIO))
    page.locator("details.import form button").click()
    page.wait_for_url("**/s/*/")
    queues = page.get_by_role("group", name="The queue that is shown")
    expect(queues.get_by_role("button")).to_have_count(2, timeout=SLOW_MS)
    expect(queues.get_by_role("button", name=re.compile("^audit 9"))).to_be_visible(timeout=SLOW_MS)
    queues.get_by_role("button", name=re.compile("^orders")).click()
    page.wait_for_function(
        "() => /^q4, 4 /.test(document.querySelector('#twin [data-lane=q4]').ariaLabel)", timeout=SLOW_MS
    )
    queues.get_by_role("button", name=re.compile("^audit")).click()
    expect(queues.get_by_role("button", pressed=True)).to_contain_text("audit")
    page.wait_for_function(
        "() => /^q4, 9 /.test(document.querySelector('#twin [data-lane=q4]').ariaLabel)", timeout=SLOW_MS
    )
    lines = page.locator("#narrative")
    expect(lines).to_contain_text("orders4 messages published")
    page.get_by_text("this queue", exact=True).click()
    expect(lines).not_to_contain_text("orders4 messages published")
    expect(lines).to_contain_text("audit9 messages published")
    page.get_by_role("combobox", name="Which kind of lines").select_option("files")
    expect(lines).not_to_contain_text("published")
    assert_accessible(page)
