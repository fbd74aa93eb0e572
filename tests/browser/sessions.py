"""Sessions that begin without the clicks that lead to them, for tests of what comes after."""

from __future__ import annotations

from playwright.sync_api import Page


def begin(page: Page, profile: str = "classroom") -> None:
    """Begin a session as the first page's button does, and open it.

    The first page plays a session of its own beside the button; whoever does not test it need not wait for it.
    """
    visitor = page.context.request
    first_page = visitor.get("/").url
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    form = {"profile": profile, "csrfmiddlewaretoken": token}
    session = visitor.post("/s/new", form=form, headers={"Referer": first_page})
    assert session.ok, session.text()
    page.goto(session.url)
    live(page)
    page.locator("[data-act=first]").wait_for()


def unfold(page: Page, name: str) -> None:
    """Open what a control folds, if it is not open; above the stage a press elsewhere closes it."""
    fold = page.locator(f"#controls [data-more={name}]")
    if fold.get_attribute("open") is None:
        fold.locator("> summary").click()


def live(page: Page) -> None:
    """Wait until a session's page is connected with its engine: from then on it takes commands and keys."""
    page.locator("[data-link][data-state=live]").wait_for(state="attached")
