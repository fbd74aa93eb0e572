"""`python -m tools.proofs.conformance PATH...`: replay recordings of brokers, and count the equal steps."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.storage.ledger import LedgerStorage
from tools.proofs.conformance.formats import FORMATS
from tools.proofs.conformance.replay import Outcome


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
            if isinstance(trace, dict) and trace.get("format") in FORMATS:
                yield trace
            elif not path.is_dir():
                raise SystemExit(
                    f"conformance: {file} is no trace in any of the formats {', '.join(FORMATS)}"
                )


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


def main(argv: Sequence[str] | None = None) -> int:
    """Replay, print one line for each trace and a sum; return 0 only if every trace is whole."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.conformance", description=__doc__)
    parser.add_argument("paths", nargs="+", help="trace files, or folders of them")
    options = parser.parse_args(argv)
    outcomes: dict[str, list[Outcome]] = {}
    for trace in _traces(options.paths):
        outcome = FORMATS[trace["format"]][2](trace, LedgerStorage())
        outcomes.setdefault(trace["format"], []).append(outcome)
        sys.stdout.write(_line(outcome) + "\n")
        sys.stdout.flush()
    for name, found in outcomes.items():
        steps, equal = sum(each.steps for each in found), sum(each.equal for each in found)
        whole = sum(each.whole for each in found)
        title, files, _ = FORMATS[name]
        sys.stdout.write(f"{title}: {equal} of {steps} steps equal, {whole} of {len(found)} {files} whole\n")
    return 0 if outcomes and all(each.whole for found in outcomes.values() for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
