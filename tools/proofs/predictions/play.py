"""The engine on the measured cells: each with several phases of the timers, which decide what is near a limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any, Final, NamedTuple

from sweeps.cell import Cell
from sweeps.columns import Row
from sweeps.errors import SweepError
from sweeps.pool import Pool
from tools.proofs.differential.installation import LATEST
from tools.proofs.predictions.measured import FLOORS, TODAYS_RELEASE, MeasuredCell


class Phase(NamedTuple):
    """How a node's timers stand when a workload begins; the draws of what is left to chance follow from it."""

    running_since_ms: int
    memory_monitor_after_ms: int


RUNS: Final = 15
CHECK_AFTER_MS: Final = {LATEST: (420, 600), TODAYS_RELEASE: (150, 600)}
MONITOR_AFTER_MS: Final = (1150, 1260)
"""When a driven node looks at its memory first, and computes durations first: it has rested for six seconds then, so
that this is nearly the same in every run of 3.10.8 (tests/recordings/validation/constants.json). A node of 4.3.6
computes no durations.
"""
SECOND_MS: Final = 1000
RESTED_MS: Final = 7000


def phases_of(release: str) -> tuple[Phase, ...]:
    """Return phases that go through both ranges of a release, the second in another order than the first."""

    def between(ends: tuple[int, int], step: int) -> int:
        return ends[0] + (ends[1] - ends[0]) * step // (RUNS - 1)

    return tuple(
        Phase(
            RESTED_MS + SECOND_MS * run - between(CHECK_AFTER_MS[release], run),
            between(MONITOR_AFTER_MS, run * 4 % RUNS),
        )
        for run in range(RUNS)
    )


PHASES: Final = phases_of(LATEST)


class Predicted(NamedTuple):
    """One metric of one cell: the middle of the phases, and their extremes."""

    value: float
    low: float
    high: float


def predict(
    cells: Sequence[MeasuredCell], pool: Pool, settings: dict[str, Any], phases: Iterable[Phase] = PHASES
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
    cells: Sequence[MeasuredCell], pool: Pool, settings: dict[str, Any], phases: Iterable[Phase] = PHASES
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


def _job(cell: MeasuredCell, settings: dict[str, Any], phase: Phase) -> Cell:
    chosen = {**cell.scenario["settings"], **settings, **phase._asdict()}
    return Cell(
        cell_id=f"{cell.name}/{phase.running_since_ms}",
        workload=cell.name,
        values={},
        seed=1,
        scenario={**cell.scenario, "settings": chosen},
        series_points=2,
    )


def _middle(values: list[float]) -> Predicted:
    return Predicted(median(values), min(values), max(values))
