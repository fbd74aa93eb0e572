"""Take the pictures of docs/img: the live page in the middle of its story, the heatmap, the proofs, the first page."""

import argparse
import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tools import chromium, live_server

TARGET = live_server.ROOT / "docs" / "img"
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
Picture = tuple[str, str, Scheme]
"""A scene, a size, a scheme."""
SETTLE_MS = 2000
PAGED_MS = 5000


def _first_page(page: Page) -> None:
    page.goto("/")


def _live(page: Page) -> None:
    """Publish past the paging threshold, add persistent messages, and let a consumer read a segment back."""
    page.goto("/")
    page.get_by_role("button", name="Start in classroom scale").click()
    page.get_by_role("button", name="Publish the first messages").click()
    page.get_by_label("Messages in a burst").fill("60")
    page.locator("[data-publish-label]").click()
    page.wait_for_timeout(PAGED_MS)
    page.locator("#controls details[data-more=messages] > summary").click()
    page.locator("#controls label.switch", has_text="persistent").click()
    page.get_by_label("Messages in a burst").fill("20")
    page.locator("[data-publish-label]").click()
    page.get_by_role("button", name="Consume steadily").click()
    page.wait_for_timeout(PAGED_MS)
    page.locator("[data-act=play]").click()
    page.evaluate("scrollTo(0, 0)")


def _whatif(page: Page) -> None:
    page.goto("/whatif/")


def _fidelity(page: Page) -> None:
    page.goto("/fidelity/")


SCENES = {"home": _first_page, "live": _live, "whatif": _whatif, "fidelity": _fidelity}


TINY: Sequence[Picture] = (("live", "phone", "dark"),)
"""The one that needs the most of a page."""


def _take(browser: Browser, url: str, pictures: Sequence[Picture], target: Path) -> None:
    for name, size, scheme in pictures:
        context = browser.new_context(base_url=url, viewport=SIZES[size], color_scheme=scheme)
        page = context.new_page()
        SCENES[name](page)
        page.wait_for_timeout(SETTLE_MS)
        page.screenshot(path=target / f"{name}-{size}-{scheme}.png")
        context.close()


def main() -> None:
    """Run a server of its own and take every picture."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs_images", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="the live page on a phone alone")
    parser.add_argument("--out", type=Path, default=TARGET, help="where the pictures land")
    options = parser.parse_args()
    pictures = TINY if options.tiny else list(itertools.product(SCENES, SIZES, SCHEMES))
    options.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        live_server.running(Path(place)) as server,
        sync_playwright() as p,
    ):
        browser = p.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        _take(browser, server.url, pictures, options.out)
        browser.close()
    print(f"docs-images: {len(pictures)} pictures in {options.out}")


if __name__ == "__main__":
    main()
