"""Choosing the engine's constants by one part of the measured cells, one constant after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any, Final

from sweeps.pool import Pool
from tools.proofs.predictions.errors import error
from tools.proofs.predictions.measured import FLOORS, MeasuredCell
from tools.proofs.predictions.play import play

CANDIDATES: Final[dict[str, tuple[int, ...]]] = {
    "connection_bytes_per_s": (90_000_000, 200_000_000, 400_000_000),
    "desired_hibernate_ms": (0, 10_000),
}
"""Values to try. What the node needs before anything happens, the receive buffer of a connection, and heaps were
measured themselves.
"""

JUDGED: Final = ("peak_ram_bytes", "blocked_s", "throughput_per_s", "latency_p95_s")
"""By what they are chosen: the metrics that a goal is set for."""

GAIN: Final = 0.01
"""A smaller gain is chance: what was measured by itself stays."""

MOST_SHARE: Final = 1.0
"""An error counts no more than this, so that one cell does not decide alone."""


def fit(
    cells: Sequence[MeasuredCell], pool: Pool, start: dict[str, Any], report: Callable[[str], None]
) -> dict[str, Any]:
    """Return the constants with the least error, each in turn the best of its candidates with the others held."""
    chosen = dict(start)
    least = _cost(cells, pool, chosen)
    report(f"fit: {least:.3f} with {chosen}")
    for name, values in CANDIDATES.items():
        for value in values:
            if value == chosen[name]:
                continue
            cost = _cost(cells, pool, {**chosen, name: value})
            report(f"fit: {cost:.3f} with {name} {value}")
            if cost < least - GAIN:
                least, chosen[name] = cost, value
    return chosen


def _cost(cells: Sequence[MeasuredCell], pool: Pool, constants: dict[str, Any]) -> float:
    """Return the mean error over cells, metrics and phases: a middle alone would jump where a phase decides."""
    rows = play(cells, pool, constants)
    return mean(
        min(MOST_SHARE, abs(error(row[name] or 0, cell.metrics[name].value, FLOORS[name])))
        for cell in cells
        for row in rows[cell.name]
        for name in JUDGED
    )
