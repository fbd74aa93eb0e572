"""What keeps the live page usable: forced colours, Space, menus that close, messages beside the page, slow devices."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.browser.sessions import begin

OpenPage = Callable[..., Page]
PARTS = ".stage-box, .files, .dock, .charts"
RECTANGLES = f"""() => [...document.querySelectorAll('{PARTS}')].map((part) => {{
  const {{ top, bottom, left, right }} = part.getBoundingClientRect();
  return [top, bottom, left, right].map(Math.round);
}})"""


def start(page: Page, count: int = 60) -> None:
    """Publish a burst in classroom sizes, so that contents sink, and let it come to rest."""
    begin(page)
    page.get_by_label("Messages in a burst").fill(str(count))
    page.get_by_role("button", name=re.compile(f"Publish {count}")).click()
    expect(page.locator("#twin")).to_contain_text("message 0")


def pause(page: Page) -> None:
    if page.get_by_role("button", name="Pause (Space)").count():
        page.get_by_role("button", name="Pause (Space)").click()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def choose_oldest(page: Page) -> None:
    page.locator("body").press("q")
    page.keyboard.press("5")
    page.keyboard.press("Enter")


def picture(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.locator("[data-canvas=stage]").screenshot())).convert("RGB")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_forced_colours_the_stage_keeps_its_own(open_page: OpenPage, scheme: str) -> None:
    plain, forced = (open_page(color_scheme=scheme, **media) for media in ({}, {"forced_colors": "active"}))
    shares = []
    for page in (plain, forced):
        start(page)
        pause(page)
        page.wait_for_timeout(2000)
        colours = picture(page).getcolors(1 << 24) or []
        pixels = sum(count for count, _ in colours)
        assert max(count for count, _ in colours) < 0.6 * pixels, "the stage is one rectangle"
        shares.append({colour for count, colour in colours if count > 0.01 * pixels})
    assert len(shares[0] & shares[1]) >= 3, shares


def test_space_after_a_click_lets_time_pass_or_not(page: Page) -> None:
    start(page)
    pause(page)
    page.get_by_role("button", name="lazy", exact=True).click()
    expect(page.get_by_role("button", name="lazy", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    expect(page.get_by_role("button", name="lazy", exact=True)).to_have_attribute("aria-pressed", "true")


def test_space_on_a_button_that_the_keyboard_came_to_presses_it(page: Page) -> None:
    start(page)
    pause(page)
    page.get_by_role("button", name="Go on until delta appears").click()
    steps = page.get_by_role("list", name="First steps")
    page.get_by_role("button", name="Restart, or pull the plug").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Hide steps")).to_be_focused()
    page.keyboard.press("Space")
    expect(steps).to_be_hidden()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def test_the_table_closes_on_escape_and_on_a_press_outside(page: Page) -> None:
    start(page)
    choose_oldest(page)
    chosen = page.locator("[data-chosen]")
    expect(chosen).to_be_visible()
    opener = page.locator("#dock summary")
    table = page.locator("#dock [data-chart-table]")
    opener.click()
    expect(table).to_be_visible()
    page.keyboard.press("Escape")
    expect(table).to_be_hidden()
    expect(opener).to_be_focused()
    expect(chosen).to_be_visible()  # Escape was for the table alone
    opener.click()
    expect(table).to_be_visible()
    page.locator("#situation").click()
    expect(table).to_be_hidden()


def test_a_message_to_the_reader_covers_nothing(page: Page) -> None:
    start(page)
    pause(page)
    before = page.evaluate(RECTANGLES)
    page.get_by_label("Find a message").fill("not a number")
    page.get_by_label("Find a message").press("Enter")
    alert = page.locator(".alert").first
    expect(alert).to_be_visible()
    assert page.evaluate(RECTANGLES) == before
    covered = page.evaluate(
        """() => {
          const { top, bottom, left, right } = document.querySelector(".alert").getBoundingClientRect();
          const parts = ".stage, .files, .dock, .controls, .why, .recent, header.top, .hints";
          return [...document.querySelectorAll(parts)].filter((other) => {
            const box = other.getBoundingClientRect();
            return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
          }).map((other) => other.className);
        }"""
    )
    assert covered == []


@pytest.mark.parametrize("viewport", [(1280, 800), (1440, 900), (1920, 1080)], ids=str)
def test_choosing_a_message_changes_no_size(open_page: OpenPage, viewport: tuple[int, int]) -> None:
    page = open_page(viewport={"width": viewport[0], "height": viewport[1]})
    start(page)
    pause(page)
    before = page.evaluate(RECTANGLES)
    choose_oldest(page)
    expect(page.locator("[data-life]")).to_be_visible()
    expect(page.get_by_role("group", name="Bytes in the index")).to_be_visible()
    assert page.evaluate(RECTANGLES) == before
    page.get_by_role("button", name="One transition back").click()
    expect(page.locator("[data-moment]")).to_be_visible()
    assert page.evaluate(RECTANGLES) == before


def test_q_waits_for_the_digit_of_a_lane_however_long_that_takes(page: Page) -> None:
    start(page)
    pause(page)
    in_q4 = page.get_by_role("list", name=re.compile("^q4, ")).get_by_role("listitem")
    page.locator("body").press("q")
    page.wait_for_timeout(2500)
    page.keyboard.press("5")
    expect(in_q4.first).to_be_focused()
    page.keyboard.press("q")
    page.keyboard.press("w")  # any other key ends it
    page.keyboard.press("5")
    expect(page.locator("#why")).to_be_focused()


@pytest.mark.parametrize("width", [390, 820, 1280, 1920])
def test_a_sentence_of_two_lines_changes_no_size(open_page: OpenPage, width: int) -> None:
    page = open_page(viewport={"width": width, "height": 800})
    start(page)
    pause(page)
    sizes = []
    for lines in (1, 2):
        page.evaluate(
            """(lines) => {
              const sentence = document.querySelector("[data-situation]");
              const line = parseFloat(getComputedStyle(sentence).lineHeight);
              const height = () => {
                const range = document.createRange();
                range.selectNodeContents(sentence);
                return range.getBoundingClientRect().height;
              };
              sentence.textContent = "words";
              while (height() < line * (lines - 0.5)) sentence.textContent += " words";
            }""",
            lines,
        )
        sizes.append(page.evaluate(RECTANGLES))
    assert sizes[0] == sizes[1]


def test_the_picture_is_twice_as_large_with_title_and_time(page: Page) -> None:
    start(page)
    pause(page)
    box = page.locator("[data-canvas=stage]").bounding_box()
    assert box
    page.get_by_role("button", name="Share", exact=True).click()
    with page.expect_download() as file:
        page.locator("[data-share=png]").click()
    image = Image.open(file.value.path()).convert("RGB")
    assert image.width == round(2 * box["width"])
    assert image.height > 2 * box["height"] + 80
    head = image.crop((0, 0, image.width, 100))
    for part in (head.crop((0, 0, 300, 100)), head.crop((image.width - 220, 0, image.width, 100))):
        assert len(part.getcolors(1 << 24) or []) > 10, "title at the left, time at the right"


GREEN = """() => {
  const canvas = document.querySelector("[data-canvas=stage]");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    count += data[at] + Math.abs(data[at + 1] - 158) + Math.abs(data[at + 2] - 115) < 24;
  return count / (canvas.width * canvas.height);
}"""


def test_a_slow_device_shows_where_messages_are(page: Page) -> None:
    """At a few frames a second what comes would fade in for ever: only those that stood there before would be seen."""
    start(page, 9)
    pause(page)
    page.wait_for_timeout(1000)
    before = page.evaluate(GREEN)
    page.evaluate(
        """() => {
          const own = requestAnimationFrame;
          globalThis.requestAnimationFrame = (call) => setTimeout(() => own(call), 250);
        }"""
    )
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    page.locator("#size_bytes").fill("256")  # small ones: nothing is paged out meanwhile
    page.locator("[data-act=stream]").click()
    page.locator("[data-act=play]").click()
    page.wait_for_timeout(3000)
    seen = []
    for _ in range(5):
        page.wait_for_timeout(400)
        seen.append(page.evaluate(GREEN))
    assert min(seen) > 1.05 * before > 0, (before, seen)


def test_a_word_of_the_glossary_says_its_meaning_to_pointer_and_keyboard(page: Page) -> None:
    page.goto("/subjects/")
    page.locator("main a[href*='/subjects/']").first.click()
    words, meaning = page.locator("[data-term]"), page.get_by_role("tooltip")
    words.first.hover()
    expect(meaning).to_be_visible()
    first = meaning.text_content()
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    words.nth(1).focus()
    expect(meaning).to_be_visible()
    assert meaning.text_content() != first


def test_a_word_that_the_reader_has_left_shows_no_meaning(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/view/page/terms*.js", hold)
    page.goto("/subjects/")
    page.locator("main a[href*='/subjects/']").first.click()
    words, meaning = page.locator("[data-term]"), page.get_by_role("tooltip")
    words.first.hover()
    page.mouse.move(0, 0)
    for _ in range(100):
        page.wait_for_timeout(20)
        if held:
            break
    held[0].continue_()
    expect(page.locator("#term-tip")).to_be_attached()
    page.wait_for_timeout(300)
    expect(meaning).to_be_hidden()
    words.first.hover()
    expect(meaning).to_be_visible()
