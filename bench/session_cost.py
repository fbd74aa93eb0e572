"""What a student at work costs the server's processors, beside an earlier release in the same run.

Each student has a session in which a publisher and a consumer work, and a page that follows it. Measured is the
processor's time of the server with its workers: while everybody only watches, while everybody gives commands, while
the pages are in the background, and while time stands still. With the earlier release's commit in the repository, the
same is done with its code, in a checkout that is removed afterwards.

A processor that sleeps between two pieces of work does the next one slowly, and most of all for a server that wakes it
seldom. So loops of the lowest priority keep all processors awake; how the releases compare where processors sleep is
measured as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.websocket import Socket, Visitor
from tools import live_server
from tools.processes import descendants_of, processor_s

RELEASE = "87c40a5"
"""The commit of release 0.2.0."""
PREPARES_RELEASE = (
    ("migrate", "--no-input", "--verbosity", "0"),
    ("load_scenarios",),
    ("collectstatic", "--no-input", "--verbosity", "0"),
)
"""Its own commands: it has no `prepare`."""
STUDENTS, TINY_STUDENTS = 30, 2
SECONDS, TINY_SECONDS = 10.0, 0.6
COMMANDS_PER_S = 4
SETTLES_S = 2.0
GOAL = 5.0
"""How many times less than in 0.2.0 a student at work is to cost."""
BOUND = 1.0
"""How many times less it must cost on any machine, however busy."""

LOOP = "import os\nos.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\nwhile True: pass"
"""Has a processor only while nobody else wants it."""

WORK: tuple[dict[str, Any], ...] = (
    {"do": "set_publisher", "name": "p1", "rate_per_s": 5, "size_bytes": 1000, "persistent": True},
    {"do": "set_consumer", "name": "c1", "rate_per_s": 5, "prefetch": 2, "ack": "each"},
)


class Student:
    """A session and the page that follows it."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._number = 0
        self.answered = self.refused = self.frames = 0
        self._received = asyncio.Event()
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def begin(cls, url: str) -> Student:
        """Open a session, and let it work."""
        visitor = Visitor(url)
        await asyncio.to_thread(visitor.get, "/")
        page = await asyncio.to_thread(visitor.post, "/s/new", profile="classroom")
        path = page.split('"websocket": "', 1)[1].split('"', 1)[0]
        student = cls(await Socket.connect(visitor, path))
        await student.send(t="hello", have=None)
        for command in WORK:
            await student.command(command)
        await student.send(t="control", play=True, speed=1.0)
        return student

    async def _read(self) -> None:
        while True:
            message = await self._socket.receive()
            kind = message["t"]
            if kind in {"frame", "snapshot"}:
                self.frames += 1
                through = message["next"] if kind == "snapshot" else message["first"] + len(message["rows"])
                if message.get("ack", True):
                    await self._socket.send(t="ack", through=through)
            elif kind in {"accepted", "refused"}:
                self.answered += 1
                self.refused += kind == "refused"
                self._received.set()

    async def send(self, **message: Any) -> None:
        """Send a message."""
        await self._socket.send(**message)

    async def command(self, command: dict[str, Any]) -> None:
        """Give a command, and wait for its answer."""
        self._number += 1
        await self._socket.send(t="command", id=self._number, command=command)
        async with asyncio.timeout(30):
            while self.answered < self._number:
                self._received.clear()
                await self._received.wait()

    async def commands(self, until_s: float) -> int:
        """Publish some messages, four times a second; return how often."""
        count = 0
        while time.monotonic() < until_s:
            begun_s = time.monotonic()
            await self.command({"do": "publish", "count": 2, "size_bytes": 500})
            count += 1
            await asyncio.sleep(max(0.0, 1 / COMMANDS_PER_S - (time.monotonic() - begun_s)))
        return count

    async def close(self) -> None:
        """Leave."""
        self.reading.cancel()
        await self._socket.close()


@contextlib.contextmanager
def awake() -> Iterator[None]:
    """Keep every processor awake."""
    loops = [subprocess.Popen([sys.executable, "-c", LOOP]) for _each in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def family_s(pid: int) -> float:
    """Return the processor's time that a process and its children have taken, in seconds."""
    return sum(processor_s(each) for each in (pid, *descendants_of(pid)))


async def course(url: str, pid: int, students: int, seconds: float) -> Result:
    """Measure one server."""
    everybody = [await Student.begin(url) for _each in range(students)]
    found: Result = {}

    async def during(name: str, work: Any = None) -> float:
        await asyncio.sleep(SETTLES_S if seconds == SECONDS else 0.2)
        before_s, begun_s = family_s(pid), time.monotonic()
        frames = sum(each.frames for each in everybody)
        if work is None:
            await asyncio.sleep(seconds)
            given = 0
        else:
            given = sum(await asyncio.gather(*(each.commands(begun_s + seconds) for each in everybody)))
        lasted_s = time.monotonic() - begun_s
        cost = (family_s(pid) - before_s) / lasted_s / students
        found[f"{name}_core_pct"] = round(100 * cost, 2)
        found[f"{name}_frames_per_s"] = round(
            (sum(each.frames for each in everybody) - frames) / lasted_s / students, 1
        )
        return given / lasted_s / students

    await during("looking_on")
    rate = await during("at_work", work=True)
    extra = (found["at_work_core_pct"] - found["looking_on_core_pct"]) / 100
    found["command_ms"] = round(1000 * extra / rate, 2) if rate else None
    found["commands_refused"] = sum(each.refused for each in everybody)
    for each in everybody:
        await each.send(t="show", seen=False)
    await during("hidden")
    for each in everybody:
        await each.send(t="show", seen=True)
        await each.send(t="control", play=False)
    await during("paused")
    for each in everybody:
        await each.close()
    return found


@contextlib.contextmanager
def checkout(commit: str, place: Path) -> Iterator[Path | None]:
    """Lend a checkout of an earlier commit; None where the repository has none."""
    git = shutil.which("git")
    added = (
        git
        and not subprocess.run(
            [git, "worktree", "add", "--detach", str(place), commit],
            cwd=live_server.ROOT,
            capture_output=True,
            check=False,
        ).returncode
    )
    try:
        yield place if added else None
    finally:
        if added:
            subprocess.run(
                [str(git), "worktree", "remove", "--force", str(place)], cwd=live_server.ROOT, check=False
            )


def measured(root: Path, var_dir: Path, tiny: bool) -> Result:
    """Measure the code under `root`."""
    students, seconds = (TINY_STUDENTS, TINY_SECONDS) if tiny else (STUDENTS, SECONDS)
    if root == live_server.ROOT:
        live_server.prepare(var_dir)
    else:
        var_dir.mkdir(parents=True)
        for arguments in PREPARES_RELEASE:
            live_server.manage(var_dir, *arguments, root=root)
    server = live_server.start(var_dir, root=root)
    try:
        return asyncio.run(course(server.url, server.process.pid, students, seconds))
    finally:
        live_server.stop(server)


def run(tiny: bool = False) -> Result:
    """Measure this code and, where it can be had, that of release 0.2.0."""
    with (
        tempfile.TemporaryDirectory() as directory,
        checkout(RELEASE, Path(directory) / "release") as earlier,
    ):
        place = Path(directory)
        with awake():
            now = measured(live_server.ROOT, place / "now", tiny)
            before = measured(earlier, place / "before", tiny) if earlier and not tiny else None
        found: Result = {"students": TINY_STUDENTS if tiny else STUDENTS, **now}
        if before is not None and earlier is not None:
            found |= {f"release_{name}": value for name, value in before.items()}
            found["times_less_at_work"] = _times_less(before, now)
            found["times_less_where_processors_sleep"] = _times_less(
                measured(earlier, place / "before-asleep", tiny),
                measured(live_server.ROOT, place / "now-asleep", tiny),
            )
            found["goal_times_less"] = GOAL
            found["bound_times_less"] = BOUND
            found["passed"] = found["times_less_at_work"] >= BOUND and not now["commands_refused"]
    return found


def _times_less(before: Result, now: Result) -> float:
    return round(before["at_work_core_pct"] / max(0.01, now["at_work_core_pct"]), 2)
