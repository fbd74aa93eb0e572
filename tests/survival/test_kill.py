"""kill -9 of the server under load: nothing that was acknowledged is lost, and browsers come back by themselves.

Real processes, a real browser, and both databases.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.storage.ledger import LedgerStorage
from tools import chromium, live_server, private_postgresql

pytestmark = pytest.mark.browser
SLOW_MS = 60_000

BEGIN = """async () => {
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  const body = new URLSearchParams({profile: "classroom", csrfmiddlewaretoken: token});
  return (await fetch("/s/new", {method: "POST", body})).url;
}"""

COMMANDER = """(path) => {
  const socket = new WebSocket(`ws://${location.host}${path}`);
  const answers = { sent: 0, accepted: [], refused: [], open: false };
  window.answers = answers;
  socket.onopen = () => {
    socket.send(JSON.stringify({ t: "hello", have: null }));
    socket.send(JSON.stringify({ t: "control", play: true, speed: 2 }));
    answers.open = true;
    const timer = setInterval(() => {
      if (socket.readyState !== 1) return clearInterval(timer);
      if (answers.sent - answers.accepted.length - answers.refused.length > 3) return;
      answers.sent += 1;
      const size_bytes = 1000 + answers.sent;
      const command = { do: "publish", count: 1 + (answers.sent % 3), size_bytes, persistent: true };
      socket.send(JSON.stringify({ t: "command", id: answers.sent, command }));
    }, 40);
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.t === "frame" || message.t === "snapshot") {
      const through = message.t === "frame" ? message.first + message.rows.length : message.next;
      socket.send(JSON.stringify({ t: "ack", through }));
    }
    if (message.t === "accepted") answers.accepted.push(1000 + message.id);
    if (message.t === "refused") answers.refused.push(message.message);
  };
}"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
def var_dir(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Return a prepared directory whose app keeps its records in either database."""
    with contextlib.ExitStack() as stack:
        if request.param == "postgresql":
            url = stack.enter_context(private_postgresql.running())
            (tmp_path / live_server.DATABASE_URL_FILE).write_text(url)
        live_server.prepare(tmp_path)
        yield tmp_path


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.executable(), args=chromium.FLAGS)
        yield browser
        browser.close()


def accepted_until_killed(page: Page, server: live_server.LiveServer, path: str, wait_ms: int) -> list[int]:
    """Send commands on a socket of its own until the server is killed; return those that it acknowledged."""
    page.evaluate(COMMANDER, path)
    page.wait_for_function("() => answers.accepted.length > 5", timeout=SLOW_MS)
    page.wait_for_timeout(wait_ms)
    server.process.kill()
    server.process.wait()
    page.wait_for_timeout(100)  # what was on the wire arrives
    answers: dict[str, Any] = page.evaluate("() => answers")
    assert answers["refused"] == []
    return list(answers["accepted"])


def recorded(page: Page, session: str) -> dict[str, Any]:
    answer = page.request.get(f"{session}scenario.json")
    assert answer.ok, answer.text()
    scenario: dict[str, Any] = answer.json()
    return scenario


def shown_and_recorded(page: Page, session: str) -> dict[str, Any]:
    """Return the record of a moment that the page shows: the session goes on by itself between the two questions."""
    deadline_s = time.monotonic() + SLOW_MS / 1000
    scenario = recorded(page, session)
    while page.locator("[data-digest-text]").text_content() != scenario["digest"][:8]:
        assert time.monotonic() < deadline_s, "the page never shows what is on record"
        page.wait_for_timeout(200)
        scenario = recorded(page, session)
    return scenario


def test_a_killed_server_loses_nothing_that_it_acknowledged(var_dir: Path, browser: Browser) -> None:
    survive(var_dir, browser, kills=1)


@pytest.mark.soak
def test_a_server_that_is_killed_again_and_again(var_dir: Path, browser: Browser) -> None:
    survive(var_dir, browser, kills=10)


def survive(var_dir: Path, browser: Browser, kills: int) -> None:
    """Kill and restart the server under load, and compare what came back with what was acknowledged."""
    chance = random.Random(7)
    server = live_server.start(var_dir)
    port = int(server.url.rsplit(":", 1)[1])
    try:
        commander, watcher = (browser.new_context(base_url=server.url).new_page() for _each in range(2))
        commander.goto("/")
        session = commander.evaluate(BEGIN)
        watcher.goto(session)
        live = watcher.locator("[data-link][data-state=live]")
        expect(live).to_be_visible(timeout=SLOW_MS)
        path = f"/ws{session.removeprefix(server.url).replace('/s/', '/session/', 1)}"
        acknowledged: list[int] = []
        for _kill in range(kills):
            commander.goto("/fidelity/")
            fresh = accepted_until_killed(commander, server, path, chance.randrange(100, 1500))
            assert fresh
            acknowledged += fresh
            expect(watcher.locator("[data-link][data-state=lost]")).to_be_visible(timeout=SLOW_MS)
            server = live_server.start(var_dir, port)
            expect(live).to_be_visible(timeout=SLOW_MS)
            sizes = [each["size_bytes"] for each in recorded(watcher, session)["commands"]]
            for size in set(acknowledged):
                assert sizes.count(size) >= acknowledged.count(size), "an acknowledged command is lost"
        scenario = shown_and_recorded(watcher, session)
        node = operated(parse({**scenario, "digest": None}), LedgerStorage())
        node.advance(scenario["until_us"])
        assert node.log.digest == scenario["digest"], "the run that came back is another one"
    finally:
        live_server.stop(server)
