"""Run every measurement, print it, and write bench/results.json."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path

import django

from bench.measure import BROKER_MESSAGES_PER_S, Result, yardstick
from engine import ENGINE_VERSION

RESULTS = Path(__file__).parent / "results.json"

BENCHES = (
    "burst",
    "flatness",
    "one_at_a_time",
    "wire",
    "session_memory",
    "stalled_reader",
    "wake",
    "frames",
    "sweep",
    "classroom",
)
"""Modules of this package, each with a `run`."""


def measure(name: str) -> Result:
    """Run one measurement."""
    found: Result = importlib.import_module(f"bench.{name}").run()
    return found


def main(names: list[str]) -> int:
    """Run the named measurements, or all; return 0 if none that has a bound missed it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    django.setup()
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"there is no measurement {', '.join(unknown)}; there are {', '.join(BENCHES)}")
        return 2
    results: Result = {
        "engine": ENGINE_VERSION,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "broker_messages_per_s": BROKER_MESSAGES_PER_S,
        "yardstick_s": round(yardstick(), 4),
    }
    print(f"a loop of a million steps in plain Python takes {results['yardstick_s']} s here")
    missed = []
    for name in names or BENCHES:
        found = results[name] = measure(name)
        if not found.get("passed", True):
            missed.append(name)
        verdict = {True: "within its bound", False: "MISSED ITS BOUND"}.get(found.get("passed"), "no bound")
        print(f"\n{name}: {verdict}")
        for key, value in found.items():
            if key != "passed":
                print(f"  {key.replace('_', ' '):45} {value}")
        sys.stdout.flush()
    if not names:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n")
        print("\nwritten to bench/results.json")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
