"""`python -m tools.proofs.fidelity --date YYYY-MM-DD`: measure everything and write fidelity/results.json."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.conftest import RECORDINGS, ROOT
from tools.measured_on import measured_on
from tools.proofs.fidelity import measures

MEASURES: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]] = {
    "traces": lambda options, _place: measures.traces(RECORDINGS, options.traces),
    "rules": lambda _options, _place: measures.rules(),
    "directories": lambda _options, _place: measures.directories(RECORDINGS),
    "crashes": lambda options, place: measures.crashes(options.crashes, place),
    "fuzz": lambda options, _place: measures.fuzz(options.fuzz, RECORDINGS),
    "memory_model": lambda _options, _place: measures.memory_model(),
}
REFERENCE = "RabbitMQ 3.10.8, classic queues, version 1"


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the measures that are asked for; return them with those that were kept, each with what it was measured on."""
    kept = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    found = {name: kept[name] for name in MEASURES if name in kept}
    with tempfile.TemporaryDirectory() as place:
        for name in options.only or MEASURES:
            figures = MEASURES[name](options, Path(place) / name)
            print(f"fidelity: {name}: {_numbers(figures)}", flush=True)
            found[name] = {"measured_on": measured_on(date=options.date), **figures}
    return {"reference": REFERENCE, **found}


def _numbers(found: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in found.items() if isinstance(value, int))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and write; return 0 only if every trace is whole and every rule of the engine is cited."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.fidelity", description=__doc__)
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument(
        "--only", nargs="+", choices=MEASURES, help="measure these; the others stay as they are"
    )
    parser.add_argument("--traces", type=int, help="replay so many of each release (all)")
    parser.add_argument("--crashes", type=int, default=1000, help="crash programs to run")
    parser.add_argument("--fuzz", type=int, default=2000, help="damaged directories to read")
    parser.add_argument("--out", type=Path, default=ROOT / "fidelity" / "results.json")
    options = parser.parse_args(argv)
    dt.date.fromisoformat(options.date)
    results = measure(options)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"fidelity: written to {options.out.name}")
    whole = results["traces"]["whole"] == results["traces"]["traces"]
    return 0 if whole and not results["rules"]["uncited"] else 1


if __name__ == "__main__":
    sys.exit(main())
