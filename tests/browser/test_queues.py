"""Several queues in one session: one is shown, and the stage, the lines and the files follow the choice.

Only a browser: cards and lanes follow a choice; on a phone one card is seen at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

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
    expect(queues.get_by_role("button")).to_have_count(2)
    expect(queues.get_by_role("button", name=re.compile("^audit 9"))).to_be_visible()
    queues.get_by_role("button", name=re.compile("^orders")).click()
    page.wait_for_function("() => /^q4, 4 /.test(document.querySelector('#twin [data-lane=q4]').ariaLabel)")
    queues.get_by_role("button", name=re.compile("^audit")).click()
    expect(queues.get_by_role("button", pressed=True)).to_contain_text("audit")
    page.wait_for_function("() => /^q4, 9 /.test(document.querySelector('#twin [data-lane=q4]').ariaLabel)")
    lines = page.locator("#narrative")
    expect(lines).to_contain_text("orders4 messages published")
    page.get_by_text("How it was decided").click()  # it lies over the log
    page.get_by_text("this queue", exact=True).click()
    expect(lines).not_to_contain_text("orders4 messages published")
    expect(lines).to_contain_text("audit9 messages published")
    page.get_by_role("combobox", name="Which kind of lines").select_option("files")
    expect(lines).not_to_contain_text("published")
    assert_accessible(page)


CLUSTER = {
    "version": 1,
    "profile": "classroom",
    "settings": {"nodes": 3, "ring_hop_us": 2000},
    "commands": [
        {"at_us": 100_000, "do": "publish", "count": 8, "size_bytes": 100, "persistent": True},
        {
            "at_us": 200_000,
            "do": "set_policy",
            "name": "ha",
            "pattern": ".*",
            "definition": {"ha-mode": "all"},
        },
        {"at_us": 300_000, "do": "publish", "count": 4, "size_bytes": 100, "persistent": True},
    ],
    "until_us": 1_000_000,
}


ONE_AT_A_TIME = """(node) => {
  const card = document.querySelector(`[data-node=${node}]`).getBoundingClientRect();
  const row = document.querySelector(".node-cards").getBoundingClientRect();
  return Math.abs(card.left - row.left) < 4 && Math.abs(card.width - row.width) < 4;
}"""
"""Whether a node's card is the one that is seen on a phone."""


def test_a_master_is_killed_on_its_card_and_the_stage_follows_its_heir(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    """Its late mirror lacked eight of twelve messages: they are lost, and the page says why."""
    page = open_page()
    page.goto("/")
    page.locator("details.import summary").click()
    page.locator("#import-text").fill(json.dumps(CLUSTER))
    page.locator("details.import form button").click()
    page.wait_for_url("**/s/*/")
    cards = {node: page.locator(f"[data-node={node}]") for node in ("n1", "n2", "n3")}
    expect(cards["n2"]).to_contain_text("lacks 8")
    expect(cards["n1"].locator("[data-place=q4]")).to_have_text("q4 12")
    cards["n1"].get_by_role("button", name="Kill").click()
    expect(cards["n2"]).to_have_attribute("data-role", "master")
    expect(cards["n1"]).to_have_attribute("data-role", "down")
    expect(cards["n2"].locator("[data-place=lost]")).to_have_text("lost 8")
    failover = page.locator("[data-failover]")
    expect(failover).to_contain_text("8 messages are lost: they were older than this mirror")
    page.wait_for_function("() => /^q4, 4 /.test(document.querySelector('#twin [data-lane=q4]').ariaLabel)")
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(ONE_AT_A_TIME, arg="n2")
