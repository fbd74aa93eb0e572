"""Files, memory and the database fail under a session: nothing acknowledged is lost, and it goes on later."""

from __future__ import annotations

import asyncio
import errno
import gc
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.storage.directory import DirectoryStorage
from engine.values.errors import StorageFull
from playground.hosting import protocol
from playground.hosting.host import HostRegistry
from playground.hosting.pool import WorkerFailed, WorkerLost
from playground.hosting.protocol import WorkFailure
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run_owner import RunStopped
from playground.hosting.session_files import SessionFiles
from playground.hosting.session_record import RecordedSession, RecordUnreachable
from playground.limits import session_limits
from playground.sessions.past_runs import PastReader
from tests.helpers.open_files import open_files
from tests.web import test_host
from tests.web.stub import MemoryBook, Reader, settled
from tests.web.test_host import HIDDEN, World

ROOT = Path(__file__).resolve().parents[2]
worlds = test_host.worlds
world = test_host.world
Break = Callable[[], None]


class RealWorld(World):
    """A registry of real engines on real files."""

    def __init__(self, root: Path, **changed: int) -> None:
        self.door: Any = EngineDoor()
        self.books = {}
        self.limits = session_limits.SessionLimits(
            **{**session_limits.current().public(), **HIDDEN, **changed}
        )
        self.registry = HostRegistry(door=self.door, book=self.book, limits=self.limits, root=root)
        self.blank = self.door.check({"version": 1, "profile": "classroom", "until_us": 0})

    def book(self, session_id: str) -> MemoryBook:
        return self.books.setdefault(session_id, MemoryBook(RecordedSession(dict(self.blank), [])))


@pytest.fixture
async def real(tmp_path: Path) -> Any:
    world = RealWorld(tmp_path / "sessions")
    yield world
    await world.registry.end()


@pytest.fixture
def breakage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, tuple[Break, Break]]]:
    """Return ways to break what is under a session, each with the way to mend it."""

    def gone() -> None:
        while (tmp_path / "sessions").exists():  # a session that runs makes files meanwhile
            shutil.rmtree(tmp_path / "sessions", ignore_errors=True)
        (tmp_path / "sessions").write_text("in the way")

    def back() -> None:
        (tmp_path / "sessions").unlink()

    def fail(error: Exception) -> Break:
        def refuse(*_arguments: Any, **_named: Any) -> Any:
            raise error

        def put() -> None:
            monkeypatch.setattr(SessionFiles, "fresh", refuse)
            monkeypatch.setattr(DirectoryStorage, "_new", refuse)
            monkeypatch.setattr(DirectoryStorage, "_write", refuse)

        return put

    kept = SessionFiles.fresh, DirectoryStorage._new, DirectoryStorage._write

    def mend() -> None:
        for owner, name, value in zip(
            (SessionFiles, DirectoryStorage, DirectoryStorage),
            ("fresh", "_new", "_write"),
            kept,
            strict=True,
        ):
            monkeypatch.setattr(owner, name, value)

    full = StorageFull("a file", 10, 5)
    full.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    yield {
        "gone": (gone, back),
        "read-only": (fail(OSError(errno.EROFS, "Read-only file system")), mend),
        "immutable": (fail(PermissionError(errno.EPERM, "Operation not permitted")), mend),
        "no room": (fail(full), mend),
        "no memory": (fail(MemoryError()), mend),
        "too many open": (fail(OSError(errno.EMFILE, "Too many open files")), mend),
    }
    mend()


async def given(world: World, reader: Reader, commands: int) -> None:
    """Give commands that write files, and let time pass, so that they do."""
    for number in range(1, commands + 1):
        world.command(reader, number, do="publish", count=20, size_bytes=8000, persistent=True)
        await reader.until("accepted", number)
    world.host().say(protocol.ControlRun(True, 10))
    await asyncio.sleep(0.3)


WORDS = {
    "gone": "gone from the server's disk",
    "read-only": "cannot write",
    "immutable": "cannot write",
    "no room": "disk is full",
    "no memory": "no memory",
    "too many open": "too many open files",
}


@pytest.mark.parametrize("what", WORDS)
async def test_nothing_acknowledged_is_lost_when_files_fail_and_one_command_is_undone(
    real: RealWorld, breakage: dict[str, tuple[Break, Break]], what: str
) -> None:
    reader = real.reader()
    await reader.until("snapshot")
    await given(real, reader, 8)
    broken, mended = breakage[what]
    broken()
    real.host().request(reader.client, protocol.UndoCommand(99))
    await reader.until("accepted", 9)
    real.host().say(protocol.ControlRun(True, 10))
    await settled(lambda: any(WORDS[what] in each["message"] for each in reader.of("notice")))
    await asyncio.sleep(0.5)
    assert len(real.books["one"].record.commands) == 7, "one undo takes one command back, and no more"
    assert reader.closed == []
    mended()
    await settled(lambda: any("where it was" in each["message"] for each in reader.of("notice")))
    real.command(reader, 100, do="publish", count=1, size_bytes=100)
    await reader.until("accepted", 10)
    assert len(real.books["one"].record.commands) == 8
    node = real.door.rehearse(real.blank)
    record = real.books["one"].record
    for at_us, command in record.commands:
        node.advance(at_us)
        node.submit(command)
    moment = await real.host().moment()
    node.advance(moment.at_us)
    assert node.log.digest == moment.digest


@pytest.mark.parametrize("what", WORDS)
async def test_a_command_that_cannot_be_done_is_not_acknowledged(
    real: RealWorld, breakage: dict[str, tuple[Break, Break]], what: str
) -> None:
    reader = real.reader()
    await reader.until("snapshot")
    broken, mended = breakage[what]
    broken()
    for number in range(3):
        real.command(reader, number, do="publish", count=2000, size_bytes=8000, persistent=True)
    await asyncio.sleep(0.5)
    acknowledged = len(reader.of("accepted"))
    assert acknowledged <= len(real.books["one"].record.commands)
    mended()
    await asyncio.sleep(0.3)
    assert acknowledged <= len(real.books["one"].record.commands)
    assert reader.closed == []


async def test_a_session_that_wakes_without_room_waits_and_is_welcomed_later(
    real: RealWorld, breakage: dict[str, tuple[Break, Break]]
) -> None:
    command = {"do": "publish", "count": 5, "size_bytes": 100, "persistent": True}
    real.books["one"] = MemoryBook(RecordedSession(dict(real.blank), [(1000, command)], 2_000_000))
    broken, mended = breakage["no room"]
    broken()
    reader = real.reader()
    assert "disk is full" in (await reader.until("notice", 2))["message"]
    real.command(reader, 5, do="publish", count=1, size_bytes=1)
    assert "disk is full" in (await reader.until("refused"))["message"]
    mended()
    await reader.until("welcome")
    await reader.until("snapshot")
    assert (await real.host().moment()).at_us >= 2_000_000
    assert len(real.books["one"].record.commands) == 1


async def test_the_directory_of_all_sessions_may_be_deleted(real: RealWorld, tmp_path: Path) -> None:
    reader = real.reader()
    await reader.until("snapshot")
    await given(real, reader, 3)
    # All at once: the session goes on writing, so that deleting file by file may meet new ones.
    shutil.rmtree((tmp_path / "sessions").rename(tmp_path / "deleted"))
    real.command(reader, 4, do="publish", count=20, size_bytes=8000, persistent=True)
    await settled(lambda: any("gone from" in each["message"] for each in reader.of("notice")))
    await settled(lambda: any("where it was" in each["message"] for each in reader.of("notice")))
    real.command(reader, 5, do="publish", count=20, size_bytes=8000, persistent=True)
    await settled(lambda: 5 in [each["id"] for each in reader.of("accepted")])
    assert (tmp_path / "sessions").is_dir()


async def test_only_one_command_is_struck_out_and_only_if_that_helps(worlds: Any) -> None:
    world: World = worlds()
    commands = [(5, {"do": "break"}), (6, {"do": "emit", "count": 1}), (7, {"do": "emit", "count": 1})]
    world.books["one"] = MemoryBook(RecordedSession({"commands": []}, list(commands), 10))
    reader = world.reader()
    await settled(lambda: bool(reader.closed))
    assert world.books["one"].record.commands == commands


async def test_an_engine_without_memory_is_no_fault_of_a_command(world: World, monkeypatch: Any) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    for number in (1, 2, 3):
        world.command(reader, number, do="emit", count=2)
    await reader.until("accepted", 3)
    opened = world.door.open

    def poor(*_arguments: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(world.door, "open", poor)
    world.command(reader, 4, do="break")
    await settled(lambda: any("no memory" in each["message"] for each in reader.of("notice")))
    assert len(world.books["one"].record.commands) == 3
    monkeypatch.setattr(world.door, "open", opened)
    await reader.until("snapshot", 2)
    assert world.door.nodes[-1].log.number == 6


# --- the record ---


class LockedBook(MemoryBook):
    """A record that can be locked, as SQLite is by another program."""

    locked = False
    tried = 0
    """How often it was to be written down, while it was locked, how far the session came."""

    def _check(self) -> None:
        if self.locked:
            raise RecordUnreachable("database is locked")

    async def load(self) -> RecordedSession:
        self._check()
        return await super().load()

    async def add_command(self, sequence: int, at_us: int, command: dict[str, Any]) -> None:
        self._check()
        await super().add_command(sequence, at_us, command)

    async def undo_command(self, sequence: int, at_us: int) -> None:
        self._check()
        await super().undo_command(sequence, at_us)

    def note(self, at_us: int) -> None:
        self.tried += self.locked
        if not self.locked:
            super().note(at_us)

    async def reached(self, at_us: int, digest: str) -> None:
        self._check()
        await super().reached(at_us, digest)


async def test_playing_goes_on_after_the_database_was_locked(world: World) -> None:
    book = world.books["one"] = LockedBook(RecordedSession({"commands": []}, []))
    reader = world.reader()
    world.command(reader, 1, do="tick", on=True)
    await reader.until("accepted")
    book.locked = True
    await settled(lambda: book.tried > 0)  # how far it came cannot be written down, which stops nobody
    before = world.door.nodes[-1].log.number
    await settled(lambda: world.door.nodes[-1].log.number > before)
    world.command(reader, 2, do="emit", count=1)
    assert "database" in (await reader.until("refused"))["message"]
    world.host().request(reader.client, protocol.UndoCommand(3))
    await reader.until("refused", 2)
    assert len(book.record.commands) == 1
    book.locked = False
    await settled(lambda: any("where it was" in each["message"] for each in reader.of("notice")))
    number = world.door.nodes[-1].log.number
    await settled(lambda: world.door.nodes[-1].log.number > number)
    world.command(reader, 4, do="emit", count=1)
    await reader.until("accepted", 2)
    assert [command["do"] for _at, command in book.record.commands] == ["tick", "emit"]


async def test_what_was_written_although_it_seemed_not_is_acknowledged(
    world: World, monkeypatch: Any
) -> None:
    reader = world.reader()
    await reader.until("snapshot")
    book = world.books["one"]
    add = book.add_command

    async def add_and_fail(*arguments: Any) -> None:
        await add(*arguments)
        raise RecordUnreachable("the connection broke")

    monkeypatch.setattr(book, "add_command", add_and_fail)
    world.command(reader, 1, do="emit", count=2)
    await reader.until("accepted")
    assert len(book.record.commands) == 1
    assert (await reader.until("snapshot", 2))["next"] == 2


# --- what is left open ---


async def test_no_file_stays_open_after_resting_rebuilding_and_looking_back(
    real: RealWorld, tmp_path: Path
) -> None:
    reader = real.reader()
    await reader.until("snapshot")
    await given(real, reader, 4)
    assert open_files(tmp_path)
    gc.disable()
    try:
        number = len(open_files(tmp_path))
        for undone in range(3):
            real.host().request(reader.client, protocol.UndoCommand(50 + undone))
            await reader.until("accepted", 5 + undone)
        await given_again(real, reader)
        assert len(open_files(tmp_path)) <= number
        record = await real.books["one"].load()
        past = PastReader(real.registry.directory, real.limits.past_s)
        with past.at("one", 5, record):
            pass
        real.host().leave(reader.client)
        await real.host().end()
        assert open_files(tmp_path) == []
    finally:
        gc.enable()


async def given_again(world: World, reader: Reader) -> None:
    world.command(reader, 90, do="publish", count=20, size_bytes=8000, persistent=True)
    await settled(lambda: 90 in [each["id"] for each in reader.of("accepted")])


# --- threads ---

AT_ONCE = """
import sys, threading
import django
from django.conf import settings
settings.configure()
sys.setswitchinterval(1e-6)
from playground.hosting.real_engine import door
start = threading.Barrier(8)
scenario = {"version": 1, "profile": "classroom", "until_us": 1000000,
            "commands": [{"at_us": 1000, "do": "publish", "count": 3, "size_bytes": 100}]}
def wake():
    start.wait()
    node = door().rehearse(scenario)
    node.submit({"do": "publish", "count": 10, "size_bytes": 100})
    node.advance(2000000)
threads = [threading.Thread(target=wake) for _each in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def test_sessions_that_wake_at_once_do_not_crash_a_fresh_process() -> None:
    """Without warm types some seven of ten such processes die of a segmentation fault."""
    for _each in range(4):
        ended = subprocess.run([sys.executable, "-c", AT_ONCE], cwd=ROOT, capture_output=True, check=False)
        assert ended.returncode == 0, ended.stderr.decode()[-2000:]


@pytest.mark.parametrize("error", [WorkerLost(), WorkerFailed(WorkFailure("outside", "no_room"), 0, False)])
async def test_whoever_asks_where_a_run_is_while_it_fails_hears_that_it_stands_still(
    world: World, monkeypatch: Any, error: Exception
) -> None:
    reader = world.reader()
    world.command(reader, do="publish", count=1, size_bytes=1)
    await reader.until("accepted")
    host = world.host()

    async def fails(*_: Any, **__: Any) -> dict[str, Any]:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(host.keeper, "call", fails)
        with pytest.raises(RunStopped):
            await host.moment()
