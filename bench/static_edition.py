"""How soon the static edition shows a run in Chromium, what that transfers, and how large everything is."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, BrowserContext, CDPSession, sync_playwright

from bench.exported_pages import COUNT, MOST_LONG_BYTES, MOST_STORY_BYTES, TINY_COUNT, exported
from bench.measure import Result
from bench.slower import slowed
from tools import chromium
from tools.static_host import Host, build, sent, serving

RUN: Final = "en/play/index.html?s=first-burst&at=1900000"
"""A story at its first stop: twelve messages wait."""
SHOWN: Final = """() =>
  /12/.test(document.querySelector("[data-situation]")?.textContent) &&
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""
"""The milliseconds since the navigation when twelve messages were painted: the caption changes with the stage."""
ENGINE: Final = """() => document.querySelector("[data-link][data-state=live]") && performance.now()"""
"""The milliseconds since the navigation when the page's own engine answers instead of the recorded beginning."""
PLACES: Final = {"desktop": 1.0, "phone": 4.0}
"""How many times slower the processor of the page and its worker is made."""
TINY_PLACES: Final = {"phone": 1.25}
TIMES, TINY_TIMES = 3, 1
MOST_MS: Final = 180_000


def renderers(session: CDPSession) -> dict[int, float]:
    """Return the processes that pages and workers run in, each with its processor seconds so far."""
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return {each["id"]: each["cpuTime"] for each in processes if each["type"] == "renderer"}


def visit(context: BrowserContext, session: CDPSession, host: Host, times: float) -> Result:
    """Open the run, and return when its first picture stood, when its engine answered, and what that took."""
    page = context.new_page()
    page.set_default_timeout(MOST_MS)
    page.goto(f"{host.url}nothing-here")  # a process of the page is there before it is measured
    before, sent_before = renderers(session), host.sent_bytes
    with slowed(before, times):
        page.goto(host.url + RUN, wait_until="commit")
        shown_ms = page.wait_for_function(SHOWN).json_value()
        engine_ms = page.wait_for_function(ENGINE).json_value()
    after = renderers(session)
    if not set(after) <= set(before):
        raise RuntimeError("the page went to a process that was not slowed; measure again")
    page.close()
    return {
        "picture_s": shown_ms / 1000,
        "engine_s": engine_ms / 1000,
        "processor_s": sum(after.values()) - sum(before.values()),
        "sent_bytes": host.sent_bytes - sent_before,
    }


def visits(browser: Browser, host: Host, times: float, rounds: int) -> Result:
    """Return medians of first visits, each by a browser with nothing kept yet, and of the second ones after them."""
    session = browser.new_browser_cdp_session()
    found: dict[str, list[Result]] = {"cold": [], "warm": []}
    for _round in range(rounds):
        context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        for each in found.values():
            each.append(visit(context, session, host, times))
        context.close()
    session.detach()
    return {name: _medians(each) for name, each in found.items()}


def _medians(found: list[Result]) -> Result:
    return {key: round(statistics.median(each[key] for each in found), 2) for key in found[0]}


def size(folder: Path) -> Result:
    """Return how large a folder is, on the disk and as a static host sends it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "sent_bytes": sum(len(sent(path)) for path in files),
    }


def run(tiny: bool) -> Result:
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="waterline-") as scratch, sync_playwright() as playwright:
        out = Path(scratch) / "dist"
        build(out, tiny=tiny)
        found: Result = {"dist": size(out), "wasm": size(out / "wasm")}  # so everything is compressed by now
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        found["chromium"] = browser.version
        with serving(out) as host:
            for name, times in (TINY_PLACES if tiny else PLACES).items():
                found[name] = {
                    "times_slower": times,
                    **visits(browser, host, times, TINY_TIMES if tiny else TIMES),
                }
        browser.close()
    found |= {"messages_of_long_run": TINY_COUNT if tiny else COUNT, **exported(tiny)}
    found["passed"] = (
        found["largest_story_page_bytes"] < MOST_STORY_BYTES
        and found["long_run_page_bytes"] < MOST_LONG_BYTES
    )
    return found
