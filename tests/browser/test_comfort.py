"""What keeps the live page usable: forced colours, Space, menus that close, messages beside the page, slow devices.

Only a browser: forced colours, pixels, sizes that stay, tips of a pointer, where the focus is, a slow processor.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from playwright.sync_api import Page, Route, expect

from tests.browser.sessions import begin, unfold
from tests.browser.waits import settled, still_box, until

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


def rectangles(page: Page) -> object:
    """Return where the parts are once nothing moves: when two readings, some pictures apart, are equal."""
    return settled(page, lambda: page.evaluate(RECTANGLES))


def choose_oldest(page: Page) -> None:
    page.locator("body").press("q")
    page.keyboard.press("5")
    page.keyboard.press("Enter")


def picture(page: Page) -> Image.Image:
    """Return the stage as it looks once it has come to rest: when two pictures of it are equal."""
    stage = page.locator("[data-canvas=stage]")
    seen = settled(page, lambda: stage.screenshot(animations="allow"))
    return Image.open(io.BytesIO(seen)).convert("RGB")


def test_with_forced_colours_the_stage_keeps_its_own(page: Page) -> None:
    start(page)
    pause(page)
    for scheme in ("light", "dark"):
        shares = []
        for forced in ("none", "active"):
            page.emulate_media(color_scheme=scheme, forced_colors=forced)
            colours = picture(page).getcolors(1 << 24) or []
            pixels = sum(count for count, _ in colours)
            assert max(count for count, _ in colours) < 0.6 * pixels, "the stage is one rectangle"
            shares.append({colour for count, colour in colours if count > 0.01 * pixels})
        assert len(shares[0] & shares[1]) >= 3, shares


def test_escape_closes_the_table_alone_q_waits_for_a_digit_and_space_is_for_time_or_a_button(
    page: Page,
) -> None:
    start(page)
    pause(page)
    escape_closes_the_table_alone_and_q_waits_for_the_digit_of_a_lane(page)
    space_lets_time_pass_or_not_but_presses_a_button_that_the_keyboard_came_to(page)


def space_lets_time_pass_or_not_but_presses_a_button_that_the_keyboard_came_to(page: Page) -> None:
    """A press of the pointer leaves Space to time; a button to which Tab led is pressed."""
    unfold(page, "queue")
    page.get_by_role("button", name="lazy", exact=True).click()
    expect(page.get_by_role("button", name="lazy", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause (Space)")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    expect(page.get_by_role("button", name="lazy", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")  # the menu lies over the steps

    page.get_by_role("button", name="Go on until delta appears").click()
    steps = page.get_by_role("list", name="First steps")
    page.get_by_role("button", name="Restart, or pull the plug").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Hide steps")).to_be_focused()
    page.keyboard.press("Space")
    expect(steps).to_be_hidden()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()


def escape_closes_the_table_alone_and_q_waits_for_the_digit_of_a_lane(page: Page) -> None:
    """And any other key ends that."""
    choose_oldest(page)
    chosen = page.locator("[data-chosen]")
    expect(chosen).to_be_visible()
    opener = page.locator("#dock .as-table summary")
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

    page.keyboard.press("Escape")
    expect(chosen).to_be_hidden()
    in_q4 = page.get_by_role("list", name=re.compile("^q4, ")).get_by_role("listitem")
    page.locator("body").press("q")  # keys.test.js: however long the reader takes for the digit
    page.keyboard.press("5")
    expect(in_q4.first).to_be_focused()
    page.keyboard.press("q")
    page.keyboard.press("w")  # any other key ends it
    page.keyboard.press("5")
    expect(page.locator("#why")).to_be_focused()


def test_a_message_to_the_reader_covers_nothing_and_a_picture_is_twice_as_large(page: Page) -> None:
    start(page)
    expect(page.locator("#files .nothing")).to_be_hidden()  # the panels open when something is written
    pause(page)
    before = rectangles(page)
    page.get_by_label("Find a message").fill("not a number")
    page.get_by_label("Find a message").press("Enter")
    alert = page.locator(".alert").first
    expect(alert).to_be_visible()
    assert rectangles(page) == before
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

    box = still_box(page.locator("[data-canvas=stage]"))
    page.get_by_role("button", name="Share and export").click()
    expect(page.locator("[data-share=link]")).to_have_value(re.compile(r"[?&]at=\d+"))
    link = page.locator("[data-share=link]").input_value()
    with page.expect_download() as file:
        page.locator("[data-share=png]").click()
    at_us = int(parse_qs(urlsplit(link).query)["at"][0])
    assert file.value.suggested_filename == f"waterline-{at_us / 1e6:.2f}s.png", "the moment of the link"
    image = Image.open(file.value.path()).convert("RGB")
    assert image.width == round(2 * box["width"])
    assert image.height > 2 * box["height"] + 80
    head = image.crop((0, 0, image.width, 100))
    for part in (head.crop((0, 0, 300, 100)), head.crop((image.width - 220, 0, image.width, 100))):
        assert len(part.getcolors(1 << 24) or []) > 10, "title at the left, time at the right"


WORDS_OF_LINES = """(lines) => {
  const sentence = document.querySelector("[data-situation]");
  const line = parseFloat(getComputedStyle(sentence).lineHeight);
  const height = () => {
    const range = document.createRange();
    range.selectNodeContents(sentence);
    return range.getBoundingClientRect().height;
  };
  sentence.textContent = "words";
  while (height() < line * (lines - 0.5)) sentence.textContent += " words";
}"""


def test_neither_a_chosen_message_nor_a_long_sentence_changes_a_size(page: Page) -> None:
    start(page)
    expect(page.locator("#files .nothing")).to_be_hidden()  # the panels open when something is written
    pause(page)
    for width, height in ((1280, 800), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        before = rectangles(page)
        choose_oldest(page)
        expect(page.locator("[data-life]")).to_be_visible()
        expect(page.get_by_role("group", name="Bytes in the index")).to_be_visible()
        assert rectangles(page) == before
        page.get_by_role("button", name="One transition back").click()
        expect(page.locator("[data-moment]")).to_be_visible()
        assert rectangles(page) == before
        page.keyboard.press("Escape")
        expect(page.locator("[data-life]")).to_be_hidden()
        page.get_by_role("button", name=re.compile("Back to now")).click()
        expect(page.locator("[data-moment]")).to_be_hidden()
    for width in (390, 820, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        sizes = []
        for lines in (1, 2):
            page.evaluate(WORDS_OF_LINES, lines)
            sizes.append(rectangles(page))
        assert sizes[0] == sizes[1]


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
    picture(page)  # what came has arrived
    before = page.evaluate(GREEN)
    page.evaluate(
        """() => {
          const own = requestAnimationFrame;
          globalThis.requestAnimationFrame = (call) => setTimeout(() => own(call), 250);
        }"""
    )
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    unfold(page, "messages")
    page.locator("#size_bytes").fill("256")  # small ones: nothing is paged out meanwhile
    page.locator("[data-act=stream]").click()
    page.locator("[data-act=play]").click()
    until(page, lambda: page.evaluate(GREEN), lambda green: green > 1.05 * before)  # what came is seen
    seen = []
    for _ in range(5):
        page.wait_for_timeout(400)
        seen.append(page.evaluate(GREEN))
    assert min(seen) > 1.05 * before > 0, (before, seen)


def test_a_word_of_the_glossary_says_its_meaning_to_pointer_and_keyboard(page: Page) -> None:
    page.goto("/subjects/")
    # Not by a click: the pointer would stay, and may then lie on a word.
    page.goto(page.locator("main a[href*='/subjects/']").first.get_attribute("href") or "")
    words, meaning = page.locator("[data-term]"), page.get_by_role("tooltip")
    words.first.hover()
    expect(meaning).to_be_visible()
    first = meaning.text_content() or ""
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()
    words.nth(1).focus()
    expect(meaning).to_be_visible()
    expect(meaning).not_to_have_text(first)


def test_a_word_that_the_reader_has_left_shows_no_meaning(page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/terms*.js", hold)  # a file of its own, bundled or not
    page.goto("/subjects/")
    # Not by a click: the pointer would stay, and may then lie on a word.
    page.goto(page.locator("main a[href*='/subjects/']").first.get_attribute("href") or "")
    words, meaning = page.locator("[data-term]"), page.get_by_role("tooltip")
    words.first.hover()
    page.mouse.move(0, 0)
    until(page, lambda: held)  # asked for by the script, which the hover does not wait for
    held[0].continue_()
    expect(page.locator("#term-tip")).to_be_attached()
    page.wait_for_timeout(300)
    expect(meaning).to_be_hidden()
    words.first.hover()
    expect(meaning).to_be_visible()
