"""Several virtual hosts on the live page: one is shown, all can be changed, a link leads to the one that was seen.

Only a browser: the choice of a host, its address in the bar, and its link in another visitor's page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE

OpenPage = Callable[..., Page]
HOST: Final = "prod: EU/1"
SCENARIO: Final[dict[str, Any]] = {
    "version": 1,
    "title": "Two hosts",
    "profile": "classroom",
    "seed": 1,
    "until_us": 1_000_000,
    "topology": {
        "queues": [{"name": "orders"}],
        "vhosts": [
            {"name": HOST, "queues": [{"name": "Acme.Orders:Placed"}, {"name": "jobs"}]},
            {"name": "celery", "queues": [{"name": "celery@w1.celery.pidbox"}]},
        ],
    },
    "commands": [
        {"at_us": 1000, "do": "publish", "count": 5, "size_bytes": 100},
        {
            "at_us": 2000,
            "do": "publish",
            "count": 7,
            "size_bytes": 200,
            "routing_key": "Acme.Orders:Placed",
            "vhost": HOST,
        },
    ],
}


def _begin(page: Page) -> None:
    visitor = page.context.request
    first_page = visitor.get("/").url
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    form = {"text": json.dumps(SCENARIO), "csrfmiddlewaretoken": token}
    session = visitor.post("/s/import", form=form, headers={"Referer": first_page})
    assert session.ok, session.text()[:2000]
    page.goto(session.url)
    expect(page.locator("[data-link][data-state=live]")).to_be_visible()


def _say(page: Page, line: str, answer: str) -> None:
    page.locator("body").press("c")
    field = page.get_by_label("rabbitmqctl", exact=True)
    field.fill(line)
    field.press("Enter")
    expect(page.get_by_role("log", name="What the console printed")).to_contain_text(answer)
    field.press("Escape")


def a_link_leads_to_this_host(page: Page, open_page: OpenPage) -> None:
    """Whoever opens it, on a phone, sees the host that was shown."""
    page.get_by_role("button", name="Share and export").click()
    link = page.locator("[data-share=link]")
    expect(link).to_have_value(re.compile(r"vhost=prod"))
    address = link.input_value()
    page.keyboard.press("Escape")
    other = open_page(viewport=PHONE)
    other.goto(address)
    expect(other.locator("[data-vhosts] select")).to_have_value(HOST)
    expect(other.locator("[data-queues]")).to_contain_text("jobs")
    assert other.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_host_is_chosen_linked_to_changed_and_deleted(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    _begin(page)
    choice = page.locator("[data-vhosts] select")
    expect(choice).to_have_value("/")
    expect(page.locator("[data-queues]")).to_contain_text(re.compile(r"orders\s*5"))
    choice.select_option(HOST)
    expect(page).to_have_url(re.compile("vhost=prod"))
    expect(page.locator("[data-queues]")).to_contain_text(re.compile(r"Acme\.Orders:Placed\s*7"))
    expect(page.locator("[data-queues]")).not_to_contain_text("orders5")
    expect(page.get_by_text("Something changed in virtual host celery").first).to_be_visible()
    assert_accessible(page)
    a_link_leads_to_this_host(page, open_page)
    _say(page, "add_vhost new", 'Adding vhost "new" ...')
    expect(choice.locator("option")).to_have_text(["/", HOST, "celery", "new"])
    _say(
        page,
        f"purge_queue -p '{HOST}' Acme.Orders:Placed",
        f"Purging queue 'Acme.Orders:Placed' in vhost '{HOST}'",
    )
    expect(page.locator("[data-queues]")).to_contain_text(re.compile(r"Acme\.Orders:Placed\s*0"))
    _say(page, "delete_vhost celery", 'Deleting vhost "celery" ...')
    expect(choice.locator("option")).to_have_text(["/", HOST, "new"])
