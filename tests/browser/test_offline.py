"""Runs that leave the server: the page of one, opened from a disk; the edition for static hosts, and its zip.

Only a browser: a page from a disk, WebAssembly, IndexedDB over a reload, frames of a platform, a film of a canvas.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from playground.offline import export
from playground.sessions import scenario_links
from playground.static_edition.write import write_package
from tests.browser.waits import WAIT_MS
from tools import static_host

ENGINE_MS = 3 * WAIT_MS
"""WebAssembly of 9 MB is compiled, and Python begins in it; on a throttled processor too."""
RUN = {
    "version": 1,
    "profile": "classroom",
    "commands": [{"at_us": 0, "do": "publish", "count": 5, "size_bytes": 100}],
    "until_us": 1_000_000,
}
KEPT = """(name) => new Promise((done) => {
  const opening = indexedDB.open("waterline", 1);
  opening.onerror = () => done(false);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("logs").objectStore("logs").get(name);
    asked.onsuccess = () => done(asked.result?.commands.length === 1);
    opening.result.close();
  };
})"""
"""Whether this browser remembers the one command that was given in a session."""
PLATFORM = """
  const note = (...call) => {
    sessionStorage.calls = JSON.stringify([...JSON.parse(sessionStorage.calls ?? "[]"), call]);
    return "true";
  };
  if (parent === window) window.API = {
    LMSInitialize: (...given) => note("LMSInitialize", ...given),
    LMSSetValue: (...given) => note("LMSSetValue", ...given),
    LMSCommit: (...given) => note("LMSCommit", ...given),
    LMSFinish: (...given) => note("LMSFinish", ...given),
    LMSGetValue: () => "",
    LMSGetLastError: () => "0",
    LMSGetErrorString: () => "",
  };
"""
"""A learning platform that keeps the calls that it gets; they outlive the page that makes them."""


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.html"
    assert export.main(["first-burst", "-o", str(path)]) == 0
    return path


def film_of_the_stage(page: Page) -> None:
    """A film of a stretch of time has the length that was asked for, and its pictures show the stretch."""
    page.locator("[data-act=share]").click()
    film = page.locator("[data-film]")
    film.locator("summary").click()
    expect(film.locator("[name=to]")).to_have_value("1.90")
    film.locator("[name=from]").fill("0.5")
    film.locator("[name=lasts]").fill("1")
    with page.expect_download() as download:
        film.get_by_role("button", name="Record").click()
    assert download.value.suggested_filename == "waterline-0.50-1.90s.gif"
    with Image.open(download.value.path()) as gif:
        durations, pictures = [], set()
        for at in range(gif.n_frames):
            gif.seek(at)
            durations.append(gif.info["duration"])
            pictures.add(gif.convert("RGB").tobytes())
    assert durations == [100] * 10
    assert len(pictures) > 5
    page.get_by_role("button", name="Close", exact=True).click()


def test_a_run_plays_from_a_disk(page: Page, saved: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(saved.as_uri())
    story = page.locator("#story")
    begin = story.get_by_role("button", name="Begin", exact=True)
    begin.wait_for()
    expect(page.locator("body")).not_to_have_attribute("inert", "")

    # The whole run can be gone to, but for what a prediction hides: End stops at each pause of the story.
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:01.900")
    film_of_the_stage(page)
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:04.000")
    page.keyboard.press("End")
    expect(page.locator("[data-clock]")).to_have_text("00:04.000")
    story.get_by_role("button", name="In q3, as betas").click()
    slider.focus()
    page.keyboard.press("End")
    expect(story.get_by_text("You predicted: In q3, as betas. What happened: In delta.")).to_be_visible()

    # Bytes of a message at this moment, as they were on disk.
    page.locator("#find-message").fill("50")
    page.locator("#find-message").press("Enter")
    page.locator("#find-message").fill("51")
    page.locator("#find-message").press("Enter")
    expect(page.locator("#bytes-index .hex-row").first).to_be_visible()

    # Back in time, and commands are not there.
    page.keyboard.press("Escape")
    slider.press("Home")
    expect(page.locator("[data-clock]")).to_have_text("00:00.000")
    expect(page.locator("#controls")).to_be_hidden()

    page.locator("#language").select_option("zh-hans")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.locator("#story")).to_be_visible()
    elsewhere = [url for url in asked if not url.startswith(("file:", "blob:"))]
    assert elsewhere == [], "a page from a disk asks nobody"


# --- the edition for static hosts ---


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the pages that belong to sessions and a heatmap, and with the engine."""
    out = tmp_path_factory.mktemp("edition")
    static_host.build(out, tiny=True)
    return out


@pytest.fixture
def host(edition: Path) -> Iterator[static_host.Host]:
    """Serve it as a static host does."""
    with static_host.serving(edition) as host:
        yield host


def waits_in_ram(page: Page, count: int) -> None:
    """Wait until so many messages are in q4."""
    expect(page.locator("#twin [data-lane=q4]")).to_have_attribute(
        "aria-label", re.compile(f"^q4, {count} "), timeout=ENGINE_MS
    )


def test_a_link_opens_without_a_server_and_a_reload_goes_on(page: Page, host: static_host.Host) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(host.url)
    page.wait_for_url("**/en/index.html")
    packed = scenario_links.packed(scenario_links.read_run(RUN))
    page.get_by_role("textbox", name="Link").fill(f"https://waterline.example/x/{packed}/?at=1000000")
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/en/play/index.html?at=1000000#x=*")
    waits_in_ram(page, 5)

    page.get_by_label("Messages in a burst").fill("7")
    page.get_by_role("button", name="Publish 7").click()
    waits_in_ram(page, 12)
    page.wait_for_function(KEPT, arg=f"x-{packed}")
    page.reload()
    waits_in_ram(page, 12)
    elsewhere = [url for url in asked if not url.startswith((host.url, "blob:"))]
    assert elsewhere == [], "the edition asks nobody else"


def test_a_recorded_beginning_plays_while_the_engine_loads(page: Page, host: static_host.Host) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/wasm/snapshot-0.bin", hold)
    page.goto(f"{host.url}en/play/index.html?s=first-burst&at=1900000")
    chip = page.locator("[data-link]")
    expect(chip).to_have_text("engine loading")
    expect(page.locator("[data-situation]")).to_contain_text("All 12 messages wait in RAM")
    publish = page.get_by_role("button", name="Publish 12")
    expect(publish).to_be_disabled()
    expect(page.locator("[data-act=dock-publish]")).to_be_disabled()
    page.keyboard.press("ArrowLeft")  # the recorded past is there, by keyboard
    expect(page.get_by_role("button", name="Back to now")).to_be_visible()
    page.keyboard.press("End")
    for each in held:
        each.continue_()
    expect(chip).to_have_text("engine live", timeout=ENGINE_MS)
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"00:01\.900"))
    waits_in_ram(page, 12)
    expect(page.locator("[data-act=dock-publish]")).to_be_enabled()
    publish.click()
    waits_in_ram(page, 24)


def test_a_cell_of_a_heatmap_runs_here_and_reaches_the_same_digest(
    page: Page, host: static_host.Host
) -> None:
    page.goto(f"{host.url}en/whatif/index.html?h=power-cut&w=steady")
    expect(page.locator("#whatif")).not_to_have_attribute("aria-busy", "true", timeout=ENGINE_MS)
    page.locator(".whatif-cell.home").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/en/play/index.html?h=power-cut&cell=*")
    # The page first plays to the moment of the link, and rests there.
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"00:05\.000"), timeout=ENGINE_MS)
    page.get_by_role("button", name="Play (Space)").click(timeout=ENGINE_MS)
    page.get_by_role("button", name="10×").click()
    expect(page.get_by_text("the same run")).to_be_visible()


def test_a_learning_platform_hears_of_an_exercise(page: Page, edition: Path, tmp_path: Path) -> None:
    write_package(edition, tmp_path / "package.zip", "first-in", "en")
    with zipfile.ZipFile(tmp_path / "package.zip") as package:
        package.extractall(tmp_path / "course")
    page.add_init_script(PLATFORM)
    with static_host.serving(tmp_path / "course") as platform:
        page.goto(f"{platform.url}en/scorm.html")
        work = page.frame_locator("#work")
        work.get_by_role("radio", name="q4").check(timeout=ENGINE_MS)
        work.get_by_role("button", name="Lock my prediction, and run on").click()
        expect(page.get_by_role("status")).to_have_text("Reported to the learning platform: 100 of 100.")
        page.goto(f"{platform.url}static/css/tokens.css")
        calls = json.loads(page.evaluate("sessionStorage.calls"))
    assert ["LMSSetValue", "cmi.core.score.raw", "100"] in calls
    assert ["LMSSetValue", "cmi.core.lesson_status", "completed"] in calls
    assert (calls[0], calls[-1]) == (["LMSInitialize", ""], ["LMSFinish", ""])
