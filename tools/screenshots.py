"""Picture every page that a visitor can reach by links, desktop and phone, light and dark.

The pictures land in var/screenshots, named after the page: index-desktop-light.png.
"""

import argparse
import re
import shutil
import tempfile
from pathlib import Path
from typing import Literal
from urllib.parse import urldefrag, urljoin, urlsplit

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tools import chromium, live_server

TARGET = live_server.ROOT / "var" / "screenshots"
PAGES_MAX = 40
PAGES_OF_A_KIND_MAX = 3
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SETTLE_MS = 1500
SKIPPED = re.compile(r"/(static|admin|logout|i18n)/|\.(json|csv|zip|txt|idx|jif|rdq|parquet)$")


def kind(path: str) -> str:
    """Return the path with its identifiers blanked, so that a hundred sessions count as one kind of page."""
    return re.sub(r"/[^/]*\d[^/]*(?=/|$)", "/*", path)


def reachable(browser: Browser, start_url: str, most: int) -> list[str]:
    """Return up to `most` paths that links lead to from the start page, breadth first, a few of each kind."""
    origin = urlsplit(start_url).netloc
    waiting, found, kinds = ["/"], ["/"], {"/": 1}
    page = browser.new_page()
    while waiting and len(found) < most:
        page.goto(urljoin(start_url, waiting.pop(0)), wait_until="domcontentloaded")
        for link in page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)"):
            parts = urlsplit(urldefrag(link).url)
            path = parts.path or "/"
            if parts.netloc != origin or path in found or SKIPPED.search(path):
                continue
            kinds[kind(path)] = kinds.get(kind(path), 0) + 1
            if kinds[kind(path)] <= PAGES_OF_A_KIND_MAX:
                found.append(path)
                waiting.append(path)
    page.close()
    return found[:most]


def file_name(path: str, size: str, scheme: str) -> str:
    """Return `scenarios-12-desktop-light.png` for the page /scenarios/12/."""
    return f"{path.strip('/').replace('/', '-') or 'index'}-{size}-{scheme}.png"


def take_screenshot(browser: Browser, url: str, path: str, target: Path) -> None:
    """Take one page in every size and colour scheme."""
    for size, viewport in SIZES.items():
        for scheme in SCHEMES:
            context = browser.new_context(viewport=viewport, color_scheme=scheme)
            page = context.new_page()
            page.goto(urljoin(url, path), wait_until="load")
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=target / file_name(path, size, scheme), full_page=True)
            context.close()


def main() -> None:
    """Start a server of its own, follow the links, and take the pictures."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES_MAX, help="at most so many (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=TARGET, help="where the pictures land")
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    with (
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        live_server.running(Path(scratch)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        for path in reachable(browser, server.url, options.pages):
            print(path, flush=True)
            take_screenshot(browser, server.url, path, options.out)
        browser.close()
    print(f"pictures are in {options.out}")


if __name__ == "__main__":
    main()
