"""A class by script: everybody joins, answers and votes; then the grid, the votes and the tables are compared."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bench import lesson, school
from bench.websocket import Socket, Visitor

EXERCISE, VOTED = "first-in", "tail-or-head"
WAIT_S = 120


class Heard:
    """What one socket of the class says: the newest of each kind, whole rows kept by their students."""

    def __init__(self, socket: Socket) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.last: dict[str, Any] = {}
        self._heard = asyncio.Condition()
        self._task = asyncio.create_task(self._listen(socket))

    async def _listen(self, socket: Socket) -> None:
        while True:
            message = await socket.receive()
            async with self._heard:
                if message.get("whole"):
                    self.rows.clear()
                self.rows.update({row["id"]: row for row in message.get("changed", ())})
                self.last = message
                self._heard.notify_all()

    async def until(self, what: str, holds: Any) -> None:
        """Wait until something holds of what was heard."""
        try:
            async with asyncio.timeout(WAIT_S), self._heard:
                await self._heard.wait_for(lambda: self.last and holds(self))
        except TimeoutError:
            raise AssertionError(f"{what}: {json.dumps(self.last)[:2000]}") from None

    def cells(self) -> Counter[str]:
        """Return how many students are in which state of the exercise."""
        return Counter(row["cells"].get(EXERCISE, ["none"])[0] for row in self.rows.values())

    def end(self) -> None:
        """Listen no more."""
        self._task.cancel()


@pytest.mark.parametrize("students", [6, pytest.param(60, marks=pytest.mark.soak)])
def test_a_class_works_and_votes_and_nothing_is_lost(students: int) -> None:
    with school.one_process() as (url, _pids):
        asyncio.run(give(url, students))


async def give(url: str, students: int) -> None:
    """Give the lesson."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(students + 2))
    teacher, public_id, visitors = await lesson.open_class(url, 0, students)
    names = sorted(visitors)
    right = {name: number % 3 == 0 for number, name in enumerate(names)}
    grid = Heard(await Socket.connect(teacher, f"/ws/class/{public_id}/"))
    pages = [Heard(await Socket.connect(visitors[name], "/ws/class/me/")) for name in names]
    await grid.until(
        "all are connected", lambda it: sum(row["online"] for row in it.rows.values()) == students
    )

    async def answer(name: str) -> None:
        await asyncio.to_thread(visitors[name].post, f"/learn/waterline/{EXERCISE}/begin")
        chosen = "q4" if right[name] else "q1"
        await asyncio.to_thread(visitors[name].post, f"/learn/waterline/{EXERCISE}/answer", answer=chosen)

    await asyncio.gather(*map(answer, names))
    first = sum(right.values())
    expected = {"first": first, "wrong": students - first}
    await grid.until("the grid has every answer", lambda it: it.cells() == expected)
    assert grid.last["hardest"]["failed"] == students - first

    async def lead(**chosen: str) -> None:
        await asyncio.to_thread(teacher.post, f"/class/{public_id}/vote", **chosen)

    async def vote(stage: str, answers: dict[str, str]) -> None:
        for page in pages:
            await page.until(stage, lambda it: (it.last["vote"] or {}).get("stage") == stage)
        await asyncio.gather(
            *(
                asyncio.to_thread(visitors[name].post, "/class/me/vote/", answer=chosen)
                for name, chosen in answers.items()
            )
        )
        all_of_them = (stage, students)  # those of the round before are not meant
        await grid.until(
            "all have voted",
            lambda it: tuple((it.last["vote"] or {}).get(part) for part in ("stage", "votes")) == all_of_them,
        )
        assert grid.last["vote"]["missing"] == []

    await lead(exercise=VOTED)
    await vote("first", {name: "newest" if right[name] else "oldest" for name in names})
    assert grid.last["vote"]["results"]["newest"][0] == first
    assert grid.last["vote"]["recommended"] == "discuss"
    await lead(act="discuss", stage="first")
    await lead(act="again", stage="discuss")
    await vote("second", dict.fromkeys(names, "newest"))
    assert grid.last["vote"]["results"]["newest"][2:] == [students, 100]
    await lead(act="reveal", stage="second")
    await lead(act="end", stage="revealed")
    for heard in (grid, *pages):
        await heard.until("the vote is over", lambda it: it.last["vote"] is None)
        heard.end()
    await asyncio.to_thread(tables, teacher, public_id, right)


def tables(teacher: Visitor, public_id: str, right: dict[str, bool]) -> None:
    """Compare what is taken along with what everybody did."""
    works = [row for row in read(teacher, public_id, "table") if row["exercise"] == EXERCISE]
    assert {row["student"]: row["right_first_time"] for row in works} == yes_or_no(right)
    assert {row["student"]: row["first_answer"] for row in works} == {
        name: "q4" if was else "q1" for name, was in right.items()
    }
    votes = read(teacher, public_id, "votes")
    assert {row["student"]: row["first_right"] for row in votes} == yes_or_no(right)
    assert {row["second"] for row in votes} == {"newest"}
    assert {row["stage"] for row in votes} == {"over"}


def yes_or_no(right: dict[str, bool]) -> dict[str, str]:
    """Return how tables say it."""
    return {name: "yes" if was else "no" for name, was in right.items()}


def read(teacher: Visitor, public_id: str, name: str) -> list[dict[str, str]]:
    """Return the rows of a table that the teacher takes along."""
    return list(csv.DictReader(teacher.get(f"/class/{public_id}/{name}.csv").lstrip("\ufeff").splitlines()))
