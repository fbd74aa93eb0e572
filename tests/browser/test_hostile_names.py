"""Names that somebody chose to break pages: in a real browser they are text, on pages and in what is saved of them.

Only a browser: a parser of HTML that would run what a name contains: on pages, in files, on a learning platform.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from playwright.sync_api import Dialog, Page, expect

from playground.exercises import catalog
from playground.static_edition import write
from tools import static_host

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
HOSTILE = (
    "<img src=x onerror=window.broken=1>",
    "</script><script>window.broken=1</script>",
    "\"'><svg onload=window.broken=1>",
    "]]>&#1;\u202egnirts\u0001",
)
PLATFORM = """
  if (parent === window) window.API = { asked: 0, LMSInitialize: () => "true", LMSSetValue: () => "true",
    LMSCommit: () => "true", LMSFinish: () => "true", LMSGetLastError: () => "0",
    LMSGetErrorString: () => ANSWER, LMSGetValue() { this.asked += 1; return ANSWER; } };
"""
"""A learning platform that answers everything with a hostile text."""


def watched(page: Page) -> list[str]:
    """Return a list to which every dialog of a page is added."""
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    return dialogs


IN_USE = ("MyApp:Error", "svc/orders [0]", "<img src=x onerror=window.broken=1>\"'&")
"""As brokers have them, and one more that is hostile: queues with messages, bindings and a consumer."""
RUN = {
    "version": 1,
    "title": HOSTILE[1],
    "profile": "classroom",
    "topology": {
        "queues": [{"name": name} for name in IN_USE],
        "exchanges": [{"name": "Acme:Placed", "type": "fanout"}],
        "bindings": [{"exchange": "Acme:Placed", "queue": name} for name in IN_USE],
        "policies": [{"name": HOSTILE[0], "pattern": "^nothing$", "definition": {"max-length": 5}}],
    },
    "until_us": 3_000_000,
    "commands": [
        *({"at_us": 10_000 + at, "do": "declare_queue", "name": name} for at, name in enumerate(HOSTILE)),
        {"at_us": 100_000, "do": "publish", "count": 9, "size_bytes": 6144, "exchange": "Acme:Placed"},
        {"at_us": 200_000, "do": "set_consumer", "name": IN_USE[2], "queue": IN_USE[2], "rate_per_s": 2},
        {"at_us": 500_000, "do": "publish", "count": 5, "size_bytes": 100},
    ],
}


def test_a_run_whose_names_are_hostile_is_text_wherever_it_is_shown(
    open_page: OpenPage, assert_accessible: Callable[[Page], None], tmp_path: Path
) -> None:
    page = open_page()
    dialogs = watched(page)
    first_page = page.context.request.get("/").url
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    form = {"text": json.dumps(RUN), "csrfmiddlewaretoken": token}
    session = page.context.request.post("/s/import", form=form, headers={"Referer": first_page})
    assert session.ok, session.text()[:2000]
    page.goto(session.url)
    expect(page.locator("[data-link][data-state=live]")).to_be_visible()
    page.get_by_text(HOSTILE[0]).first.wait_for(state="attached", timeout=60_000)
    queues = page.get_by_role("group", name="The queue that is shown")
    for name in IN_USE:
        queues.get_by_role("button", name=name).first.click()
        expect(queues.get_by_role("button", pressed=True)).to_contain_text(name)
        expect(page.locator("#narrative")).to_contain_text(name)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert_accessible(page)
    for file in ("run.html", "run.csv", "scenario.json"):
        kept = page.request.get(page.url + file)
        assert kept.ok
        assert file != "run.html" or "<img src=x" not in kept.text()
    page.get_by_role("button", name="Share and export").click()
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"[data-share={kind}]").click()
        download.value.save_as(tmp_path / f"moment.{kind}")
    film = page.locator("[data-film]")
    film.locator("summary").click()
    for name, seconds in (("from", "0"), ("to", "0.4"), ("lasts", "1")):
        film.locator(f"[name={name}]").fill(seconds)
    with page.expect_download(timeout=120_000) as download:
        film.get_by_role("button", name="Record").click()
    with Image.open(download.value.path()) as gif:
        assert (gif.format, gif.n_frames) == ("GIF", 10)
    svg = (tmp_path / "moment.svg").read_text("utf-8")
    assert svg.startswith("<svg ")
    assert "q4" in svg
    assert "RabbitMQ 3.10.8" in svg
    assert "content + index in RAM" in svg
    picture = ET.fromstring(svg)
    assert not [each.tag for each in picture.iter() if each.tag.endswith(("script", "img", "foreignObject"))]
    assert not [name for each in picture.iter() for name in each.attrib if name.startswith("on")]
    assert (tmp_path / "moment.png").read_bytes().startswith(b"\x89PNG")
    assert page.evaluate("window.broken") is None
    assert dialogs == []


def test_the_name_of_a_class_is_text_for_everybody_in_it(open_page: OpenPage) -> None:
    teacher, student = open_page(), open_page()
    dialogs = [watched(teacher), watched(student)]
    teacher.goto("/class/sign-up")
    teacher.fill("#id_username", "teacher-of-names")
    for field in ("#id_password1", "#id_password2"):
        teacher.fill(field, "correct horse battery")
    teacher.get_by_role("button", name="Make the account").click()
    for name in HOSTILE[:3]:
        a_class_is_called(name, teacher, student)
    assert dialogs == [[], []]


def a_class_is_called(name: str, teacher: Page, student: Page) -> None:
    """Make a class of this name, let a student in, and look at the pages of both."""
    teacher.goto("/class/")
    teacher.fill("#class-name", name)
    teacher.get_by_role("button", name="Make the class").click()
    code = teacher.locator(".join-code").inner_text()
    class_page = teacher.url
    expect(teacher.get_by_text(name).first).to_be_attached()
    student.goto(f"/class/join/{code}/")
    student.fill("#nickname", "owl")
    student.locator("form[action$='/join/'] button").click()
    student.wait_for_url("**/class/me/")
    expect(student.get_by_text(name).first).to_be_attached()
    for address in ("/class/", class_page):
        teacher.goto(address)
        expect(teacher.get_by_text(name).first).to_be_attached()
    for page in (teacher, student):
        assert page.evaluate("window.broken") is None
        expect(page.locator("img[src=x], svg[onload]")).to_have_count(0)


def test_a_package_of_a_hostile_title_for_a_hostile_platform(
    open_page: OpenPage, tmp_path: Path, repo_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The title is text on the page and in the manifest; what the platform answers is never a part of the page."""
    edition, course = tmp_path / "edition", tmp_path / "course"
    shutil.copytree(repo_root / "static", edition / "static")
    for name, text in {
        "en/index.html": "",
        "en/i18n/catalog.js": "globalThis.gettext = (text) => text;",
        "en/learn/waterline/first-in/index.html": "<!doctype html><p>the exercise</p>",
        "wasm/pyodide.mjs": 'import("./pyodide.asm.mjs")',
        "wasm/pyodide.asm.mjs": "",
    }.items():
        (edition / name).parent.mkdir(parents=True, exist_ok=True)
        (edition / name).write_text(text, "utf-8")
    exercise = catalog.exercise("first-in")
    for number, title in enumerate(HOSTILE[:3]):
        monkeypatch.setattr(write, "_chosen", lambda _name, _language, title=title: (title, [exercise]))
        package = tmp_path / f"{number}.zip"
        write.write_package(edition, package, "first-in", "en")
        with zipfile.ZipFile(package) as found:
            found.extractall(course / str(number))
            manifest = ET.fromstring(found.read("imsmanifest.xml"))
        assert title in {each.text for each in manifest.iter() if each.tag.endswith("title")}
        page = open_page()
        dialogs = watched(page)
        page.add_init_script(PLATFORM.replace("ANSWER", json.dumps(HOSTILE[2 - number])))
        with static_host.serving(course) as platform:
            page.goto(f"{platform.url}{number}/en/scorm.html")
            expect(page.frame_locator("#work").get_by_text("the exercise")).to_be_visible()
            expect(page).to_have_title(f"{title} \u00b7 Waterline")
            expect(page.locator("#work")).to_have_attribute("title", title)
            page.wait_for_function("window.API.asked > 0")  # the platform was asked
            assert page.evaluate("window.broken") is None
        assert dialogs == []
