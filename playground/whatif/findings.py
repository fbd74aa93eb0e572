"""Reading what `python -m spark_jobs analyse` found in a heatmap: written beside it, shown in the findings panel."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import Any

import msgspec

from playground.whatif import shipped

VERSION = 1

log = logging.getLogger(__name__)

Row = dict[str, Any]


class _Table(msgspec.Struct, frozen=True):
    """Column names and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def dicts(self) -> list[Row]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class SweepFindings(
    msgspec.Struct, frozen=True, dict=True, rename={"of_cliffs": "cliffs", "of_sensitivity": "sensitivity"}
):
    """The findings of one heatmap; see `spark_jobs.analyse` for the columns."""

    version: int
    name: str
    aggregates: _Table
    of_sensitivity: _Table
    of_cliffs: _Table
    pareto: _Table
    best: _Table

    def cliffs(self, workload: str, metric: str) -> list[Row]:
        """Return the largest changes between neighbours, the largest first."""
        return self._of(self.of_cliffs, workload, metric)

    def sensitivity(self, workload: str, metric: str) -> list[Row]:
        """Return how much each parameter moves the metric, the strongest first."""
        return sorted(self._of(self.of_sensitivity, workload, metric), key=lambda row: -row["share"])

    def summary(self, workload: str, metric: str) -> Row | None:
        """Return least, median, mean and greatest value of the metric, None if there is no value."""
        return next(iter(self._of(self.aggregates, workload, metric)), None)

    def front(self, workload: str) -> list[Row]:
        """Return the runs that no other beats in memory and waiting time, the least memory first."""
        return [row for row in self.pareto.dicts() if row["workload"] == workload]

    @staticmethod
    def _of(table: _Table, workload: str, metric: str) -> list[Row]:
        return [row for row in table.dicts() if (row["workload"], row["metric"]) == (workload, metric)]


def findings(name: str, *places: Path) -> SweepFindings | None:
    """Return the findings of a heatmap, None where nobody analysed it; a damaged file is logged.

    Args:
        name: of the heatmap.
        places: directories to look in instead of the usual ones.
    """
    path = shipped.beside(name, ".findings.json", *places)
    if path is None:
        return None
    try:
        found = _read(path, path.stat().st_mtime_ns)
    except (msgspec.ValidationError, msgspec.DecodeError, OSError) as error:
        log.error("findings %s cannot be read: %s", path.name, error)
        return None
    return found if found.version == VERSION else None


@functools.lru_cache(maxsize=32)
def _read(path: Path, changed_ns: int) -> SweepFindings:
    """Read one file; `changed_ns` makes a changed file another entry of the cache."""
    return msgspec.json.decode(path.read_bytes(), type=SweepFindings)
