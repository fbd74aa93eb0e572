"""What becomes of a log whose import gathers its messages into bursts: each metric beside the log played row by row.

Ten logs of differing shapes, on a release of each version of queues. A figure agrees where it differs by at most
2 %, or by no more than what one burst has: its width in seconds, its messages, its bytes. Any other must be one that
such an import does not answer (`engine.metrics.is_answered`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import patch

from msgspec.structs import replace

from bench.measure import Result
from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import MAX_COMMANDS, parse
from engine.ctl.console import operated
from engine.metrics import METRICS, MetricUnit, is_answered
from engine.storage.ledger import LedgerStorage
from sweeps import cell
from sweeps.cell import Cell, outcome
from workloads.imports import READERS, Options, arrivals
from workloads.workload import Scenario

ROWS, SECONDS = 9_000, 450
TINY_ROWS, TINY_SECONDS = 900, 45
MOST_BURSTS: Final = 2_000
"""As a log of 36,000 rows in half an hour is gathered, so that nobody waits for as many rows by themselves."""
PROFILES: Final = {"3.10.8": "real", "4.3.6": "4.3.6"}
MOST_APART: Final = 0.02
TINY_APART: Final = 0.1
"""Of few messages: one read of delta more is a larger share of them."""
MEAN_BYTES: Final = 2_700
"""Of a message, roughly: for how many bytes a burst has."""


def lines(rows: int, seconds: int, shape: dict[str, Any]) -> Iterator[str]:
    """Yield a log as a CSV, the same each time.

    Args:
        shape: persistent, the share of such messages; times, by which bodies are larger; waves, whether messages come
            in three of thirty seconds; expiring; queues, whether there are three.
    """
    draw = random.Random(5)
    yield "at_s,size_bytes,persistent,expiration_ms,queue\n"
    times = sorted(draw.uniform(0, seconds) for _ in range(rows))
    if shape.get("waves"):
        times = [at // 30 * 30 + at % 30 / 10 for at in times]
    for at_s in times:
        size = max(1, min(1_000_000, round(draw.lognormvariate(7.3, 1.1) * shape.get("times", 1))))
        persistent = int(draw.random() < shape.get("persistent", 0.5))
        expires = draw.choice(("2000", "10000", "60000", "")) if shape.get("expiring") else ""
        queue = draw.choice(("a", "b", "c", "a;b")) if shape.get("queues") else ""
        yield f"{at_s:.4f},{size},{persistent},{expires},{queue}\n"


SHAPES: Final[dict[str, tuple[dict[str, Any], float | None, int | None]]] = {
    "steady": ({}, 1.1, None),
    "transient": ({"persistent": 0}, 1.1, None),
    "persistent": ({"persistent": 1, "times": 0.3}, 1.1, None),
    "large bodies": ({"persistent": 1, "times": 10}, 1.1, None),
    "waves": ({"waves": True}, 1.5, None),
    "backlog": ({}, 0.5, None),
    "unread": ({}, None, 1 << 30),
    "expiring": ({"expiring": True}, 0.5, None),
    "several queues": ({"queues": True}, 0.5, None),
    "scarce memory": ({"times": 2}, 0.5, 240 << 20),
}
"""Of each log: its lines, the speed of its consumers in speeds of arrival, and the RAM of the node. None comes within
2 % of the memory at which queues page, where chance decides whether they do."""


def read(name: str, rows: int, seconds: int, most_bursts: int) -> Scenario:
    """Return the scenario that an import makes of a log with so many bursts at most."""
    shape, speed, ram_bytes = SHAPES[name]
    rate = None if speed is None else max(1, round(speed * rows / seconds))
    with patch.object(arrivals, "MOST_BURSTS", most_bursts):
        options = Options(consumer_rate_per_s=rate, ram_bytes=ram_bytes)
        return READERS["csv"](lines(rows, seconds, shape), options).scenario


def of_any_length(scenario: Scenario, keep: int) -> Cluster:
    """Return a node that runs a scenario of more commands than a scenario may have."""
    every = scenario["commands"]
    parts = [
        parse({**scenario, "commands": every[low : low + MAX_COMMANDS]})
        for low in range(0, len(every), MAX_COMMANDS)
    ]
    whole = replace(parts[0], commands=tuple(each for part in parts for each in part.commands))
    return operated(whole, LedgerStorage(), keep)


def figures(scenario: Scenario, profile: str) -> dict[str, Any]:
    """Return every metric of a scenario's run, those that it does not answer too."""
    played = {**scenario, "profile": profile, "burst_us": 0}
    with patch.object(cell, "on_ledger", of_any_length):
        return outcome(Cell(cell_id="", workload="", values={}, seed=1, scenario=played, series_points=1))


def apart(name: str, exact: float | None, found: float | None, slack: dict[MetricUnit, float]) -> float:
    """Return by which share a figure differs, 0 for no more than what one burst has."""
    if exact is None or found is None:
        return float(exact is not found)
    difference = abs(exact - found)
    if difference <= slack.get(METRICS[name].unit, 0.0):
        return 0.0
    return difference / max(abs(exact), abs(found))


def run(tiny: bool) -> Result:
    """Compare."""
    rows, seconds = (TINY_ROWS, TINY_SECONDS) if tiny else (ROWS, SECONDS)
    most, bound = MOST_BURSTS * rows // ROWS, TINY_APART if tiny else MOST_APART
    worst: dict[str, dict[str, float]] = {}
    wrong: list[str] = []
    bursts: dict[str, int] = {}
    for name in SHAPES:
        exact, gathered = read(name, rows, seconds, 1 << 62), read(name, rows, seconds, most)
        burst_s = gathered.get("burst_us", 0) / 1e6
        in_one = burst_s * rows / seconds * (10 if SHAPES[name][0].get("waves") else 1)
        slack = {
            MetricUnit.SECONDS: burst_s,
            MetricUnit.COUNT: in_one,
            MetricUnit.BYTES: in_one * MEAN_BYTES * SHAPES[name][0].get("times", 1),
        }
        bursts[name] = len(gathered["commands"])
        for release, profile in PROFILES.items():
            before, after = figures(exact, profile), figures(gathered, profile)
            for metric in METRICS:
                share = apart(metric, before[metric], after[metric], slack)
                if share <= bound:
                    continue
                each = worst.setdefault(metric, {})
                each[release] = max(each.get(release, 0.0), round(share, 3))
                if is_answered(gathered, metric):
                    wrong.append(f"{metric} of {name} on {release}: {before[metric]}, {after[metric]}")
    return {
        "rows": rows,
        "logs": len(SHAPES),
        "bursts": bursts,
        "metrics": len(METRICS),
        "apart": worst,
        "wrong": wrong,
        "bounds": {"apart": bound},
        "passed": not wrong,
    }
