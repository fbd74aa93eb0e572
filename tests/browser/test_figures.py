"""A subject's claims as small figures: text first, each fetched and played only while it is seen, one button each.

Only a browser: a figure is fetched and plays when it is scrolled into view, and stands still without motion.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Request, expect

OpenPage = Callable[..., Page]


def leads(page: Page) -> list[str]:
    """Return a list that grows with each figure that is fetched."""
    fetched: list[str] = []

    def note(request: Request) -> None:
        if "lead.json" in request.url:
            fetched.append(request.url)

    page.on("request", note)
    return fetched


def test_a_figure_is_fetched_and_plays_when_it_is_seen(
    open_page: OpenPage, assert_accessible: Callable[[Page], None]
) -> None:
    page = open_page()
    fetched = leads(page)
    page.goto("/subjects/paging/")
    claims = page.locator(".mechanism")
    figure = claims.nth(4).locator("figure")
    expect(figure).to_be_visible()
    assert fetched == []
    assert page.evaluate(
        "[...document.querySelectorAll('.mechanism')].every((each) => each.firstElementChild.tagName === 'SPAN')"
    )
    expect(figure.get_by_role("button")).to_have_count(1)
    figure.scroll_into_view_if_needed()
    figure.evaluate("(each) => each.scrollIntoView({ block: 'center' })")
    expect(figure.get_by_role("button", name="Pause")).to_be_visible()
    expect(figure.get_by_role("button", name="Play again")).to_be_visible()
    expect(figure.locator("figcaption")).to_contain_text("00:04.800")
    assert 0 < len(fetched) < claims.count()
    assert_accessible(page)
    page.evaluate("scrollTo(0, 0)")
    figure.get_by_role("button", name="Play again").evaluate("(each) => each.click()")
    expect(figure.get_by_role("button", name="Pause")).to_be_visible()


def test_without_motion_a_figure_shows_its_moment_at_once(open_page: OpenPage) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    page.goto("/subjects/paging/")
    figure = page.locator(".mechanism figure").nth(4)
    figure.evaluate("(each) => each.scrollIntoView({ block: 'center' })")
    expect(figure.get_by_role("button", name="Play again")).to_be_visible()
    expect(figure.locator("figcaption")).to_contain_text("42 messages")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
