"""A run as one page that works offline: what is in the file, how large it is, and how it is taken away."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import pytest
from django.test import AsyncClient, Client

from bench.exported_pages import COUNT, MOST_LONG_BYTES, MOST_STORY_BYTES, long_run
from playground.hosting.real_engine import door
from playground.offline import export, page, recording
from playground.offline.page import PageSource, write
from playground.offline.recording import record, stops_of
from playground.records import kept_runs
from playground.sessions.scenario_links import LinkPlace
from playground.storybook import ready_scenarios


def unpacked(page: str) -> dict[str, Any]:
    """Return the parts of a page by their names."""
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([^<]+)<', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in found}


def page_of(name: str, **more: str) -> str:
    entry = ready_scenarios.entry(name)
    assert entry is not None
    return write(PageSource(entry.run, entry.story, entry.story_json(), **more))


@pytest.mark.parametrize("name", ["first-burst", "real-delta", "mirrors-failover", "lanes-of-lanes"])
def test_a_story_fits_into_a_megabyte_and_ends_with_its_digest(name: str) -> None:
    entry = ready_scenarios.entry(name)
    assert entry is not None
    page = page_of(name)
    assert len(page.encode()) < MOST_STORY_BYTES
    parts = unpacked(page)
    messages = [message for part in sorted(parts) if part.startswith("run-") for message in parts[part]]
    next_row = None
    for message in messages:
        if message["t"] == "snapshot":
            next_row = message["next"]
        else:
            assert message["first"] == next_row, "rows have no holes"
            next_row += len(message["rows"])
    assert messages[-1]["digest"] == entry.run["digest"]
    assert f'<meta name="waterline-digest" content="{entry.run["digest"]}">' in page
    assert f"engine {door().version}" in page


def test_the_page_speaks_three_languages_and_has_no_way_out() -> None:
    page = page_of("first-burst")
    parts = unpacked(page)
    titles = {code: parts[f"page-{code}"]["title"] for code in ("en", "zh-hans", "zh-hant")}
    assert titles["en"] == "First burst · Waterline"
    assert len(set(titles.values())) > 1
    assert "connect-src 'none'" in page
    program = parts["program"]
    assert not [name for name, text in program["modules"].items() if re.search(r'(from|import\() ?"\.', text)]
    for text in program["modules"].values():
        wanted = re.findall(r'(?:from|import\() ?"(waterline/[^"]+)"', text)
        assert set(wanted) <= program["modules"].keys()
    html = parts["page-en"]["html"]
    assert "icons/sprite" not in html
    assert not re.search(r'(?:src|action)="/', html.replace('action="/s/', ""))
    assert "https:" not in html


def test_the_page_opens_at_the_moment_that_was_shared() -> None:
    entry = ready_scenarios.entry("lanes-of-lanes")
    assert entry is not None
    place = LinkPlace(at_us=1_500_000, msg=7)
    shared = unpacked(write(PageSource(entry.run, entry.story, entry.story_json(), place=place)))
    for code in ("en", "zh-hans", "zh-hant"):
        assert shared[f"page-{code}"]["data"]["place"] == {"at_us": 1_500_000, "number": None, "msg": 7}
        claims = shared[f"page-{code}"]["data"]["story"]["articles"]["rows"]
        assert claims, "what the articles say of this run"


def test_without_a_server_no_link_leads_back_and_with_one_it_does() -> None:
    alone = unpacked(page_of("first-burst"))["page-en"]
    assert "Open where it can be changed" not in alone["html"]
    assert alone["data"]["recording"]["rules"] == ""
    linked = unpacked(page_of("first-burst", home="https://w.example/", address="https://w.example/r/abc/"))[
        "page-en"
    ]
    assert 'href="https://w.example/r/abc/"' in linked["html"]
    assert linked["data"]["recording"]["rules"] == "https://w.example/rules/"


def test_bytes_are_kept_at_the_moments_that_the_story_stops_at() -> None:
    entry = ready_scenarios.entry("first-burst")
    assert entry is not None
    stops = stops_of(entry.story, entry.run["until_us"])
    assert stops == [1_900_000, 4_000_000, 4_800_000, 9_700_000, 17_000_000]
    recorded = record(door(), entry.run, stops)
    assert [stop.number for stop in recorded.stops] == sorted({stop.number for stop in recorded.stops})
    kept = recording.keep(door(), entry.run, recorded.stops)
    assert kept[0] == {}, "everything was in RAM"
    content = [
        kept_record for question, kept_record in kept[2].items() if question.startswith("file=transient%3A")
    ]
    assert content
    assert all(kept_record["kind"] == "content" and len(kept_record["hex"]) > 1000 for kept_record in content)


def test_a_run_of_a_million_messages_fits_into_two_megabytes() -> None:
    scenario = door().check(long_run(COUNT))
    page = write(PageSource(scenario))
    assert len(page.encode()) < MOST_LONG_BYTES
    parts = unpacked(page)
    messages = [message for name in parts if name.startswith("run-") for message in parts[name]]
    states = [message["state"] for message in messages if "state" in message]
    assert states[0]["queues"]["orders"]["counters"]["next_seq_id"] == 0
    assert states[-1]["queues"]["orders"]["counters"]["next_seq_id"] == COUNT
    about = parts["page-en"]["data"]["recording"]
    assert messages[-1]["digest"] == about["digest"]


def test_a_cast_keeps_what_it_casts() -> None:
    code = "const find = (name) =>\n  /** @type {Client} */ (all(name));\nconst x = 1;\n"
    assert page.COMMENT.sub("", f"/** one\n * two */\n{code}/** last */\nx;\n") == f"{code}x;\n"


def test_comments_and_imports_of_a_module_are_read_as_they_are_written() -> None:
    found = page.modules("js/pages/recorded.js")
    assert "waterline/js/net/recording.js" in found
    assert "waterline/js/net/server.js" not in found, "what only a server needs stays out"
    assert "waterline/js/model/catalogue/types.js" not in found, "types are comments"
    assert 'from "waterline/js/net/recording.js"' in found["waterline/js/pages/recorded.js"]


def test_the_program_writes_a_file_or_says_what_is_wrong(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.html"
    assert export.main(["no-such-run", "-o", str(out)]) == 2
    assert "no ready scenario" in capsys.readouterr().err
    own = tmp_path / "mine.json"
    entry = ready_scenarios.entry("first-burst")
    assert entry is not None
    own.write_text(entry.encode(), "utf-8")
    assert export.main([str(own), "-o", str(out)]) == 0
    assert out.read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.django_db(transaction=True)
async def test_a_session_is_taken_away_as_a_page_that_leads_back() -> None:
    scenario = door().check(
        {"version": 1, "profile": "classroom", "seed": 1, "commands": [], "until_us": 1_000_000}
    )
    from channels.db import database_sync_to_async

    session = await database_sync_to_async(kept_runs.start_session)(scenario, reached_us=1_000_000)
    answer = await AsyncClient().get(f"/s/{session.public_id}/run.html")
    assert answer["Content-Disposition"] == f'attachment; filename="waterline-{session.public_id}.html"'
    page = b"".join([piece async for piece in answer.streaming_content]).decode()
    about = unpacked(page)["page-en"]["data"]["recording"]
    assert about["home"] == "http://testserver/"
    assert about["address"].startswith("http://testserver/x/")


@pytest.mark.django_db
def test_a_session_that_is_gone_gives_no_page() -> None:
    assert Client().get("/s/abcdefgh/run.html").status_code == 404
