"""How smooth the live page is: frames from Chromium's own trace, with few messages and with a million."""

from __future__ import annotations

import itertools
import json
import re
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from bench.measure import Result
from tools import chromium, live_server

WATCHED_MS, TINY_WATCHED_MS = 6_000, 1_000
SETTLES_MS, TINY_SETTLES_MS = 4_000, 1_500
"""Until all messages of a run are published, and its page is at rest."""
BOUND_MS = 8.0
"""What the page's own work in a frame must stay under, 19 times out of 20: half of what 60 frames a second leave."""
CATEGORIES = "devtools.timeline,disabled-by-default-devtools.timeline"
SHADE = {"do": "set_consumer", "name": "c", "prefetch": 100, "ack": "each", "running": True}
LIGHT = [
    {"at_us": 0, "do": "publish", "count": 60, "size_bytes": 6144, "persistent": True},
    {"at_us": 1_000, "do": "set_publisher", "name": "p", "rate_per_s": 10, "size_bytes": 6144, "persistent": True,
     "running": True},
    {"at_us": 2_000, **SHADE, "rate_per_s": 10},
]  # fmt: skip
COUNT, TINY_COUNT = 1_000_000, 50_000


def heavy(count: int) -> list[dict[str, Any]]:
    """Return commands that hold so many messages, in two bursts, with 2000 coming and going each second."""
    burst = {"do": "publish", "count": count // 2, "size_bytes": 16, "persistent": False}
    steady = {"do": "set_publisher", "name": "p", "rate_per_s": 2000, "size_bytes": 16, "persistent": False}
    return [
        {"at_us": 0, **burst},
        {"at_us": 500_000, **burst},
        {"at_us": 1_000_000, **steady, "running": True},
        {"at_us": 1_001_000, **SHADE, "rate_per_s": 2000},
    ]


def scenario(profile: str, commands: list[dict[str, Any]]) -> str:
    """Return a scenario as its text."""
    return json.dumps({"version": 1, "profile": profile, "commands": commands, "until_us": 600_000_000})


def open_run(browser: Browser, url: str, text: str, settles_ms: int) -> Page:
    """Open a session that plays a scenario, and wait until its messages are there."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=url)
    page.goto("/")
    page.locator("details.import summary").click()
    page.locator("#import-text").fill(text)
    page.locator("details.import form button").click()
    page.wait_for_url("**/s/*/")
    page.locator("[data-link][data-state=live]").wait_for()
    page.locator("[data-act=play].is-playing").wait_for()  # a scenario with commands plays by itself
    page.wait_for_timeout(settles_ms)
    return page


def held(page: Page) -> int:
    """Return how many messages the stage in words lists."""
    labels = page.locator("#twin [data-lane]").evaluate_all("all => all.map((each) => each.ariaLabel || '')")
    counts = [re.search(r", ([\d\s]+)", label) for label in labels]
    return sum(int(re.sub(r"\s", "", found[1])) for found in counts if found)


def traced(session: CDPSession, page: Page, watched_ms: int) -> list[dict[str, Any]]:
    """Watch the page for a while, and return its trace."""
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    session.on("Tracing.dataCollected", lambda message: events.extend(message["value"]))
    session.on("Tracing.tracingComplete", lambda _message: done.append(True))
    session.send("Tracing.start", {"categories": CATEGORIES, "transferMode": "ReportEvents"})
    page.wait_for_timeout(watched_ms)
    session.send("Tracing.end")
    while not done:
        page.wait_for_timeout(50)
    return events


def figures(events: list[dict[str, Any]]) -> Result:
    """Return the page's own work in each animation frame, and the intervals between them, in milliseconds.

    Work is the time of the page's thread, which other programs on the machine disturb least; the intervals have
    everything in them, the drawing by this machine's processor too where it has no graphics card.
    """
    fired = sorted(
        (event for event in events if event["name"] == "FireAnimationFrame" and "tdur" in event),
        key=lambda event: event["ts"],
    )
    work = sorted(event["tdur"] / 1000 for event in fired)
    gaps = sorted((after["ts"] - before["ts"]) / 1000 for before, after in itertools.pairwise(fired))
    return {
        "animation_frames": len(work),
        "work_ms_median": round(statistics.median(work), 2),
        "work_ms_p95": round(work[int(len(work) * 0.95)], 2),
        "work_ms_longest": round(work[-1], 2),
        "interval_ms_median": round(statistics.median(gaps), 2),
        "interval_ms_p95": round(gaps[int(len(gaps) * 0.95)], 2),
    }


def run(tiny: bool) -> Result:
    """Measure."""
    watched_ms, settles_ms, count = (
        (TINY_WATCHED_MS, TINY_SETTLES_MS, TINY_COUNT) if tiny else (WATCHED_MS, SETTLES_MS, COUNT)
    )
    found: Result = {}
    with (
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        live_server.running(Path(scratch)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        for name, profile, commands in (("light", "classroom", LIGHT), ("heavy", "real", heavy(count))):
            page = open_run(browser, server.url, scenario(profile, commands), settles_ms)
            measured = figures(traced(page.context.new_cdp_session(page), page, watched_ms))
            found[name] = {"messages": held(page), **measured}
            page.close()
        browser.close()
    # A short run on any machine shows only that frames can be measured.
    found["passed"] = tiny or all(found[name]["work_ms_p95"] < BOUND_MS for name in ("light", "heavy"))
    return found
