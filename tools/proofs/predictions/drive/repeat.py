"""Measuring cells as often as asked: what was measured is kept at once, so a run that ends early goes on later."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.proofs.differential.node import NodeFailed
from tools.proofs.predictions.drive.run import Row, measure
from tools.proofs.predictions.measured import CellToMeasure

Measure = Callable[[CellToMeasure], Row]


def measure_missing(
    cells: Sequence[CellToMeasure],
    runs: Path,
    repetitions: int,
    *,
    date: str,
    again: bool = False,
    last: float | None = None,
    report: Callable[[str], None] = print,
    one: Measure = measure,
) -> bool:
    """Measure each cell until this driver has done so `repetitions` times; all cells once, then all twice, and so on.

    Args:
        runs: the file of all runs, read and written again after each; runs without a day were driven otherwise and
            stay.
        date: kept with each run.
        again: forget first what this driver measured of them before.
        last: monotonic time after which no run begins.
        one: measures a cell once.

    Returns:
        whether every cell has its repetitions now.
    """
    rows: list[Row] = json.loads(runs.read_text(encoding="utf-8")) if runs.exists() else []
    if again:
        names = {each.name for each in cells}
        rows = [each for each in rows if "date" not in each or each["cell"] not in names]
    missing = False
    for repetition in range(1, repetitions + 1):
        for cell in cells:
            if sum(each["cell"] == cell.name and "date" in each for each in rows) >= repetition:
                continue
            if last is not None and time.monotonic() > last:
                return False
            try:
                row = {"date": date, **one(cell)}
            except (NodeFailed, ConnectionError) as failed:
                report(f"{cell.name}: the node failed and is measured when the command runs again: {failed}")
                missing = True
                continue
            rows.append(row)
            runs.parent.mkdir(parents=True, exist_ok=True)
            runs.write_text(as_text(rows), encoding="utf-8")
            quiet = "quiet" if row["quiet"] else f"others used {row['others_pct']} % of the machine"
            report(f"measured {cell.name}, {repetition} of {repetitions}: {quiet}")
    return not missing


def as_text(rows: Sequence[Row]) -> str:
    """Return runs as JSON, one a line."""
    lines = [json.dumps(each, separators=(",", ":")) for each in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n"
