"""The console through a host: lists for everybody, changes only for the owner and on record."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from playground.hosting import protocol
from playground.sessions import session_sockets
from tests.web.test_host import World


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path / "sessions")
    yield made
    await made.registry.end()


async def ask(world: World, reader: Any, line: str, number: int = 1) -> dict[str, Any]:
    world.host().request(reader.client, protocol.AskConsole(number, line))
    return await reader.until("answer")


async def test_a_listing_is_answered_and_not_on_record(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    answer = await ask(world, reader, "list_queues", 7)
    assert (answer["id"], answer["text"], answer["error"]) == (7, "said: list_queues", None)
    assert world.books["one"].record.commands == []


async def test_a_change_is_a_command_on_record(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    assert (await ask(world, reader, "set it"))["text"] == "said: set it"
    assert [command for _, command in world.books["one"].record.commands] == [{"do": "ctl", "line": "set it"}]


async def test_a_change_that_the_node_refuses_says_so(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    answer = await ask(world, reader, "set refuse")
    assert answer["text"] == ""
    assert "does not want to" in answer["error"]
    assert world.books["one"].record.commands == []


async def test_who_only_watches_lists_but_changes_nothing(world: World) -> None:
    watcher = world.reader(owner=False)
    await watcher.until("snapshot")
    world.host().request(watcher.client, protocol.AskConsole(1, "list_queues"))
    assert (await watcher.until("answer"))["error"] is None
    world.host().request(watcher.client, protocol.AskConsole(2, "set it"))
    assert (await watcher.until("answer", 2))["error"]
    assert world.books["one"].record.commands == []


def test_a_line_is_bounded() -> None:
    assert session_sockets.decode('{"t":"ask","id":1,"line":"list_queues"}', 1000) == protocol.AskConsole(
        1, "list_queues"
    )
    with pytest.raises(session_sockets.BadMessage):
        session_sockets.decode('{"t":"ask","id":1,"line":"' + "x" * 256 + '"}', 1000)
