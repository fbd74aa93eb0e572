"""Promise 2 in the browser: the page's fold of thousands of random changes equals the engine's own snapshot."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.sessions import begin
from tools import live_server

COMMANDS = 1000
ROWS_FOLDED_AT_LEAST = 2000

PLAY = """
async ({path, commands}) => {
  const loaded = (part) => performance.getEntriesByType("resource").map((e) => e.name).find((n) => n.includes(part));
  const {Session} = await import(loaded("/js/model/session."));
  const {Transport} = await import(loaded("/js/net/transport."));
  const {differences} = await import("/static/js/model/canonical.js");
  const address = location.origin.replace("http", "ws") + path;
  const session = new Session();
  const played = {rows: 0, snapshots: {}, refused: 0, notices: []};
  let welcomed, stopped, fail;
  const lost = new Promise((_, refuse) => (fail = refuse));
  const ready = new Promise((done) => (welcomed = done));
  const transport = new Transport(address, {
    welcome: () => {},
    snapshot: (m) => { played.snapshots[m.why] = (played.snapshots[m.why] || 0) + 1; session.snapshot(m); welcomed(); },
    frame: (m) => { played.rows += m.rows.length; session.frame(m); if (stopped && !m.play) stopped(); },
    notice: (m) => played.notices.push(m.message),
    status: (name) => name === "lost" && fail(new Error("the server closed the socket")),
  });
  transport.connect();
  await ready;
  transport.send({t: "control", play: true, speed: 1});
  const refused = () => (played.refused += 1);
  for (let at = 0; at < commands.length; at += 10) {
    await Promise.all(commands.slice(at, at + 10).map((command) => transport.command(command).catch(refused)));
  }
  const still = new Promise((done) => (stopped = done));
  transport.send({t: "control", play: false, speed: 1});
  await Promise.race([still, lost]);
  await new Promise((done) => setTimeout(done, 500));
  const snapshot = await new Promise((done) => {
    const second = new WebSocket(address);
    second.onopen = () => second.send(JSON.stringify({t: "hello", have: null}));
    second.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.t === "snapshot") { second.close(); done(message); }
    };
  });
  transport.close();
  return {...played, next: session.next, theirs: snapshot.next, digest: session.digest === snapshot.digest,
          differences: differences(session.state, snapshot.state)};
}
"""


@pytest.fixture(scope="module")
def quick_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live_server.LiveServer]:
    """Run a server that takes commands faster than a person gives them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WATERLINE_COMMANDS_PER_S", "100000")
        with live_server.running(tmp_path_factory.mktemp("quick")) as running:
            yield running


def random_commands(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    consumer = {"do": "set_consumer", "name": "c1"}
    makers = (
        lambda: {
            "do": "publish",
            "count": chance.randint(1, 12),
            "size_bytes": chance.choice([0, 16, 900, 4093, 6144]),
            "persistent": chance.random() < 0.5,
            "confirm": chance.random() < 0.5,
        },
        lambda: {"do": "get", "count": chance.randint(1, 9), "ack": chance.random() < 0.5},
        lambda: {"do": "ack", "count": chance.randint(1, 9), "multiple": chance.random() < 0.5},
        lambda: {"do": "requeue", "count": chance.randint(1, 9)},
        lambda: {"do": "set", "name": "target_ram_count", "value": chance.choice([0, 2, 8, None])},
        lambda: {
            **consumer,
            "rate_per_s": chance.choice([5, 50]),
            "prefetch": 4,
            "ack": "each",
            "running": True,
        },
        lambda: {"do": "remove", "name": "c1"},
        lambda: {"do": "publish", "count": 0},
        lambda: {"do": "set", "name": "queue_mode", "value": chance.choice(["lazy", "default"])},
        lambda: {"do": "purge"},
        lambda: {"do": "restart", "kind": chance.choice(["clean", "kill", "power"])},
    )
    weights = (40, 25, 25, 10, 10, 3, 6, 2, 2, 1, 1)
    return [maker() for maker in chance.choices(makers, weights, k=COMMANDS)]


def test_fold_in_the_browser_equals_the_engine(
    browser: Browser, quick_server: live_server.LiveServer
) -> None:
    context = browser.new_context(base_url=quick_server.url)
    page = context.new_page()
    begin(page)
    path = page.evaluate("JSON.parse(document.querySelector('#live-data').textContent).websocket")
    played = page.evaluate(PLAY, {"path": path, "commands": random_commands(7)})
    context.close()
    assert played["differences"] == []
    assert played["next"] == played["theirs"]
    assert played["digest"]
    assert played["rows"] >= ROWS_FOLDED_AT_LEAST, played
    assert 0 < played["refused"] < COMMANDS / 2, played
