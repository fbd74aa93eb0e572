"""A real server in its own process, and pages in Chromium that fail the test on any error in the console."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.waits import WAIT_MS
from tools import chromium, live_server

HERE = Path(__file__).resolve().parent
expect.set_options(timeout=WAIT_MS)
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


OPEN_FOLDS = """location.protocol === "about:" || localStorage.getItem("waterline.folds") ||
  localStorage.setItem("waterline.folds", '["messages", "consumer", "memory", "queue", "session"]')"""
"""The controls' folds as somebody left them who uses all of them; what a newcomer sees, test_play.py looks at."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m 'not browser'` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
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


OpenPage = Callable[..., Page]


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
    browser: Browser, server: live_server.LiveServer, expected_errors: list[str], throttle: float
) -> Iterator[OpenPage]:
    """Return a function that opens a fresh visitor's page; keyword arguments go to Playwright's context.

    `open_page(viewport=PHONE, color_scheme="dark")`. Links are relative to the server: `page.goto("/")`.
    Every error in a console, failed script and answer of 500 or above fails the test at its end.
    """
    contexts = []
    errors: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(f"console: {message.text} ({message.location.get('url', '')})")

    def open_one(**options: object) -> Page:
        options.setdefault("viewport", DESKTOP)
        context = browser.new_context(base_url=server.url, **options)
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(OPEN_FOLDS)
        contexts.append(context)
        context.on("console", on_console)  # of the context: a window that a page opens is heard as well
        context.on("weberror", lambda failed: errors.append(f"script: {failed.error}"))
        context.on(
            "response",
            lambda answer: (
                errors.append(f"answer {answer.status}: {answer.url}") if answer.status >= 500 else None
            ),
        )
        page = context.new_page()
        if throttle > 1:
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        return page

    yield open_one
    for context in contexts:
        context.close()
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
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    return check
