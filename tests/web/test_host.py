"""Hosts: one owner for each engine, frames without holes, limits that bite, faults that pass."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from playground.hosting import protocol
from playground.hosting.host import HostRegistry, ServerFull, TooManyWatchers
from playground.hosting.pacer import STEADY_TICK_S
from playground.hosting.run import FRAMES_IN_FLIGHT, ROWS_IN_A_FRAME
from playground.hosting.session_record import RecordedSession
from playground.limits import session_limits
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import MemoryBook, Reader, StubDoor, settled


class World:
    """A registry on stubs."""

    def __init__(self, root: Path, **changed: int) -> None:
        self.door = StubDoor()
        self.books: dict[str, MemoryBook] = {}
        self.limits = session_limits.SessionLimits(
            **{**session_limits.current().public(), **HIDDEN, **changed}
        )
        self.registry = HostRegistry(door=self.door, book=self.book, limits=self.limits, root=root)

    def book(self, session_id: str) -> MemoryBook:
        return self.books.setdefault(session_id, MemoryBook(RecordedSession({"commands": []}, [])))

    def reader(self, session_id: str = "one", *, have: int | None = None, **options: Any) -> Reader:
        reader = Reader(**options)
        host = self.registry.join(session_id, reader.client)
        if reader.acknowledges:
            reader.on_sent = lambda message: acknowledge(host, reader, message)
        host.request(reader.client, protocol.PageHello(have, None))
        return reader

    def host(self, session_id: str = "one") -> Any:
        return self.registry.host(session_id)

    def command(self, reader: Reader, number: int = 1, **command: Any) -> None:
        self.host().request(reader.client, protocol.CommandMessage(number, command))


HIDDEN = {"workers": 0, "sessions_per_process": 8, "new_per_minute": 10, "reads_per_minute": 10}


def acknowledge(host: Any, reader: Reader, message: dict[str, Any]) -> None:
    if message["t"] == "frame":
        host.acknowledge(reader.client, message["first"] + len(message["rows"]))
    elif message["t"] == "snapshot":
        host.acknowledge(reader.client, message["next"])


@pytest_asyncio.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[Any]:
    made: list[World] = []

    def make(**changed: int) -> World:
        made.append(World(tmp_path / "sessions", **changed))
        return made[-1]

    yield make
    for world in made:
        await world.registry.end()


@pytest.fixture
def world(worlds: Any) -> World:
    return worlds()


async def test_a_reader_is_welcomed_and_gets_a_snapshot(world: World) -> None:
    reader = world.reader()
    welcome = await reader.until("welcome")
    assert welcome["limits"]["max_messages"] == world.limits.max_messages
    snapshot = await reader.until("snapshot")
    assert (snapshot["why"], snapshot["next"]) == ("join", 0)
    assert (await reader.until("frame"))["play"] is True


async def test_a_command_is_on_record_before_it_is_accepted(world: World) -> None:
    reader = world.reader()
    on_record: list[int] = []
    reader.on_sent = lambda message: (
        on_record.append(len(world.books["one"].record.commands)) if message["t"] == "accepted" else None
    )
    world.command(reader, 7, do="emit", count=3)
    assert (await reader.until("accepted"))["id"] == 7
    assert on_record == [1]


async def test_rows_come_without_holes(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, do="tick", on=True)
    for number in range(5):
        world.command(reader, number, do="emit", count=number)
        await asyncio.sleep(0.06)
    await reader.until("accepted", 6)
    await settled(lambda: reader.rows_without_holes() > 100)
    assert len(reader.of("snapshot")) == 1


async def test_frames_are_at_most_twenty_a_second(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="tick", on=True)
    await reader.until("accepted")
    before, began_s = len(reader.of("frame")), time.monotonic()
    await reader.until("frame", before + 11)
    assert time.monotonic() - began_s > 9 / 20, "ten steps from one frame to the next"


async def test_a_flood_becomes_a_snapshot_with_its_counts(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, do="emit", count=ROWS_IN_A_FRAME + 1)
    snapshot = await reader.until("snapshot", 2)
    assert (snapshot["why"], snapshot["skipped"]) == ("fast", {"Ticked": ROWS_IN_A_FRAME + 1})
    reader.rows_without_holes()


async def test_an_event_larger_than_the_log_is_a_snapshot_too(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, do="emit", count=10_000)
    snapshot = await reader.until("snapshot", 2)
    assert (snapshot["next"], snapshot["skipped"]) == (10_000, {"more": 10_000})


async def test_a_stalled_reader_gets_no_more_than_its_window(world: World) -> None:
    stalled = world.reader(acknowledges=False)
    lively = world.reader()
    world.command(lively, do="tick", on=True)
    await lively.until(
        "frame", FRAMES_IN_FLIGHT + 5
    )  # so several came after the stalled one's window was full
    assert len(stalled.of("frame")) + len(stalled.of("snapshot")) <= FRAMES_IN_FLIGHT + 1
    count = len(stalled.sent)
    await asyncio.sleep(0.5)
    assert len(stalled.sent) == count
    snapshots = len(stalled.of("snapshot"))  # a slow machine may have sent one in place of too many rows
    reader_rows = stalled.rows_without_holes()
    world.host().acknowledge(stalled.client, reader_rows)
    snapshot = await stalled.until("snapshot", snapshots + 1)
    assert snapshot["why"] == "lag"
    assert snapshot["skipped"]["Ticked"] == snapshot["next"] - reader_rows
    assert lively.rows_without_holes() >= snapshot["next"]


async def test_a_slow_reader_hears_of_a_pause(world: World) -> None:
    """Nothing more is sent while time stands still, so a pause that is not sent now is never sent."""
    slow = world.reader(acknowledges=False)
    await slow.until("frame")
    for number in range(3):
        world.command(slow, number, do="emit", count=1)
        await slow.until("accepted", number + 1)
    assert slow.of("frame")[-1]["play"] is True
    world.host().say(protocol.ControlRun(False))
    async with asyncio.timeout(PATIENCE_S):
        while slow.of("frame")[-1]["play"]:  # noqa: ASYNC110 - the host must not know that it is watched
            await asyncio.sleep(0.005)


async def test_a_paused_session_still_answers_a_late_acknowledgement(world: World) -> None:
    stalled = world.reader(acknowledges=False)
    world.command(stalled, do="tick", on=True)
    await stalled.until("frame", FRAMES_IN_FLIGHT - 1)
    await asyncio.sleep(4 * STEADY_TICK_S)
    world.host().say(protocol.ControlRun(False))
    await asyncio.sleep(0.1)
    world.host().acknowledge(stalled.client, stalled.rows_without_holes())
    assert (await stalled.until("snapshot", 2))["why"] == "lag"


async def test_who_comes_back_in_time_goes_on_where_it_was(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.host().say(protocol.ControlRun(False))
    world.command(reader, do="emit", count=5)
    await reader.until("accepted")
    again = world.reader(have=2)
    frame = await again.until("frame")
    assert (frame["first"], len(frame["rows"])) == (2, 3)
    assert again.of("snapshot") == []


@pytest.mark.parametrize("have", [99, 0])
async def test_who_has_what_never_was_or_is_forgotten_gets_a_snapshot(world: World, have: int) -> None:
    reader = world.reader()
    world.command(reader, do="emit", count=ROWS_IN_A_FRAME * 2 if have == 0 else 5)
    await reader.until("accepted")
    again = world.reader(have=have)
    assert (await again.until("snapshot"))["why"] == "join"


async def test_another_life_means_a_snapshot(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    again = Reader()
    world.registry.join("one", again.client).request(again.client, protocol.PageHello(0, "another"))
    assert (await again.until("snapshot"))["why"] == "join"


async def test_a_refused_command_leaves_everything_as_it_was(world: World) -> None:
    reader = world.reader()
    world.command(reader, 3, do="dance")
    refused = await reader.until("refused")
    assert refused["id"] == 3
    assert "dance" in refused["message"]
    world.command(reader, 4, do="emit", count=1)
    await reader.until("accepted")
    assert [command["do"] for _at, command in world.books["one"].record.commands] == ["emit"]


async def test_a_huge_burst_is_refused_with_the_limit(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="publish", count=10**9, size_bytes=1)
    assert str(world.limits.max_messages) in (await reader.until("refused"))["message"]


async def test_a_burst_that_would_not_fit_the_disk_is_refused(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="publish", count=1_000_000, size_bytes=10_000)
    room_mib = world.limits.max_disk_bytes * 9 // 10 // 2**20
    assert f"has room for {room_mib} MiB" in (await reader.until("refused"))["message"]


async def test_a_command_that_cannot_be_written_down_is_undone(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, do="emit", count=2)
    await reader.until("accepted")
    world.books["one"].fail = True
    world.command(reader, do="emit", count=5)
    await reader.until("refused")
    snapshot = await reader.until("snapshot", 2)
    assert snapshot["next"] == 2
    assert len(world.books["one"].record.commands) == 1


async def test_an_engine_that_breaks_is_built_again(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, do="emit", count=2)
    world.command(reader, 2, do="break")
    await reader.until("refused")
    notice = await reader.until("notice")
    assert notice["level"] == "error"
    assert (await reader.until("snapshot", 2))["next"] == 2
    world.command(reader, 3, do="emit", count=1)
    await reader.until("accepted", 2)
    assert len(world.door.nodes) == 2


async def test_a_command_that_breaks_every_replay_is_undone(world: World) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    world.command(reader, 1, do="emit", count=2)
    world.command(reader, 2, do="mine")
    await reader.until("accepted", 2)
    assert (await reader.until("snapshot", 2))["next"] == 2
    assert any("undone" in notice["message"] for notice in reader.of("notice"))
    assert [command["do"] for _at, command in world.books["one"].record.commands] == ["emit"]
    world.command(reader, 3, do="emit", count=1)
    await reader.until("accepted", 3)


async def test_a_scenario_that_cannot_be_run_ends_the_sockets_for_good(world: World) -> None:
    record = RecordedSession({"commands": [{"at_us": 5, "do": "break"}]}, [], reached_us=10)
    world.books["one"] = MemoryBook(record)
    reader = world.reader()
    assert "cannot repeat" in (await reader.until("notice", 2))["message"]
    await settled(lambda: reader.closed == [True])


async def test_a_full_disk_is_a_limit_and_no_fault(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="fill")
    await reader.until("refused")
    assert (await reader.until("notice"))["level"] == "limit"


async def test_publishers_are_stopped_by_a_command_when_the_session_is_full(worlds: Any) -> None:
    world = worlds(max_disk_bytes=1000)
    reader = world.reader()
    world.command(reader, do="set_publisher", name="p1", rate_per_s=5, size_bytes=1)
    world.command(reader, do="disk", bytes=950)
    notice = await reader.until("notice")
    assert notice["level"] == "limit"
    at_us, last = world.books["one"].record.commands[-1]
    assert (last["name"], last["running"]) == ("p1", False)
    assert at_us > 0


async def test_a_worn_out_session_stands_still(worlds: Any) -> None:
    world = worlds(max_transitions=50)
    reader = world.reader()
    world.command(reader, do="emit", count=60)
    assert (await reader.until("notice"))["level"] == "limit"
    world.command(reader, 2, do="emit", count=1)
    await reader.until("refused")
    count = len(reader.of("notice"))
    world.host().say(protocol.ControlRun(True))
    await reader.until("notice", count + 1)


async def test_time_stands_still_while_nobody_watches(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="tick", on=True)
    await reader.until("accepted")
    world.host().leave(reader.client)
    await asyncio.sleep(0.1)
    number = world.door.nodes[0].log.number
    await asyncio.sleep(0.3)
    assert world.door.nodes[0].log.number == number


async def test_an_unwatched_session_sleeps_and_wakes_to_the_same_digest(worlds: Any) -> None:
    world = worlds(unwatched_s=0)
    reader = world.reader()
    world.command(reader, do="tick", on=True)
    world.command(reader, 2, do="emit", count=4)
    await reader.until("accepted", 2)
    await reader.until("frame", 3)
    host = world.host()
    host.leave(reader.client)
    await asyncio.wait_for(host.task, PATIENCE_S)
    assert world.registry.host("one") is None
    assert list(world.registry.directory.path.iterdir()) == []
    digest = world.door.nodes[0].log.digest
    assert world.books["one"].record.digest == digest
    again = world.reader()
    assert (await again.until("snapshot"))["digest"] == digest
    assert (await again.until("frame"))["play"] is False


async def test_waking_to_another_digest_is_reported(worlds: Any) -> None:
    world = worlds()
    world.books["one"] = MemoryBook(
        RecordedSession(
            {"commands": []}, [(5, {"do": "emit", "count": 1})], 10, "feed", engine_version="stub-0"
        )
    )
    reader = world.reader()
    await reader.until("snapshot")
    assert any("stub-0" in notice["message"] for notice in reader.of("notice"))


async def test_an_idle_session_sleeps_although_somebody_watches_and_any_input_wakes_it(worlds: Any) -> None:
    world = worlds(idle_s=0)
    reader = world.reader()
    await reader.until("notice")
    assert not world.host().keeper.awake
    world.command(reader, do="emit", count=2)
    await reader.until("accepted")
    reader.rows_without_holes()


async def test_a_session_in_the_background_sleeps_and_goes_on_in_the_foreground(worlds: Any) -> None:
    world = worlds(hidden_s=0)
    reader = world.reader()
    world.command(reader, do="tick", on=True)
    world.host().say(protocol.ControlRun(True, 1))
    await reader.until("frame", 3)
    world.host().show(reader.client, seen=False)
    await reader.until("notice")
    await settled(lambda: not world.host().keeper.awake)
    frames = len(reader.of("frame"))
    world.host().show(reader.client, seen=True)
    await reader.until("snapshot", 2)
    await reader.until("frame", frames + 3)
    assert reader.of("frame")[-1]["play"] is True
    reader.rows_without_holes()


async def test_a_script_ends_with_a_verdict(world: World) -> None:
    script = {"commands": [{"at_us": 1000, "do": "emit", "count": 3}], "until_us": 100_000}
    node = world.door.rehearse(script)
    node.advance(100_000)
    for session_id, digest, word in (("same", node.log.digest, "same run"), ("other", "feed", "instead of")):
        record = RecordedSession({**script, "digest": digest}, [], recorded_by="stub-1")
        world.books[session_id] = MemoryBook(record)
        reader = world.reader(session_id)
        assert word in (await reader.until("notice"))["message"]
        await reader.until("frame")
        await asyncio.sleep(0.1)
        assert reader.of("frame")[-1]["play"] is False
        assert reader.of("frame")[-1]["now_us"] == 100_000


async def test_after_the_end_of_its_script_a_run_goes_on_with_what_is_done_next(world: World) -> None:
    script = {"commands": [], "until_us": 100_000}
    for session_id, stopped in (("one", False), ("two", True)):
        world.books[session_id] = MemoryBook(RecordedSession(script, []))
        reader = world.reader(session_id)
        assert "scenario ends" in (await reader.until("notice"))["message"]
        host = world.registry.host(session_id)
        if stopped:
            host.say(protocol.ControlRun(False))
        host.request(reader.client, protocol.CommandMessage(1, {"do": "emit", "count": 1}))
        await reader.until("accepted")
        assert host.plays is not stopped


async def test_a_script_recorded_by_another_version_is_an_honest_notice(world: World) -> None:
    script = {"commands": [], "until_us": 100_000, "digest": "feed"}
    world.books["one"] = MemoryBook(RecordedSession(script, [], recorded_by="stub-0"))
    notice = await world.reader().until("notice")
    assert notice["level"] == "info"
    assert "stub-0" in notice["message"]


async def test_a_step_is_one_row_and_pauses(world: World) -> None:
    reader = world.reader()
    world.command(reader, do="tick", on=True)
    await reader.until("accepted")
    world.host().say(protocol.ControlRun(False))
    await asyncio.sleep(0.15)
    number = world.door.nodes[0].log.number
    world.host().request(reader.client, protocol.StepRun())
    await asyncio.sleep(0.15)
    assert world.door.nodes[0].log.number == number + 1
    assert reader.rows_without_holes() == number + 1


async def test_a_step_into_nothing_is_refused(world: World) -> None:
    reader = world.reader()
    world.host().request(reader.client, protocol.StepRun())
    assert (await reader.until("notice"))["level"] == "info"


async def test_watchers_and_sessions_are_bounded(worlds: Any) -> None:
    world = worlds(sockets_per_session=1, sessions_per_process=2)
    world.reader("one")
    world.reader("one", owner=False)
    with pytest.raises(TooManyWatchers):
        world.reader("one", owner=False)
    world.reader("two")
    with pytest.raises(ServerFull):
        world.reader("three")


async def test_room_is_made_by_putting_an_unwatched_session_to_rest(worlds: Any) -> None:
    world = worlds(sessions_per_process=1)
    reader = world.reader("one")
    await reader.until("snapshot")
    world.host().leave(reader.client)
    await world.reader("two").until("snapshot")
    assert world.registry.host("one") is None


async def test_a_busy_inbox_refuses(world: World) -> None:
    reader = world.reader()
    for number in range(200):
        world.command(reader, number, do="emit", count=1)
    assert reader.of("refused")


async def test_a_fault_of_the_host_closes_its_sockets(world: World) -> None:
    reader = world.reader("one")
    world.books["one"].record = None  # type: ignore[assignment]
    await settled(lambda: reader.closed == [True])
    assert world.registry.host("one") is None


async def test_what_a_full_session_gave_itself_is_in_the_file_of_the_moment_that_shows_it(
    worlds: Any,
) -> None:
    """The command is on record only after others; whoever asks for the run meanwhile must get it as well."""
    world = worlds(max_disk_bytes=1000)
    reader = world.reader()
    world.command(reader, do="set_publisher", name="p1", rate_per_s=5, size_bytes=1)
    await reader.until("accepted")
    host = world.host()
    asked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    take = host.take

    def taken(message: Any) -> None:
        if isinstance(message, protocol.SelfCommand):
            host._put(lambda: host._wishes.moment(asked, ()))  # its turn comes before that of the message
        take(message)

    host.take = taken
    world.command(reader, 2, do="disk", bytes=950)
    await reader.until("notice")
    moment = await asked
    assert moment.commands[-1][1]["running"] is False
    commands = world.books["one"].record.commands
    assert moment.commands == commands[: len(moment.commands)]
    assert [at_us for at_us, _command in commands] == sorted(at_us for at_us, _command in commands)
