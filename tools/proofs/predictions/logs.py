"""Cells whose workload is a log: every message has a size, a persistence and a time of its own, as people's logs have.

The logs are drawn, the same each time, and go through the import; the node is given what the engine is given.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from workloads.imports import READERS, Options

SECONDS: Final = 16
RAM_BYTES: Final = 268_435_456
MEDIAN_LOG: Final = 7.3
SPREAD: Final = 1.1
"""Of lognormal bodies: around 1.5 kB, a sixth of them of the message store."""

Rate = Callable[[int], float]
"""Messages a second in a second of the log."""


def _steady(_second: int) -> float:
    return 1200


def _bursty(second: int) -> float:
    return 3000 if second % 4 == 1 else 400


LOGS: Final[dict[str, tuple[Rate, int, dict[str, Any]]]] = {
    "log p.5 w.4": (_steady, 500, {}),
    "log p1.0 w.4": (_steady, 500, {"vm_memory_high_watermark_paging_ratio": 1.0}),
    "log e0": (_steady, 500, {"queue_index_embed_msgs_below": 0}),
    "log bursty": (_bursty, 700, {}),
}
"""By the name of the cell: its rate, what its consumer takes in a second, and settings of the node."""


def lines(rate: Rate) -> Iterator[str]:
    """Yield a table of arrivals at exponential distances, half of them persistent."""
    draw = random.Random(31)
    yield "at_us,size_bytes,persistent\n"
    at_s = 0.0
    while (at_s := at_s + draw.expovariate(rate(int(at_s)))) < SECONDS:
        size = max(8, min(1_000_000, round(draw.lognormvariate(MEDIAN_LOG, SPREAD))))
        yield f"{round(at_s * 1e6)},{size},{'true' if draw.random() < 0.5 else 'false'}\n"


def log_cells() -> list[dict[str, Any]]:
    """Return the cells as `cells.json` has them."""
    found = []
    for name, (rate, consumer_rate, settings) in LOGS.items():
        asked = Options(consumer_rate_per_s=consumer_rate, prefetch=100, ram_bytes=RAM_BYTES)
        scenario = READERS["csv"](lines(rate), asked).scenario
        chosen = {**scenario["settings"], **settings}
        found.append({"name": name, "workload": "log", "scenario": {**scenario, "settings": chosen}})
    return found
