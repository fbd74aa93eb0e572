"""Names that somebody chose to break pages: in a real browser they are text, on the page and in saved pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Dialog, Page, expect

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
HOSTILE = (
    "<img src=x onerror=window.broken=1>",
    "</script><script>window.broken=1</script>",
    "\"'><svg onload=window.broken=1>",
    "]]>&#1;\u202egnirts\u0001",
)


def test_a_run_whose_names_are_hostile_is_text_wherever_it_is_shown(
    open_page: OpenPage, tmp_path: Path
) -> None:
    scenario = {
        "version": 1,
        "title": HOSTILE[1],
        "profile": "classroom",
        "until_us": 3_000_000,
        "commands": [
            {"at_us": 10_000 + number, "do": "declare_queue", "name": name}
            for number, name in enumerate(HOSTILE)
        ]
        + [{"at_us": 500_000, "do": "publish", "count": 5, "size_bytes": 100}],
    }
    page = open_page()
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    first_page = page.context.request.get("/").url
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    form = {"text": json.dumps(scenario), "csrfmiddlewaretoken": token}
    session = page.context.request.post("/s/import", form=form, headers={"Referer": first_page})
    assert session.ok, session.text()[:2000]
    page.goto(session.url)
    expect(page.locator("[data-link][data-state=live]")).to_be_visible()
    page.get_by_text(HOSTILE[0]).first.wait_for(state="attached", timeout=60_000)
    page.get_by_role("button", name="Share and export").click()
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.locator(f"[data-share={kind}]").click()
        download.value.save_as(tmp_path / f"moment.{kind}")
    picture = ET.fromstring((tmp_path / "moment.svg").read_bytes())
    assert not [each.tag for each in picture.iter() if each.tag.endswith(("script", "img", "foreignObject"))]
    assert not [name for each in picture.iter() for name in each.attrib if name.startswith("on")]
    assert (tmp_path / "moment.png").read_bytes().startswith(b"\x89PNG")
    assert page.evaluate("window.broken") is None
    assert dialogs == []
