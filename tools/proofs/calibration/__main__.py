"""`python -m tools.proofs.calibration --release 4.3.6 --date DATE`: measure each part on fresh nodes."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.conftest import ROOT
from tools.measured_on import measured_on
from tools.proofs.calibration.cells import CELLS, SIZES, CellBench, Look, empty
from tools.proofs.differential.installation import TODAYS
from tools.proofs.differential.node import PrivateNode

NODE_SETTINGS: Final = {
    "vm_memory_calculation_strategy": "erlang",
    "vm_memory_high_watermark": ("absolute", 4 << 30),
}
LEAST: Final = 30
"""Entries of a part whose bytes are divided by them; of fewer the part's own words would be a share of the figure."""

SHARED: Final = 4096
"""Bodies of so many bytes go to the shared store (Q12)."""
WHOLE: Final = "buffered"
"""The cell in which the parts are compared with all that lives in the process."""

Found = dict[str, list[float]]


def kept(release: str) -> Path:
    """Return where the figures of a release are."""
    return ROOT / "fidelity" / f"calibration-{release}.json"


def figures_of(cell: str, size: int, look: Look, found: Found) -> None:
    """Add what one look tells: bytes for each entry of every part that has enough of them.

    Args:
        cell: its name.
        size: of the bodies.
        found: figures by name, to which these are added.
    """
    for name, part in look.parts.items():
        if part.count >= LEAST:
            found[f"{name} {size}"].append(part.bytes / part.count)
    for name, table in look.tables.items():
        if table.count >= LEAST and size >= SHARED:  # their rows stay while other cells are measured
            found[name].append(table.bytes / table.count)
    if held := look.parts["unacked"].count + look.parts["unacked_on_disk"].count:
        found[f"channel_unacked {size}"].append(sum(each.heap for each in look.channels) / held)
        found[f"unacked_body {size}"].append(look.queue.binary / max(1, look.parts["unacked"].count))
    if cell == WHOLE:
        parts = sum(part.bytes for part in look.parts.values())
        found[f"parts_in_pct_of_heap {size}"].append(100 * parts / look.queue.heap)


def measured(release: str, sizes: Sequence[int], found: Found) -> None:
    """Measure everything on one fresh node, and add it to `found`."""
    with PrivateNode(NODE_SETTINGS, in_memory=False, release=release) as node:
        node.start()
        bench = CellBench(node)
        for name, value in empty(bench).items():
            found[name].append(value)
        for name, cell in CELLS.items():
            for size in sizes:
                look = cell(bench, size)
                figures_of(name, size, look, found)
                print(name, size, look, flush=True)
        node.stop()


def summed(found: Found) -> dict[str, dict[str, float]]:
    """Return the middle of each figure, and how far the others lie from it at most, in per cent of it."""
    return {
        name: {
            "middle": round(median(values), 1),
            "spread_pct": round(
                100 * max(abs(each - median(values)) for each in values) / max(1, median(values)), 1
            ),
            "n": len(values),
        }
        for name, values in sorted(found.items())
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure as often as asked, and keep what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.calibration", description=__doc__)
    parser.add_argument("--release", choices=TODAYS, default=TODAYS[0], help="of the broker")
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument("--repetitions", type=int, default=3, help="how many fresh nodes")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="bytes of bodies")
    parser.add_argument("--out", type=Path, help="else fidelity/calibration-RELEASE.json")
    options = parser.parse_args(argv)
    found: Found = defaultdict(list)
    for _ in range(options.repetitions):
        measured(options.release, options.sizes, found)
        document: dict[str, Any] = {
            "measured_on": measured_on(date=options.date),
            "broker": f"RabbitMQ {options.release}",
            "ram": summed(found),
        }
        (options.out or kept(options.release)).write_text(
            json.dumps(document, indent=1) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
