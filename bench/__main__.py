"""`python -m bench [--tiny] [NAME...]`: run measurements, print a verdict, keep them in bench/results.json."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import django

from bench.measure import Result, yardstick
from tools.measured_on import measured_on

RESULTS = Path(__file__).parent / "results.json"

BENCHES = (
    "burst",
    "flatness",
    "one_at_a_time",
    "unequal",
    "imported_log",
    "gathered_log",
    "peers",
    "scattered",
    "cluster",
    "wire",
    "session_memory",
    "stalled_reader",
    "wake",
    "frames",
    "sweep",
    "classroom",
    "school",
    "class_counts",
    "session_cost",
    "workers",
    "static_edition",
)
"""Modules of this package, each with a `run`."""


def measure(name: str, tiny: bool) -> Result | None:
    """Run one measurement and print what it found; None if it broke off, with the error printed."""
    try:
        found: Result = importlib.import_module(f"bench.{name}").run(tiny)
    except Exception:  # noqa: BLE001 - one that breaks off must not take the others with it
        print(f"\n{name}: BROKE OFF\n{traceback.format_exc()}", flush=True)
        return None
    verdict = "no bound"
    if found.get("passed") is not None:
        verdict = "within its bound" if found["passed"] else "MISSED ITS BOUND"
    print(f"\n{name}: {verdict}")
    for key, value in found.items():
        if key != "passed":
            print(f"  {key.replace('_', ' '):45} {value}")
    sys.stdout.flush()
    return found


def verdict(results: dict[str, Result | None]) -> tuple[str, bool]:
    """Return the last line of a run, and whether everything ran and kept its bounds."""
    broken = [name for name, found in results.items() if found is None]
    missed = [name for name, found in results.items() if found and not found.get("passed", True)]
    outcome = f"bench: {len(results) - len(broken)} of {len(results)} ran, "
    outcome += f"{', '.join(missed)} missed the bound" if missed else "all within their bounds"
    return outcome + (f"; {', '.join(broken)} broke off" if broken else ""), not missed and not broken


def keep(results: dict[str, Result], path: Path = RESULTS) -> None:
    """Write results into the file, each with what it was measured on; those of other measurements stay."""
    on = measured_on(
        python=platform.python_version(), cores=os.cpu_count(), yardstick_s=round(yardstick(), 4)
    )
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kept |= {name: {"measured_on": on, **found} for name, found in results.items()}
    ordered = {name: kept[name] for name in BENCHES if name in kept}
    path.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named measurements, or all; return 0 if all ran and none that has a bound missed it."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="little work: shows that everything runs; not kept"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in BENCHES]
    if unknown:
        parser.error(f"there is no measurement {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    django.setup()
    results: dict[str, Result | None] = {}
    for name in options.names or BENCHES:
        found = results[name] = measure(name, options.tiny)
        if found is not None and not options.tiny:  # at once: the next one may break off
            keep({name: found})
    line, well = verdict(results)
    print(f"\n{line}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
