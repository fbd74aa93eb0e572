"""What fidelity costs: a log with a backlog in the engine, beside programs that only calculate the queue's waits.

1,000 messages a second of lognormal sizes, and a consumer of 500. Columns of numpy, a plain loop and processes of SimPy
find when each message leaves, the most that wait at once, and their bytes; the engine plays a cell of a heatmap of the
same log.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from itertools import chain
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import simpy

from bench.measure import Result, calls, seconds
from sweeps.cell import Cell, outcome
from workloads.imports import READERS, Options, arrivals
from workloads.workload import Scenario

ROWS, TINY_ROWS = 200_000, 8_000
A_SECOND, CONSUMER_PER_S = 1_000, 500
PROFILES: Final = {"3.10.8": "real", "4.3.6": "4.3.6"}
MOST_TIMES = 2.0
"""What a message may cost on 4.3.6, in calls of functions, for each of 3.10.8: the same on every machine."""
NEARLY: Final = 0.02
Log = list[tuple[float, int]]
"""When each message comes, in seconds, and its body bytes."""
Found = tuple[float, int, int]
"""The median wait in seconds of those that left by the end, the most that wait at once, and their bytes then."""


def log_of(rows: int) -> Log:
    """Return the log, the same each time."""
    draw, at_s, found = random.Random(5), 0.0, []
    for _ in range(rows):
        found.append((at_s, max(1, min(1_000_000, round(draw.lognormvariate(7.3, 1.1))))))
        at_s += draw.expovariate(A_SECOND)
    return found


def read(log: Log) -> Scenario:
    """Import the log as coarsely as one of 200,000 rows; every second message is persistent."""
    lines = (f"{at:.6f},{size},{number % 2}\n" for number, (at, size) in enumerate(log))
    with patch.object(arrivals, "MOST_BURSTS", arrivals.MOST_BURSTS * len(log) // ROWS):
        table = chain(["at_s,size_bytes,persistent\n"], lines)
        return READERS["csv"](table, Options(consumer_rate_per_s=CONSUMER_PER_S)).scenario


def by_loop(log: Log, until_s: float) -> Found:
    """Go through the messages one by one."""
    free_s, held_bytes, most, most_bytes = 0.0, 0, 0, 0
    waiting: deque[tuple[float, int]] = deque()
    waits: list[float] = []
    for at_s, size in log:
        while waiting and waiting[0][0] <= at_s:
            held_bytes -= waiting.popleft()[1]
        leaves_s = max(at_s, free_s)
        free_s = leaves_s + 1 / CONSUMER_PER_S
        if leaves_s <= until_s:
            waits.append(leaves_s - at_s)
        waiting.append((leaves_s, size))
        held_bytes += size
        if len(waiting) > most:
            most, most_bytes = len(waiting), held_bytes
    waits.sort()
    return waits[len(waits) // 2], most, most_bytes


def by_simpy(log: Log, until_s: float) -> Found:
    """Let a publisher and a consumer share a store, as SimPy's own examples do."""
    env = simpy.Environment()
    queue = simpy.Store(env)
    waits: list[float] = []
    held_bytes, peak = 0, (0, 0)

    def publisher() -> Generator[simpy.Event, Any, None]:
        nonlocal held_bytes, peak
        for at_s, size in log:
            yield env.timeout(at_s - env.now)
            queue.put((at_s, size))
            held_bytes += size
            if len(queue.items) > peak[0]:
                peak = len(queue.items), held_bytes

    def consumer() -> Generator[simpy.Event, Any, None]:
        nonlocal held_bytes
        while True:
            at_s, size = yield queue.get()
            held_bytes -= size
            waits.append(env.now - at_s)
            yield env.timeout(1 / CONSUMER_PER_S)

    env.process(publisher())
    env.process(consumer())
    env.run(until_s)
    waits.sort()
    return waits[len(waits) // 2], *peak


def by_columns(at_s: Any, sizes: Any, until_s: float) -> Found:
    """Calculate with whole columns."""
    turns = np.arange(len(at_s)) / CONSUMER_PER_S
    leaves_s = turns + np.maximum.accumulate(at_s - turns)
    gone = np.searchsorted(leaves_s, at_s, side="right")
    waiting = np.arange(1, len(at_s) + 1) - gone
    most = int(waiting.argmax())
    sums = np.concatenate(([0], np.cumsum(sizes)))
    waits = (leaves_s - at_s)[leaves_s <= until_s]
    median = np.partition(waits, len(waits) // 2)[len(waits) // 2]
    return float(median), int(waiting[most]), int(sums[most + 1] - sums[gone[most]])


def run(tiny: bool) -> Result:
    """Measure each, and see that they speak of the same queue."""
    rows = TINY_ROWS if tiny else ROWS
    log = log_of(rows)
    at_s, sizes = np.array([at for at, _ in log]), np.array([size for _, size in log])
    found: dict[str, Found] = {}
    rows_of: dict[str, dict[str, Any]] = {}

    def note(name: str, work: Callable[[], Found]) -> float:
        took = seconds(lambda: found.__setitem__(name, work()))
        return round(1e6 * took / rows, 2)

    scenario = read(log)
    until_s = scenario["until_us"] / 1e6
    costs = {"numpy columns": note("columns", partial(by_columns, at_s, sizes, until_s))}
    costs["plain loop"] = note("loop", partial(by_loop, log, until_s))
    costs["SimPy"] = note("simpy", partial(by_simpy, log, until_s))
    cells = {
        name: Cell(
            cell_id="",
            workload="",
            values={},
            seed=1,
            scenario={**scenario, "profile": profile},
            series_points=1,
        )
        for name, profile in PROFILES.items()
    }
    for name, each in cells.items():
        took = seconds(lambda name=name, each=each: rows_of.__setitem__(name, outcome(each)))  # type: ignore[misc]
        costs[name] = round(1e6 * took / rows, 2)
    counted = {name: round(calls(partial(outcome, each)) / rows, 1) for name, each in cells.items()}
    wait_s, most, held = found["loop"]
    alike = all(each[1:] == (most, held) and abs(each[0] - wait_s) < 1e-6 for each in found.values())
    for row in rows_of.values():
        alike = alike and abs(row["latency_p50_s"] - wait_s) <= max(0.5, NEARLY * wait_s)
        alike = alike and abs(row["peak_ready"] - most) <= max(500, NEARLY * most)
    return {
        "messages": rows,
        "us_a_message": costs,
        "calls_a_message": counted,
        "median_wait_s": {"plain loop": round(wait_s, 3)}
        | {name: row["latency_p50_s"] for name, row in rows_of.items()},
        "bounds": {"times_the_calls_of_3.10.8": MOST_TIMES},
        "passed": alike and counted["4.3.6"] <= MOST_TIMES * counted["3.10.8"],
    }
