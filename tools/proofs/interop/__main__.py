"""`python -m tools.proofs.interop`: directories, exchanged with a private RabbitMQ node."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.measured_on import measured_on
from tools.proofs.differential.installation import LATEST, RELEASES, summary_file
from tools.proofs.interop import from_node, to_node
from tools.proofs.interop.report import Report

ROOT = Path(__file__).resolve().parents[3]

TINY_MESSAGES = 80
"""Of a queue: a few more than are taken from most of them."""
ENDINGS = {
    "clean": "stopped",
    "killed": "killed when all is synced",
    "unsettled": "killed in the middle of it",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run both directions; return 0 only if nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.interop", description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the real broker")
    parser.add_argument("--random", type=int, default=40, help="random programs that the engine writes")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first of them")
    parser.add_argument(
        "--fillings",
        type=int,
        default=3,
        help="directories that a node writes, one at least: each kind of ending in turn",
    )
    parser.add_argument("--summary", type=Path, help="else in var/interop")
    parser.add_argument(
        "--tiny", action="store_true", help="the least of each kind, to see that all of it runs"
    )
    options = parser.parse_args(argv)
    options.summary = options.summary or summary_file(ROOT / "var" / "interop", options.release)
    fillings = 1 if options.tiny else max(1, options.fillings)
    messages = TINY_MESSAGES if options.tiny else from_node.MESSAGES
    cases = to_node.all_cases(
        1 if options.tiny else options.random, options.seed, 1 if options.tiny else None, options.release
    )
    began = time.monotonic()
    written, read = Report(), Report()
    beside = to_node.ToNode(written, cases)
    print("the engine writes, a node boots from it, a client takes the messages; meanwhile:", flush=True)
    for number in range(fillings):
        kind = from_node.KINDS[number % len(from_node.KINDS)]
        seed = number // len(from_node.KINDS)
        print(f"a client fills a node, which is {ENDINGS[kind]} ({number + 1} of {fillings}):", flush=True)
        from_node.run(read, kind, from_node.plan(seed, messages), options.release, None if number else beside)
        read.directories += 1
    sums = {"engine_to_node": written.as_dict(), "node_to_engine": read.as_dict()}
    for name, each in sums.items():
        print(
            f"interop: {name.replace('_', ' ')}: {each['queues'] - len(each['differing'])} of "
            f"{each['queues']} queues equal, {each['messages']} messages"
        )
    print(f"interop: {time.monotonic() - began:.0f} s")
    summary = {
        "measured_on": measured_on(date=dt.datetime.now(dt.UTC).date().isoformat()),
        "broker": beside.broker,
        **sums,
    }
    options.summary.parent.mkdir(parents=True, exist_ok=True)
    options.summary.write_text(json.dumps(summary, indent=1) + "\n")
    return 1 if any(each["differing"] for each in sums.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
