"""A process dies while everybody works: what was accepted stays, once and in order, and all go on."""

import asyncio
import collections
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from websockets.exceptions import ConnectionClosed

from bench.websocket import Visitor
from tools.cluster.cluster import App, Cluster
from tools.cluster.proof import PATIENCE_S, begin, command, joined, node, run_so_far

STUDENTS = 6
ANSWER_S = 5.0
"""Who has no answer for so long connects again: the page does so as well."""
AFTERWARDS = 5
"""So many commands of each are accepted after the death."""


@dataclass
class Student:
    """Somebody who publishes all the time, each time another number of messages, which names the command.

    Args:
        path, socket_path: of the session.
        accepted: what was accepted, in order.
    """

    visitor: Visitor
    path: str
    socket_path: str
    accepted: list[int] = field(default_factory=list)
    works: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with the first of them."""
    opened_s: float = 0.0
    """When the first command was accepted, from its beginning on."""
    back_s: float | None = None
    """When the first command after the death was accepted."""

    async def work(self, died_s: asyncio.Future[float]) -> None:
        """Give commands until some were accepted after the death."""
        given, afterwards = itertools.count(1), 0
        began_s = time.monotonic()
        while afterwards < AFTERWARDS:
            stage = await joined(self.visitor, self.socket_path)
            try:
                await stage.send(t="control", play=False)
                while afterwards < AFTERWARDS:
                    count, after = next(given), died_s.done()
                    answer = await asyncio.wait_for(command(stage, count, count), ANSWER_S)
                    if answer == "accepted":
                        self.accepted.append(count)
                        self.opened_s = self.opened_s or time.monotonic() - began_s
                        self.works.set()
                        afterwards += after
                        if after and self.back_s is None:
                            self.back_s = time.monotonic() - died_s.result()
                    await asyncio.sleep(PATIENCE_S)
            except (ConnectionClosed, TimeoutError, OSError):
                await asyncio.sleep(PATIENCE_S)
            finally:
                await stage.close()


class Death(NamedTuple):
    """What was observed when a process was killed.

    Args:
        owned: sessions that needed it.
        opened_s: seconds until a command of each session was accepted at first, before the death.
        back_s: seconds until a command of each of them was accepted again.
        given: commands of all sessions that were accepted; none of them is lost.
    """

    owned: int
    opened_s: float
    back_s: float
    given: int

    def __str__(self) -> str:
        killed = f"killed under load with {self.owned} of {STUDENTS} sessions"
        back = f"all back after {self.back_s:.1f} s (opened in {self.opened_s:.1f} s)"
        return f"{killed}: {back}, none of {self.given} commands lost"


async def one_dies(cluster: Cluster) -> Death:
    """Kill the process that has the most sessions; return what was observed, or fail."""

    def kill(students: list[Student]) -> list[Student]:
        [(name, _count)] = collections.Counter(node(each.socket_path) for each in students).most_common(1)
        victim: App = cluster.apps[name]
        victim.process.kill()
        victim.process.wait()
        return [each for each in students if node(each.socket_path) == name]

    return await killed_at_work(cluster, kill)


async def killed_at_work(cluster: Cluster, kill: Callable[[list[Student]], list[Student]]) -> Death:
    """Let students work, and a process die; return what was observed, or fail.

    Args:
        kill: kills it; returns those who needed it.
    """
    students = []
    for _each in range(STUDENTS):
        visitor = Visitor(cluster.url)
        students.append(Student(visitor, *await asyncio.to_thread(begin, visitor)))
    died_s: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    at_work = [asyncio.create_task(each.work(died_s)) for each in students]
    await asyncio.gather(*(each.works.wait() for each in students))
    owned = kill(students)
    died_s.set_result(time.monotonic())
    await asyncio.gather(*at_work)
    lost = 0
    for each in students:
        recorded = (await asyncio.to_thread(run_so_far, each.visitor, each.path))["counts"]
        assert recorded == sorted(set(recorded)), f"twice, or out of order: {recorded}"
        lost += len(set(each.accepted) - set(recorded))
    given = sum(len(each.accepted) for each in students)
    assert not lost, f"{lost} of {given} accepted commands are lost"
    back_s = max(each.back_s or 0.0 for each in owned)
    return Death(len(owned), max(each.opened_s for each in students), back_s, given)
