"""The bytes of a chosen message: the same id in the index and in the store, read from the session's real files.

And those of a real node, which Inspect reads in the browser: they stay there.

Only a browser: pixels of a canvas that are clicked, downloads, focus, WebAssembly in a page, what leaves it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE
from tests.browser.sessions import begin, unfold
from tests.browser.waits import OF_A_ROUND, WAIT_MS, frames, still_box, until

OpenPage = Callable[..., Page]
ENGINE_MS = 3 * WAIT_MS
"""WebAssembly of 9 MB is compiled, and Python begins in it; on a throttled processor too."""


def start(page: Page, count: int = 30) -> None:
    begin(page)
    unfold(page, "messages")
    page.get_by_role("checkbox", name="persistent", exact=True).check()
    page.get_by_label("Messages in a burst").fill(str(count))
    page.get_by_role("button", name=re.compile(f"Publish {count}")).click()
    page.wait_for_function("() => /^\\s*[1-9]/.test(document.querySelector('[data-index-note]').textContent)")


def choose_oldest(page: Page) -> None:
    """Choose the next message to deliver by the keyboard alone."""
    page.locator("body").press("q")
    page.keyboard.press("5")
    page.keyboard.press("Enter")


def strip(page: Page, side: str) -> Locator:
    return page.get_by_role("group", name=f"Bytes in the {side}")


def id_bytes(page: Page, side: str) -> str:
    """Return the first message id of a strip as it is shown, cut into rows or not."""
    cells = strip(page, side).locator("[data-part='message id']")
    first = cells.first.get_attribute("data-field")
    shown = strip(page, side).locator(f"[data-part='message id'][data-field='{first}'] code")
    return " ".join(shown.all_inner_texts()).replace(" ", "")


def test_the_same_id_in_index_and_store_and_rules_with_their_text(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    start(page)
    why = page.locator("[data-why-rule]")
    expect(why).to_have_attribute("href", re.compile(r"^/rules/[A-Z]\d+$"))
    with page.expect_popup() as opened:
        why.click()
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text(re.compile(r"^[A-Z]\d+"))
    opened.value.close()
    page.get_by_role("button", name="Bytes").click()
    expect(strip(page, "index")).to_contain_text("choose the message on the stage")
    choose_oldest(page)
    for side in ("index", "store"):
        expect(strip(page, side).locator("[data-part='message id']").first).to_be_visible()
    id_in_index = id_bytes(page, "index")
    assert re.fullmatch("[0-9a-f]{32}", id_in_index)
    assert id_bytes(page, "store") == id_in_index
    expect(strip(page, "index")).to_contain_text(re.compile(r"(\d+\.idx|journal\.jif) @ 0x"))

    page.get_by_role("button", name="Pause (Space)").click()
    expect(page.get_by_role("button", name="Play (Space)")).to_be_visible()
    strip(page, "index").get_by_role("button", name=re.compile("^kind, ")).focus()
    expect(strip(page, "index").locator("a.rule")).to_have_attribute("href", re.compile(r"^/rules/S\d+$"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(strip(page, "index").get_by_role("button", name=re.compile("^message id"))).to_be_focused()
    expect(strip(page, "index")).to_contain_text("the only link between the two")
    expect(strip(page, "store").locator(".is-lit").first).to_be_visible()
    page.keyboard.press("End")
    frames(page, OF_A_ROUND)
    expect(page.locator("[data-moment]")).to_be_hidden()  # the arrows walk the fields, not the run
    assert_accessible(page)

    with page.expect_download() as file:
        strip(page, "store").get_by_role("link", name=re.compile("Download .*rdq")).click()
    assert file.value.suggested_filename.endswith(".rdq")
    assert id_in_index in file.value.path().read_bytes().hex()
    with page.expect_download() as packed:
        strip(page, "store").get_by_role("link", name="all files (zip)").click()
    with zipfile.ZipFile(io.BytesIO(packed.value.path().read_bytes())) as files:
        assert files.testzip() is None
        assert any(name.endswith("journal.jif") for name in files.namelist())

    page.keyboard.press("Escape")
    expect(strip(page, "store")).to_contain_text("choose the message on the stage")


def test_a_click_on_a_block_chooses_its_message(open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    start(page)
    canvas = page.locator("[data-canvas=store]")
    canvas.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => document.querySelector('[data-canvas=store]').getAttribute('aria-label').match(/[1-9]\\d* files/)"
    )
    still_box(canvas)
    canvas.click(position={"x": 58, "y": 5})
    expect(page.locator("[data-chosen]")).to_contain_text(re.compile(r"seq \d"))
    expect(strip(page, "store").locator("[data-part='message id']").first).to_be_visible()
    until(page, lambda: id_bytes(page, "store") == id_bytes(page, "index"))


def test_inspect_reads_a_real_nodes_directory_here_and_sends_nothing(
    page: Page, reads_here: None, recordings: Path
) -> None:
    """It takes its time: WebAssembly is compiled, and only a browser shows what leaves a page."""
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto("/inspect/")
    expect(page.locator("body")).to_have_attribute("data-reads", "here", timeout=ENGINE_MS)
    expect(page.locator("[data-reader]")).to_contain_text("never leaves this machine")
    expect(page.locator("[data-send] button")).to_have_count(0)

    assert any(each.endswith("snapshot-0.bin") for each in asked), "what the worker asks for is heard"
    asked.clear()
    page.locator("[data-directory]").set_input_files(recordings / "datadirs" / "clean-mixed")
    report = page.locator(".inspect-report")
    expect(report).to_contain_text("4 are transient: a start drops them.", timeout=ENGINE_MS)
    expect(report).to_contain_text("q.lazy pins it with 2 messages, seq 3 to 7")
    expect(report.locator("[data-stop]")).to_have_attribute("data-stop", "clean")

    # The engine's own start on these files passes on the stage, and stands still behind it.
    expect(page.locator("[data-clock]")).to_have_text("00:02.000", timeout=ENGINE_MS)
    expect(page.locator("#files")).to_contain_text("16 live records")

    # Any record in hex, with its fields.
    report.get_by_text("Files, record by record").click()
    report.get_by_text("msg_store_persistent/0.rdq", exact=True).last.click()
    report.locator(".record-chips button").nth(1).click()
    expect(report.locator(".record-fields")).to_contain_text("67d7432fb3f9a3db5a68468bcf8f26cd")
    assert asked == []

    # One of those that the page brings: that is fetched, and read here as well.
    page.get_by_role("link", name="Read others").click()
    page.get_by_role("button", name="a store file is gone").click()
    expect(report).to_contain_text("brings back 8 of 21 persistent messages; 11 are lost", timeout=ENGINE_MS)
    assert not [each for each in asked if not each.startswith("GET ")], asked
