"""Students at work on a real server, with real sockets: does anybody wait?

Students join, then all open the exercise at the same moment. When everybody sits at work, the lesson begins: each has a
live session that plays, gives a command a second, checks an exercise now and then, and listens to the class; teachers
watch their grids. At the end everybody answers at the same moment, and the teachers freeze all classes. A class is
behind one address of its own. The times include this program's own share of the machine, which is measured, too.

However slow a server is, a lesson comes to an end: whoever has not come in after JOIN_S is left out and reported, as is
whoever does not sit after SIT_S.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import statistics
import time
import urllib.error
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench.measure import Result
from bench.websocket import Socket, Visitor
from tools.processes import processor_s

CLASS = 60
"""Most students of one class."""
JOIN_S = 60.0
SIT_S = 30.0
MOST_FREEZE_S = 15
LEAVE_S = 15.0
EXERCISE = "/learn/waterline/reach-delta/"
PREDICTION = "/learn/waterline/first-in/"
PASSWORD = "thirty students wait"


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
    """What is measured, by all students together.

    Args:
        students: how many.
        seconds: for which they work.
    """

    def __init__(self, students: int, seconds: float) -> None:
        self.students, self.seconds = students, seconds
        self.commands, self.gaps, self.answers, self.pages = Times(), Times(), Times(), Times()
        self.grid, self.freeze, self.at_once = Times(), Times(), Times()
        self.frames = self.refused = 0
        self.over = False
        self.seated = 0
        self.full = asyncio.Event()
        """When everybody sits at work."""
        self.begun = asyncio.Event()
        """When work begins."""
        self.answered: dict[str, float] = {}
        self.frozen_at_s = 0.0

    def sit_down(self) -> None:
        """One student more is at work."""
        self.seated += 1
        if self.seated == self.students:
            self.full.set()

    @property
    def whole(self) -> bool:
        """Return whether all could come, nobody was refused, all answers are on record, and all know of the freeze."""
        counts = {len(self.freeze.all_ms), len(self.at_once.all_ms), self.seated}
        return counts == {self.students} and not self.refused


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
            lesson.frames += lesson.begun.is_set()
            if last_s and lesson.begun.is_set() and not lesson.frozen_at_s:
                lesson.gaps.add(last_s)
            if not last_s:  # the session is awake
                lesson.sit_down()
            last_s = time.perf_counter()
            through = (
                message["next"] if message["t"] == "snapshot" else message["first"] + len(message["rows"])
            )
            if message.get("ack", True):
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
    await lesson.begun.wait()
    await asyncio.sleep(number / lesson.students)
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
    await lesson.begun.wait()
    await asyncio.sleep(3 + number / lesson.students * max(1.0, lesson.seconds - 12))
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


def cpu_and_memory(pids: Sequence[int]) -> tuple[float, float]:
    """Return the seconds of processor time that processes and those below them have used, and their memory in MiB."""
    tree: dict[int, list[int]] = {}
    used: dict[int, tuple[float, float]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            pages = int((path / "statm").read_text().split()[1])
        except OSError:
            continue  # it has just ended
        tree.setdefault(int(fields[1]), []).append(int(path.name))
        ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        used[int(path.name)] = ticks, pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    found, left = [], list(pids)
    while left:
        pid = left.pop()
        found.append(used.get(pid, (0.0, 0.0)))
        left += tree.get(pid, [])
    return sum(cpu_s for cpu_s, _mib in found), sum(mib for _cpu_s, mib in found)


def shares_s(pids: Sequence[int]) -> dict[str, float]:
    """Return the seconds of processor time of a server with its workers, of its workers, and of this program."""
    cpu_s, _mib = cpu_and_memory(pids)
    workers_s = cpu_s - sum(map(processor_s, pids))
    return {"server_cpu": cpu_s, "workers_cpu": workers_s, "visitors_cpu": time.process_time()}


async def open_class(url: str, number: int, students: int) -> tuple[Visitor, str, dict[str, Visitor]]:
    """Let a teacher begin a class and its students in; return the teacher, the class's id, and who came."""
    source = f"127.0.{number + 1}.1"
    teacher = Visitor(url, source=source)
    await asyncio.to_thread(teacher.get, "/class/sign-up")
    name = f"teacher{number}"
    await asyncio.to_thread(
        teacher.post, "/class/sign-up", username=name, password1=PASSWORD, password2=PASSWORD
    )
    page = await asyncio.to_thread(teacher.post, "/class/new", name="Bench", unit="waterline", keep_days="30")
    code = page.split('class="join-code">', 1)[1].split("<", 1)[0]
    public_id = page.split("/ws/class/", 1)[1].split("/", 1)[0]

    async def join(student: int) -> tuple[str, Visitor]:
        visitor, nickname = Visitor(url, source=source), f"student {number} {student}"
        await asyncio.to_thread(visitor.get, "/class/join/")
        await asyncio.to_thread(visitor.post, "/class/join/", code=code, nickname=nickname)
        await asyncio.to_thread(visitor.post, EXERCISE + "begin")
        await asyncio.to_thread(visitor.send, PREDICTION + "begin")
        return nickname, visitor

    came: dict[str, Visitor] = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(JOIN_S):
            for each in range(students):
                name, visitor = await join(each)
                came[name] = visitor
    return teacher, public_id, came


async def answer_at_once(lesson: Lesson, visitors: Sequence[Visitor]) -> None:
    """Let everybody answer at the same moment; an answer counts when it is on record, before its page is made."""
    begun_s = time.perf_counter()

    async def answer(visitor: Visitor) -> None:
        led = await asyncio.to_thread(visitor.send, PREDICTION + "answer", answer="q4")
        if led.endswith("#task"):  # where no answer could be recorded the page is another
            lesson.at_once.add(begun_s)

    await asyncio.gather(*map(answer, visitors))


async def freeze(lesson: Lesson, classes: Sequence[tuple[Visitor, str, Any]]) -> None:
    """Freeze all classes, and wait until everybody at work was notified."""
    lesson.frozen_at_s = time.perf_counter()
    await asyncio.gather(
        *(
            asyncio.to_thread(teacher.post, f"/class/{public_id}/freeze", frozen="yes")
            for teacher, public_id, _students in classes
        )
    )
    for _second in range(MOST_FREEZE_S):
        await asyncio.sleep(1)
        if len(lesson.freeze.all_ms) >= lesson.seated:
            break


async def give(url: str, pids: Sequence[int], students: int, seconds: float) -> tuple[Lesson, Result]:
    """Let everybody in, work for a while, freeze, and take the times.

    Args:
        url: where the server answers.
        pids: its processes; those below them are counted as well.
        students: how many; each class has at most 60.
        seconds: for which they work.
    """
    # Two threads for everybody: nobody waits for another visitor's page inside this program.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * students + 2))
    lesson = Lesson(students, seconds)
    sizes = [min(CLASS, students - first) for first in range(0, students, CLASS)]
    classes = await asyncio.gather(*(open_class(url, number, size) for number, size in enumerate(sizes)))
    visitors = {name: visitor for _teacher, _id, each in classes for name, visitor in each.items()}
    watching = [
        asyncio.create_task(watch(lesson, await Socket.connect(teacher, f"/ws/class/{public_id}/")))
        for teacher, public_id, _students in classes
    ]
    works = [
        asyncio.create_task(student(lesson, visitor, name, number))
        for number, (name, visitor) in enumerate(visitors.items())
    ]
    try:
        everybody = asyncio.create_task(lesson.full.wait())
        await asyncio.wait([everybody, *works], timeout=SIT_S, return_when=asyncio.FIRST_COMPLETED)
        everybody.cancel()
        lesson.begun.set()
        begun_s, before_s = time.perf_counter(), shares_s(pids)
        await asyncio.sleep(seconds)
        after_s, (_cpu_s, mib) = shares_s(pids), cpu_and_memory(pids)
        elapsed_s = time.perf_counter() - begun_s
        frames = lesson.frames
        await answer_at_once(lesson, [*visitors.values()])
        await freeze(lesson, classes)
        lesson.over = True
        left, _busy = await asyncio.wait(works, timeout=LEAVE_S)
        for work in left:
            work.result()  # raises what went wrong
    finally:
        for each in (*works, *watching):
            each.cancel()
    return lesson, {
        "students": students,
        "joined": len(visitors),
        "seated": lesson.seated,
        "sockets": 2 * students + len(classes),
        "seconds": round(elapsed_s, 1),
        "command_until_accepted": str(lesson.commands),
        "between_two_frames": str(lesson.gaps),
        "answer_graded_and_page_shown": str(lesson.answers),
        "page_of_an_exercise": str(lesson.pages),
        "answer_sent_until_in_the_grid": str(lesson.grid),
        "answers_at_once_until_recorded": str(lesson.at_once),
        "freeze_until_everybody_knows": str(lesson.freeze),
        "frames": lesson.frames,
        "frames_a_second_for_each": round(frames / elapsed_s / max(1, lesson.seated), 1),
        "refused": lesson.refused,
        **{
            f"{name}_of_one_core": f"{100 * (spent - earlier) / elapsed_s:.0f} %"
            for (name, spent), earlier in zip(after_s.items(), before_s.values(), strict=True)
        },
        "server_memory_mib": round(mib),
    }
