"""A session wakes from its newest checkpoint as if it had never slept; one that does not fit costs only time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from playground import limits
from playground.hosting.book import Remembered
from playground.hosting.checkpoints import SUFFIX, Checkpoints
from playground.hosting.directories import ProcessDirectory
from playground.hosting.engine_door import EngineDoor
from playground.hosting.keeper import Keeper
from playground.hosting.run import Run

SESSION = "abc"
COMMANDS: list[tuple[int, dict[str, Any]]] = [
    (1_000_000, {"do": "publish", "count": 60, "size_bytes": 6000, "persistent": True, "confirm": True}),
    (
        2_000_000,
        {"do": "set_publisher", "name": "p1", "rate_per_s": 40, "size_bytes": 900, "persistent": True},
    ),
    (3_000_000, {"do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": 5, "ack": "each"}),
]


class Book:
    """A record in memory."""

    def __init__(self, record: Remembered) -> None:
        self.record = record

    async def load(self) -> Remembered:
        return Remembered(
            self.record.scenario,
            list(self.record.commands),
            self.record.reached_us,
            self.record.digest,
            self.record.engine_version,
        )

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        assert sequence == len(self.record.commands)
        self.record.commands.append((at_us, command))

    async def undo_command(self, sequence: int, at_us: int) -> None:
        del self.record.commands[sequence]

    async def reached(self, at_us: int, digest: str) -> None:
        self.record.reached_us, self.record.digest = at_us, digest


class World:
    """A server that can be started again on what it left."""

    def __init__(self, tmp_path: Path, executor: ThreadPoolExecutor) -> None:
        self.door = EngineDoor()
        self.executor = executor
        self.root = tmp_path
        self.directory = ProcessDirectory(tmp_path / "sessions")
        blank = self.door.check({"version": 1, "profile": "classroom", "until_us": 0})
        self.book = Book(Remembered(blank, [], engine_version=self.door.version))
        self.notices: list[tuple[str, Any]] = []
        self.repeated: list[int] = []

    def keeper(self, key: bytes = b"secret", build: str = "one") -> Keeper:
        checkpoints = Checkpoints(
            self.root / "checkpoints", door=self.door, key=key, build=build, most_bytes=50_000_000
        )
        return Keeper(
            SESSION,
            book=self.book,
            door=self.door,
            directory=self.directory,
            limits=limits.current(),
            executor=self.executor,
            notice=lambda level, message: self.notices.append((level, message)),
            checkpoints=checkpoints,
        )

    async def live(self, keeper: Keeper, until_us: int) -> None:
        """Give the commands that are due and go on to `until_us`."""
        await keeper.wake()
        for at_us, command in COMMANDS[len(keeper.record.commands) :]:
            if at_us <= until_us:
                keeper.run.turn(at_us, 10)
                await keeper.take(command)
        keeper.run.turn(until_us, 10)

    def places(self) -> list[Path]:
        return sorted((self.root / "checkpoints").glob(f"*/*{SUFFIX}"))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setattr("playground.hosting.keeper.WORTH_KEEPING", 50)
    with ThreadPoolExecutor(1) as executor:
        world = World(tmp_path, executor)
        opened = world.door.open

        def counting(*arguments: Any) -> Any:
            world.repeated.append(len(world.book.record.commands))
            return opened(*arguments)

        monkeypatch.setattr(world.door, "open", counting)
        yield world
        world.directory.remove()


def contents(run: Run) -> dict[str, bytes]:
    files: Any = run.files
    return {path: files.read_bytes(path, 0, 10**9) for path in files.paths()}


async def straight(world: World, until_us: int) -> Run:
    """Run everything without a pause."""
    node, files = world.door.open(world.book.record.scenario, str(world.root / "straight"), 10**9)
    run = Run(node, files, 10**9)
    for at_us, command in COMMANDS:
        if at_us <= until_us:
            run.turn(at_us, 10)
            run.submit(command)
    run.turn(until_us, 10)
    return run


async def test_a_run_wakes_where_it_slept_and_goes_on_alike(world: World) -> None:
    await world.live(first := world.keeper(), 4_000_000)
    await first.rest()
    assert len(world.places()) == 1
    world.repeated.clear()
    await world.live(second := world.keeper(), 4_000_000)
    assert world.repeated == [], "it was repeated from the beginning"
    assert all(level != "error" for level, _message in world.notices)
    second.run.turn(7_000_000, 10)
    expected = await straight(world, 7_000_000)
    assert second.run.node.log.digest == expected.node.log.digest
    assert second.run.node.snapshot() == expected.node.snapshot()
    assert contents(second.run) == contents(expected)


async def test_what_a_power_cut_leaves_is_the_same_after_waking(world: World) -> None:
    await world.live(first := world.keeper(), 3_500_000)
    await first.rest()
    await world.live(second := world.keeper(), 3_500_000)
    expected = await straight(world, 3_500_000)
    for run in (second.run, expected):
        run.submit({"do": "restart", "kind": "power"})
    assert second.run.node.snapshot() == expected.node.snapshot()
    assert contents(second.run) == contents(expected)


@pytest.mark.parametrize("other", [{"key": b"another secret"}, {"build": "two"}])
async def test_what_another_key_or_engine_made_is_passed_over(world: World, other: dict[str, Any]) -> None:
    await world.live(first := world.keeper(), 4_000_000)
    digest = first.run.node.log.digest
    await first.rest()
    world.repeated.clear()
    await (second := world.keeper(**other)).wake()
    assert world.repeated == [len(COMMANDS)]
    assert second.run.node.log.digest == digest


async def test_a_damaged_checkpoint_costs_only_time(world: World) -> None:
    await world.live(first := world.keeper(), 4_000_000)
    digest = first.run.node.log.digest
    await first.rest()
    [place] = world.places()
    place.write_bytes(place.read_bytes()[:-100])
    await (second := world.keeper()).wake()
    assert second.run.node.log.digest == digest
    assert len(world.book.record.commands) == len(COMMANDS)


async def test_a_checkpoint_that_breaks_undoes_no_command(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.live(first := world.keeper(), 4_000_000)
    await first.rest()

    def broken(*_arguments: Any) -> Any:
        raise RuntimeError("a field is missing")

    monkeypatch.setattr(world.door, "thaw", broken)
    await (second := world.keeper()).wake()
    assert second.run.node.now_us == 4_000_000
    assert len(world.book.record.commands) == len(COMMANDS)
    assert world.places() == []


async def test_a_checkpoint_of_commands_that_were_undone_does_not_fit(world: World) -> None:
    await world.live(first := world.keeper(), 4_000_000)
    await first.rest()
    del world.book.record.commands[-1]
    world.book.record.digest = ""
    world.repeated.clear()
    await world.keeper().wake()
    assert world.repeated == [len(COMMANDS) - 1]


async def test_only_the_newest_are_kept(world: World) -> None:
    keeper = world.keeper()
    for second in range(4, 9):
        await world.live(keeper, second * 1_000_000)
        await keeper.keep_checkpoint(1)
    assert len(world.places()) == 2
