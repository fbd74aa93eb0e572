"""A run that asks for a prediction stands still until there is one, whatever is sent; nothing reveals it before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground.hosting import protocol
from playground.hosting.session_record import RecordedSession
from playground.models import Scenario, Session
from playground.records import kept_runs, paused_sessions
from tests.web.stub import MemoryBook, Reader, settled
from tests.web.test_faults import RealWorld

ASK_US = 400_000
STORY: dict[str, Any] = {
    "prediction": {
        "question": {"en": "How many?"},
        "ask_at_us": ASK_US,
        "at_us": 900_000,
        "options": [
            {"text": {"en": "none"}, "when": {"path": "queues.q.depth", "is": 0}},
            {"text": {"en": "some"}, "when": {"path": "queues.q.depth", "above": 0}},
        ],
    }
}


# --- the run ---


@pytest.fixture
async def asking(tmp_path: Path) -> Any:
    """Return a world with one session that waits for an answer, and its reader."""
    world = RealWorld(tmp_path / "sessions")
    commands = [
        {"at_us": at_us, "do": "publish", "count": 1, "size_bytes": 10}
        for at_us in range(100_000, 2_000_000, 100_000)
    ]
    scenario = world.door.check({**world.blank, "commands": commands, "until_us": 3_000_000})
    world.books["one"] = MemoryBook(RecordedSession(scenario, [], holds_us=ASK_US))
    reader = world.reader()
    await reader.until("snapshot")
    yield world, reader
    await world.registry.end()


async def stands(world: RealWorld, reader: Reader) -> None:
    """Wait until the run says that it waits; it must not have gone further."""
    await settled(lambda: any("waits for your answer" in each["message"] for each in reader.of("notice")))
    moment = await world.host().moment()
    assert moment.at_us == ASK_US


async def test_playing_comes_to_the_question_and_no_further(asking: Any) -> None:
    world, reader = asking
    for _again in range(2):
        world.host().say(protocol.ControlRun(True, 50))
        await stands(world, reader)
        reader.sent = [message for message in reader.sent if message["t"] != "notice"]
    world.host().say(protocol.ControlRun(True, 50, until_us=2_000_000))
    await stands(world, reader)


async def test_single_steps_come_to_the_question_and_no_further(asking: Any) -> None:
    world, reader = asking
    for _step in range(12):
        world.host().request(reader.client, protocol.StepRun())
    await stands(world, reader)


async def test_an_answer_lets_the_run_go_on_and_is_kept(asking: Any) -> None:
    world, reader = asking
    world.host().say(protocol.ControlRun(True, 50))
    await stands(world, reader)
    book = world.books["one"]
    book.fail = True
    world.host().request(reader.client, protocol.PredictStory(1, 0))
    await reader.until("refused")
    world.host().say(protocol.ControlRun(True, 50))
    assert (await world.host().moment()).at_us == ASK_US, "what is not on record does not count"
    world.host().request(reader.client, protocol.PredictStory(2, 0))
    await reader.until("accepted")
    assert book.record.holds_us is None
    world.host().say(protocol.ControlRun(True, 50))
    await settled(lambda: any(each["t"] == "frame" and each["now_us"] > 1_000_000 for each in reader.sent))


async def test_a_run_that_is_made_anew_waits_as_before(asking: Any) -> None:
    world, reader = asking
    world.host().say(protocol.ControlRun(True, 50))
    await stands(world, reader)
    await world.host().end()
    again = world.reader()
    await again.until("snapshot")
    world.host().say(protocol.ControlRun(True, 50))
    await stands(world, again)


# --- pages and the record ---


@pytest.fixture
def kept(db: None) -> Scenario:
    scenario = {**kept_runs.blank_scenario("classroom"), "until_us": 2_000_000}
    return kept_runs.keep_scenario(scenario, story=STORY)


def opened(client: Client, kept: Scenario, more: str = "") -> str:
    return str(client.get(f"/r/{kept.short_id}/{more}")["Location"].split("/")[2])


def test_a_session_waits_until_its_first_answer_which_stands(client: Client, kept: Scenario) -> None:
    one = opened(client, kept)
    assert kept_runs.remembered(one).holds_us == ASK_US
    paused_sessions.lock(one, 1)
    paused_sessions.lock(one, 0)
    assert kept_runs.remembered(one).holds_us is None
    assert Session.objects.get(public_id=one).predicted == 1
    assert '"predicted": 1' in client.get(f"/s/{one}/").content.decode()


def test_who_begins_where_the_run_has_shown_the_answer_is_not_asked(client: Client, kept: Scenario) -> None:
    assert kept_runs.remembered(opened(client, kept, "?at=899999")).holds_us == ASK_US
    assert kept_runs.remembered(opened(client, kept, "?at=900000")).holds_us is None


def test_a_frame_shows_no_question_and_waits_for_none(client: Client, kept: Scenario) -> None:
    client.post(f"/embed/{kept.short_id}/start")
    assert kept_runs.remembered(Session.objects.get().public_id).holds_us is None


def test_nobody_takes_a_run_along_that_waits(client: Client, kept: Scenario) -> None:
    one = opened(client, kept)
    ways = [
        lambda: client.post(f"/s/{one}/fork", {"at_us": ""}),
        lambda: client.get(f"/s/{one}/scenario.json"),
        lambda: client.get(f"/s/{one}/run.csv"),
        lambda: client.get(f"/s/{one}/run.jsonl"),
        lambda: client.get(f"/compare/?session={one}"),
    ]
    for way in ways:
        answer = way()
        assert answer.status_code == 409, answer
        assert "prediction" in answer.content.decode()
    link = client.post(f"/s/{one}/share").json()["short_id"]
    again = opened(client, Scenario.objects.get(short_id=link))
    assert kept_runs.remembered(again).holds_us == ASK_US, "who opens a link is asked the same"
    paused_sessions.lock(one, paused_sessions.SKIPPED)
    assert client.post(f"/s/{one}/fork", {"at_us": ""}).status_code == 302
