"""Thirty students at work on one server process, with real sockets: does anybody wait?

Each student has a live session that plays, gives a command a second, checks an exercise now and then, and listens to
the class; the teacher watches the grid. The figures include this program's own share of the machine.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.websocket import Socket, Visitor
from tools import live_server

STUDENTS, TINY_STUDENTS = 30, 3
SECONDS, TINY_SECONDS = 30, 8
COMMAND_P95_MS = 500
FRAME_GAP_MS = 3000
FREEZE_MS = 2000
EXERCISE = "/learn/waterline/reach-delta/"
PREDICTION = "/learn/waterline/first-in/"


class Times:
    """Milliseconds of one kind."""

    def __init__(self) -> None:
        self.all_ms: list[float] = []

    def add(self, begun_s: float) -> None:
        """Take the time since `begun_s`."""
        self.all_ms.append((time.perf_counter() - begun_s) * 1000)

    def __str__(self) -> str:
        if not self.all_ms:
            return "none"
        values = sorted(self.all_ms)
        return (
            f"{len(values)} times, median {statistics.median(values):.0f} ms, "
            f"p95 {self.p95:.0f} ms, worst {values[-1]:.0f} ms"
        )

    @property
    def p95(self) -> float:
        """Return the time that nineteen of twenty keep."""
        return sorted(self.all_ms)[int(len(self.all_ms) * 0.95)] if self.all_ms else 0.0

    @property
    def worst(self) -> float:
        """Return the longest."""
        return max(self.all_ms, default=0.0)


class Lesson:
    """What is measured, by all students together."""

    def __init__(self) -> None:
        self.commands, self.gaps, self.answers, self.pages = Times(), Times(), Times(), Times()
        self.grid, self.freeze = Times(), Times()
        self.frames = self.refused = 0
        self.over = False
        self.answered: dict[str, float] = {}
        self.frozen_at_s = 0.0


async def timed(times: Times, work: Any, *arguments: Any, **named: Any) -> str:
    """Do something of a visitor in a thread, and take its time."""
    begun_s = time.perf_counter()
    page: str = await asyncio.to_thread(work, *arguments, **named)
    times.add(begun_s)
    return page


async def student(lesson: Lesson, visitor: Visitor, name: str, number: int) -> None:
    """Work on an exercise until the lesson is over."""
    page = await timed(lesson.pages, visitor.get, EXERCISE)
    path = page.split('"websocket": "', 1)[1].split('"', 1)[0]
    stage = await Socket.connect(visitor, path)
    klass = await Socket.connect(visitor, "/ws/class/me/")
    await stage.send(t="hello", have=None)
    await stage.send(t="control", play=True, speed=1.0)
    sent: dict[int, float] = {}
    tasks = [
        asyncio.create_task(follow_stage(lesson, stage, sent)),
        asyncio.create_task(follow_class(lesson, klass)),
        asyncio.create_task(give_commands(lesson, stage, sent, number)),
        asyncio.create_task(give_answers(lesson, visitor, name, number)),
    ]
    try:
        while not lesson.over:
            await asyncio.sleep(0.2)
            for task in tasks:
                if task.done() and task.exception():
                    raise task.exception() or RuntimeError
    finally:
        for task in tasks:
            task.cancel()
        await stage.close()
        await klass.close()


async def follow_stage(lesson: Lesson, stage: Socket, sent: dict[int, float]) -> None:
    """Read frames as a page does, and acknowledge them."""
    last_s = 0.0
    while True:
        message = await stage.receive()
        if message["t"] in {"frame", "snapshot"}:
            lesson.frames += 1
            if last_s and not lesson.frozen_at_s:
                lesson.gaps.add(last_s)
            last_s = time.perf_counter()
            through = (
                message["next"] if message["t"] == "snapshot" else message["first"] + len(message["rows"])
            )
            await stage.send(t="ack", through=through)
        elif message["t"] in {"accepted", "refused"}:
            lesson.refused += message["t"] == "refused" and not lesson.frozen_at_s
            if message["id"] in sent:
                lesson.commands.add(sent.pop(message["id"]))


async def follow_class(lesson: Lesson, klass: Socket) -> None:
    """Hear what the teacher does."""
    while True:
        message = await klass.receive()
        if message.get("frozen") and lesson.frozen_at_s:
            lesson.freeze.add(lesson.frozen_at_s)


async def give_commands(lesson: Lesson, stage: Socket, sent: dict[int, float], number: int) -> None:
    """Publish a little every second, and consume."""
    await asyncio.sleep(1 + number / STUDENTS)
    consumer = {"do": "set_consumer", "name": "c1", "rate_per_s": 4, "prefetch": 4, "ack": "each"}
    for count in range(1, 10_000):
        command = consumer if count == 1 else {"do": "publish", "count": 5, "size_bytes": 6000}
        sent[count] = time.perf_counter()
        await stage.send(t="command", id=count, command=command)
        await asyncio.sleep(1)
        if lesson.frozen_at_s:
            return


async def give_answers(lesson: Lesson, visitor: Visitor, name: str, number: int) -> None:
    """Predict once, then check the state now and then; an answer on its way into a frozen class is refused."""
    try:
        await answer_until_frozen(lesson, visitor, name, number)
    except urllib.error.HTTPError as refused:
        if refused.code != 409 or not lesson.frozen_at_s:
            raise RuntimeError(refused.read().decode()) from refused


async def answer_until_frozen(lesson: Lesson, visitor: Visitor, name: str, number: int) -> None:
    """Give answers until the teacher freezes the class."""
    await asyncio.sleep(3 + number * 0.6)
    await timed(lesson.pages, visitor.post, PREDICTION + "begin")
    lesson.answered[name] = time.perf_counter()
    await timed(lesson.answers, visitor.post, PREDICTION + "answer", answer="q1" if number % 3 else "q4")
    while not lesson.frozen_at_s:
        await asyncio.sleep(8)
        if not lesson.frozen_at_s:
            await timed(lesson.answers, visitor.post, EXERCISE + "answer")


async def watch(lesson: Lesson, socket: Socket) -> None:
    """Be the teacher: note when an answer shows in the grid."""
    while True:
        message = await socket.receive()
        for row in message.get("changed", ()):
            attempts = row["cells"].get("first-in", ["", 0])[1]
            if attempts and row["name"] in lesson.answered:
                lesson.grid.add(lesson.answered.pop(row["name"]))


def cpu_and_memory(pid: int) -> tuple[float, float]:
    """Return the seconds of processor time that a process has used, and its memory in MiB."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    ticks = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks, pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def give_lesson(server: live_server.LiveServer, students: int, seconds: int, tiny: bool) -> Result:
    """Let everybody in, work for a while, freeze, and look at the clock."""
    # A thread for everybody: nobody waits for another visitor's page inside this program.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(students + 2))
    lesson = Lesson()
    teacher = Visitor(server.url)
    await asyncio.to_thread(teacher.get, "/class/sign-up")
    password = "thirty students wait"
    await asyncio.to_thread(
        teacher.post, "/class/sign-up", username="teacher", password1=password, password2=password
    )
    page = await asyncio.to_thread(teacher.post, "/class/new", name="Bench", unit="waterline", keep_days="30")
    code = page.split('class="join-code">', 1)[1].split("<", 1)[0]
    public_id = page.split("/ws/class/", 1)[1].split("/", 1)[0]
    visitors = {}
    for number in range(students):
        visitor, name = Visitor(server.url), f"student {number}"
        await asyncio.to_thread(visitor.get, "/class/join/")
        await asyncio.to_thread(visitor.post, "/class/join/", code=code, nickname=name)
        await asyncio.to_thread(visitor.post, EXERCISE + "begin")
        visitors[name] = visitor
    watching = asyncio.create_task(watch(lesson, await Socket.connect(teacher, f"/ws/class/{public_id}/")))
    works = [
        asyncio.create_task(student(lesson, visitor, name, number))
        for number, (name, visitor) in enumerate(visitors.items())
    ]
    cpu_s, _mib = await asyncio.to_thread(cpu_and_memory, server.process.pid)
    begun_s = time.perf_counter()
    await asyncio.sleep(seconds)
    cpu_after_s, mib = await asyncio.to_thread(cpu_and_memory, server.process.pid)
    elapsed_s = time.perf_counter() - begun_s
    lesson.frozen_at_s = time.perf_counter()
    await asyncio.to_thread(teacher.post, f"/class/{public_id}/freeze", frozen="yes")
    await asyncio.sleep(3)
    lesson.over = True
    await asyncio.gather(*works)
    watching.cancel()
    whole = len(lesson.freeze.all_ms) == students and not lesson.refused
    in_time = (
        lesson.commands.p95 < COMMAND_P95_MS
        and lesson.gaps.worst < FRAME_GAP_MS
        and lesson.freeze.worst < FREEZE_MS
    )
    return {
        "students": students,
        "sockets": 2 * students + 1,
        "seconds": round(elapsed_s, 1),
        "command_until_accepted": str(lesson.commands),
        "between_two_frames": str(lesson.gaps),
        "answer_graded_and_page_shown": str(lesson.answers),
        "page_of_an_exercise": str(lesson.pages),
        "answer_sent_until_in_the_grid": str(lesson.grid),
        "freeze_until_everybody_knows": str(lesson.freeze),
        "frames": lesson.frames,
        "refused": lesson.refused,
        "server_cpu_of_one_core": f"{100 * (cpu_after_s - cpu_s) / elapsed_s:.0f} %",
        "server_memory_mib": round(mib),
        # A tiny lesson runs beside other tests: it shows that all of it works, the full one how fast.
        "passed": whole and (tiny or in_time),
    }


def run(tiny: bool) -> Result:
    """Measure."""
    students, seconds = (TINY_STUDENTS, TINY_SECONDS) if tiny else (STUDENTS, SECONDS)
    with (
        tempfile.TemporaryDirectory(prefix="waterline-") as scratch,
        live_server.running(Path(scratch)) as server,
    ):
        return asyncio.run(give_lesson(server, students, seconds, tiny))
