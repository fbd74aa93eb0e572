"""How far a sweep is: cells done, time left, what cells take and how unlike they are, and what failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from sweeps.cell import Cell
from sweeps.columns import COST, Row
from sweeps.cost import guessed_after
from workloads.workload import messages


class SweepStanding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a sweep that runs.

    Args:
        done, failed: cells that have ended, and those of them that failed.
        guessed_s, taken_s: seconds of a processor: of all cells, by the first that ended, and of those that have ended.
        left_s: seconds of the clock until all have ended, by the messages of those that have.
        middle_s, slowest_s: of one cell, in seconds of a processor.
        failure: of the latest cell that failed, as `sweeps.errors.kept` writes it.
        silent: what no longer answers, of the `master` and the `executors` of a cluster.
    """

    done: int = 0
    guessed_s: float = 0.0
    taken_s: float = 0.0
    left_s: float = 0.0
    middle_s: float = 0.0
    slowest_s: float = 0.0
    failed: int = 0
    failure: str = ""
    silent: tuple[str, ...] = ()


class SweepProgress:
    """Keeps the standing of a sweep up to date.

    Args:
        todo: the cells that are to run.
        now_s: a clock, in seconds.
    """

    def __init__(self, todo: Sequence[Cell], now_s: Callable[[], float] = time.perf_counter) -> None:
        self._todo = todo
        self._weights = {cell.cell_id: 1 + messages(cell.scenario) for cell in todo}
        self._whole = sum(self._weights.values())
        self._now_s = now_s
        self._began_s = now_s()
        self._costs_s: list[float] = []
        self.standing = SweepStanding()

    @property
    def took_s(self) -> float:
        """Seconds of the clock since it began."""
        return self._now_s() - self._began_s

    def note(self, rows: Sequence[Row]) -> None:
        """Take rows of cells that have ended: id, error and cost of each, at least one."""
        guessed_s = self.standing.guessed_s or guessed_after(self._todo, rows)
        for row in rows:
            self._weights.pop(row["cell_id"], None)
            self._costs_s.append(row[COST])
        failures = [row["error"] for row in rows if row["error"] is not None]
        left = sum(self._weights.values())
        self.standing = msgspec.structs.replace(
            self.standing,
            done=len(self._todo) - len(self._weights),
            guessed_s=guessed_s,
            taken_s=sum(self._costs_s),
            left_s=self.took_s * left / max(self._whole - left, 1),
            middle_s=median(self._costs_s),
            slowest_s=max(self._costs_s),
            failed=self.standing.failed + len(failures),
            failure=failures[-1] if failures else self.standing.failure,
        )

    def silence(self, silent: Sequence[str]) -> None:
        """Note what of a cluster no longer answers."""
        self.standing = msgspec.structs.replace(self.standing, silent=tuple(silent))
