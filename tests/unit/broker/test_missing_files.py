"""Nodes that start on directories from which a file is gone: a queue process ends or goes on, and the start ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.broker.vhost.virtual_hosts import VirtualHost
from engine.ctl.console import operated
from engine.releases import RELEASES
from engine.storage.ledger import LedgerStorage
from engine.values.errors import FileCorrupt, ProcessCrash
from tests.conftest import RECORDINGS
from tests.helpers.watchdog import watched

pytestmark = pytest.mark.sources

QUEUE = "orders"
CASES = [
    *((each.name, {}) for each in RELEASES.values()),
    ("3.10.8", {"x-queue-version": 2}),
]
MIX = (
    {"count": 20, "size_bytes": 50, "persistent": True},
    {"count": 9, "size_bytes": 5000, "persistent": True},
    {"count": 3, "size_bytes": 60},
    {"count": 3, "size_bytes": 6000},
    {"count": 12, "size_bytes": 70, "persistent": True},
)


def node_of(release: str, arguments: dict[str, Any], scale: str = "real", **settings: Any) -> Any:
    """Return a node with one queue."""
    [row] = [each for each in RELEASES.values() if each.name == release]
    topology = {"queues": [{"name": QUEUE, "durable": True, "arguments": arguments}]}
    scenario = {
        "version": 1,
        "profile": row.profiles[scale],  # type: ignore[index]
        "settings": settings,
        "topology": topology,
        "until_us": 1,
    }
    return operated(parse(scenario), LedgerStorage(), 10_000)


def restart_without(
    node: Any, monkeypatch: pytest.MonkeyPatch, gone: Callable[[str], bool], removed: list[str]
) -> None:
    """Restart a node in order, and take files away while it is down; note which."""
    started = VirtualHost.start_again

    def start_again(host: VirtualHost, now_us: int) -> None:
        storage = host._storage
        for directory in (f"{host.root}/msg_store_persistent", host.hosted[QUEUE].directory):
            for name in storage.list(directory):
                if gone(name):
                    storage.delete(f"{directory}/{name}")
                    removed.append(name)
        started(host, now_us)

    monkeypatch.setattr(VirtualHost, "start_again", start_again)
    node.submit({"do": "restart", "kind": "clean"})


@pytest.mark.parametrize("release", [each.name for each in RELEASES.values()])
def test_a_queue_without_its_index_is_empty(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """W13, W45, Q4: the process dies while it starts, as it did on a real node, and is begun again on nothing."""
    answer = json.loads((RECORDINGS / "questions" / f"{release}.json").read_text())["index_missing"]
    node = node_of(release, {})
    node.submit({"do": "publish", "count": 20, "size_bytes": 50, "persistent": True})
    node.advance(node.now_us + 1_000_000)
    died_of, removed = list[list[str]](), list[str]()
    restarted = VirtualHost.restart_queue

    def restart_queue(host: VirtualHost, name: str, now_us: int) -> Any:
        crash = sys.exception()
        assert isinstance(crash, ProcessCrash)
        died_of.append([*crash.function.split(","), crash.arguments])
        return restarted(host, name, now_us)

    monkeypatch.setattr(VirtualHost, "restart_queue", restart_queue)
    with monkeypatch.context() as patch, watched(lambda: node.log.number):
        restart_without(node, patch, lambda name: name.endswith((".idx", ".qi", ".jif")), removed)
    assert removed == answer["removed"]
    assert died_of == [answer["process_died_of"]]
    assert node.queues[QUEUE].depth == answer["messages_after"] == 0


@pytest.mark.parametrize(("release", "arguments"), CASES)
def test_a_start_ends_whatever_file_is_missing(
    release: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """W13, W45, Q34: nothing goes round for ever, neither at the start nor when the messages are taken."""
    seen = set[str]()
    number = 0
    while True:
        node = node_of(release, arguments, "classroom")
        for each in MIX:
            node.submit({"do": "publish", **each})
        node.submit({"do": "get", "queue": QUEUE, "count": 3, "ack": True})
        node.advance(node.now_us + 1_000_000)
        names = list[str]()

        def gone(name: str, names: list[str] = names, number: int = number) -> bool:
            names.append(name)
            return len(names) == number + 1

        with monkeypatch.context() as patch:
            removed = _start_and_take(node, patch, gone)
        if not removed:
            break
        seen |= set(removed)
        number += 1
    assert {name.rpartition(".")[2] for name in seen} >= {
        "idx" if not _version_2(release, arguments) else "qi",
        "rdq",
    }


def _version_2(release: str, arguments: dict[str, Any]) -> bool:
    return release.startswith("4.") or bool(arguments)


def _start_and_take(node: Any, patch: pytest.MonkeyPatch, gone: Callable[[str], bool]) -> list[str]:
    """Start without some files and take every message; damage may end the queue's process in the broker's words."""
    removed = list[str]()
    with watched(lambda: (node.log.number, node.queues[QUEUE].depth)), suppress(FileCorrupt):
        restart_without(node, patch, gone, removed)
        node.submit({"do": "get", "queue": QUEUE, "count": 100, "ack": False})
        node.submit({"do": "purge", "queue": QUEUE})
        node.advance(node.now_us + 2_000_000)
    return removed
