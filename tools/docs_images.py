"""Take the pictures that documents show: the live page in the middle of its story, and the heatmap.

And those of what needs no server: the edition for static hosts, the page of a run, a real node's directory in Inspect.
And those of a course: its plans, a unit's slides, and the sheet of one exercise as it is printed.
"""

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tools import chromium, live_server, static_host

TARGET = live_server.ROOT / "docs" / "img"
DIRECTORY = live_server.ROOT / "tests" / "recordings" / "datadirs" / "clean-mixed"
"""A virtual host's directory as a real node of RabbitMQ 3.10.8 wrote it."""
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
Scheme = Literal["light", "dark"]
Picture = tuple[str, str, Scheme]
"""A scene, a size, a scheme."""
SETTLE_MS, TINY_SETTLE_MS = 2000, 200
PAGED_MS, TINY_PAGED_MS = 5000, 500
ENGINE_MS = 120_000
UNIT = "sub-queues"
SIDE_BY_SIDE = """.deck-bar { display: none }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 12px; padding: 12px }
.slide { zoom: 0.4; margin: 0 }"""
"""All slides of a unit on one screen."""
COLORS = 256


@dataclass(frozen=True)
class Places:
    """Where pages are: addresses of the server and of a static host, the page of a run and a unit's slides in files.

    `paged_ms` is how long the live page has for paging messages out, and for reading a segment back.
    """

    server: str
    edition: str
    run: str
    slides: str
    paged_ms: int


def _live(page: Page, places: Places) -> None:
    """Publish past the paging threshold, add persistent messages, and let a consumer read a segment back."""
    page.goto(places.server)
    page.get_by_role("button", name="Play it yourself").click()
    page.get_by_role("button", name="Publish the first messages").click()
    page.get_by_label("Messages in a burst").fill("60")
    page.locator("[data-publish-label]").click()
    page.wait_for_timeout(places.paged_ms)
    page.locator("#controls details[data-more=messages] > summary").click()
    page.locator("#controls label.switch", has_text="persistent").click()
    page.get_by_label("Messages in a burst").fill("20")
    page.locator("[data-publish-label]").click()
    page.get_by_role("button", name="Consume steadily").click()
    page.wait_for_timeout(places.paged_ms)
    page.locator("[data-act=play]").click()
    page.evaluate("scrollTo(0, 0)")


def _whatif(page: Page, places: Places) -> None:
    page.goto(f"{places.server}/whatif/")


def _edition(page: Page, places: Places) -> None:
    """Open a story at its first stop, and wait until the engine in the browser has played up to there."""
    page.goto(f"{places.edition}en/play/index.html?s=first-burst&at=1900000")
    page.get_by_text("00:01.900").wait_for(timeout=ENGINE_MS)


def _run(page: Page, places: Places) -> None:
    """Open the page of a run from the disk, and go to the first stop of its story."""
    page.goto(places.run)
    page.locator("body:not([inert])").get_by_role("button", name="Begin", exact=True).wait_for()
    page.get_by_role("slider", name="Moment of the run").press("End")
    page.get_by_text("00:01.900").wait_for()
    page.evaluate("scrollTo(0, 0)")


def _inspect(page: Page, places: Places) -> None:
    """Give a real node's directory to the engine in the browser, and wait until its start is reported."""
    page.goto(f"{places.edition}en/inspect/index.html")
    page.locator("body[data-reads=here]").wait_for(timeout=ENGINE_MS)
    page.locator("[data-directory]").set_input_files(DIRECTORY)
    page.locator(".inspect-report").wait_for(timeout=ENGINE_MS)


def _plans(page: Page, places: Places) -> None:
    page.goto(f"{places.server}/learn/plans/")


def _slides(page: Page, places: Places) -> None:
    """Lay the slides of a unit side by side."""
    page.goto(places.slides)
    page.add_style_tag(content=SIDE_BY_SIDE)


def _sheet(page: Page, places: Places) -> None:
    """Lay out the sheet of the first exercise as it is printed, on paper of A4 across."""
    page.goto(places.slides)
    page.emulate_media(media="print")
    page.add_style_tag(
        content="body { padding: 24px 48px } .slide:not(:nth-of-type(2)) { display: none !important }"
    )


SCENES: dict[str, Callable[[Page, Places], None]] = {
    "live": _live,
    "whatif": _whatif,
    "edition": _edition,
    "run": _run,
    "inspect": _inspect,
    "plans": _plans,
    "slides": _slides,
    "sheet": _sheet,
}

PICTURES: Sequence[Picture] = tuple((name, "desktop", "light") for name in SCENES)
TINY: Sequence[Picture] = tuple((name, "phone", "dark") for name in ("live", "run", "inspect", "sheet"))
"""One of each place where pages are."""


def _take(
    browser: Browser, places: Places, pictures: Sequence[Picture], target: Path, settle_ms: int
) -> None:
    for name, size, scheme in pictures:
        context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)
        page = context.new_page()
        SCENES[name](page, places)
        page.wait_for_timeout(settle_ms)
        _save(page.screenshot(), target / f"{name}-{size}-{scheme}.png")
        context.close()


def _save(picture: bytes, path: Path) -> None:
    """Write a picture with a table of colours, which takes a third of the bytes."""
    with Image.open(io.BytesIO(picture)) as drawn:
        drawn.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Run a server of its own and take every picture."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs_images", description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="on a phone alone, the live page and what needs no server"
    )
    parser.add_argument("--out", type=Path, default=TARGET, help="where the pictures land")
    options = parser.parse_args()
    pictures, settle_ms, paged_ms = (
        (TINY, TINY_SETTLE_MS, TINY_PAGED_MS) if options.tiny else (PICTURES, SETTLE_MS, PAGED_MS)
    )
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="waterline-") as place:
        edition, run, slides = (Path(place, name) for name in ("edition", "run.html", f"slides-{UNIT}.html"))
        static_host.build(edition, tiny=True)
        for program in (
            ("-m", "playground.offline.export", "first-burst", "-o", str(run)),
            ("manage.py", "write_slides", UNIT, place),
        ):
            written = [sys.executable, *program]
            subprocess.run(written, cwd=live_server.ROOT, check=True, stdout=subprocess.PIPE)
        with (
            live_server.running(Path(place, "server")) as server,
            static_host.serving(edition) as host,
            sync_playwright() as p,
        ):
            browser = p.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
            places = Places(server.url, host.url, run.as_uri(), slides.as_uri(), paged_ms)
            _take(browser, places, pictures, options.out, settle_ms)
            browser.close()
    print(f"docs-images: {len(pictures)} pictures in {options.out}")


if __name__ == "__main__":
    main()
