"""The operator's view in a browser: the console answers, completes and remembers; controls say what they stand for.

Only a browser: the focus and Tab in its line, the log of what was printed, and a form that opens it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE
from tests.browser.sessions import begin

OpenPage = Callable[..., Page]


def test_the_console_answers_and_changes_the_node(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    begin(page)
    page.get_by_role("button", name="Publish the first messages").click()
    page.locator("body").press("c")
    line = page.get_by_label("rabbitmqctl", exact=True)
    expect(line).to_be_focused()
    line.fill("list_q")
    line.press("Tab")
    expect(line).to_have_value("list_queues ")
    expect(line).to_be_focused()
    line.press_sequentially("name messages messages_ready")
    line.press("Enter")
    output = page.get_by_role("log", name="What the console printed")
    expect(output).to_contain_text(re.compile(r"orders\s+12\s+12"))
    line.press("ArrowUp")
    expect(line).to_have_value("list_queues name messages messages_ready")
    line.fill("set_disk_free_limit nonsense")
    line.press("Enter")
    expect(output).to_contain_text("Error (argument validation): Bad argument.")
    assert_accessible(page)
    line.press("Escape")
    expect(page.locator("#console")).to_be_hidden()

    page.get_by_role("button", name="Console", exact=True).first.click()
    line.fill("set_vm_memory_high_watermark 0.25")
    line.press("Enter")
    expect(output).to_contain_text("Setting memory threshold on rabbit@waterline to 0.25 ...")
    expect(page.locator("[data-output=watermark]")).to_contain_text("0.25")

    line.fill("stop_app")
    line.press("Enter")
    expect(output).to_contain_text("Stopping rabbit application on node rabbit@waterline ...")
    line.fill("list_queues")
    line.press("Enter")
    expect(output).to_contain_text("this command requires the 'rabbit' app to be running")
    line.fill("start_app")
    line.press("Enter")
    expect(output).to_contain_text("Starting node rabbit@waterline ...")
    line.fill("list_queues name messages")
    line.press("Enter")
    expect(output).to_contain_text(re.compile(r"orders\s+0"))


def test_controls_say_what_they_stand_for(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page(viewport=PHONE)
    begin(page)
    field = page.locator(".field", has=page.locator("#watermark"))
    button = field.get_by_role("button", name="what it stands for in RabbitMQ")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    lines = page.locator(".stands-lines:visible")
    expect(lines).to_contain_text("rabbitmqctl set_vm_memory_high_watermark 0.4")
    expect(lines).to_contain_text("vm_memory_high_watermark.relative = 0.4")
    expect(lines).to_contain_text("forgotten at a restart")
    assert_accessible(page)
    lines.get_by_role("button", name="Console").click()
    expect(page.get_by_label("rabbitmqctl", exact=True)).to_have_value(
        "rabbitmqctl set_vm_memory_high_watermark 0.4"
    )


@pytest.mark.parametrize(
    ("profile", "version", "policy", "viewport"),
    [
        ("4.3.6-classroom", "4.3.6", "are not recognised policy settings", PHONE),
        ("classroom", "3.10.8", "Setting policy", None),
    ],
    ids=["4.3.6-phone", "3.10.8-wide"],
)
def test_the_console_is_the_release_s(
    profile: str, version: str, policy: str, viewport: dict[str, int] | None, open_page: OpenPage
) -> None:
    page = open_page(viewport=viewport) if viewport else open_page()
    begin(page, profile)
    page.locator("body").press("c")
    line = page.get_by_label("rabbitmqctl", exact=True)
    output = page.get_by_role("log", name="What the console printed")
    for text, answer in (
        ("version", version),
        ("list_queues name messages backing_queue_status", "Listing queues for vhost / ..."),
        ('set_policy ha .* \'{"ha-mode":"all"}\'', policy),
        ("help list_queues", "Lists the queues of a virtual host"),
        ("ping", f"Waterline: RabbitMQ {version} has the command 'ping'"),
    ):
        line.fill(text)
        line.press("Enter")
        expect(output).to_contain_text(answer)
    line.fill("sync_q")
    line.press("Tab")
    expect(line).to_have_value("sync_q" if version == "4.3.6" else "sync_queue ")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
