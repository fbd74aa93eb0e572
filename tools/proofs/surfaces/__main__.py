"""`python -m tools.proofs.surfaces --date YYYY-MM-DD`: ask every surface on every release, and write the table.

The tests are what asks: each notes its cell, whether the table that there is agrees or not.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from playground.views import fidelity
from tools.measured_on import measured_on
from tools.proofs.surfaces.columns import COLUMNS
from tools.proofs.surfaces.table import PATH, PROPERTY

TESTS = ("tests/web/test_surfaces.py", "tests/browser/test_surfaces.py")
TINY = ("tests/web/test_surfaces.py", "-k", "static_link")
"""One surface, to see that the command runs."""

Cells = dict[str, dict[str, str]]


class CellCollector:
    """A plugin of pytest that gathers the cells that tests noted."""

    def __init__(self) -> None:
        self.cells: Cells = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the cells of one test; what broke has none."""
        if report.when == "call":
            for name, noted in report.user_properties:
                if name == PROPERTY:
                    surface, column, answer = cast("list[str]", noted)
                    self.cells.setdefault(surface, {})[column] = answer


def empty(cells: Cells, surfaces: Sequence[str]) -> list[str]:
    """Return the cells that have no answer."""
    return [
        f"{surface} on {column.name}"
        for surface in surfaces
        for column in COLUMNS
        if not cells.get(surface, {}).get(column.name)
    ]


def document(cells: Cells, date: str) -> dict[str, object]:
    """Return the table as the page reads it."""
    return {
        "measured_on": measured_on(date=date),
        "columns": [
            {"name": each.name, "of": each.of, "series": each.release.series, "scale": each.scale}
            for each in COLUMNS
        ],
        "surfaces": cells,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Ask and write; return 0 only if no cell is empty."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.surfaces", description=__doc__)
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument("--out", type=Path, default=PATH)
    parser.add_argument("--tiny", action="store_true", help="ask one surface, to see that this runs")
    options = parser.parse_args(argv)
    dt.date.fromisoformat(options.date)
    collector = CellCollector()
    which = TINY if options.tiny else TESTS
    for test in (which,) if options.tiny else ((each,) for each in which):
        pytest.main(
            ["-q", "-m", "", "-n", "0" if options.tiny else "auto", "--tb=line", *test], plugins=[collector]
        )
    wanted = list(collector.cells) if options.tiny else fidelity.names()
    missing = empty(collector.cells, wanted)
    for each in missing:
        print(f"surfaces: no answer: {each}")
    if missing or not wanted:
        return 1
    cells = {name: {each.name: collector.cells[name][each.name] for each in COLUMNS} for name in wanted}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(document(cells, options.date), indent=1) + "\n", encoding="utf-8")
    print(f"surfaces: {len(cells)} on {len(COLUMNS)} columns, written to {options.out.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
