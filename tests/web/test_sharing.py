"""A link repeats the run: live, asleep, and after the engine changed."""

from __future__ import annotations

from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.conf import settings as django_settings
from django.test import Client

from engine.replay import RunPlayer, on_ledger
from playground.hosting.real_engine import door
from playground.models import Scenario, Session
from playground.records import kept_runs
from playground.records.database_record import RecordAppend, append
from playground.sessions import live_hosts, session_sharing
from tests.web.test_sockets import browsers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)


@database_sync_to_async
def post_share(session_id: str, **headers: str) -> Any:
    return Client(headers=headers).post(f"/s/{session_id}/share")


@database_sync_to_async
def open_link(address: str) -> tuple[str, str]:
    client = Client()
    session_id = client.get(address)["Location"].split("/")[2]
    return session_id, client.cookies[django_settings.SESSION_COOKIE_NAME].value


async def play_a_little(browser: Any) -> None:
    await browser.send(t="control", play=True, speed=10)
    await browser.command(1, do="publish", count=40, size_bytes=6000)
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 2_000_000)
    await browser.command(2, do="set_consumer", name="c1", rate_per_s=20, prefetch=5, ack="each")
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 5_000_000)


async def test_a_shared_link_reaches_the_same_digest(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await play_a_little(browser)
    await browser.send(t="control", play=False)
    stopped = await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    answer = (await post_share(browser.session_id)).json()
    assert answer["digest"] == stopped["digest"]
    session_id, cookie = await open_link(answer["url"].removeprefix("http://testserver"))
    assert session_id != browser.session_id
    colleague = await browsers(session_id, cookie)
    await colleague.send(t="control", play=True, speed=100)
    notice = await colleague.kind("notice")
    assert "the same run" in notice["message"]
    await colleague.send(t="control", play=False)
    same = await colleague.until(lambda m: m["t"] == "frame" and not m["play"])
    assert same["digest"] == answer["digest"]
    assert colleague.next == browser.next


async def test_a_running_session_can_be_shared(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await play_a_little(browser)
    answer = await post_share(browser.session_id)
    kept = await database_sync_to_async(kept_runs.scenario_by_name)(answer.json()["short_id"])
    node = door().rehearse(kept_runs.scenario_body(kept))
    node.advance(node.scenario.until_us)
    assert node.log.digest == kept.digest
    await browser.kind("frame")


async def test_a_sleeping_session_gives_the_same_link(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await play_a_little(browser)
    await browser.send(t="control", play=False)
    await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    awake = (await post_share(browser.session_id)).json()
    await browser.socket.disconnect()
    await live_hosts.end()
    assert (await post_share(browser.session_id)).json() == awake
    # As after a crash, when the digest is not on record: it is found by repeating the run on the ledger.
    await database_sync_to_async(Session.objects.update)(digest="")
    assert (await post_share(browser.session_id)).json() == awake


async def test_a_link_made_with_another_engine_names_it(browsers: Any) -> None:  # noqa: F811
    @database_sync_to_async
    def prepare() -> str:
        scenario = kept_runs.blank_scenario("classroom")
        scenario |= {"until_us": 300_000, "digest": "0" * 32}
        return kept_runs.keep_scenario(scenario, engine_version="0.0.1").short_id

    session_id, cookie = await open_link(f"/r/{await prepare()}/")
    notice = await (await browsers(session_id, cookie)).kind("notice")
    assert notice["level"] == "info"
    assert "0.0.1" in notice["message"]


async def test_a_changed_replay_is_no_longer_compared(browsers: Any) -> None:  # noqa: F811
    @database_sync_to_async
    def prepare() -> str:
        scenario = kept_runs.blank_scenario("classroom")
        return kept_runs.keep_scenario({**scenario, "until_us": 300_000, "digest": "0" * 32}).short_id

    browser = await browsers(*(await open_link(f"/r/{await prepare()}/")))
    await browser.command(1, do="publish", count=1, size_bytes=1)
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 600_000)
    assert [message for message in browser.seen if message["t"] == "notice"] == []


async def test_htmx_gets_a_fragment(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await browser.kind("snapshot")
    response = await post_share(browser.session_id, **{"HX-Request": "true"})
    page = response.content.decode()
    assert "/r/" in page
    assert "<html" not in page


async def test_real_bytes_of_real_files(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await browser.kind("snapshot")
    await browser.command(1, do="publish", count=3, size_bytes=100, persistent=True, confirm=True)
    await browser.until(lambda m: m["t"] == "frame" and any(row[0] == "SegmentWritten" for row in m["rows"]))
    await browser.send(t="control", play=False)
    await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    root = live_hosts.registry().directory.of(browser.session_id)
    segment = next(iter(root.rglob("0.idx")))

    @database_sync_to_async
    def read(**query: Any) -> Any:
        path = segment.relative_to(root).as_posix()
        return Client().get(f"/s/{browser.session_id}/file", {"path": path, **query}).json()

    whole = await read(count=4096)
    assert bytes.fromhex(whole["hex"]) == segment.read_bytes()
    assert whole["size"] == segment.stat().st_size
    assert (await read(offset=2, count=3))["hex"] == whole["hex"][4:10]
    assert (await read(count=10**9))["count"] <= 4096
    assert (await read(offset=10**12))["hex"] == ""


def test_the_same_moment_is_kept_once() -> None:
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    assert session_sharing.share(session) == session_sharing.share(session)
    assert Scenario.objects.count() == 1


def repeats(scenario: dict[str, Any]) -> bool:
    """Return whether the run of a file ends with the file's digest."""
    player = RunPlayer(on_ledger(scenario))
    player.finish(scenario["until_us"])
    return bool(player.node.log.digest == scenario["digest"])


def test_a_command_that_is_on_record_before_the_run_came_there_is_in_every_file() -> None:
    """After a crash the last command is on record, but not that the run came so far."""
    session = kept_runs.start_session(kept_runs.blank_scenario("classroom"))
    burst = {"do": "publish", "count": 3, "size_bytes": 100}
    append([RecordAppend(session.public_id, None, row=(0, 0, burst), reached=(400_000, ""))])
    append([RecordAppend(session.public_id, None, row=(1, 900_000, {**burst, "count": 7}))])
    session.refresh_from_db()
    scenario = session_sharing.file_of(session)
    assert [(each["at_us"], each["count"]) for each in scenario["commands"]] == [(0, 3), (900_000, 7)]
    assert scenario["until_us"] == 900_000
    assert repeats(scenario)
    assert session_sharing.fork(session).scenario["commands"] == scenario["commands"]
    assert kept_runs.remembered(session.public_id).reached_us == 900_000


async def test_a_command_at_the_moment_of_rest_leaves_no_digest_on_record(browsers: Any) -> None:  # noqa: F811
    browser = await browsers()
    await browser.command(1, do="publish", count=4, size_bytes=60)
    await browser.send(t="control", play=False)
    await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    await browser.socket.disconnect()
    await live_hosts.end()
    session = await database_sync_to_async(Session.objects.get)(public_id=browser.session_id)
    assert session.digest
    again = await browsers(browser.session_id, browser.cookie)
    answer = await again.command(2, do="publish", count=5, size_bytes=61)
    assert answer["t"] == "accepted"
    await database_sync_to_async(session.refresh_from_db)()  # what a server that is killed now leaves behind
    assert (session.digest, len(await database_sync_to_async(kept_runs.commands_of)(session))) == ("", 2)
    scenario = await database_sync_to_async(session_sharing.file_of)(session)
    assert repeats(scenario)
