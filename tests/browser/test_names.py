"""Names as brokers have them, and as an attacker would choose them: shown as they are, and run nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]
HOSTILE = "<img src=x onerror=document.title='run'>\"'&"
NAMES = ["MyApp:Error", "svc/orders [0]", HOSTILE]
SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "topology": {
        "queues": [{"name": name} for name in NAMES],
        "exchanges": [{"name": "Acme:Placed", "type": "fanout"}],
        "bindings": [{"exchange": "Acme:Placed", "queue": name} for name in NAMES],
        "policies": [{"name": HOSTILE, "pattern": "^nothing$", "definition": {"max-length": 5}}],
    },
    "commands": [
        {"at_us": 100_000, "do": "publish", "count": 9, "size_bytes": 6144, "exchange": "Acme:Placed"},
        {"at_us": 200_000, "do": "set_consumer", "name": HOSTILE, "queue": HOSTILE, "rate_per_s": 2},
    ],
    "until_us": 1_000_000,
}


def test_hostile_names_are_shown_and_never_run(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    page.goto("/")
    page.locator("details.import summary").click()
    page.locator("#import-text").fill(json.dumps(SCENARIO))
    page.locator("details.import form button").click()
    page.wait_for_url("**/s/*/")
    queues = page.get_by_role("group", name="The queue that is shown")
    expect(queues.get_by_role("button")).to_have_count(3)
    for name in NAMES:
        queues.get_by_role("button", name=name).first.click()
        expect(queues.get_by_role("button", pressed=True)).to_contain_text(name)
        expect(page.locator("#narrative")).to_contain_text(name)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert "run" not in page.title()
    assert_accessible(page)
    for form in ("run.html", "run.csv", "scenario.json"):
        kept = page.request.get(page.url + form)
        assert kept.ok
        assert form != "run.html" or "<img src=x" not in kept.text()
