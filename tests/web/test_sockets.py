"""Sockets on the real engine: joining, commanding, being refused, falling behind, coming back."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from autobahn.twisted.websocket import WebSocketServerProtocol
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.test import Client

from playground.asgi import application
from playground.classroom import sockets as classroom_sockets
from playground.hosting.run import FRAMES_IN_FLIGHT
from playground.limits.request_callers import AT_ONCE
from playground.models import CommandRecord, Session
from playground.records import kept_runs
from playground.sessions import live_hosts, session_sockets
from tests.helpers.patience import PATIENCE_S
from tools.catalogue.script_modules import RefusedMessage, WelcomeMessage

pytestmark = pytest.mark.django_db(transaction=True)


class Browser:
    """A browser's end of a socket."""

    def __init__(
        self,
        session_id: str,
        cookie: str = "",
        address: str = "192.0.2.1",
        query: str = "",
        **headers: str,
    ) -> None:
        sent = {"origin": "http://localhost", "host": "localhost", **headers}
        if cookie:
            sent["cookie"] = f"{django_settings.SESSION_COOKIE_NAME}={cookie}"
        self.session_id = session_id
        self.socket = WebsocketCommunicator(
            application,
            f"/ws/session/{session_id}/?{query}",
            headers=[(name.encode(), value.encode()) for name, value in sent.items()],
        )
        self.socket.scope["client"] = [address, 50_000]
        self.acknowledges = True
        self.seen: list[dict[str, Any]] = []
        self.next: int | None = None

    async def connect(self, hello: bool = True) -> Browser:
        connected, _code = await self.socket.connect(timeout=PATIENCE_S)
        assert connected
        if hello:
            await self.send(t="hello", have=None)
        return self

    async def send(self, **message: Any) -> None:
        await self.socket.send_to(text_data=json.dumps(message))

    async def command(self, number: int, **command: Any) -> dict[str, Any]:
        """Give a command and return the answer to it."""
        await self.send(t="command", id=number, command=command)
        return await self.until(lambda m: m["t"] in {"accepted", "refused"} and m.get("id") == number)

    async def receive(self, timeout_s: float = PATIENCE_S) -> dict[str, Any]:
        """Take one message, checking that rows have no holes."""
        message: dict[str, Any] = json.loads(await self.socket.receive_from(timeout=timeout_s))
        self.seen.append(message)
        if message["t"] == "snapshot":
            self.next = message["next"]
        elif message["t"] == "frame":
            assert message["first"] == self.next
            assert len(message["rows"]) == len(message["at_us"])
            self.next += len(message["rows"])
        if message["t"] in {"snapshot", "frame"} and self.acknowledges:
            await self.send(t="ack", through=self.next)
        return message

    async def until(
        self, wanted: Callable[[dict[str, Any]], bool], timeout_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Read until a message is the wanted one."""
        async with asyncio.timeout(timeout_s):
            while True:
                message = await self.receive()
                if wanted(message):
                    return message

    async def kind(self, kind: str) -> dict[str, Any]:
        return await self.until(lambda message: message["t"] == kind)

    async def close_code(self) -> int:
        """Read up to the end; return with which code the server closed."""
        while True:
            output = await self.socket.receive_output(timeout=PATIENCE_S)
            if output["type"] == "websocket.close":
                return int(output["code"])
            self.seen.append(json.loads(output["text"]))


@database_sync_to_async
def _start(**data: str) -> tuple[str, str]:
    client = Client()
    session_id = client.post("/s/new", data)["Location"].split("/")[2]
    return session_id, client.cookies[django_settings.SESSION_COOKIE_NAME].value


@pytest_asyncio.fixture
async def browsers() -> AsyncIterator[Callable[..., Any]]:
    """Return a function that opens a session's owner's browser, or another one of the same session."""
    opened: list[Browser] = []

    async def open_one(session_id: str = "", cookie: str = "", hello: bool = True, **headers: str) -> Browser:
        if not session_id:
            session_id, cookie = await _start()
        browser = Browser(session_id, cookie, **headers)
        browser.cookie = cookie  # type: ignore[attr-defined]
        opened.append(browser)
        return await browser.connect(hello)

    yield open_one
    for browser in opened:
        # After a wait in vain the socket's task is cancelled; that must not end the other tests' fixtures as well.
        with contextlib.suppress(asyncio.CancelledError):
            await browser.socket.disconnect()
    await live_hosts.end()


async def test_joining_brings_a_welcome_and_a_snapshot(browsers: Any) -> None:
    browser = await browsers()
    welcome = await browser.kind("welcome")
    msgspec.convert(welcome, WelcomeMessage)
    assert welcome["session"] == browser.session_id
    assert welcome["owner"] is True
    assert welcome["limits"]["max_messages"] == django_settings.WATERLINE["max_messages"]
    snapshot = await browser.kind("snapshot")
    assert set(snapshot["state"]) == {"queues", "stores", "node"}
    assert (await browser.kind("frame"))["play"] is True


async def test_where_the_server_sends_at_once_nothing_overtakes_and_the_end_comes_last(browsers: Any) -> None:
    session_id, cookie = await _start()
    browser = Browser(session_id, cookie)
    texts: list[str] = []
    snapshot_came = asyncio.Event()

    def receive(text: bytes) -> bool:
        texts.append(json.loads(text)["t"])
        if texts[-1] == "snapshot":
            snapshot_came.set()
        return True

    browser.socket.scope[AT_ONCE] = receive
    await browser.connect()
    async with asyncio.timeout(30):
        await snapshot_came.wait()
    assert texts[:2] == ["welcome", "snapshot"]
    await live_hosts.end()
    assert await browser.close_code() == session_sockets.TRY_AGAIN
    assert browser.seen == []


async def test_what_cannot_be_sent_at_once_is_sent_in_its_order(browsers: Any) -> None:
    session_id, cookie = await _start()
    browser = Browser(session_id, cookie)
    browser.socket.scope[AT_ONCE] = lambda text: False
    await browser.connect()
    assert (await browser.receive())["t"] == "welcome"
    assert (await browser.receive())["t"] == "snapshot"
    await browser.socket.disconnect()


async def test_a_burst_is_on_record_accepted_and_seen(browsers: Any) -> None:
    browser = await browsers()
    await browser.kind("snapshot")
    answer = await browser.command(1, do="publish", count=40, size_bytes=6000)
    assert answer == {"t": "accepted", "id": 1}
    record = await database_sync_to_async(CommandRecord.objects.get)()
    assert (record.sequence, record.command["count"]) == (0, 40)

    def carries(message: dict[str, Any]) -> bool:
        return message["t"] == "frame" and any(row[0] == "Published" for row in message["rows"])

    # The worker sends frames by itself: it may be seen before it is accepted.
    frame = next(filter(carries, browser.seen), None) or await browser.until(carries)
    assert len(frame["digest"]) == 32


async def test_rows_follow_each_other_through_a_whole_story(browsers: Any) -> None:
    browser = await browsers()
    await browser.send(t="control", play=True, speed=10)
    await browser.command(1, do="publish", count=40, size_bytes=6000)
    await browser.command(2, do="set_consumer", name="c1", rate_per_s=50, prefetch=5, ack="each")
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 8_000_000)
    rows = sum(len(message["rows"]) for message in browser.seen if message["t"] == "frame")
    assert rows > 200


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ({"do": "dance"}, "do must be"),
        ({"do": "publish"}, "count"),
        ({"do": "publish", "count": "many", "size_bytes": 1}, "count"),
        ({"do": "publish", "count": -5, "size_bytes": 1}, "count"),
        ({"do": "publish", "count": 1.5, "size_bytes": 1}, "count"),
        ({"do": "publish", "count": 10**15, "size_bytes": 1}, "count"),
        ({"do": "publish", "count": 1, "size_bytes": 1, "colour": 1}, "colour"),
        ({"do": "set", "name": "ram_bytes", "value": -1}, "value"),
        ({"do": "set", "name": "secret_key", "value": 1}, "name"),
        ({"do": "set_publisher", "name": "../x", "rate_per_s": 1, "size_bytes": 1}, "name"),
        ({"do": "restart", "kind": "format"}, "kind"),
        ({"do": "remove", "name": "nobody"}, "nobody"),
    ],
)
async def test_a_command_that_makes_no_sense_is_refused_and_the_session_lives_on(
    browsers: Any, command: dict[str, Any], word: str, caplog: pytest.LogCaptureFixture
) -> None:
    browser = await browsers()
    with caplog.at_level(logging.INFO, "playground"):
        answer = await browser.command(5, **command)
    msgspec.convert(answer, RefusedMessage)
    assert answer["t"] == "refused"
    assert word in answer["message"]
    assert sum("refused" in record.message for record in caplog.records) == 1
    assert (await browser.command(6, do="publish", count=1, size_bytes=1))["t"] == "accepted"


@pytest.mark.parametrize("text", ["{", "null", '{"t":"dance"}', '{"t":"ack","through":"x"}', "[" * 10_000])
async def test_a_message_that_cannot_be_read_is_refused(browsers: Any, text: str) -> None:
    browser = await browsers()
    await browser.socket.send_to(text_data=text)
    assert (await browser.kind("refused"))["message"]
    assert (await browser.command(6, do="publish", count=1, size_bytes=1))["t"] == "accepted"


async def test_bytes_are_refused(browsers: Any) -> None:
    browser = await browsers()
    await browser.socket.send_to(bytes_data=b"\x00" * 100)
    assert (await browser.kind("refused"))["message"]


async def test_an_oversized_command_is_refused_with_the_limit(browsers: Any) -> None:
    browser = await browsers()
    await browser.send(t="command", id=1, command={"do": "x" * 20_000})
    assert str(django_settings.WATERLINE["command_bytes"]) in (await browser.kind("refused"))["message"]


async def test_commands_are_rate_limited(browsers: Any, limit: Any) -> None:
    limit(commands_per_s=1)
    browser = await browsers()
    answers = [await browser.command(number, do="purge") for number in range(4)]
    assert [answer["t"] for answer in answers] == ["accepted", "accepted", "refused", "refused"]
    assert "Too fast" in answers[-1]["message"]


async def test_a_flood_of_messages_ends_the_connection(browsers: Any) -> None:
    browser = await browsers(hello=False)
    for _each in range(300):
        await browser.send(t="ack", through=0)
    assert await browser.close_code() == 4008


async def test_a_stranger_watches_and_may_not_command(browsers: Any) -> None:
    owner = await browsers()
    stranger = await browsers(owner.session_id)
    assert (await stranger.kind("welcome"))["owner"] is False
    await stranger.kind("snapshot")
    assert "watching" in (await stranger.command(1, do="purge"))["message"]
    await stranger.send(t="control", play=False)
    assert (await stranger.kind("notice"))["level"] == "limit"
    await owner.command(1, do="publish", count=3, size_bytes=10)
    await stranger.until(lambda m: m["t"] == "frame" and any(row[0] == "Published" for row in m["rows"]))


async def test_everybody_sees_the_same_rows(browsers: Any) -> None:
    owner = await browsers()
    watcher = await browsers(owner.session_id)
    await watcher.kind("snapshot")
    await owner.command(1, do="publish", count=30, size_bytes=6000)
    await owner.send(t="control", play=False)
    stopped = await owner.until(lambda m: m["t"] == "frame" and not m["play"])
    same = await watcher.until(lambda m: m["t"] == "frame" and not m["play"])
    assert (stopped["digest"], owner.next) == (same["digest"], watcher.next)


@pytest.mark.parametrize("session_id", ["22222222", "x"])
async def test_a_session_that_is_gone_says_so(browsers: Any, session_id: str) -> None:
    browser = await browsers(session_id, hello=False)
    assert await browser.close_code() == 4004
    assert "gone" in browser.seen[0]["message"]


async def test_another_site_may_not_connect(browsers: Any) -> None:
    session_id, cookie = await _start()
    for origin in ("http://evil.example", "null"):
        socket = Browser(session_id, cookie, origin=origin).socket
        connected, _code = await socket.connect()
        assert not connected


async def test_too_many_watchers_are_turned_away(browsers: Any, limit: Any) -> None:
    limit(sockets_per_session=1)
    owner = await browsers()
    await (await browsers(owner.session_id)).kind("snapshot")
    assert await (await browsers(owner.session_id)).close_code() == 4010


async def test_watchers_never_shut_the_owner_out(browsers: Any, limit: Any) -> None:
    limit(sockets_per_session=2)
    session_id, cookie = await _start()
    for _each in range(2):
        await (await browsers(session_id)).kind("snapshot")
    owner = await browsers(session_id, cookie)
    assert (await owner.kind("welcome"))["owner"] is True


async def test_a_full_server_says_so(browsers: Any, limit: Any) -> None:
    limit(sessions_per_process=1)
    await browsers()
    late = await browsers()
    assert await late.close_code() == 4013
    assert late.seen[0]["message"]


async def test_sockets_that_never_say_hello_lock_nobody_out_and_are_closed(
    browsers: Any, limit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(sessions_per_process=2, sessions_per_address=2)
    monkeypatch.setattr(session_sockets, "HELLO_S", 1.0)
    idle = [await browsers(hello=False) for _each in range(4)]
    for browser in idle:
        await browser.send(t="ack", through=0)
    await (await browsers()).kind("snapshot")
    assert [await browser.close_code() for browser in idle] == [session_sockets.NO_HELLO] * 4


async def test_one_address_does_not_take_all_sessions(browsers: Any, limit: Any) -> None:
    limit(sessions_per_process=3, sessions_per_address=2)
    for _each in range(2):
        await (await browsers(address="203.0.113.5")).kind("snapshot")
    greedy = await browsers(address="203.0.113.5")
    assert await greedy.close_code() == session_sockets.FULL
    assert "network" in greedy.seen[0]["message"]
    await (await browsers(address="203.0.113.6")).kind("snapshot")


async def test_one_visitor_has_so_many_sockets_and_gets_one_back_by_closing_one(
    browsers: Any, limit: Any
) -> None:
    limit(sockets_per_visitor=2)
    session_id, cookie = await _start()
    first = await browsers(session_id, cookie)
    await (await browsers(session_id, cookie)).kind("snapshot")
    third = await browsers(session_id, cookie)
    assert await third.close_code() == session_sockets.FULL
    assert "pages" in third.seen[0]["message"]
    await (await browsers(session_id)).kind("snapshot")  # another visitor of the same address
    await first.socket.disconnect()
    await (await browsers(session_id, cookie)).kind("snapshot")


@pytest.mark.parametrize("module", [session_sockets, classroom_sockets])
def test_the_server_can_send_every_code_with_which_sockets_are_closed(module: Any) -> None:
    codes = {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}
    closing = [value for name, value in codes.items() if value >= 1000 and name != "OUTBOX"]
    assert len(closing) >= 4
    for code in closing:
        protocol = WebSocketServerProtocol()
        vars(protocol)["sendCloseFrame"] = lambda **sent: None
        protocol.sendClose(code)


async def test_a_host_that_fails_ends_its_sockets_so_that_the_page_comes_back(browsers: Any) -> None:
    browser = await browsers()
    await browser.kind("snapshot")
    host = live_hosts.registry().host(browser.session_id)
    vars(host)["_rest_if_idle"] = None  # the owner task fails at its next turn
    await browser.send(t="control", play=True)
    code = await browser.close_code()
    assert code == session_sockets.TRY_AGAIN
    protocol = WebSocketServerProtocol()
    vars(protocol)["sendCloseFrame"] = lambda **sent: None
    protocol.sendClose(code)
    again = await browsers(browser.session_id, browser.cookie)
    await again.kind("snapshot")


async def test_a_reader_that_stalls_stays_bounded_and_gets_a_snapshot_later(browsers: Any) -> None:
    browser = await browsers()
    await browser.kind("snapshot")
    other = await browsers(browser.session_id, browser.cookie)
    await other.kind("snapshot")
    browser.acknowledges = False
    await browser.send(t="control", play=True, speed=2)  # few rows at once on a slow machine too
    await browser.send(
        t="command", id=1, command={"do": "set_publisher", "name": "p1", "rate_per_s": 20, "size_bytes": 100}
    )
    await other.until(lambda _: browser.socket.output_queue.qsize() >= FRAMES_IN_FLIGHT)
    for _frame in range(
        FRAMES_IN_FLIGHT + 1
    ):  # the other gets more frames than may be under way to the first
        await other.until(lambda m: m["t"] == "frame" and bool(m["rows"]))
    waiting = []
    while not browser.socket.output_queue.empty():
        waiting.append(await browser.receive())
    streamed = [message for message in waiting if message["t"] in {"frame", "snapshot"}]
    assert len(streamed) <= FRAMES_IN_FLIGHT + 1  # the first may have been acknowledged with the snapshot
    browser.acknowledges = True
    await browser.send(t="ack", through=browser.next)
    snapshot = await browser.kind("snapshot")
    assert snapshot["why"] == "lag"
    assert sum(snapshot["skipped"].values()) > 0
    await browser.kind("frame")


async def test_who_comes_back_goes_on_without_a_snapshot(browsers: Any) -> None:
    browser = await browsers()
    life = (await browser.kind("welcome"))["life"]
    await browser.kind("snapshot")
    await browser.send(t="control", play=False)
    await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    await browser.command(1, do="publish", count=3, size_bytes=10)
    await browser.until(lambda m: m["t"] == "frame" and m["rows"])
    have = browser.next
    await browser.socket.disconnect()
    again = await browsers(browser.session_id, browser.cookie, hello=False)
    again.next = have
    await again.send(t="hello", have=have, life=life)
    message = await again.until(lambda m: m["t"] in {"frame", "snapshot"})
    assert (message["t"], message["first"]) == ("frame", have)


async def test_hellos_are_answered_only_so_often(browsers: Any) -> None:
    browser = await browsers()
    for _each in range(20):
        await browser.send(t="hello", have=None)
    await browser.command(1, do="publish", count=1, size_bytes=10)  # answered behind what was asked before
    while not browser.socket.output_queue.empty():
        await browser.receive()
    assert len([message for message in browser.seen if message["t"] == "snapshot"]) <= 5


async def test_refusals_are_in_the_readers_language(browsers: Any) -> None:
    owner = await browsers()
    stranger = await browsers(owner.session_id, **{"accept-language": "zh-TW"})
    assert "觀看" in (await stranger.command(1, do="purge"))["message"]


async def test_a_refusal_of_the_engine_has_a_code_and_its_parameters_beside_the_text(browsers: Any) -> None:
    browser = await browsers(**{"accept-language": "zh-CN"})
    refused = await browser.command(1, do="kill_queue", queue="none")
    assert (refused["code"], refused["values"]) == ("no_queue", {"name": "none", "known": "orders"})
    assert "名为 none 的队列" in refused["message"]


async def test_a_killed_server_wakes_to_the_same_run(browsers: Any) -> None:
    browser = await browsers()
    await browser.send(t="control", play=True, speed=10)
    await browser.command(1, do="publish", count=40, size_bytes=6000)
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 2_000_000)
    await browser.command(2, do="set_consumer", name="c1", rate_per_s=20, prefetch=5, ack="each")
    await browser.until(lambda m: m["t"] == "frame" and m["now_us"] > 6_000_000)
    await browser.send(t="control", play=False)
    last = await browser.until(lambda m: m["t"] == "frame" and not m["play"])
    await browser.socket.disconnect()
    await live_hosts.end()  # rests with the digest on record
    session = await database_sync_to_async(Session.objects.get)(public_id=browser.session_id)
    assert session.digest == last["digest"]
    again = await browsers(browser.session_id, browser.cookie)
    snapshot = await again.kind("snapshot")
    assert (snapshot["digest"], snapshot["next"]) == (last["digest"], browser.next)
    assert any("Waking" in message["message"] for message in again.seen if message["t"] == "notice")


async def test_a_session_of_nobody_here_runs_its_script_and_gives_a_verdict(browsers: Any) -> None:
    @database_sync_to_async
    def prepare() -> str:
        scenario = kept_runs.blank_scenario("classroom")
        commands = [{"at_us": 1000, "do": "publish", "count": 5, "size_bytes": 100}]
        return kept_runs.start_session({**scenario, "commands": commands, "until_us": 200_000}).public_id

    browser = await browsers(await prepare())
    notice = await browser.kind("notice")
    assert "ends" in notice["message"]
