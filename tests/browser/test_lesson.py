"""An exercise of each kind in a browser.

Only a browser: messages and lines that are dragged, chips in the order in which they stand, words that are not cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from tests.browser.conftest import DESKTOP, PHONE, OpenPage
from tests.browser.waits import still_box, until


def begin(page: Page, slug: str) -> None:
    """Open an exercise and begin it."""
    page.goto(f"/learn/{catalog.exercise(slug).unit}/{slug}/")
    page.locator(".begin .btn.primary").click()
    expect(page.locator("#task")).to_be_visible()
    expect(page.locator("[data-link][data-state=live]")).to_be_attached()


def test_a_prediction_is_locked_and_the_run_goes_on(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    begin(page, "read-back")
    expect(page.locator("#controls")).to_be_hidden()
    page.locator("#task .help").first.wait_for()
    page.get_by_role("button", name=re.compile("Hint")).click()
    expect(page.locator(".hints-given li")).to_have_count(1)
    page.fill("#answer", "8")
    page.get_by_role("button", name=re.compile("Lock my prediction")).click()
    expect(page.locator(".verdict")).to_contain_text("A whole segment has eight entries")
    expect(page.locator("[data-clock]")).to_have_text("00:03.300")
    assert_accessible(page)
    page.get_by_role("button", name="Second try").click()
    expect(page.locator("#answer")).to_be_visible()
    asked = re.search(r"delta (\d+)–(\d+)\..*takes (\d+)", page.locator(".task-text").inner_text(), re.DOTALL)
    begins, ends, taken = map(int, asked.groups())
    # The address ends with #task: with its first picture Chromium takes the focus from whatever has it by then.
    page.locator("#answer").click()
    page.fill("#answer", str(min(ends, 15) - begins + 1 if taken == begins else 0))  # a segment ends at 15
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.is-right")).to_be_visible()
    page.get_by_role("link", name="Next exercise").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Be the broker: drain the queue")


AS_READ = """(board) => {
  const read = (elements) => elements.map((each) => [each, each.getBoundingClientRect()])
    .sort(([, a], [, b]) => Math.round(a.y - b.y) || a.x - b.x).map(([each]) => each);
  return [...read([...board.querySelectorAll(".board-lane")]).map((lane) => lane.dataset.place).slice(0, 5),
    ...read([...board.querySelectorAll("[data-chip]")]).map((chip) => chip.textContent)];
}"""


@pytest.mark.parametrize(
    "viewport",
    [pytest.param(DESKTOP, id="desktop", marks=pytest.mark.soak), pytest.param(PHONE, id="phone")],
)
def test_the_broker_by_keyboard_alone(
    open_page: OpenPage, viewport: dict[str, int], assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(viewport=viewport)
    begin(page, "first-paging")
    solution = solution_of(catalog.exercise("first-paging"))
    before = dict.fromkeys("012345", "q4")
    # As on the stage: from q1 to q4, and in each lane from the newest message to the oldest, also where a line is full.
    as_read = ["q1", "q2", "delta", "q3", "q4", *"543210"]
    until(page, lambda: page.locator(".board").evaluate(AS_READ) == as_read)
    for number, placement in enumerate(solution, 1):
        board = page.locator(".board")
        for seq, place in placement.items():
            if before.get(seq) == place:
                continue
            board.locator(f"[data-chip='{seq}']").focus()
            page.keyboard.press("Space")
            board.locator(".board-moves button", has_text=re.compile(f"^{place}$")).focus()
            page.keyboard.press("Enter")
            expect(board.locator(f"[data-chip='{seq}']")).to_be_focused()
            expect(page.locator("[data-board-live]")).to_contain_text(place)
        before = placement
        if number == 1:
            assert_accessible(page)
        page.get_by_role("button", name="Check this step").click()
        if number < len(solution):
            expect(page.locator(".verdict.is-step")).to_contain_text(f"Step {number} is right")
        if number == 1:  # the run goes on to where this step ends, and there it waits for the next one
            expect(page.locator("[data-clock]")).to_have_text("00:02.500")
            expect(page.locator("#alerts")).not_to_contain_text("watching")
    expect(page.locator(".verdict.is-right")).to_be_visible()


def glyph(page: Page, seq: int) -> None:
    """Point at a message on the stage: from the head of the queue on, until its words are shown."""
    box = still_box(page.locator("[data-canvas=stage]"))
    for x in range(int(box["x"] + box["width"]), int(box["x"]), -6):
        page.mouse.move(x, box["y"] + box["height"] / 2)
        words = page.locator("[data-tooltip]:not([hidden]) b")
        if words.count() and words.text_content() == f"message {seq}":
            return
    raise AssertionError(f"message {seq} is not on the stage")


def test_the_broker_on_the_stage(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "first-paging")
    placement = solution_of(catalog.exercise("first-paging"))[0]
    moved, other = (seq for seq, place in placement.items() if place == "q3")
    expect(page.locator(f"#twin [data-lane=q4] [data-seq='{moved}']")).to_be_attached()
    words = page.locator(".carried:visible")
    glyph(page, int(moved))
    page.mouse.down()
    box = still_box(page.locator("[data-canvas=stage]"))
    for x in range(int(box["x"] + box["width"]), int(box["x"]), -12):
        page.mouse.move(x, box["y"] + box["height"] / 2)
        if words.count() and words.text_content() == f"message {moved} → q3":
            break
    page.mouse.up()
    chip = page.locator(f".stage-box [data-chip='{moved}']")
    expect(chip).to_have_attribute("data-place", "q3")
    expect(page.locator(f".board-lane[data-place=q3] [data-chip='{moved}']")).to_be_visible()
    chip.focus()
    page.keyboard.press("Shift+ArrowRight")  # back to where it was: the line in words has the keyboard
    line = page.locator(f"#twin [data-seq='{moved}']")
    expect(line).to_be_focused()
    expect(chip).to_have_count(0)
    page.keyboard.press("Shift+ArrowLeft")
    expect(chip).to_be_focused()
    page.locator(f"#twin [data-seq='{other}']").focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator(f".stage-box [data-chip='{other}']")).to_be_focused()
    page.mouse.move(10, 10)
    page.locator(f".stage-box [data-chip='{other}']").drag_to(page.locator(".placing"))
    expect(page.locator(f".stage-box [data-chip='{other}']")).to_have_attribute("data-place", "q3")
    page.get_by_role("button", name="Check this step").click()
    expect(page.locator(".verdict.is-step")).to_contain_text("Step 1 is right")
    expect(
        page.locator(f"#twin [data-lane=q3] [data-seq='{moved}']")
    ).to_be_attached()  # and the engine does it too
    expect(page.locator(".stage-box .chip-message")).to_have_count(0)
    expect(page.locator(".placing [data-place=arriving]").first).to_be_visible()


def test_lines_are_put_in_order_by_buttons_and_by_dragging(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "confirm-path")
    words = catalog.exercise("confirm-path").en.words
    solution = solution_of(catalog.exercise("confirm-path"))
    first, *others = solution
    for name in others:
        page.get_by_role("button", name=f"Add: {words[name]}").click()
    page.get_by_role("button", name=f"Add: {words[first]}").click()
    page.locator(f"[data-line={first}]").drag_to(page.locator(f"[data-line={others[0]}]"))
    expect(page.locator("ol.sortable li").first).to_contain_text(words[first])
    page.get_by_role("button", name="Check the order").click()
    expect(page.locator(".verdict.is-right")).to_be_visible()


def test_a_state_is_reached_in_the_live_session(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "reach-delta")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict.is-wrong")).to_contain_text("Fewer than 2 are in delta")
    expect(page.locator("[data-link][data-state=live]")).to_be_attached()
    page.locator("#controls input[name=count]").fill("30")
    page.locator("[data-publish-label]").click()
    in_delta = page.locator("#twin").get_by_role("list", name=re.compile("^delta, [1-9]"))
    expect(in_delta).to_be_attached()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator(".verdict.is-right")).to_be_visible()


CLIPPED = """() => [...document.querySelectorAll("#controls :is(input:not([type=range]), button, select)")]
  .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.name || each.textContent.trim()}: ${each.scrollWidth} in ${each.clientWidth}`)"""


def test_no_control_of_a_reach_exercise_is_cut_off(open_page: OpenPage) -> None:
    page = open_page()
    begin(page, "lose-persistent")
    clipped = {}
    for language in ("en", "zh-hans", "zh-hant"):
        page.locator("#language").select_option(language)
        expect(page.locator("html")).to_have_attribute("lang", language)
        for name in ("rate", "consumer_rate", "count", "hand_count"):
            page.locator(f"#controls input[name={name}]").fill("1000")
        for width in (1000, 1280, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            clipped[language, width] = page.evaluate(CLIPPED)
    assert {where: found for where, found in clipped.items() if found} == {}
