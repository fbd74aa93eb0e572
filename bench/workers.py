"""How the workers use the cores: commands that one worker carries out in a second, and that one for each core do.

Both are measured in turns of the same run, and so is what this machine gives: the same loop of plain Python in one
process and in one for each core. On a machine that does something else besides, neither doubles.

The process that sends the commands needs a share of a core as well. Beside one worker it has a core of its own, beside
one worker for each core it has none: so it is measured too, and how much the workers do in a second of processor time.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import statistics
import tempfile
import time
from typing import Any, NamedTuple

from bench.measure import Result
from playground.hosting import pool, protocol, real_engine
from playground.limits import session_limits
from tools.processes import descendants_of, processor_s

SESSIONS_EACH = 2
"""So that a worker always has something to do while an answer is on its way."""
COUNT, TINY_COUNT = 500, 20
ROUNDS, TINY_ROUNDS = 4, 1
SECONDS, TINY_SECONDS = 3.0, 0.3
GOAL, BOUND = 0.9, 0.5
"""Of what the machine gives on each core: what is wanted, and what must be. Workers in turns have 0.5."""


class Listener:
    """Nobody watches."""

    plays = False

    def take(self, message: Any) -> None:
        """Receive what the worker sends."""

    def lost(self, excess: protocol.Excess | None) -> None:
        """The worker is gone."""


class Work(NamedTuple):
    """What workers did.

    Args:
        per_s: commands a second, all workers together.
        per_processor_s: commands in a second of the workers' processor time.
        sender: of a core, what the process that sends the commands needed.
    """

    per_s: float
    per_processor_s: float
    sender: float


async def throughput(workers: int, sessions: int, count: int, seconds: float) -> Work:
    """Return what so many workers carry out of commands each of which moves `count` messages."""
    blank = real_engine.door().check({"version": 1, "profile": "real", "until_us": 0})
    given = 0

    async def play(name: str, until_s: float) -> None:
        nonlocal given
        while time.perf_counter() < until_s:
            await end_of[name].call(protocol.SubmitCommand, name, command=publish)
            await end_of[name].call(protocol.SubmitCommand, name, command=drain)
            given += 2

    publish = {"do": "publish", "count": count, "size_bytes": 600, "persistent": True}
    drain = {"do": "get", "count": count, "ack": False}
    with tempfile.TemporaryDirectory(prefix="waterline-bench-") as scratch:
        begin = protocol.BeginWorker(scratch, session_limits.current().bounds())
        started = pool.WorkerPool(workers, pool.process, begin)
        try:
            names = [f"s{number}" for number in range(sessions)]
            end_of = {name: await started.place(name, Listener()) for name in names}
            for name in names:
                opened = {"scenario": blank, "commands": [], "until_us": 0, "play": False}
                await end_of[name].call(protocol.OpenRun, name, **opened)
            begun_s, sender_s, worked_s = time.perf_counter(), time.process_time(), _worked_s()
            await asyncio.gather(*(play(name, begun_s + seconds) for name in names))
            lasted_s = time.perf_counter() - begun_s
            return Work(
                given / lasted_s,
                given / max(0.01, _worked_s() - worked_s),
                (time.process_time() - sender_s) / lasted_s,
            )
        finally:
            await started.end()


def _worked_s() -> float:
    """Return the processor time of all workers so far, in seconds."""
    return sum(processor_s(pid) for pid in descendants_of(os.getpid()))


def turns(until_s: float) -> int:
    """Return how often a loop of plain Python goes round until a time."""
    count = 0
    while time.perf_counter() < until_s:
        sum(range(20_000))
        count += 1
    return count


def machine(processes: int, seconds: float) -> float:
    """Return how often so many processes go round that loop in a second, all together."""
    with multiprocessing.get_context("spawn").Pool(processes) as several:
        several.map(turns, [time.perf_counter()] * processes)  # until they have started
        until_s = time.perf_counter() + seconds
        return sum(several.map(turns, [until_s] * processes, chunksize=1)) / seconds


def run(tiny: bool) -> Result:
    """Measure."""
    cores = max(2, os.cpu_count() or 1)
    count, rounds, seconds = (TINY_COUNT, TINY_ROUNDS, TINY_SECONDS) if tiny else (COUNT, ROUNDS, SECONDS)
    of_one, of_all, machine_of_one, machine_of_all = [], [], [], []
    for _round in range(rounds):
        sessions = SESSIONS_EACH * cores
        of_one.append(asyncio.run(throughput(1, sessions, count, seconds)))
        machine_of_one.append(machine(1, seconds))
        of_all.append(asyncio.run(throughput(cores, sessions, count, seconds)))
        machine_of_all.append(machine(cores, seconds))
    one, every = (statistics.median(each.per_s for each in works) for works in (of_one, of_all))
    by_time = [statistics.median(each.per_processor_s for each in works) for works in (of_one, of_all)]
    sender = [statistics.median(each.sender for each in works) for works in (of_one, of_all)]
    scale = every / one / cores
    gives = statistics.median(machine_of_all) / statistics.median(machine_of_one) / cores
    return {
        "workers": cores,
        "messages_of_a_command": count,
        "commands_per_s_of_one": round(one),
        "commands_per_s_of_all": round(every),
        "of_one_core_on_each": round(scale, 2),
        "plain_python_on_each": round(gives, 2),
        "of_what_the_machine_gives": round(scale / gives, 2),
        "sender_of_a_core_beside_one": round(sender[0], 2),
        "sender_of_a_core_beside_all": round(sender[1], 2),
        "by_their_processor_time": round(by_time[1] / by_time[0], 2),
        "goal": GOAL,
        "passed": min(one, every) > 0 if tiny else scale / gives > BOUND,
    }
