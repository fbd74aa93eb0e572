"""Messages between processes: the others get them, the sender does not, and a failed one ends nothing."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from channels.layers import InMemoryChannelLayer

from playground.classroom import rooms
from playground.records import paused_sessions
from playground.sessions import cluster_control
from playground.sessions.cluster_control import ControlLine
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import settled

CLASS = 10**9
"""No class of another test, whose room may still be there."""


@pytest_asyncio.fixture
async def line() -> AsyncIterator[Callable[..., ControlLine]]:
    """Return a function that gives a process's end of one conversation."""
    layer = InMemoryChannelLayer()
    tasks: list[asyncio.Task[None]] = []

    def begin(**handlers: cluster_control.Handler) -> ControlLine:
        made = ControlLine(layer, handlers)
        tasks.append(asyncio.create_task(made.run()))
        return made

    yield begin
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def heard(sent: Callable[[], None], where: list[Any], count: int = 1) -> None:
    """Say something until it is heard: whoever listens a moment later hears only what comes then."""
    ends = time.monotonic() + PATIENCE_S
    while len(where) < count:
        assert time.monotonic() < ends
        sent()
        await asyncio.sleep(0.05)


async def test_the_others_get_a_message_and_its_sender_does_not(line: Any) -> None:
    here: list[Any] = []
    there: list[Any] = []
    one = line(news=lambda sender, **fields: here.append((sender, fields)))
    two = line(news=lambda sender, **fields: there.append((sender, fields)))
    await heard(lambda: one.broadcast("news", {"of": [1, 2]}), there)
    assert there[0] == (one.name, {"of": [1, 2]})
    assert here == []
    await asyncio.to_thread(two.broadcast, "news", {"of": []})
    await heard(lambda: None, here)


async def test_what_cannot_be_handled_ends_nothing(line: Any, caplog: Any) -> None:
    there: list[Any] = []

    def handle(sender: str, number: int) -> None:
        there.append(10 / number)

    one = line()
    line(news=handle)
    await heard(lambda: one.broadcast("news", {"number": 5}), there)
    one.broadcast("news", {"number": 0})
    one.broadcast("unknown", {})
    before = len(there)
    await heard(lambda: one.broadcast("news", {"number": 2}), there, before + 1)
    assert "ZeroDivisionError" in caplog.text


async def test_a_layer_that_fails_is_tried_again(monkeypatch: Any, line: Any) -> None:
    monkeypatch.setattr(cluster_control, "AGAIN_S", 0.05)
    failures = 2
    send = InMemoryChannelLayer.group_send

    async def fail(self: Any, group: str, message: Any) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise ConnectionError("no Redis")
        await send(self, group, message)

    monkeypatch.setattr(InMemoryChannelLayer, "group_send", fail)
    there: list[Any] = []
    one = line()
    line(news=there.append)
    await heard(lambda: one.broadcast("news", {}), there)
    assert failures == 0


# --- what rooms in other processes say ---


@pytest.fixture
def sent(monkeypatch: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return what this process says to the others."""
    found: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(cluster_control, "broadcast", lambda kind, **fields: found.append((kind, fields)))
    return found


@pytest.fixture(autouse=True)
def _nobody_held() -> Any:
    yield
    paused_sessions._held.clear()
    rooms._holding.clear()


def hear(kind: str, **fields: Any) -> None:
    cluster_control._handlers[kind]("other", **fields)


async def test_a_class_that_is_frozen_elsewhere_holds_its_sessions_here(monkeypatch: Any) -> None:
    hear("hold", classroom=CLASS, sessions=["one", "two"])
    assert paused_sessions.is_held("one")
    assert not paused_sessions.is_held("three")
    hear("hold", classroom=CLASS, sessions=[])
    assert not paused_sessions.is_held("one")
    monkeypatch.setattr(rooms, "FRESH_S", 0.05)
    hear("hold", classroom=CLASS, sessions=["one"])
    await asyncio.sleep(0.1)
    assert not paused_sessions.is_held("one"), "a room that says nothing more holds nobody"


async def test_a_frozen_class_is_announced_at_each_check_and_its_end_once(sent: Any) -> None:
    rooms.hold(CLASS, ["one"], True)
    rooms.hold(CLASS, ["one"], True)
    rooms.hold(CLASS, ["one"], False)
    rooms.hold(CLASS, ["one"], False)
    assert sent == [
        ("hold", {"classroom": CLASS, "sessions": ["one"]}),
        ("hold", {"classroom": CLASS, "sessions": ["one"]}),
        ("hold", {"classroom": CLASS, "sessions": []}),
    ]


NOTHING: dict[str, Any] = {"held": [], "frozen": False}
"""Read of a class that is not frozen."""


class Member:
    """A socket in a room."""

    def __init__(self, student: int | None) -> None:
        self.student = student

    def show(self, picture: Any) -> None:
        """Take no notice."""


async def test_a_room_counts_who_is_connected_elsewhere(sent: Any) -> None:
    reads: list[dict[int, int]] = []

    async def read(classroom: int, online: dict[int, int], grid: bool) -> dict[str, Any]:
        reads.append(online)
        return dict(NOTHING)

    member = Member(3)
    room = rooms.enter(CLASS, member, read)
    hear("present", classroom=CLASS, online=[[3, 1], [4, 2]])
    hear("present", classroom=CLASS + 1, online=[[9, 9]])
    assert room.online() == {3: 2, 4: 2}
    await heard(lambda: None, sent)
    assert sent[0] == ("present", {"classroom": CLASS, "online": [(3, 1)]}), "only its own are sent"
    hear("present", classroom=CLASS, online=[])
    assert room.online() == {3: 1}
    rooms.leave(room, member)
    while rooms.of(CLASS) is not None:  # noqa: ASYNC110 - a room does not announce its end
        await asyncio.sleep(0.05)
    assert sent[-1] == ("present", {"classroom": CLASS, "online": []})


async def _end(room: rooms.ClassRoom, members: list[Member]) -> None:
    for member in members:
        rooms.leave(room, member)
    while rooms.of(CLASS) is not None:  # noqa: ASYNC110 - a room does not announce its end
        await asyncio.sleep(0.05)


async def test_the_grid_is_read_only_where_a_teacher_is_and_at_once_for_a_new_one(sent: Any) -> None:
    grids: list[bool] = []

    async def read(classroom: int, online: dict[int, int], grid: bool) -> dict[str, Any]:
        grids.append(grid)
        return dict(NOTHING)

    members = [Member(3)]
    room = rooms.enter(CLASS, members[0], read)
    await settled(lambda: len(grids) == 1)
    members.append(Member(None))
    rooms.enter(CLASS, members[1], read)
    await settled(lambda: len(grids) == 2)
    assert grids == [False, True]
    await _end(room, members)


async def test_a_grid_that_is_slow_is_read_seldom_and_what_students_see_is_not(
    sent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grids: list[bool] = []
    monkeypatch.setattr(rooms, "GATHER_S", 0.01)
    monkeypatch.setattr(rooms, "MOST_REST_S", PATIENCE_S)
    monkeypatch.setattr(rooms, "GRID_RESTS", 20 * PATIENCE_S)

    async def read(classroom: int, online: dict[int, int], grid: bool) -> dict[str, Any]:
        grids.append(grid)
        if grid:
            await asyncio.sleep(0.05)  # so the next one is read much later
        return dict(NOTHING)

    members = [Member(None), Member(3)]
    for member in members:
        room = rooms.enter(CLASS, member, read)
    while len(grids) < 6:
        room.changed()
        await asyncio.sleep(0.01)
    assert grids[:6] == [True, False, False, False, False, False]
    await _end(room, members)


async def test_a_freeze_waits_for_no_grid_and_nothing_older_is_shown_after_it(sent: Any) -> None:
    shown: list[bool] = []
    grid_may_end = asyncio.Event()

    class Watcher(Member):
        def show(self, picture: Any) -> None:
            shown.append(picture["frozen"])

    async def read(classroom: int, online: dict[int, int], grid: bool) -> dict[str, Any]:
        if grid:
            await grid_may_end.wait()
        return {"held": ["one"], "frozen": not grid}

    members: list[Member] = [Watcher(None), Watcher(3)]
    for member in members:
        room = rooms.enter(CLASS, member, read)
    await asyncio.sleep(0)
    rooms.announce_change(CLASS, at_once=True)
    await settled(lambda: shown == [True, True])
    assert paused_sessions.is_held("one")
    grid_may_end.set()
    await asyncio.sleep(0.05)
    assert shown == [True, True], "what was read before the freeze is not shown after it"
    assert paused_sessions.is_held("one")
    await _end(room, members)


async def test_a_class_that_cannot_be_read_is_read_again_with_its_grid(
    sent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    grids: list[bool] = []
    monkeypatch.setattr(rooms, "GATHER_S", 0.01)

    async def read(classroom: int, online: dict[int, int], grid: bool) -> dict[str, Any]:
        grids.append(grid)
        if len(grids) == 1:
            raise OSError("the database is locked")
        return dict(NOTHING)

    member = Member(None)
    room = rooms.enter(CLASS, member, read)
    while not any(grids[1:]):
        room.changed()
        await asyncio.sleep(0.01)
    await _end(room, [member])


async def test_a_change_reaches_the_rooms_of_all_processes(sent: Any) -> None:
    rooms.announce_change(CLASS)
    assert sent == [("class", {"classroom": CLASS, "when": "soon"})]


async def test_sessions_elsewhere_are_asked_for_and_shown_as_they_answered(sent: Any) -> None:
    assert await rooms.mixes_of(["away"]) == {}
    assert sent == [("ask_mixes", {"sessions": ["away"]})]
    hear("mixes", mixes={"away": [1, 2, 3, 4]})
    assert await rooms.mixes_of(["away"]) == {"away": [1, 2, 3, 4]}
    hear("ask_mixes", sessions=["away"])
    assert len(sent) == 2, "who has it not does not answer"
