"""A queue of another kind on the page: its lanes come from what its implementation names, on the stage and in words.

Only a browser: lanes of another kind on the canvas, under the pointer.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground.offline import export, page
from tests.browser.waits import frames, still_box
from tests.helpers.shelf import install
from tools.catalogue import script_modules as catalogue

RUN = {
    "version": 1,
    "profile": "classroom",
    "topology": {"queues": [{"name": "orders"}, {"name": "shelf.a"}]},
    "commands": [
        {"at_us": 100_000, "do": "publish", "count": 17, "size_bytes": 100, "routing_key": "shelf.a"},
        {"at_us": 200_000, "do": "get", "count": 2, "ack": True, "queue": "shelf.a"},
    ],
    "until_us": 1_000_000,
}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the page of a run with a queue in RAM; its module of places is generated as for any queue."""
    install(monkeypatch)
    read = page.read
    generated = {"js/model/catalogue/places.js": catalogue.lanes_module()}
    monkeypatch.setattr(page, "read", lambda path: generated.get(path) or read(path))
    scenario, saved_page = tmp_path / "run.json", tmp_path / "run.html"
    scenario.write_text(json.dumps(RUN), "utf-8")
    assert export.main([str(scenario), "-o", str(saved_page)]) == 0
    return saved_page


def test_a_queue_in_ram_is_seen_with_its_messages(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    expect(page.locator("body")).not_to_have_attribute("inert", "")
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.focus()
    page.keyboard.press("End")
    page.get_by_role("group", name="The queue that is shown").get_by_role(
        "button", name=re.compile("shelf")
    ).click()
    lists = page.locator("#twin [data-lane]")
    expect(lists).to_have_count(2)
    expect(lists.nth(0)).to_have_attribute("aria-label", re.compile("^shelf, 15 messages"))
    expect(lists.nth(1)).to_have_attribute("aria-label", "unacknowledged, 2 messages")

    # On the canvas: a message under the pointer is named, and chosen by a click.
    stage = page.locator("[data-canvas=stage]")
    box = still_box(stage)
    chosen = page.locator("[data-chosen]")
    for x in range(int(box["width"] * 0.1), int(box["width"] * 0.75), 6):
        stage.click(position={"x": x, "y": box["height"] * 0.3})
        frames(page)
        if chosen.is_visible():
            break
    expect(chosen).to_contain_text("seq ")

    # The table of the charts, and back to the usual queue.
    page.locator("details.as-table summary").first.click()
    expect(page.locator("[data-chart-head] th")).to_have_text(["Time", "shelf", "unacked", "Memory"])
    page.keyboard.press("Escape")
    page.get_by_role("group", name="The queue that is shown").get_by_role(
        "button", name=re.compile("orders")
    ).click()
    expect(lists).to_have_count(6)
