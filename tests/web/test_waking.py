"""Waking a session: bounded in time, and given up when everybody has left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from playground.hosting import host, protocol, refusals
from playground.hosting.session_record import RecordedSession
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import MemoryBook
from tests.web.test_host import World

TICK = (0, {"do": "tick", "on": True})
LONG_US = 10**12


@pytest_asyncio.fixture
async def long(tmp_path: Path) -> AsyncIterator[Any]:
    """Return a function that makes a world in which waking session `one` takes for ever."""
    made: list[World] = []

    def make(**limits: int) -> World:
        world = World(tmp_path / "sessions", **limits)
        world.books["one"] = MemoryBook(RecordedSession({"commands": []}, [TICK], reached_us=LONG_US))
        made.append(world)
        return world

    yield make
    for world in made:
        await world.registry.end()


async def test_waking_ends_at_its_bound_and_says_what_to_do(long: Any) -> None:
    world = long(wake_s=1)
    reader = world.reader("one")
    async with asyncio.timeout(PATIENCE_S):
        while not any(each["message"] == str(refusals.TOO_LONG) for each in reader.of("notice")):  # noqa: ASYNC110 - the host must not know that it is watched
            await asyncio.sleep(0.05)
    assert world.books["one"].record.commands == [TICK]
    opened = len(world.door.nodes)
    world.host("one").request(reader.client, protocol.PageHello(None, None))
    await asyncio.sleep(1.5)
    assert len(world.door.nodes) == opened, "it is not tried again and again"
    await world.reader("two").until("snapshot")


async def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds; a busy machine may take a while."""
    began_s = time.monotonic()
    while not holds():
        assert time.monotonic() - began_s < PATIENCE_S
        await asyncio.sleep(0.05)


def rests(node: Any, seen: list[int]) -> bool:
    """Return whether a node has done nothing for the last ten times that it was asked."""
    seen.append(node.log.number)
    return len(seen) > 10 and len(set(seen[-10:])) == 1


async def test_waking_stops_when_everybody_has_left(long: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "DESERTED_S", 0.2)
    world = long(unwatched_s=1)
    reader = world.reader("one")
    await eventually(lambda: any(node.log.number for node in world.door.nodes))
    [node] = world.door.nodes
    world.host("one").leave(reader.client)
    await eventually(lambda: world.host("one") is None)
    await eventually(partial(rests, node, []))  # the worker has dropped it
    assert world.host("one") is None
    assert world.books["one"].record.commands == [TICK]


async def test_who_comes_back_after_that_waits_for_a_new_beginning(
    long: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "DESERTED_S", 0.1)
    world = long()
    reader = world.reader("one")
    await asyncio.sleep(0.3)
    world.host("one").leave(reader.client)
    await asyncio.sleep(0.4)
    world.books["one"].record.reached_us = 0
    world.host("one").keeper._resume_us = world.host("one").keeper.record.reached_us = 0
    await world.reader("one").until("snapshot")
