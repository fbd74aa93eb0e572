"""Links: to a moment, with the run inside, previewed, framed, and made by other versions."""

from __future__ import annotations

import io
import json
import re
import time
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.http import QueryDict
from django.test import Client
from PIL import Image

from engine import ENGINE_VERSION
from playground.hosting.real_engine import door
from playground.models import Scenario, ScenarioText, Session
from playground.records import kept_runs
from playground.sessions import scenario_links, session_sharing
from playground.storybook import ready_scenarios
from playground.storybook.entry import read
from playground.views import links as link_views
from tests.web import record
from tests.web.test_sockets import browsers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)

BOT = {"user-agent": "Mozilla/5.0 (compatible; Slackbot-LinkExpanding 1.0)"}


@pytest.fixture
def kept() -> Scenario:
    entry = ready_scenarios.entry("first-burst")
    assert entry is not None
    return kept_runs.keep_scenario(entry.run, story=entry.story_json())


def opened(response: Any) -> Session:
    assert response.status_code == 302
    return Session.objects.get(public_id=response["Location"].split("/")[2])


# --- a moment ---


def test_a_link_to_a_moment_opens_a_session_that_stands_there(client: Client, kept: Scenario) -> None:
    response = client.get(f"/r/{kept.short_id}/?at=4800000&msg=7&view=files")
    assert opened(response).reached_us == 4_800_000
    assert response["Location"].endswith("/?at=4800000&msg=7&view=files")


def test_a_link_to_a_transition_stops_right_before_its_instant(client: Client, kept: Scenario) -> None:
    assert opened(client.get(f"/r/{kept.short_id}/?at=4800000&n=99")).reached_us == 4_799_999


def test_a_moment_after_the_end_is_the_end(client: Client, kept: Scenario) -> None:
    assert opened(client.get(f"/r/{kept.short_id}/?at=99000000")).reached_us == 17_000_000


@pytest.mark.parametrize(
    "query", ["at=-1", "at=1e9", "at=" + "9" * 40, "msg=<script>", "view=moon", "lang=fr", "n=x&at="]
)
def test_what_makes_no_sense_in_a_link_is_ignored(client: Client, kept: Scenario, query: str) -> None:
    response = client.get(f"/r/{kept.short_id}/?{query}")
    assert opened(response).reached_us == 0
    assert response["Location"].endswith("/")


def test_a_link_says_in_which_language_the_page_is(client: Client, kept: Scenario) -> None:
    address = client.get(f"/r/{kept.short_id}/?lang=zh-hans")["Location"]
    assert '<html lang="zh-hans"' in client.get(address).content.decode()


def test_the_query_of_a_place_reads_back() -> None:
    place = scenario_links.LinkPlace(5, 7, 3, "files", "zh-hant", "prod: EU/1")
    assert scenario_links.place_of(QueryDict(place.query()[1:])) == place
    assert scenario_links.LinkPlace().query() == ""


async def test_a_colleague_stands_at_the_moment(browsers: Any) -> None:  # noqa: F811
    from asgiref.sync import sync_to_async
    from django.conf import settings

    @sync_to_async
    def open_link() -> tuple[str, str]:
        entry = ready_scenarios.entry("first-burst")
        assert entry is not None
        kept = kept_runs.keep_scenario(entry.run, story=entry.story_json())
        client = Client()
        session_id = client.get(f"/r/{kept.short_id}/?at=4800000")["Location"].split("/")[2]
        return session_id, client.cookies[settings.SESSION_COOKIE_NAME].value

    colleague = await browsers(*(await open_link()))
    snapshot = await colleague.kind("snapshot")
    assert snapshot["at_us"] == 4_800_000
    assert snapshot["state"]["queues"]["orders"]["counted"]["delta"][1] == 42
    await colleague.send(t="control", play=True, speed=100, until_us=9_500_000)
    frame = await colleague.until(lambda m: m["t"] == "frame" and m["now_us"] >= 9_500_000 and not m["play"])
    assert frame["now_us"] == 9_500_000, "time stands still exactly there"


async def test_a_story_waits_for_its_reader(browsers: Any) -> None:  # noqa: F811
    from asgiref.sync import sync_to_async
    from django.conf import settings

    @sync_to_async
    def open_story() -> tuple[str, str]:
        entry = ready_scenarios.entry("first-burst")
        assert entry is not None
        kept = kept_runs.keep_scenario(entry.run, story=entry.story_json())
        client = Client()
        return client.get(f"/r/{kept.short_id}/")["Location"].split("/")[2], client.cookies[
            settings.SESSION_COOKIE_NAME
        ].value

    reader = await browsers(*(await open_story()))
    assert (await reader.kind("snapshot"))["at_us"] == 0
    await reader.send(t="control", speed=2)
    frame = await reader.until(lambda m: m["t"] == "frame" and m["speed"] == 2)
    assert (frame["play"], frame["now_us"]) == (False, 0)


# --- the run in the link ---


@pytest.mark.parametrize("path", ready_scenarios.files(), ids=lambda path: path.stem)
def test_every_ready_scenario_fits_into_a_link_and_comes_back(path: Any) -> None:
    run = ready_scenarios.load(path).run
    text = scenario_links.packed(run)
    assert text is not None
    assert len(text) < 900
    entry, made_with = scenario_links.unpacked(text)
    assert entry.run == {**run, "title": run["title"]}
    assert made_with == ENGINE_VERSION


def test_a_stateless_link_opens_the_run(client: Client) -> None:
    entry = ready_scenarios.entry("paging-spike")
    assert entry is not None
    response = client.get(f"/x/{scenario_links.packed(entry.run)}/?at=2200000")
    session = opened(response)
    assert session.scenario == entry.run
    assert session.reached_us == 2_200_000


def test_a_link_that_was_made_long_ago_is_still_read() -> None:
    """Links of this form are out there: change the form's number, never the form."""
    entry, made_with = scenario_links.unpacked("1q8aaTIJL8ouAKQB3YsGTPAzhdmBNJYZGmOkE1Y3GUIcDAA")
    assert made_with == "", "it has no digest to be of any engine"
    assert entry.run["title"] == "Stored"
    [command] = entry.run["commands"]
    assert (command["at_us"], command["count"], command["size_bytes"]) == (1_000_000, 12, 6000)


def test_a_link_of_another_engine_says_with_which_one_its_run_was_made(client: Client) -> None:
    entry = ready_scenarios.entry("paging-spike")
    assert entry is not None
    text = scenario_links.packed(entry.run, "0.3.1")
    assert text is not None
    page = client.get(f"/x/{text}/", follow=True).content.decode()
    assert f"made with engine 0.3.1; this is {ENGINE_VERSION}" in page
    assert (
        "made with engine"
        not in client.get(f"/x/{scenario_links.packed(entry.run)}/", follow=True).content.decode()
    )


def test_a_link_that_names_no_engine_is_of_an_older_one() -> None:
    """Links name their engine since 0.4.0; whatever stands there is no name unless it looks like one."""
    run = ready_scenarios.load(ready_scenarios.files()[0]).run
    for engine in ("", "<b>", "x" * 40, 7):
        text = scenario_links.packed(run, engine)  # type: ignore[arg-type]
        assert text is not None
        assert scenario_links.unpacked(text).made_with == scenario_links.UNNAMED


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("9abc", "another version"),
        ("1", "no scenario"),
        ("1!!!", "no scenario"),
        ("1q8YaxYYwddCoNTT", "no scenario"),
        ("1" + "A" * 200, "no scenario"),
        ("1q8aaTHz_5OSAgw9XYsFMHijWGIIsBgA", "must be UTF-8"),  # a title in Latin-1
    ],
)
def test_a_broken_link_is_reported(text: str, sentence: str) -> None:
    with pytest.raises(scenario_links.BadLink, match=sentence):
        scenario_links.unpacked(text)


def test_a_bomb_is_not_unfolded() -> None:
    import base64
    import zlib

    compressor = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=scenario_links.WORDS)
    data = compressor.compress(b'{"version": 1, "title": "' + b" " * 5_000_000) + compressor.flush()
    text = "1" + base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert len(text) < scenario_links.LONGEST
    with pytest.raises(scenario_links.BadLink):
        scenario_links.unpacked(text)


def _with_pattern(pattern: str) -> str:
    policy = {"name": "p", "pattern": pattern, "definition": {"max-length": 1}}
    queue = {"name": "a" * 255}
    run = {"version": 1, "profile": "classroom", "commands": [], "until_us": 1}
    text = scenario_links.packed({**run, "topology": {"queues": [queue], "policies": [policy]}})
    assert text is not None
    assert len(text) < 200
    return text


def test_a_pattern_of_lookaheads_in_each_other_is_drawn_like_any_other(client: Client) -> None:
    """An address of so few letters once kept a process at work for hours: a place for each place of the name."""
    text = _with_pattern("(?=.*" * 7 + "b" + ")" * 7)
    before = time.process_time()
    response = client.get(f"/x/{text}/card.png")
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert time.process_time() - before < 10


def test_a_pattern_that_could_cost_too_much_is_no_link() -> None:
    with pytest.raises(scenario_links.BadLink) as bad:
        scenario_links.unpacked(_with_pattern("((a{64}){64}){64}"))
    assert "against a name of 255 letters could take more than 32768 steps" in str(bad.value)


def test_a_run_that_is_too_long_for_a_link_has_none() -> None:
    import random

    chance = random.Random(1)
    commands = [
        {
            "at_us": number * 1000,
            "do": "publish",
            "count": chance.randrange(1, 99),
            "size_bytes": chance.randrange(9999),
        }
        for number in range(3000)
    ]
    scenario = {**kept_runs.blank_scenario("classroom"), "commands": commands, "until_us": 9_000_000}
    assert scenario_links.packed(door().check(scenario)) is None


def test_a_broken_link_answers_with_a_page(client: Client) -> None:
    page = client.get("/x/9abc/")
    assert page.status_code == 404
    assert "another version" in page.content.decode()


# --- other versions ---


def test_a_link_of_an_older_form_opens_by_migration(client: Client) -> None:
    old = {"version": 0, "title": "Old", "scale": "classroom", "commands": [], "until_ms": 3000}
    kept = Scenario.objects.create(
        short_id="2222222222",
        title="Old",
        text=ScenarioText.of(json.dumps(old)),
        digest="0" * 32,
        engine_version="0.0.1",
    )
    response = client.get(f"/r/{kept.short_id}/")
    assert opened(response).scenario["until_us"] == 3_000_000
    page = client.get(response["Location"]).content.decode()
    assert "0.0.1" in page, "the page says that another engine made it"


def test_a_link_that_cannot_be_repeated_says_so_and_keeps_its_file(client: Client) -> None:
    odd = {"version": 1, "title": "Odd", "profile": "classroom", "commands": [{"at_us": 0, "do": "teleport"}]}
    kept = Scenario.objects.create(
        short_id="3333333333",
        title="Odd",
        text=ScenarioText.of(json.dumps(odd)),
        digest="",
        engine_version="0.0.2",
    )
    page = client.get(f"/r/{kept.short_id}/")
    assert page.status_code == 409
    assert "0.0.2" in page.content.decode()
    assert f"/r/{kept.short_id}/scenario.json" in page.content.decode()
    assert client.get(f"/r/{kept.short_id}/scenario.json").json()["commands"][0]["do"] == "teleport"
    assert Session.objects.count() == 0


# --- previews ---


def test_a_messenger_gets_a_description_and_no_session(client: Client, kept: Scenario) -> None:
    page = client.get(f"/r/{kept.short_id}/?at=4800000", headers=BOT).content.decode()
    assert Session.objects.count() == 0
    assert '<meta property="og:title" content="First burst">' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    card = re.search(r'og:image" content="http://testserver([^"]+)"', page)
    assert card is not None
    image = Image.open(io.BytesIO(client.get(card[1].replace("&amp;", "&")).content))
    assert image.size == (1200, 630)


def test_the_picture_is_drawn_from_the_moment(client: Client, kept: Scenario) -> None:
    early, late = (
        client.get(f"/r/{kept.short_id}/card.png?at={at}").content for at in (1_900_000, 4_800_000)
    )
    assert early != late
    blue = (0, 114, 178)
    assert blue in Image.open(io.BytesIO(late)).convert("RGB").get_flattened_data()
    assert blue not in Image.open(io.BytesIO(early)).convert("RGB").get_flattened_data(), "no delta yet"


def test_the_live_page_carries_the_description_of_its_run(client: Client, kept: Scenario) -> None:
    page = client.get(client.get(f"/r/{kept.short_id}/?at=4800000")["Location"]).content.decode()
    assert f"/r/{kept.short_id}/card.png?at=4800000" in page


# --- frames ---


def test_only_frames_may_be_framed_and_take_no_cookie(client: Client, kept: Scenario) -> None:
    frame = client.get(f"/embed/{kept.short_id}/?at=4800000&lang=zh-hant")
    assert "frame-ancestors *" in frame["Content-Security-Policy"]
    assert "X-Frame-Options" not in frame
    assert frame.cookies == {}
    assert '<html lang="zh-hant"' in frame.content.decode()
    assert Session.objects.count() == 0
    for address in ("/", "/library/", f"/r/{kept.short_id}/card.png"):
        other = client.get(address)
        assert other["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in other["Content-Security-Policy"]


def test_a_frame_begins_a_session_only_when_somebody_plays(client: Client, kept: Scenario) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(f"/embed/{kept.short_id}/start?at=4800000")
    assert answer.status_code == 200
    assert answer.cookies == {}
    assert Session.objects.get().reached_us == 4_800_000
    assert strict.get(f"/embed/{kept.short_id}/start").status_code == 405


def test_a_key_is_for_one_session() -> None:
    key = kept_runs.play_key("abc")
    assert kept_runs.holds_key(f"key={key}".encode(), "abc")
    assert not kept_runs.holds_key(f"key={key}".encode(), "abd")
    assert not kept_runs.holds_key(b"key=abc:x:y", "abc")
    assert not kept_runs.holds_key(b"", "abc")


async def test_a_frame_may_play_and_not_command(browsers: Any) -> None:  # noqa: F811
    from asgiref.sync import sync_to_async

    from playground.asgi import application

    @sync_to_async
    def begin() -> str:
        scenario = {**kept_runs.blank_scenario("classroom"), "until_us": 2_000_000}
        kept = kept_runs.keep_scenario(scenario)
        return str(Client().post(f"/embed/{kept.short_id}/start").json()["websocket"])

    path = await begin()
    socket = WebsocketCommunicator(
        application, path, headers=[(b"origin", b"http://localhost"), (b"host", b"localhost")]
    )
    connected, _code = await socket.connect()
    assert connected
    await socket.send_json_to({"t": "hello"})
    assert (await socket.receive_json_from(5))["owner"] is False
    await socket.send_json_to({"t": "command", "id": 1, "command": {"do": "purge"}})
    await socket.send_json_to({"t": "control", "play": True, "speed": 100})
    seen: list[dict[str, Any]] = []
    while not any(m["t"] == "refused" for m in seen) or not any(
        m.get("now_us", 0) >= 2_000_000 for m in seen
    ):
        message = await socket.receive_json_from(5)
        seen.append(message)
        if message["t"] in {"frame", "snapshot"}:
            through = message.get("next", message.get("first", 0) + len(message.get("rows", [])))
            await socket.send_json_to({"t": "ack", "through": through})
    await socket.disconnect()


# --- the library and the editor ---


def test_the_library_is_searched_and_filtered(client: Client, library: list[Scenario]) -> None:
    def slugs(**query: Any) -> list[str]:
        page = client.get("/library/", query).content.decode()
        return re.findall(r'<li class="card pad" id="([^"]+)"', page)

    assert len(slugs()) == len(library)
    about_22 = {
        path.stem for path in ready_scenarios.files() if 22 in json.loads(path.read_text())["subjects"]
    }
    assert {"disk-alarm", "disk-fills-between-checks"} <= about_22 < {each.slug for each in library}
    assert set(slugs(subject=22)) == about_22
    assert "requeue-order" in slugs(question=10)
    found = slugs(q="watermark paging spike")
    assert found[0] == "paging-spike"
    assert 1 < len(found) < len(library) / 2, "those that have most of the words follow"
    assert slugs(q="qwertz") == []
    assert len(slugs(subject="99", question="<x>", q="")) == len(library)


def test_a_card_shows_its_verdict_with_a_link_into_the_run(client: Client, library: list[Scenario]) -> None:
    page = client.get("/library/?q=greek").content.decode()
    short_id = next(kept.short_id for kept in library if kept.slug == "greek-letters")
    assert "gamma is for persistent messages only" in page
    assert f"/r/{short_id}/?at=6500000" in page


def test_the_editor_names_line_and_column_and_plays(client: Client) -> None:
    page = client.get("/library/edit/?from=first-burst").content.decode()
    assert "first-burst" in page
    wrong = '{"version": 1,\n "profile": "huge"}'
    found = client.post("/library/check/", {"text": wrong}).content.decode()
    assert 'data-line="2"' in found
    assert client.post("/library/edit/", {"text": wrong}).status_code == 422
    good = json.dumps(
        {"version": 1, "profile": "classroom", "title": "Mine", "question": "<b>?</b>", "until_us": 5}
    )
    response = client.post("/library/edit/", {"text": good})
    session = opened(response)
    assert session.origin is not None
    assert session.origin.story == {"title": "Mine", "question": "<b>?</b>"}
    assert "<b>?</b>" not in client.get(response["Location"]).content.decode()


def test_the_editor_is_bounded(client: Client, limit: Any) -> None:
    limit(scenario_bytes=100)
    assert "100" in client.post("/library/check/", {"text": "x" * 200}).content.decode()


def test_the_schema_is_served_for_editors_anywhere(client: Client) -> None:
    response = client.get("/schema/scenario-v1.json")
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response.json()["title"] == "Waterline scenario, version 1"


def test_a_ready_file_is_downloaded_as_it_is(client: Client) -> None:
    text = client.get("/library/first-burst.json").content.decode()
    assert text == (ready_scenarios.FOLDER / "first-burst.json").read_text("utf-8")
    assert client.get("/library/nothing.json").status_code == 404


def test_pictures_are_remembered(client: Client, kept: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    link_views.pictures.clear()
    first = client.get(f"/r/{kept.short_id}/card.png?at=1000000")
    monkeypatch.setattr(link_views, "draw_moment", None)  # it is not asked again
    assert client.get(f"/r/{kept.short_id}/card.png?at=1000000").content == first.content


async def test_sharing_a_run_with_a_story_keeps_both_whole(browsers: Any) -> None:  # noqa: F811
    from asgiref.sync import sync_to_async

    @sync_to_async
    def begin() -> Session:
        entry = ready_scenarios.entry("first-burst")
        assert entry is not None
        kept = kept_runs.keep_scenario(entry.run, story=entry.story_json())
        return kept_runs.replay_session(kept, 4_800_000)

    session = await begin()
    shared = await sync_to_async(session_sharing.share)(session)
    assert shared.story == session.origin.story
    assert kept_runs.scenario_body(shared)["until_us"] == 17_000_000
    file = await sync_to_async(session_sharing.file_of)(session)
    assert read(file).story.prediction is not None
    await sync_to_async(record.record_command)(session.public_id, 0, 4_800_000, {"do": "purge"})
    mine = await sync_to_async(session_sharing.share)(
        await sync_to_async(kept_runs.session_by_id)(session.public_id)
    )
    assert mine.story is None, "the story was about another run"
    assert kept_runs.scenario_body(mine)["until_us"] == 4_800_000
