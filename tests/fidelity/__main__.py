"""`python -m tests.fidelity --date YYYY-MM-DD`: measure everything and write fidelity/results.json."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import ENGINE_VERSION
from tests.conftest import RECORDINGS
from tests.fidelity import measures


def measured(options: argparse.Namespace) -> dict[str, Any]:
    """Run every measure."""
    with tempfile.TemporaryDirectory() as place:
        return {
            "date": options.date,
            "engine": ENGINE_VERSION,
            "reference": "RabbitMQ 3.10.8, classic queues, version 1",
            "traces": _told("traces", measures.traces(RECORDINGS)),
            "rules": _told("rules", measures.rules()),
            "directories": _told("directories", measures.directories(RECORDINGS)),
            "crashes": _told("crashes", measures.crashes(options.crashes, Path(place) / "crash")),
            "fuzz": _told("fuzz", measures.fuzz(options.fuzz, RECORDINGS)),
            "memory_model": measures.memory_model(),
            **measures.others(),
        }


def _told(name: str, found: dict[str, Any]) -> dict[str, Any]:
    numbers = ", ".join(f"{key} {value}" for key, value in found.items() if isinstance(value, int))
    print(f"fidelity: {name}: {numbers}", flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write; return 0 only if every trace is whole and every rule of the engine is cited."""
    parser = argparse.ArgumentParser(prog="python -m tests.fidelity", description=__doc__)
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument("--crashes", type=int, default=1000, help="crash programs to run")
    parser.add_argument("--fuzz", type=int, default=2000, help="damaged directories to read")
    parser.add_argument("--out", type=Path, default=measures.ROOT / "fidelity" / "results.json")
    options = parser.parse_args(argv)
    dt.date.fromisoformat(options.date)
    results = measured(options)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"fidelity: written to {options.out.name}")
    whole = results["traces"]["whole"] == results["traces"]["traces"]
    return 0 if whole and not results["rules"]["uncited"] else 1


if __name__ == "__main__":
    sys.exit(main())
