"""`python -m tools.proofs.predictions --date DATE`: measure, predict the same, and write the errors.

They are in fidelity/predictions.json, those of another release than the reference in predictions-RELEASE.json. Each
cell runs on a real node until it was measured three times; a run that ends early goes on where it stood. How quiet the
machine was is kept with each run, and quiet ones count before others.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from engine.broker.commands.settings import NodeSettings
from sweeps.parameters import AS_MEASURED
from sweeps.pool import Pool
from tests.conftest import ROOT
from tools.measured_on import measured_on
from tools.proofs.differential.installation import LATEST
from tools.proofs.predictions import errors, measured
from tools.proofs.predictions.drive.constants import kept
from tools.proofs.predictions.drive.repeat import measure_missing
from tools.proofs.predictions.fit import fit
from tools.proofs.predictions.measured import FLOORS, TODAYS_RELEASE, MeasuredCell
from tools.proofs.predictions.play import Predicted, phases_of, predict

REFERENCES = {
    LATEST: "RabbitMQ 3.10.8, Erlang/OTP 25, vm_memory_calculation_strategy = erlang",
    TODAYS_RELEASE: "RabbitMQ 4.3.6, Erlang/OTP 29, vm_memory_calculation_strategy = erlang",
}
MACHINE = "a virtual machine with two cores, clients on the same one"
CONNECTION_BYTES_PER_S = 400_000_000
"""What one connection carries in a second between such a client and such a node: bursts are no faster."""
OF_NODES = {
    "base_memory_bytes": "base_bytes",
    "receive_buffer_bytes": "receive_buffer_bytes",
    "connection_bytes_per_s": "connection_bytes_per_s",
}
"""Constants that fresh nodes showed, by the names of settings."""
CLIENT_TRIP_US = 1200
"""By how much longer than its work such a client takes for a message where it waits for each."""
WORK_PROFILE = "measured-vm"
"""What work takes on such a machine; measured on the reference only."""
SWEPT_EACH = 3
"""Of so many phases one is run again as heatmaps are swept: their work takes no time."""
ORDERED = "backlog-drain"
"""The workload of which enough settings were measured to judge whether their order is predicted."""

TINY_CELLS = ("drain p.5 w.6", "pdrain 4000 e4096", f"mixed 8192 {TODAYS_RELEASE}")


def constants(release: str = LATEST) -> dict[str, Any]:
    """Return the constants that time and memory are predicted with, by the names of settings.

    What the engine has no value for at this release is the median of fresh nodes.
    """
    if release == LATEST:
        usual = NodeSettings()
        found = {
            "base_memory_bytes": usual.base_memory_bytes,
            "receive_buffer_bytes": usual.receive_buffer_bytes,
            "connection_bytes_per_s": CONNECTION_BYTES_PER_S,
            "work_profile": WORK_PROFILE,
        }
    else:
        nodes = json.loads(kept(release).read_text(encoding="utf-8"))["nodes"]
        found = {name: int(median(each[key] for each in nodes)) for name, key in OF_NODES.items()}
    return AS_MEASURED | {"client_trip_us": CLIENT_TRIP_US} | found


def compare(cells: Sequence[MeasuredCell], predicted: dict[str, dict[str, Predicted]]) -> dict[str, Any]:
    """Return every cell with its errors, and the errors of each metric over the cells that were not fitted."""
    rows = [_cell(cell, predicted[cell.name]) for cell in cells]
    judged = [each for each in rows if not each["fitted"]]
    found = {}
    for name, floor in FLOORS.items():
        settings = [
            errors.Ordered(
                *(each["metrics"][name][key] for key in ("predicted", "measured_low", "measured_high"))
            )
            for each in rows
            if each["workload"] == ORDERED and name in each["metrics"]
        ]
        summary = errors.summary(judged, name, errors.tau(settings, floor))
        if summary is not None:
            found[name] = {"floor": floor, **summary}
    return {"metrics": found, "cells": rows}


def _cell(cell: MeasuredCell, predicted: dict[str, Predicted]) -> dict[str, Any]:
    """Return one cell's predictions beside what was measured; errors in per cent."""
    metrics = {}
    for name, real in cell.metrics.items():
        if name not in predicted:
            continue
        ours, floor = predicted[name], FLOORS[name]
        metrics[name] = {
            "predicted": _short(ours.value),
            "low": _short(ours.low),
            "high": _short(ours.high),
            "measured": _short(real.value),
            "measured_low": _short(real.low),
            "measured_high": _short(real.high),
            "error_pct": round(100 * errors.error(ours.value, real.value, floor), 1),
            "beyond_pct": round(100 * errors.beyond(ours.value, tuple(real), floor), 1),
        }
    return {
        "name": cell.name,
        "workload": cell.workload,
        "fitted": cell.fitted,
        "runs": cell.runs,
        "quiet": cell.quiet,
        "metrics": metrics,
    }


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def main(argv: Sequence[str] | None = None) -> int:
    """Predict, compare and write; say the errors."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.predictions", description=__doc__)
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument("--release", default=LATEST, choices=sorted(REFERENCES), help="of the real node")
    parser.add_argument("--tiny", action="store_true", help="two cells, one phase: only see that it works")
    parser.add_argument(
        "--recorded", action="store_true", help="measure nothing: take the runs that are kept"
    )
    parser.add_argument("--repetitions", type=int, default=3, help="how often each cell is measured")
    parser.add_argument("--again", action="store_true", help="measure them anew")
    parser.add_argument(
        "--cell",
        action="append",
        default=[],
        choices=[each.name for each in measured.cells()],
        help="measure this one only, and others that are named so; all that are kept are compared",
    )
    parser.add_argument(
        "--minutes", type=float, default=None, help="begin no measurement after so many minutes"
    )
    parser.add_argument("--runs", type=Path, default=measured.RUNS, help="what was measured, one run a line")
    parser.add_argument(
        "--setting",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        help="a setting of the node in place of the shipped one, to see what it would do; give --out as well",
    )
    parser.add_argument("--fit", action="store_true", help="first choose the constants anew, and say them")
    parser.add_argument("--processes", type=int, default=None, help="default: as many as there are cores")
    parser.add_argument("--out", type=Path, help="default: those of the release, in fidelity/")
    options = parser.parse_args(argv)
    dt.date.fromisoformat(options.date)
    release = options.release
    out = options.out or ROOT / "fidelity" / f"predictions{'' if release == LATEST else f'-{release}'}.json"
    wanted = [
        cell
        for cell in measured.cells()
        if cell.release == release and (not options.tiny or cell.name in TINY_CELLS)
    ]
    if not options.recorded and not measure_missing(
        [cell for cell in wanted if not options.cell or cell.name in options.cell],
        options.runs,
        options.repetitions,
        date=options.date,
        again=options.again,
        last=None if options.minutes is None else time.monotonic() + 60 * options.minutes,
        report=_print,
    ):
        _print("not every cell was measured as often as asked; the same command goes on from here")
    names = {cell.name for cell in wanted}
    cells, resident = (
        [cell for cell in measured.read(strategy, options.runs, release) if cell.name in names]
        for strategy in (measured.STRATEGY, "rss")
    )
    phases = phases_of(release)[: 1 if options.tiny else None]
    used = constants(release) | dict(options.setting)
    with Pool(options.processes) as pool:
        if options.fit:
            used = fit([cell for cell in cells if cell.fitted], pool, used, _print)
            _print(f"fit: the engine should have {used}")
        found = compare(cells, predict(cells, pool, used, phases))
        if "work_profile" in used:
            swept = {name: value for name, value in used.items() if name != "work_profile"}
            found["swept"] = compare(cells, predict(cells, pool, swept, phases[::SWEPT_EACH]))["metrics"]
        under_rss = predict(resident, pool, used, phases)
    document = {
        "measured_on": measured_on(date=options.date),
        "reference": REFERENCES[release],
        "machine": MACHINE,
        "constants": used,
        "phases": len(phases),
        **found,
        "rss": [_cell(cell, under_rss[cell.name]) for cell in resident],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    for name, each in found["metrics"].items():
        _print(
            f"{name}: median {each['median_pct']} %, worst {each['worst_pct']} % (outside of the node's own range "
            f"{each['beyond_pct']} %), inside the band "
            f"{each['inside']} of {each['cells']}, order {each['tau']}: {each['verdict']}"
        )
    _print(f"written to {out.name}")
    return 0


def _setting(text: str) -> tuple[str, Any]:
    """Return a setting's name and its value, which is JSON."""
    name, _, value = text.partition("=")
    return name, json.loads(value)


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
