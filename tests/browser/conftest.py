"""A real server in its own process, and pages in Chromium that fail the test on any error in the console."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Frame,
    Page,
    Response,
    ViewportSize,
    WebError,
    expect,
    sync_playwright,
)

from tests.browser.axe import findings
from tests.browser.visitors import Visitors
from tests.browser.waits import WAIT_MS
from tools import chromium, live_server

expect.set_options(timeout=WAIT_MS)
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
LOOKS = ("color_scheme", "reduced_motion", "forced_colors")
"""What a page is told after it was opened: visitors who differ in nothing else load the scripts only once."""


OPEN_FOLDS = """location.protocol === "about:" || localStorage.getItem("waterline.folds") ||
  localStorage.setItem("waterline.folds", '["messages", "consumer", "memory", "queue", "session", "why"]')"""
"""The page's folds as somebody left them who uses all of them; test_play.py checks what a newcomer sees."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m 'not browser'` leaves it out."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live_server.LiveServer]:
    """Run the app as `make run` does, on a database and directory of its own."""
    with live_server.running(tmp_path_factory.mktemp("waterline")) as running:
        yield running


# Scope "package", not "session": while Playwright's synchronous interface is open, its event loop counts as
# running in this thread, and neither asynchronous tests nor Django's database may be used beside it.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Return the distribution's Chromium, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def visitors(browser: Browser, server: live_server.LiveServer) -> Visitors:
    """Return the visitors of the server."""
    return Visitors(browser, server.url, OPEN_FOLDS)


OpenPage = Callable[..., Page]


@pytest.fixture
def reads_here(server: live_server.LiveServer, engine_for_browsers: Path) -> Iterator[None]:
    """Let Inspect read in the browser during one test; without it, and after it, the server reads."""
    built = server.var_dir / "wasm"
    shutil.copytree(engine_for_browsers, built)
    yield
    shutil.rmtree(built)


@pytest.fixture(params=[pytest.param("here", marks=pytest.mark.soak), "there"])
def reads(request: pytest.FixtureRequest) -> str:
    """Return who reads what Inspect is given: the browser's own engine, or the server; long tests run with each.

    `test_bytes.py` shows in short that the browser's engine reads.
    """
    if request.param == "here":
        request.getfixturevalue("reads_here")
    return str(request.param)


@pytest.fixture
def throttle(request: pytest.FixtureRequest) -> float:
    """Return how many times slower the pages' processor is made: `--throttle`, for races that need a slow machine."""
    times: float = request.config.getoption("throttle")
    return times


@pytest.fixture
def expected_errors() -> list[str]:
    """Return a list to which a test that provokes an error adds a part of its text."""
    return []


@pytest.fixture
def open_page(
    visitors: Visitors, server: live_server.LiveServer, expected_errors: list[str], throttle: float
) -> Iterator[OpenPage]:
    """Return a function that opens a fresh visitor's page; keyword arguments are those of Playwright's context.

    `open_page(viewport=PHONE, color_scheme="dark")`. A window that the page opens is as large as a desktop, and of no
    such look. Links are relative to the server: `page.goto("/")`.
    Every error in a console, failed script and answer of 500 or above fails the test at its end.
    """
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    elsewhere: set[BrowserContext] = set()

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(f"console: {message.text} ({message.location.get('url', '')})")

    def on_weberror(failed: WebError) -> None:
        errors.append(f"script: {failed.error}")

    def on_response(answer: Response) -> None:
        if answer.status >= 500:
            errors.append(f"answer {answer.status}: {answer.url}")

    def on_page(page: Page) -> None:
        page.on("framenavigated", on_navigation)

    def on_navigation(frame: Frame) -> None:
        if not frame.url.startswith((f"{server.url}/", "about:")):
            elsewhere.add(frame.page.context)

    def open_one(*, viewport: ViewportSize = DESKTOP, **options: Any) -> Page:
        looks = {name: options.pop(name) for name in LOOKS if name in options}
        context = visitors.arrive(viewport=DESKTOP, **options)
        contexts.append(context)
        context.on("console", on_console)  # of the context: a window that a page opens is heard as well
        context.on("weberror", on_weberror)
        context.on("response", on_response)
        context.on("page", on_page)
        page = context.new_page()
        page.emulate_media(**looks)
        page.set_viewport_size(viewport)
        if throttle > 1:
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        return page

    yield open_one
    for context in contexts:
        context.remove_listener("console", on_console)
        context.remove_listener("weberror", on_weberror)
        context.remove_listener("response", on_response)
        context.remove_listener("page", on_page)
        visitors.leave(context, context in elsewhere)
    unexpected = [error for error in errors if not any(text in error for text in expected_errors)]
    assert unexpected == [], "errors in the browser"


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """Return one desktop page."""
    return open_page()


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Return a check that the page as it stands breaks no accessibility rule."""

    def check(page: Page) -> None:
        assert findings(page) == []

    return check
