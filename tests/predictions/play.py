"""The engine on the measured cells: each with several phases of the timers, which decide what is near a limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

from sweeps.cell import Cell
from sweeps.columns import Row
from sweeps.errors import SweepError
from sweeps.pool import Pool
from tests.predictions.measured import FLOORS, MeasuredCell

PHASES_MS: Final = (5000, 5700, 6400, 7100, 8300)
"""How long the node had run when the workload began: its timers of 1 and of 2.5 seconds stand differently each time."""


class Predicted(NamedTuple):
    """One metric of one cell: the middle of the phases, and their extremes."""

    value: float
    low: float
    high: float


def predict(
    cells: Sequence[MeasuredCell], pool: Pool, settings: dict[str, Any], phases: Iterable[int] = PHASES_MS
) -> dict[str, dict[str, Predicted]]:
    """Return the predicted metrics of every cell by name; see `play`."""
    return {
        name: {
            metric: _middle([row[metric] for row in rows])
            for metric in FLOORS
            if all(row[metric] is not None for row in rows)
        }
        for name, rows in play(cells, pool, settings, phases).items()
    }


def play(
    cells: Sequence[MeasuredCell], pool: Pool, settings: dict[str, Any], phases: Iterable[int] = PHASES_MS
) -> dict[str, list[Row]]:
    """Return the rows of every cell by its name, one for each phase.

    Args:
        pool: who runs them.
        settings: constants to run them with in place of the engine's own.
        phases: of the node's timers.

    Raises:
        SweepError: a run failed.
    """
    jobs = [_job(cell, settings, phase) for cell in cells for phase in phases]
    rows: dict[str, list[Row]] = {}
    for row in pool.rows(jobs):
        if row["error"]:
            raise SweepError(f"{row['workload']}: {row['error']}")
        rows.setdefault(row["workload"], []).append(row)
    return rows


def _job(cell: MeasuredCell, settings: dict[str, Any], phase_ms: int) -> Cell:
    chosen = {**cell.scenario["settings"], **settings, "running_since_ms": phase_ms}
    return Cell(
        cell_id=f"{cell.name}/{phase_ms}",
        workload=cell.name,
        values={},
        seed=1,
        scenario={**cell.scenario, "settings": chosen},
        series_points=2,
    )


def _middle(values: list[float]) -> Predicted:
    return Predicted(median(values), min(values), max(values))
