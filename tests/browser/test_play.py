"""Play on the picture itself: things are joined, pulled and put back, by the pointer and by the keyboard alone.

Only a browser: things on the picture that are carried onto others, by pointer and keyboard; where the focus goes.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.sessions import begin, unfold
from tests.browser.waits import still_box

SCENARIO = {
    "version": 1,
    "profile": "classroom",
    "topology": {
        "queues": [{"name": "orders"}, {"name": "audit"}],
        "exchanges": [{"name": "logs", "type": "fanout"}],
    },
    "commands": [
        {"at_us": 0, "do": "publish", "count": 6, "size_bytes": 6144, "persistent": True},
        {"at_us": 1_000, "do": "get", "count": 3},
        {"at_us": 2_000, "do": "set_publisher", "name": "p1", "rate_per_s": 10, "size_bytes": 100, "running": False},
        {"at_us": 3_000, "do": "set_consumer", "name": "c1", "rate_per_s": 10, "prefetch": 2, "running": False},
    ],
    "until_us": 100_000,
}  # fmt: skip


def opened(page: Page) -> None:
    """Open the run, and wait until the page shows its end."""
    page.goto("/")
    page.locator("details.import summary").click()
    page.locator("#import-text").fill(json.dumps(SCENARIO))
    page.locator("details.import form button").click()
    page.wait_for_url("**/s/*/")
    expect(page.locator("[data-client=c1]")).to_be_visible()
    expect(page.locator("[data-held]")).to_contain_text("holds 3")


def carry(page: Page, one: Locator, other: Locator) -> None:
    """Carry the middle of one thing onto the middle of another."""
    start, goal = still_box(one), still_box(other)
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(goal["x"] + goal["width"] / 2, goal["y"] + goal["height"] / 2, steps=5)
    page.mouse.up()


def thing(page: Page, name: str) -> Locator:
    return page.locator(f'[data-object="{name}"]')


def test_things_are_joined_by_the_pointer_and_messages_go_back(
    page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    opened(page)
    live_region = page.locator("[data-routes-live]")
    carry(page, thing(page, "exchange:logs"), thing(page, "queue:audit"))
    expect(live_region).to_have_text("audit is bound to logs")
    carry(page, thing(page, "publisher:p1").locator("b"), thing(page, "exchange:logs"))
    expect(live_region).to_have_text("p1 publishes to exchange logs")
    carry(page, thing(page, "consumer:c1").locator("b"), thing(page, "queue:audit"))
    expect(live_region).to_have_text("c1 consumes from audit")
    rate = page.get_by_role("slider", name="Messages per second of c1")
    box = still_box(rate)
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 64, box["y"] + 4, steps=4)
    page.mouse.up()
    expect(rate).to_have_attribute("aria-valuenow", "20")
    mark = page.get_by_role("slider", name="High watermark").first
    box = still_box(mark)
    before = float(mark.get_attribute("aria-valuenow") or 0)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "(before) => Number(document.querySelector('[data-line=vm_memory_high_watermark]').ariaValueNow) < before",
        arg=before,
    )
    assert_accessible(page)


def test_all_of_it_goes_by_the_keyboard(page: Page, assert_accessible: Callable[[Page], None]) -> None:
    opened(page)
    live_region = page.locator("[data-routes-live]")
    page.get_by_role("button", name="Join exchange logs to …").press("Enter")
    first = page.get_by_role("menuitem", name="p1 publishes to exchange logs")
    expect(first).to_be_focused()
    assert_accessible(page)
    first.press("ArrowDown")
    second = page.get_by_role("menuitem", name="audit is bound to logs")
    expect(second).to_be_focused()
    second.press("Enter")
    expect(live_region).to_have_text("audit is bound to logs")
    expect(page.get_by_role("button", name="Join exchange logs to …")).to_be_focused()
    rate = page.get_by_role("slider", name="Messages per second of c1")
    rate.press("ArrowUp")
    expect(rate).to_have_attribute("aria-valuenow", "20")
    mark = page.get_by_role("slider", name="Paging ratio").first
    mark.press("PageUp")
    expect(mark).to_have_attribute("aria-valuenow", "0.6")
    held = page.get_by_role("button", name="by hand: holds 3")
    held.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator("[data-held]")).to_contain_text("holds 2")
    lines = page.locator("#twin [data-lane=unacked] li")
    expect(lines).to_have_count(2)
    lines.first.press("Backspace")
    expect(page.locator("[data-held]")).to_contain_text("holds 1")
    expect(lines).to_have_count(1)
    expect(lines).to_be_focused()


def test_a_newcomer_sees_few_controls_and_what_cannot_be_is_refused_where_it_is_asked(page: Page) -> None:
    page.add_init_script("localStorage.setItem('waterline.folds', '[]')")
    opened(page)
    controls = page.locator("#controls")
    count = controls.locator("input:visible, select:visible, button:visible:not(.stands)").count()
    assert 0 < count <= 20, count
    unfold(page, "memory")
    expect(controls.get_by_role("slider", name="High watermark")).to_be_visible()
    page.get_by_role("button", name="Declare an exchange").click()
    dialog = page.get_by_role("dialog", name="Queues and what leads to them")
    form = dialog.locator("[data-declare=binding]")
    form.locator("[name=exchange]").fill("ghosts")
    form.locator("[name=queue]").fill("orders")
    form.get_by_role("button", name="Bind").click()
    expect(form.locator("[data-error=exchange]")).to_have_text(
        "There is no exchange ghosts. Declare it first."
    )
    expect(form.locator("[name=exchange]")).to_be_focused()
    pressed = dialog.get_by_role("button", name="Delete audit").element_handle()
    form.locator("[name=exchange]").fill("logs")
    form.locator("[name=queue]").fill("audit")
    form.get_by_role("button", name="Bind").click()
    expect(dialog.locator("[data-list=bindings]")).to_contain_text("logs \u2192 audit")
    assert pressed.evaluate("(button) => button.isConnected"), (
        "a press on a button outlasts a change of its list"
    )
    form = dialog.locator("[data-declare=exchange]")
    form.locator("[name=name]").fill("logs")
    form.get_by_role("button", name="Declare").click()
    expect(form.locator("[data-error=name]")).to_contain_text("406")


def test_a_burst_that_is_too_large_offers_as_many_as_fit(page: Page) -> None:
    """A million messages of 100 bytes on real constants: refused beforehand, and what fits is published whole."""
    begin(page, "real")
    controls = page.locator("#controls")
    unfold(page, "messages")
    controls.get_by_label("Size", exact=True).fill("100")
    controls.get_by_label("Messages in a burst").fill("1000000")
    controls.get_by_role("button", name="Publish 1\u202f000\u202f000").click()
    expect(controls.locator("[data-error=count]")).to_contain_text("of this size fit")
    offer = controls.get_by_role("button", name="that fit")
    fitting = int("".join(filter(str.isdigit, offer.inner_text())))
    assert fitting > 500_000
    offer.click()
    expect(offer).to_be_hidden()
    expect(page.locator("[data-queue=orders], [data-object='queue:orders']").first).to_contain_text(
        f"{fitting:,}".replace(",", "\u202f")
    )
