"""One page of a session, walked through: each surface of it shows what it should on a column's release."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Download, Page, expect

from playground.sessions import scenario_links
from tests.browser.sessions import live
from tests.browser.waits import until
from tools.proofs.surfaces.columns import COMMANDS, Column

MOMENT_US: Final = 350_000
"""Where the page opens: messages in RAM and on disk, three by hand, and a consumer that has begun."""
HELD: Final = {"at_us": 400_000, "do": "set_consumer", "name": "c1", "running": False}


def opened(page: Page, column: Column) -> None:
    """Open a column's run at its moment, with the tour that a newcomer gets."""
    run = column.run(commands=[*COMMANDS[:4], HELD], until_us=500_000)
    link = page.context.request.get(f"/x/{scenario_links.packed(run)}/?at={MOMENT_US}", max_redirects=0)
    page.goto(f"{link.headers['location'].partition('?')[0]}?tour=1")
    live(page)


def tour(page: Page) -> None:
    """The tour begins, and its first step can be taken."""
    card = page.locator(".tour")
    title = card.get_by_role("heading")
    first = title.inner_text()
    card.get_by_role("button", name="Next").click()
    expect(title).not_to_have_text(first)
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)


def stage(page: Page) -> None:
    """The stage is drawn, and the stage in words counts messages."""
    lanes = page.locator("#twin [data-lane]")
    until(
        page,
        lambda: " ".join(each.get_attribute("aria-label") or "" for each in lanes.all()),
        lambda said: re.search(r", [1-9]\d* message", said),
    )
    assert page.evaluate(DRAWN)


DRAWN = """() => {
  const canvas = document.querySelector("[data-canvas=stage]");
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((each) => each > 0);
}"""


def log(page: Page) -> None:
    """The log tells what happened."""
    expect(page.locator("#narrative li").first).to_contain_text(re.compile(r"\w"))


def why(page: Page) -> None:
    """A line of the log leads to its reason, with its rule."""
    page.locator("#narrative button").last.click()
    expect(page.locator("[data-why-rule]")).to_have_attribute("href", re.compile("/rules/"))
    expect(page.locator("[data-why-reason]")).to_contain_text(re.compile(r"\w"))


def back(page: Page) -> None:
    """The page goes back in time, and to the present."""
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-moment]")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("[data-moment]")).to_be_hidden()


def bytes_of(page: Page) -> None:
    """A message is shown as it lies in a file."""
    page.get_by_role("button", name="Bytes").click()
    page.locator("#find-message").fill("10")
    page.locator("#find-message").press("Enter")
    page.locator("#find-message").blur()
    for side in ("index", "store"):
        expect(page.locator(f"#bytes-{side} [data-part='message id']").first).to_be_visible()
    page.keyboard.press("Escape")


def charts(page: Page) -> None:
    """The instruments have plots."""
    _press(page, "i")
    expect(page.locator("#instruments [data-plots] canvas").first).to_be_visible()


def table(page: Page) -> None:
    """The charts have tables of numbers."""
    page.locator("#dock details.as-table summary").click()
    expect(page.locator("[data-chart-table] td").first).to_have_text(re.compile(r"\d"))
    page.locator("#dock details.as-table summary").click()
    page.locator("#instruments details.as-table summary").click()
    expect(page.locator("[data-plot-table] td").first).to_have_text(re.compile(r"\d"))
    _press(page, "i")


def console_line(page: Page) -> None:
    """The console lists the queue."""
    _press(page, "c")
    line = page.get_by_label("rabbitmqctl", exact=True)
    line.fill("list_queues name messages")
    line.press("Enter")
    expect(page.get_by_role("log", name="What the console printed")).to_contain_text(
        re.compile(r"orders\s+\d+")
    )
    line.press("Escape")
    expect(page.locator("#console")).to_be_hidden()


def undo(page: Page) -> None:
    """The last command is taken back."""
    _press(page, "p")
    expect(page.locator("#narrative")).to_contain_text(re.compile("published"))
    _press(page, "u")
    expect(page.get_by_text("the session was run again without its last command")).to_be_visible()


def png(page: Page) -> None:
    """The picture is one."""
    page.locator("[data-act=share]").click()
    with Image.open(_taken(page, "[data-share=png]")) as picture:
        assert min(picture.size) > 100


def svg(page: Page) -> None:
    """The picture as paths is one, and draws messages."""
    assert "<svg" in _taken(page, "[data-share=svg]").read_text("utf-8")


def gif(page: Page) -> None:
    """The film has pictures that differ."""
    film = page.locator("[data-film]")
    film.locator("summary").click()
    film.locator("[name=from]").fill("0")
    film.locator("[name=to]").fill("0.3")
    film.locator("[name=lasts]").fill("1")
    with Image.open(_taken(page, "[data-film] button")) as found:
        assert found.n_frames > 5


def recorded_page(page: Page) -> None:
    """The page for a disk opens without a server, and goes through its run."""
    path = _taken(page, "[data-share=page]")
    other = page.context.new_page()
    other.goto(path.rename(path.with_suffix(".html")).as_uri())
    expect(other.locator("body")).not_to_have_attribute("inert", "")
    other.get_by_role("slider", name="Moment of the run").press("End")
    stage(other)
    other.close()
    page.locator("#share-dialog").get_by_role("button", name="Close").click()


def _press(page: Page, key: str) -> None:
    """Press a key that is for the whole page."""
    page.locator("body").press(key)


def _taken(page: Page, button: str) -> Path:
    with page.expect_download() as taken:
        page.locator(button).click()
    file: Download = taken.value
    return Path(file.path())


def survival(page: Page) -> None:
    """Before a stop the page tells what it would leave, message by message."""
    page.locator("[data-restart=kill]").click()
    page.locator("[data-theatre-act=tell]").click()
    expect(page.locator("[data-fate=kept]")).to_have_text(re.compile(r"\d"))
    expect(page.locator("[data-fate=lost]")).to_have_text(re.compile(r"\d"))


def theatre(page: Page) -> None:
    """The stop leaves it."""
    page.locator("[data-theatre-act=cut]").click()
    expect(page.locator("[data-theatre-title]")).to_have_text(re.compile("^Restarted: "))


def fork(page: Page) -> None:
    """The run goes on in a session of its own."""
    before = page.url
    _press(page, "f")
    page.wait_for_url(lambda url: url != before and "/s/" in url)
    live(page)


STEPS: Final[dict[str, Callable[[Page], None]]] = {
    "tour": tour,
    "stage": stage,
    "log": log,
    "why": why,
    "back": back,
    "bytes": bytes_of,
    "charts": charts,
    "table": table,
    "console_line": console_line,
    "undo": undo,
    "png": png,
    "svg": svg,
    "gif": gif,
    "recorded_page": recorded_page,
    "survival": survival,
    "theatre": theatre,
    "fork": fork,
}
"""In the order in which a page is walked through. One more costs a line here, and its label."""
