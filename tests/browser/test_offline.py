"""The page of a run that works offline, opened from a disk: a story with its prediction, time, bytes and languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground import export


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.html"
    assert export.main(["first-burst", "-o", str(path)]) == 0
    return path


def test_a_run_plays_from_a_disk(page: Page, saved: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(saved.as_uri())
    story = page.locator("#story")
    begin = story.get_by_role("button", name="Begin", exact=True)
    begin.wait_for()
    expect(page.locator("body")).not_to_have_attribute("inert", "")

    # The whole run can be gone to, but for what a prediction hides: End stops at each pause of the story.
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:01.900")
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:04.000")
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:04.000")
    story.get_by_role("button", name="In q3, as betas").click()
    slider.focus()
    page.keyboard.press("End")
    expect(story.get_by_text("You predicted: In q3, as betas. What happened: In delta.")).to_be_visible()

    # Bytes of a message at this moment, as they were on disk.
    page.locator("#find-message").fill("50")
    page.locator("#find-message").press("Enter")
    page.locator("#find-message").fill("51")
    page.locator("#find-message").press("Enter")
    expect(page.locator("#bytes-index .hex-row").first).to_be_visible()

    # Back in time, and commands are not there.
    page.keyboard.press("Escape")
    slider.press("Home")
    expect(page.locator("[data-clock]")).to_have_text("00:00.000")
    expect(page.locator("#controls")).to_be_hidden()

    page.locator("#language").select_option("zh-hans")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.locator("#story")).to_be_visible()
    elsewhere = [url for url in asked if not url.startswith(("file:", "blob:"))]
    assert elsewhere == [], "a page from a disk asks nobody"
