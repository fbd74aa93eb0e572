"""How much room the stage has, how large type is, and what moves by itself: a session, a presentation, a projector.

Only a browser: sizes of drawn type, words that can be seen, and the browser's own reports of layout shifts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.sessions import begin
from tests.browser.waits import still_box

NOTEBOOK = {"width": 1280, "height": 800}
PROJECTOR = {"width": 1920, "height": 1080}
MOST_WORDS = 250
STAGE_LEAST = {1280: 0.3, 1920: 0.43}
"""The least part of a screen of this width for the drawn stage; beside a column of controls it had 0.24 and 0.39."""
SHIFT_MOST = 0.05

ALL_FOLDED = "localStorage.setItem('waterline.folds', '[]')"
"""As a new reader has the page; other tests have everything unfolded."""
SEEN_WORDS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const parent = walker.currentNode.parentElement;
    if (!text || parent.closest("script, select, .skip")) continue;
    if (!parent.checkVisibility({ checkVisibilityCSS: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    let shown = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    for (let each = parent; shown && each; each = each.parentElement) {
      const style = getComputedStyle(each);
      const around = each.getBoundingClientRect();
      if (style.clipPath.startsWith("inset(50%")) shown = false;
      const outside = box.top >= around.bottom - 1 || box.bottom <= around.top + 1;
      if (style.overflowY !== "visible" && outside) shown = false;
    }
    if (shown) found.push([text, parseFloat(getComputedStyle(parent).fontSize) * parent.currentCSSZoom]);
  }
  return found;
}"""
"""The texts that stand on the screen now, each with the size of its type in CSS pixels."""

DRAWN_SIZES = """() => {
  window.drawn = new Map();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    const scale = this.getTransform().d / devicePixelRatio;
    window.drawn.set(text, parseFloat(this.font.match(/[\\d.]+px/)[0]) * scale);
    return fillText.call(this, text, ...rest);
  };
}"""
"""Keep the size of each text that a canvas draws, in CSS pixels."""

SHIFTS = """() => {
  window.shifts = [];
  const observer = new PerformanceObserver((list) => window.shifts.push(...list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
}"""


def publish(page: Page, count: int) -> None:
    page.get_by_label("Messages in a burst").fill(str(count))
    page.get_by_role("button", name=f"Publish {count}").click()


def test_a_session_has_few_words_and_none_is_smaller_than_12_px(open_page: OpenPage) -> None:
    page = open_page(viewport=NOTEBOOK)
    page.add_init_script(f"{ALL_FOLDED}; ({DRAWN_SIZES})()")
    begin(page)
    for count in (12, 40):
        publish(page, count)
    expect(page.locator("#narrative .event").nth(4)).to_be_visible()
    found = page.evaluate(SEEN_WORDS)
    assert sum(len(text.split()) for text, _size in found) <= MOST_WORDS, found
    assert [each for each in found if each[1] < 12] == []
    drawn = page.evaluate("[...window.drawn]")
    assert "delta" in dict(drawn)
    assert [each for each in drawn if each[1] < 12] == []


def test_nothing_moves_by_itself_while_a_consumer_runs(open_page: OpenPage) -> None:
    """A shift within half a second of the reader's own press counts as asked for, and as nothing.

    Here the commands come without a press, so that all shifts count: their sum, from the first answer on.
    """
    page = open_page(viewport=NOTEBOOK)
    page.add_init_script(f"{ALL_FOLDED}; ({SHIFTS})()")
    begin(page)
    page.evaluate("document.querySelector('[data-act=first]').click()")
    page.locator("#twin [data-lane=q4] li").first.wait_for(state="attached")
    page.evaluate("document.querySelector('[data-act=stream]').click()")
    expect(page.locator("[data-clients=publishers] .client")).to_be_visible()
    page.evaluate("document.querySelector('[data-act=consume]').click()")
    expect(page.locator("[data-clients=consumers] .client")).to_be_visible()
    page.wait_for_timeout(6000)
    expect(page.locator("#narrative .event").nth(8)).to_be_attached()
    shifts = page.evaluate("window.shifts.map(({ value, hadRecentInput }) => (hadRecentInput ? 0 : value))")
    assert sum(shifts) <= SHIFT_MOST, shifts


def test_the_controls_are_a_bar_above_a_stage_that_has_the_screen(open_page: OpenPage) -> None:
    page = open_page(viewport=NOTEBOOK)
    begin(page)
    for size in (NOTEBOOK, PROJECTOR):
        page.set_viewport_size(size)
        bar, stage, drawn = (still_box(page.locator(each)) for each in ("#controls", "#stage", ".stage-box"))
        assert bar["y"] + bar["height"] <= stage["y"]
        assert bar["height"] < 50, "one line"
        assert drawn["width"] * drawn["height"] >= STAGE_LEAST[size["width"]] * size["width"] * size["height"]
        assert drawn["y"] + drawn["height"] <= size["height"]


def test_what_the_bar_folds_opens_over_the_page_one_at_a_time_and_closes_like_a_menu(
    open_page: OpenPage,
) -> None:
    page = open_page(viewport=NOTEBOOK)
    begin(page)
    before = still_box(page.locator("#stage"))
    messages, memory = (page.locator(f"#controls [data-more={name}]") for name in ("messages", "memory"))
    messages.locator("summary").press("Enter")
    page.get_by_role("checkbox", name="persistent", exact=True).check()
    memory.locator("summary").press("Enter")
    expect(page.get_by_role("slider", name="High watermark").last).to_be_visible()
    expect(messages).not_to_have_attribute("open", "")
    assert still_box(page.locator("#stage")) == before
    page.keyboard.press("Escape")
    expect(memory).not_to_have_attribute("open", "")
    expect(memory.locator("summary")).to_be_focused()
    expect(messages.locator("summary")).to_have_attribute(
        "title", re.compile("^Messages: 6.KiB, persistent$")
    )
    page.get_by_label("Messages in a burst").fill("0")
    page.locator("[data-publish-label]").click()
    expect(page.locator("#controls [data-error=count]")).to_be_visible()
    assert still_box(page.locator("#stage")) == before


def test_how_it_was_decided_is_a_drawer_over_a_log_that_stays(open_page: OpenPage) -> None:
    page = open_page(viewport=NOTEBOOK)
    page.add_init_script(ALL_FOLDED)
    begin(page)
    publish(page, 52)
    expect(page.locator("#narrative .event").nth(4)).to_be_visible()
    before = still_box(page.locator(".recent"))
    page.get_by_text("How it was decided").click()
    drawer = still_box(page.locator("[data-why-body]"))
    assert still_box(page.locator(".recent")) == before
    assert drawer["y"] < before["y"] + 20
    assert drawer["y"] + drawer["height"] <= before["y"] + before["height"] + 1


def test_a_presentation_keeps_the_legend_and_no_label_is_smaller_than_18_px(open_page: OpenPage) -> None:
    page = open_page(viewport=PROJECTOR)
    page.add_init_script(f"({DRAWN_SIZES})()")
    begin(page)
    publish(page, 52)
    expect(page.locator("#narrative .event").nth(4)).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("b")
    expect(page.locator(".stage .legend")).to_be_visible()
    page.evaluate("window.drawn.clear()")
    page.mouse.move(700, 500)
    page.wait_for_function("window.drawn.has('delta')")
    assert [each for each in page.evaluate("[...window.drawn]") if each[1] < 18] == []
    assert [each for each in page.evaluate(SEEN_WORDS) if each[1] < 18] == []


def a_vote(page: Page) -> Page:
    """Return the projector of a class that votes; `page` is the teacher's."""
    page.goto("/class/sign-up")
    page.fill("#id_username", "roomy")
    page.fill("#id_password1", "correct horse battery")
    page.fill("#id_password2", "correct horse battery")
    page.get_by_role("button", name="Make the account").click()
    page.fill("#class-name", "Brokers")
    page.locator("[name=unit][value=sub-queues]").check()
    page.get_by_role("button", name="Make the class").click()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Projector view").click()
    page.get_by_text("Vote", exact=True).click()
    page.select_option("#vote-exercise", "where-next")
    page.get_by_role("button", name="Open the first round", exact=True).click()
    opened.value.locator(".wall").wait_for()
    return opened.value


def size_of(part: Locator) -> float:
    return float(part.evaluate("each => parseFloat(getComputedStyle(each).fontSize) * each.currentCSSZoom"))


def test_a_vote_fills_the_projector_with_the_stage_beside_the_question(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    teacher = open_page()
    projector = a_vote(teacher)
    projector.set_viewport_size(PROJECTOR)
    expect(projector.get_by_role("navigation")).to_have_count(0)
    for part in (projector.locator(".wall-words p").first, projector.locator(".lettered li span").first):
        assert 36 <= size_of(part) <= 40
    picture, words = (projector.locator(each).bounding_box() for each in (".stage-picture", ".wall-words"))
    assert picture is not None
    assert words is not None
    assert picture["x"] >= words["x"] + words["width"]
    assert picture["y"] < 300
    assert picture["width"] > 600
    expect(projector.locator(".stage-picture")).to_have_attribute("aria-label", "delta: 8, q3: 8, q4: 4")
    assert projector.evaluate("document.documentElement.scrollHeight <= innerHeight"), (
        "the whole vote is in view"
    )
    assert_accessible(projector)
    expect(teacher.locator("[data-vote-lead] [data-option]").first).to_be_visible()
    expect(teacher.locator("[data-vote-lead] .is-right")).to_have_count(0)
    teacher.get_by_role("button", name="Reveal now").click()
    expect(teacher.locator("[data-vote-lead] .is-right")).to_have_count(1)
    expect(projector.locator(".results .is-right")).to_have_count(1)
