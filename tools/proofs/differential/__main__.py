"""`python -m tools.proofs.differential`: random programs on a RabbitMQ node and on the engine, until they differ."""

from __future__ import annotations

import argparse
import collections
import datetime as dt
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.measured_on import measured_on
from tools.proofs.conformance.replay import Outcome
from tools.proofs.differential.comparison import Comparison, Recorded
from tools.proofs.differential.driver import Driver
from tools.proofs.differential.installation import LATEST, RELEASES, summary_file
from tools.proofs.differential.node import PrivateNode
from tools.proofs.differential.reached import reached
from tools.proofs.differential.recording import replay_on_broker

ROOT = Path(__file__).resolve().parents[3]
PROGRESS_S = 10
SETTINGS = {
    "default_worker_pool_size": 1
}  # else the broker itself is not the same twice after a crash (S207.2)


def _print(text: str) -> None:
    print(text, flush=True)


def _engine_error(outcome: Outcome) -> str:
    first = outcome.differences[0]
    return (
        f"step {first.step} {first.op}: {first.path}: broker {json.dumps(first.expected)}, "
        f"engine {json.dumps(first.actual)}"
    )


def _report(comparison: Comparison, recorded: Recorded, outcome: Outcome, folder: Path) -> None:
    trace = recorded.trace
    _print(f"program {trace['name']} DIFFERS at {_engine_error(outcome)}")
    _print("shortening it ...")
    short, how = comparison.shrink(recorded, outcome)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{trace['name']}.json"
    text = json.dumps(short, separators=(",", ":"))
    path.write_text(text + "\n")
    _print(f"{len(short['steps'])} steps are left, differing at {_engine_error(how)}")
    _print(text)
    _print(
        f"(also in {path.relative_to(ROOT)}; replay: python -m tools.proofs.conformance {path.relative_to(ROOT)})"
    )


def differential(options: argparse.Namespace) -> int:
    """Run programs; return 0 only if none differs."""
    began = last = time.monotonic()
    steps = whole = run = files = crashed = 0
    operations: collections.Counter[str] = collections.Counter()
    borders: collections.Counter[str] = collections.Counter()
    refused: list[str] = []
    differing: list[str] = []
    with PrivateNode(SETTINGS, release=options.release) as node:
        _print("starting a private RabbitMQ node ...")
        node.start()
        with Driver(node.driver_port) as driver:
            about = driver.ask({"do": "about"})
            _print(
                f"RabbitMQ {about['version']} on Erlang/OTP {about['otp']}; programs {options.seed} and following"
            )
            comparison = Comparison(node, driver)
            for seed in range(options.seed, options.seed + options.count):
                recorded = comparison.record(seed)
                trace = recorded.trace
                if recorded.error is not None:
                    refused.append(f"d{seed}: {recorded.error}")
                    _print(f"the broker failed in program {seed}; compared up to there: {recorded.error}")
                outcome = comparison.compare(recorded)
                files += len(recorded.files)
                run += 1
                crashed += recorded.crashed
                steps += outcome.steps
                operations.update(step["op"] for step in trace["steps"])
                borders.update(reached(trace["steps"]))
                whole += outcome.whole
                if not outcome.whole:
                    differing.append(trace["name"])
                    _report(comparison, recorded, outcome, ROOT / "var" / "differential")
                    if len(differing) >= options.differences:
                        break
                if time.monotonic() - last > PROGRESS_S:
                    last = time.monotonic()
                    _print(f"{run} of {options.count} programs, {steps} steps, {run - whole} differ")
    _print(
        f"differential: {whole} of {run} programs equal, {steps} state vectors, "
        f"{files} files byte for byte, {time.monotonic() - began:.0f} s"
    )
    if crashed:
        _print(f"in {crashed} of them the broker's queue process crashed or never came back")
    _write(options, about, run, whole, steps, files, operations, borders, refused, differing)
    return 0 if run == options.count and whole == run else 1


def _write(
    options: argparse.Namespace,
    about: dict[str, Any],
    run: int,
    whole: int,
    steps: int,
    files: int,
    operations: collections.Counter[str],
    borders: collections.Counter[str],
    refused: list[str],
    differing: list[str],
) -> None:
    summary = {
        "measured_on": measured_on(date=dt.datetime.now(dt.UTC).date().isoformat()),
        "broker": f"RabbitMQ {about['version']}, Erlang/OTP {about['otp']}",
        "seed": options.seed,
        "programs": run,
        "equal": whole,
        "vectors": steps,
        "files_byte_for_byte": files,
        "operations": dict(sorted(operations.items())),
        "programs_that_reached": dict(sorted(borders.items())),
        "refused_by_broker": refused,
        "differing": differing,
    }
    options.summary.parent.mkdir(parents=True, exist_ok=True)
    options.summary.write_text(json.dumps(summary, indent=1) + "\n")


def check(options: argparse.Namespace) -> int:
    """Replay recorded traces on the real broker: does the driver still execute as the recording did?"""
    files = [
        file
        for path in map(Path, options.check)
        for file in (sorted(path.glob("[hrsv]*.json")) if path.is_dir() else [path])
    ]
    whole = 0
    with PrivateNode(SETTINGS, release=options.release) as node:
        node.start()
        with Driver(node.driver_port) as driver:
            for file in files:
                outcome = replay_on_broker(driver, json.loads(file.read_text()))
                whole += outcome.whole
                if not outcome.whole:
                    _print(f"{outcome.name} DIFFERS: {_engine_error(outcome)}")
    _print(f"driver: {whole} of {len(files)} traces are executed by the broker as they were recorded")
    return 0 if files and whole == len(files) else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.differential", description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the real broker")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first program")
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--differences", type=int, default=1, help="stop after so many programs that differ")
    parser.add_argument("--summary", type=Path, help="else in var/differential")
    parser.add_argument("--check", nargs="+", metavar="PATH", help="replay traces on the broker instead")
    options = parser.parse_args(argv)
    options.summary = options.summary or summary_file(ROOT / "var" / "differential", options.release)
    return check(options) if options.check else differential(options)


if __name__ == "__main__":
    sys.exit(main())
