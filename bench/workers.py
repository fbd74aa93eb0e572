"""How the workers use the cores: commands that one worker carries out in a second, and that one for each core do.

Both are measured in turns of the same run, and so is what this machine gives: the same loop of plain Python in one
process and in one for each core. On a machine that does something else besides, neither doubles.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import statistics
import tempfile
import time
from typing import Any

from bench.measure import Result
from playground import doors, limits
from playground.hosting.session import protocol
from playground.hosting.workers import pool

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

    def lost(self, guilty: bool) -> None:
        """The worker is gone."""


async def throughput(workers: int, sessions: int, count: int, seconds: float) -> float:
    """Return the commands a second that so many workers carry out, each of which moves `count` messages."""
    blank = doors.door().check({"version": 1, "profile": "real", "until_us": 0})
    given = 0

    async def play(name: str, until_s: float) -> None:
        nonlocal given
        while time.perf_counter() < until_s:
            await end_of[name].call(protocol.Submit, name, command=publish)
            await end_of[name].call(protocol.Submit, name, command=drain)
            given += 2

    publish = {"do": "publish", "count": count, "size_bytes": 600, "persistent": True}
    drain = {"do": "get", "count": count, "ack": False}
    with tempfile.TemporaryDirectory(prefix="waterline-bench-") as scratch:
        begin = protocol.Begin(scratch, limits.current().bounds())
        started = pool.Pool(workers, pool.process, begin)
        try:
            names = [f"s{number}" for number in range(sessions)]
            end_of = {name: await started.place(name, Listener()) for name in names}
            for name in names:
                opened = {"scenario": blank, "commands": [], "until_us": 0, "play": False}
                await end_of[name].call(protocol.Open, name, **opened)
            begun_s = time.perf_counter()
            await asyncio.gather(*(play(name, begun_s + seconds) for name in names))
            return given / (time.perf_counter() - begun_s)
        finally:
            await started.end()


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
    one, every = statistics.median(of_one), statistics.median(of_all)
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
        "goal": GOAL,
        "passed": min(one, every) > 0 if tiny else scale / gives > BOUND,
    }
