"""The story of a scenario, its locked prediction, and a link to a moment that a colleague opens.

Only a browser: buttons that a prediction holds, links in another visitor's page, frames, a selection in the editor.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE

OpenPage = Callable[..., Page]


def open_scenario(page: Page, slug: str) -> None:
    page.goto("/library/?all=1")
    page.locator(f"#{slug} .card-link").click()
    page.wait_for_url("**/s/*/")
    expect(page.locator("#story")).to_be_visible()
    expect(page.locator("[data-link][data-state=live]")).to_be_visible()


def story(page: Page, text: str) -> None:
    expect(page.locator("[data-story=body]")).to_contain_text(text)


def clock(page: Page, text: str) -> None:
    expect(page.locator("[data-clock]")).to_have_text(text)


def address_with(page: Page, part: str) -> str:
    """Return what the page offers to be shared, once this is in it."""
    field = page.get_by_role("textbox", name="Link")
    expect(field).to_have_value(re.compile(re.escape(part)))
    return field.input_value()


def test_a_prediction_is_locked_and_graded_by_the_run(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    open_scenario(page, "paging-spike")
    clock(page, "00:00.000")
    story(page, "Why does memory go up")
    page.get_by_role("button", name="Begin").click()
    clock(page, "00:01.900")
    story(page, "just below the paging line")
    page.get_by_role("button", name="Go on", exact=True).click()
    clock(page, "00:01.950")
    expect(page.get_by_role("button", name="Go on", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Play (Space)").click()
    page.get_by_role("button", name=re.compile("^Step")).click()
    clock(page, "00:01.950")
    assert_accessible(page)
    page.get_by_role("button", name="Below the line again").click()
    story(page, "Locked.")
    page.get_by_role("button", name="Go on", exact=True).click()
    clock(page, "00:02.100")
    page.get_by_role("button", name="Play (Space)").click()
    story(page, "You predicted: Below the line again. What happened: Above the watermark.")
    clock(page, "00:02.200")
    story(page, "it depends")
    page.reload()
    story(page, "You predicted: Below the line again")


def test_a_colleague_stands_at_the_moment_of_a_link(open_page: OpenPage) -> None:
    page = open_page()
    open_scenario(page, "first-burst")
    page.get_by_role("button", name="Begin").click()
    clock(page, "00:01.900")
    page.get_by_role("button", name="Go on", exact=True).click()
    clock(page, "00:04.000")
    page.get_by_role("button", name="In delta").click()
    page.get_by_role("button", name="Go on", exact=True).click()
    clock(page, "00:04.800")
    story(page, "As you predicted.")
    page.get_by_role("button", name="Share and export").click()
    link = address_with(page, "at=4800000")
    page.locator("[data-share=lang]").select_option("zh-hans")
    chinese = address_with(page, "lang=zh-hans")
    page.locator("#share-dialog label", has_text="With the run in it").click()
    whole = address_with(page, "/x/")
    for address in (link, whole):
        colleague = open_page()
        colleague.goto(address)
        clock(colleague, "00:04.800")
        expect(colleague.locator("#twin [data-lane=delta]")).to_have_attribute("aria-label", re.compile("42"))
    abroad = open_page(viewport=PHONE)
    abroad.goto(chinese)
    expect(abroad.locator("html")).to_have_attribute("lang", "zh-hans")
    clock(abroad, "00:04.800")

    # And to a transition, and a message.
    short = page.evaluate("JSON.parse(document.querySelector('#live-data').textContent).session")
    page.goto(f"/s/{short}/?at=4000000&n=24&msg=3&view=files")
    expect(page.locator("[data-number]")).to_have_text(re.compile("^transition 24 of"))
    expect(page.locator("[data-chosen]")).to_contain_text("3")


def test_a_frame_shows_a_picture_until_somebody_plays(open_page: OpenPage) -> None:
    page = open_page()
    open_scenario(page, "five-lanes")
    page.get_by_role("button", name="Begin").click()
    clock(page, "00:01.000")
    page.get_by_role("button", name="Share and export").click()
    page.locator("#share-dialog label", has_text="Frame for a page").click()
    found = re.search('src="([^"]+)"', address_with(page, "src="))
    assert found is not None
    frame = open_page(viewport={"width": 800, "height": 460})
    frame.goto(found[1].replace("&amp;", "&"))
    expect(frame.locator(".poster")).to_be_visible()
    frame.get_by_role("button", name="Play this run").click()
    expect(frame.locator("[data-embed=clock]")).to_have_text("00:01.000")
    assert frame.context.cookies() == []


def test_the_editor_points_at_the_place_and_runs(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    page.goto("/library/?subject=21")
    assert_accessible(page)
    page.goto("/library/edit/?from=first-burst")
    assert_accessible(page)
    field = page.get_by_role("textbox", name="Scenario")
    text = field.input_value()
    field.fill(text.replace('"profile": "classroom"', '"profile": "huge"'))
    page.get_by_role("button", name=re.compile(r"line \d+")).click()
    chosen = page.evaluate(
        """(() => {
          const text = document.querySelector("#text");
          return text.value.slice(text.selectionStart, text.selectionStart + 6);
        })()"""
    )
    assert chosen == '"huge"'
    field.fill(text)
    expect(page.locator("#problems")).to_contain_text("In order.")
    page.get_by_role("button", name="Run it").click()
    page.wait_for_url("**/s/*/")
    story(page, "more messages come than memory may hold")
