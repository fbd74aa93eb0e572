"""A session wakes from its newest checkpoint as if it had never slept; one that does not fit costs only time."""

from __future__ import annotations

import pickle
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.replay import RunPlayer, on_ledger
from playground.hosting import protocol
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run import RunStorage, SessionRun
from playground.hosting.session import EngineSession
from playground.hosting.session_files import SUFFIX, CheckpointStore, SessionFiles
from playground.hosting.session_record import RecordedSession
from playground.limits import session_limits
from playground.storybook import ready_scenarios

SESSION = "abc"
COMMANDS: list[tuple[int, dict[str, Any]]] = [
    (1_000_000, {"do": "publish", "count": 60, "size_bytes": 6000, "persistent": True, "confirm": True}),
    (
        2_000_000,
        {"do": "set_publisher", "name": "p1", "rate_per_s": 40, "size_bytes": 900, "persistent": True},
    ),
    (3_000_000, {"do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": 5, "ack": "each"}),
]

MORE: dict[str, Any] = {"do": "publish", "count": 5, "size_bytes": 100, "persistent": True}


class World:
    """A worker that can be started again on what it left, without its process."""

    def __init__(self, tmp_path: Path) -> None:
        self.door = EngineDoor()
        self.root = tmp_path
        (tmp_path / "sessions").mkdir()
        self.files = SessionFiles(tmp_path / "sessions")
        self.blank = self.door.check({"version": 1, "profile": "classroom", "until_us": 0})
        self.commands: list[tuple[int, dict[str, Any]]] = []
        self.reached_us = 0
        self.repeated: list[int] = []
        self.sent: list[Any] = []
        self.open: list[EngineSession | SessionRun] = []
        """What must be closed at the end: a killed process closes nothing, but this one lives on."""

    def close(self) -> None:
        """Close every file that is still open."""
        for each in self.open:
            each.close()

    def session(self, key: bytes = b"secret", build: str = "one") -> EngineSession:
        """Wake the session."""
        kept = self.root / "checkpoints"
        session = EngineSession(
            SESSION,
            door=self.door,
            storage=RunStorage(
                self.files,
                CheckpointStore(kept, door=self.door, key=key, build=build, most_bytes=50_000_000),
            ),
            bounds=session_limits.current().bounds(),
            send=self.sent.append,
            clock=time.monotonic,
        )
        self.open.append(session)
        do(
            session,
            protocol.OpenRun(SESSION, 1, self.blank, list(self.commands), self.reached_us, play=False),
        )
        return session

    def live(self, session: EngineSession, until_us: int) -> None:
        """Give the commands that are due and go on to `until_us`."""
        run = running(session)
        for at_us, command in COMMANDS[len(self.commands) :]:
            if at_us <= until_us:
                run.turn(at_us, 10)
                do(session, protocol.SubmitCommand(SESSION, 2, command))
                self.commands.append((at_us, command))
        run.turn(until_us, 10)

    def rest(self, session: EngineSession) -> str:
        """Put the session to rest; return its digest."""
        do(session, protocol.Suspend(SESSION, 3))
        value: dict[str, Any] = self.sent[-1].value
        self.reached_us = value["at_us"]
        return str(value["digest"])

    def places(self) -> list[Path]:
        return sorted((self.root / "checkpoints").glob(f"*/*{SUFFIX}"))


def do(session: EngineSession, message: Any) -> None:
    """Hand a message over, and give turns until it is done."""
    session.receive(message)
    while session.due_s() <= 0.0:
        session.turn(1.0)


def running(session: EngineSession) -> SessionRun:
    assert session.run is not None
    return session.run


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr("playground.hosting.session.WORTH_KEEPING", 50)
    world = World(tmp_path)
    opened = world.door.open

    def counting(*arguments: Any) -> Any:
        world.repeated.append(len(world.commands))
        return opened(*arguments)

    monkeypatch.setattr(world.door, "open", counting)
    yield world
    world.close()


def contents(run: SessionRun) -> dict[str, bytes]:
    files: Any = run.files
    return {path: files.read_bytes(path, 0, 10**9) for path in files.paths()}


def straight(world: World, until_us: int) -> SessionRun:
    """Run everything without a pause."""
    node, files = world.door.open(world.blank, str(world.root / "straight"), 10**9)
    run = SessionRun(node, files, 10**9)
    world.open.append(run)
    for at_us, command in COMMANDS:
        if at_us <= until_us:
            run.turn(at_us, 10)
            run.submit(command)
    run.turn(until_us, 10)
    return run


def slept(world: World, until_us: int = 4_000_000) -> str:
    """Play the session up to a time and put it to rest; return its digest."""
    session = world.session()
    world.live(session, until_us)
    return world.rest(session)


def test_a_run_wakes_where_it_slept_and_goes_on_alike(world: World) -> None:
    slept(world)
    assert len(world.places()) == 1
    world.repeated.clear()
    run = running(world.session())
    assert world.repeated == [], "it was repeated from the beginning"
    run.turn(7_000_000, 10)
    expected = straight(world, 7_000_000)
    assert run.node.log.digest == expected.node.log.digest
    assert run.node.snapshot() == expected.node.snapshot()
    assert contents(run) == contents(expected)


def test_what_a_power_cut_leaves_is_the_same_after_waking(world: World) -> None:
    slept(world, 3_500_000)
    woken = running(world.session())
    expected = straight(world, 3_500_000)
    for run in (woken, expected):
        run.submit({"do": "restart", "kind": "power"})
    assert woken.node.snapshot() == expected.node.snapshot()
    assert contents(woken) == contents(expected)


@pytest.mark.parametrize("other", [{"key": b"another secret"}, {"build": "two"}])
def test_what_another_key_or_engine_made_is_passed_over(world: World, other: dict[str, Any]) -> None:
    digest = slept(world)
    world.repeated.clear()
    run = running(world.session(**other))
    assert world.repeated == [len(COMMANDS)]
    assert run.node.log.digest == digest


def test_a_damaged_checkpoint_costs_only_time(world: World) -> None:
    digest = slept(world)
    [place] = world.places()
    place.write_bytes(place.read_bytes()[:-100])
    assert running(world.session()).node.log.digest == digest


def test_a_checkpoint_that_breaks_costs_only_time(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = slept(world)

    def broken(*_arguments: Any) -> Any:
        raise RuntimeError("a field is missing")

    monkeypatch.setattr(world.door, "thaw", broken)
    assert running(world.session()).node.log.digest == digest
    assert world.places() == []


def test_a_checkpoint_that_cannot_be_read_now_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = slept(world)

    def unreadable(*_arguments: Any) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(world.door, "thaw", unreadable)
    assert running(world.session()).node.log.digest == digest
    assert len(world.places()) == 1


def test_a_checkpoint_of_commands_that_were_undone_does_not_fit(world: World) -> None:
    slept(world)
    del world.commands[-1]
    world.repeated.clear()
    world.session()
    assert world.repeated == [len(COMMANDS) - 1]


def test_a_checkpoint_later_than_the_next_command_does_not_fit(world: World) -> None:
    """A server that is killed may have kept a moment that its record does not reach; commands come before it then."""
    slept(world)  # the checkpoint is of 4 s
    world.reached_us = 3_200_000  # the record knows of no more
    session = world.session()
    running(session).turn(3_500_000, 10)
    do(session, protocol.SubmitCommand(SESSION, 2, MORE))
    world.commands.append((3_500_000, MORE))
    running(session).turn(5_000_000, 10)
    digest = running(session).node.log.digest
    world.reached_us = 5_000_000
    assert running(world.session()).node.log.digest == digest


def test_a_checkpoint_without_the_files_that_somebody_deleted_is_of_no_use(world: World) -> None:
    """The run itself goes on with the files that it has open, and is kept without them."""
    session = world.session()
    world.live(session, 4_000_000)
    shutil.rmtree(world.files.of(SESSION))
    world.rest(session)
    world.repeated.clear()
    run = running(world.session())
    assert world.repeated == [len(COMMANDS)], "it was repeated from the beginning"
    assert world.places() == []
    run.turn(7_000_000, 10)
    assert run.node.log.digest == straight(world, 7_000_000).node.log.digest


def test_only_the_newest_are_kept(world: World) -> None:
    for second in range(4, 9):
        slept(world, second * 1_000_000)
    assert len(world.places()) == 2


def test_packing_and_unpacking_let_others_have_their_turns(world: World) -> None:
    session = world.session()
    world.live(session, 4_000_000)
    run, path = running(session), world.files.of(SESSION)
    checkpoints = CheckpointStore(
        world.root / "other", door=world.door, key=b"k", build="one", most_bytes=10**8
    )
    record = RecordedSession(world.blank, list(world.commands))
    pauses: list[int] = []
    run.node.log.pause = None
    assert checkpoints.save(SESSION, run.node, run.files, path, record, lambda: pauses.append(1))
    packed = len(pauses)
    assert packed * 64 * 1024 > sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    into = world.root / "into"
    into.mkdir()
    found = checkpoints.restore(SESSION, record, 10**9, into, lambda: pauses.append(2))
    assert found is not None
    node, files, given = found
    files.close()
    assert (node.log.digest, given) == (run.node.log.digest, 3)
    assert len(pauses) > packed + 3


@pytest.mark.parametrize("path", ready_scenarios.files(), ids=lambda path: path.stem)
def test_every_kind_of_run_can_be_kept(path: Path) -> None:
    run = ready_scenarios.load(path).run
    node = on_ledger(run)
    RunPlayer(node).finish(run["until_us"] // 2)
    again = pickle.loads(pickle.dumps(node))
    for each in (node, again):
        RunPlayer(each).finish(run["until_us"] // 2 + 1_000_000)
    assert again.log.digest == node.log.digest
