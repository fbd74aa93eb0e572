"""`python -m engine conformance PATH...`: replay golden traces and say how many steps are equal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.conformance.replay import Outcome, replay
from engine.storage.ledger import LedgerStorage

TRACE_FORMAT = "cq-trace/1"


def _traces(paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each trace of the given files and folders; other JSON files in folders are passed over."""
    for each in paths:
        path = Path(each)
        if not path.exists():
            raise SystemExit(f"conformance: {each} does not exist; give trace files or folders of them")
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        for file in files:
            try:
                trace = json.loads(file.read_text())
            except ValueError as error:
                raise SystemExit(f"conformance: {file} is not JSON: {error}") from error
            if isinstance(trace, dict) and trace.get("format") == TRACE_FORMAT:
                yield trace
            elif not path.is_dir():
                raise SystemExit(f"conformance: {file} is not a trace in format {TRACE_FORMAT}")


def _line(outcome: Outcome) -> str:
    text = (
        f"{'whole' if outcome.whole else 'DIFFERS':8} {outcome.equal:3} of {outcome.steps:3}  {outcome.name}"
    )
    if not outcome.whole:
        first = outcome.differences[0]
        text += (
            f"\n         step {first.step} {first.op}: {first.path}: "
            f"broker {json.dumps(first.expected)}, engine {json.dumps(first.actual)}"
        )
    return text


def main(argv: Sequence[str]) -> int:
    """Replay, print one line for each trace and a sum; return 0 only if every trace is whole."""
    parser = argparse.ArgumentParser(prog="python -m engine conformance", description=__doc__)
    parser.add_argument("paths", nargs="+", help="trace files, or folders of them")
    options = parser.parse_args(argv)
    outcomes: list[Outcome] = []
    for trace in _traces(options.paths):
        outcome = replay(trace, LedgerStorage())
        outcomes.append(outcome)
        sys.stdout.write(_line(outcome) + "\n")
        sys.stdout.flush()
    steps = sum(outcome.steps for outcome in outcomes)
    equal = sum(outcome.equal for outcome in outcomes)
    whole = sum(outcome.whole for outcome in outcomes)
    sys.stdout.write(
        f"conformance: {equal} of {steps} steps equal, {whole} of {len(outcomes)} traces whole\n"
    )
    return 0 if outcomes and whole == len(outcomes) else 1
