"""A log that somebody imports, and one cell of a heatmap of it: each message with its own size, one consumer.

Arrivals as in a real hour, at 278 a second: Poisson times, lognormal sizes around 1.5 kB, half of them persistent. The
import makes bursts of a second of it, as it does of an hour with a million rows.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

from bench.measure import Result, best, best_on_files, calls, not_slower, on_compiled
from engine.broker.commands.scenario import parse
from engine.ctl.console import operated
from engine.replay import RunPlayer
from engine.storage.directory import DirectoryStorage
from sweeps.cell import Cell, outcome
from workloads.imports import READERS, Imported, Options, arrivals

ROWS, TINY_ROWS = 100_000, 3_000
A_SECOND = 278
CONSUMER_PER_S = 300
MILLION = 1_000_000
CELLS, CORES = 400, 2
GOAL_MINUTES = 10
"""For so many cells of a log of a million rows on so many cores."""
GOALS = {"log_messages_per_s": 200_000, "log_files_messages_per_s": 100_000}
"""Of a processor's second: in a cell, which has sizes only, and in a session, which has real files."""
MOST_S = 30.0
"""What a cell of a million rows must not take, on a busy machine as well."""
PROFILES = {"3.10.8": "real", "4.0.5": "4.0.5", "4.3.6": "4.3.6"}
CALLS_ROWS = 20_000
"""Rows whose calls are counted, which takes longer than to run them."""
MOST_TIMES = 2.0
"""What a message may cost on a release of 4.x, in calls of functions, for each of 3.10.8: the same on every machine."""


def lines(rows: int) -> Iterator[str]:
    """Yield the log as a CSV, the same each time."""
    draw = random.Random(5)
    yield "at_s,size_bytes,persistent\n"
    at_s = 0.0
    for _ in range(rows):
        at_s += draw.expovariate(A_SECOND)
        size = max(1, min(1_000_000, round(draw.lognormvariate(7.3, 1.1))))
        yield f"{at_s:.4f},{size},{int(draw.random() < 0.5)}\n"


def read(rows: int, consumer_per_s: int = CONSUMER_PER_S) -> Imported:
    """Import so many rows as coarsely as an hour of them."""
    most = max(1, arrivals.MOST_BURSTS * rows // MILLION)
    with patch.object(arrivals, "MOST_BURSTS", most):
        return READERS["csv"](lines(rows), Options(consumer_rate_per_s=consumer_per_s))


def calls_a_message(rows: int, consumer_per_s: int) -> dict[str, float]:
    """Return the calls of functions that a message costs on each release; a slow consumer leaves a backlog."""
    scenario = read(rows, consumer_per_s).scenario
    found: dict[str, float] = {}
    for name, profile in PROFILES.items():
        played = {**scenario, "profile": profile}
        made = Cell(cell_id="", workload="", values={}, seed=1, scenario=played, series_points=20)
        found[name] = round(calls(partial(outcome, made)) / rows, 1)
    return found


def session(scenario: dict[str, Any], root: str) -> Callable[[], object]:
    """Return what plays a scenario with real files, as a session does."""
    player = RunPlayer(operated(parse(scenario), DirectoryStorage(root, fsync=False)))
    return lambda: player.finish(scenario["until_us"])


def cell(rows: int) -> Result:
    """Return what the import of so many rows costs, and what a cell would of a million: the best of several runs."""
    began = time.process_time()
    scenario = {
        **read(rows).scenario,
        "burst_us": 0,
    }  # its transitions are counted, though they are not the log's
    imported_s = time.process_time() - began
    found: list[dict[str, Any]] = []

    def play() -> None:
        made = Cell(cell_id="", workload="", values={}, seed=1, scenario=scenario, series_points=20)
        found.append(outcome(made))

    times = 1 if rows == TINY_ROWS else 3
    cell_s = best(lambda: play, times) * MILLION / rows
    files_s = best_on_files(lambda root: session(scenario, root), times)
    return {
        "commands": len(scenario["commands"]),
        "imported_rows_per_s": round(rows / imported_s),
        "digests": sorted({each["digest"] for each in found}),
        "transitions_a_message": round(found[0]["transitions"] / rows, 2),
        "log_messages_per_s": round(MILLION / cell_s),
        "log_files_messages_per_s": round(rows / files_s),
        "seconds_for_a_cell_of_a_million_rows": round(cell_s, 1),
        "minutes_for_400_cells_on_2_cores": round(cell_s * CELLS / CORES / 60, 1),
    }


def run(tiny: bool) -> Result:
    """Measure how long the import and one cell take; the same log gives the same digest each time, compiled or not."""
    rows = TINY_ROWS if tiny else ROWS
    found = cell(rows)
    compiled = on_compiled("bench.imported_log:cell", rows)
    digests = {digest for each in (found, compiled) if each for digest in each.pop("digests")}
    counted = {
        "log": calls_a_message(min(rows, CALLS_ROWS), CONSUMER_PER_S),
        "backlog": calls_a_message(min(rows, CALLS_ROWS), CONSUMER_PER_S // 2),
    }
    alike = all(max(each.values()) <= MOST_TIMES * each["3.10.8"] for each in counted.values())
    fast = found["seconds_for_a_cell_of_a_million_rows"] <= MOST_S and not_slower(compiled, found)
    return {
        "rows": rows,
        **found,
        "calls_a_message": counted,
        "compiled": compiled,
        "goals": GOALS,
        "bounds": {"times_the_calls_of_3.10.8": MOST_TIMES},
        "goal_minutes": GOAL_MINUTES,
        "passed": len(digests) == 1 and alike and (tiny or fast),
    }
