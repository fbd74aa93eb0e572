"""`python -m tools.proofs.stories`: AMQP stories and random programs on a RabbitMQ node and on the engine."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.measured_on import measured_on
from tools.proofs.differential.installation import LATEST, RELEASES, summary_file
from tools.proofs.stories.run import Result, run
from tools.proofs.stories.side_by_side import Seeds, run_side_by_side
from tools.proofs.stories.stories import STORIES
from tools.proofs.stories.story import Story
from tools.proofs.stories.themes import IN_TURN, THEMES

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "tests" / "proofs" / "stories"
TARGETED = KEPT / "targeted"


def targeted() -> Iterator[Story]:
    """Yield the minimal programs in which a node and an engine once differed."""
    for path in sorted(TARGETED.glob("*.json")):
        yield Story(path.stem, "", tuple(json.loads(path.read_text(encoding="utf-8"))["steps"]))


def _recorded(name: str, release: str) -> str:
    """Return the file of what nodes of a release showed."""
    return name if release == LATEST else name.replace(".jsonl", f"-{release}.jsonl")


class SummaryFile:
    """The counts of random programs, in a file; what was there before stays with --add."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        added = options.add and options.summary.exists()
        self._before = json.loads(options.summary.read_text(encoding="utf-8")) if added else None

    def write(self, result: Result) -> None:
        """Write what was counted so far; who ends the program loses nothing."""
        options, before = self._options, self._before
        seeds = [[options.seed, options.seed + result.stories - 1]]
        if before is not None:
            result, seeds = result.added_to(before), [*before["seeds"], *seeds]
        summary = {
            "measured_on": measured_on(date=dt.datetime.now(dt.UTC).date().isoformat()),
            "broker": f"RabbitMQ {options.release}",
            "seeds": seeds,
            **result.as_dict(),
        }
        options.summary.parent.mkdir(parents=True, exist_ok=True)
        options.summary.write_text(json.dumps(summary, indent=1) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Play stories; return 0 only if none differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.stories", description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the real broker")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first random program")
    parser.add_argument("--count", type=int, default=200, help="how many random programs")
    parser.add_argument("--minutes", type=float, default=None, help="begin no program after so many minutes")
    parser.add_argument(
        "--nodes", type=int, default=6, help="how many private nodes play random programs at once"
    )
    parser.add_argument(
        "--theme",
        choices=(IN_TURN, *THEMES),
        default=IN_TURN,
        help="what the programs are about; p: anything",
    )
    parser.add_argument("--add", action="store_true", help="add to the counts that the summary has")
    parser.add_argument("--most-differing", type=int, default=5, help="stop after so many that differ")
    parser.add_argument("--known", action="store_true", help="the hand-made and the minimal ones instead")
    parser.add_argument("--record", action="store_true", help="with --known: write what the broker showed")
    parser.add_argument("--found", type=Path, default=ROOT / "var" / "stories")
    parser.add_argument("--as-it-is", action="store_true", help="shorten and store nothing that differs")
    parser.add_argument("--summary", type=Path, help="else in var/stories")
    options = parser.parse_args(argv)
    options.summary = options.summary or summary_file(ROOT / "var" / "stories", options.release)
    began = time.monotonic()
    if options.known:
        done = [
            run(
                stories,
                record=KEPT / _recorded(name, options.release) if options.record else None,
                release=options.release,
            )
            for stories, name in ((STORIES, "recorded.jsonl"), (tuple(targeted()), "targeted.jsonl"))
        ]
    else:
        last = None if options.minutes is None else began + 60 * options.minutes
        seeds_left = Seeds(options.seed, options.count, last, options.most_differing, options.theme)
        found = None if options.as_it_is else options.found
        summary = SummaryFile(options)
        done = [run_side_by_side(seeds_left, options.nodes, found, options.release, summary.write)]
    stories, equal = sum(each.stories for each in done), sum(each.equal for each in done)
    chance = sum(len(each.by_chance) for each in done)
    steps = sum(each.steps for each in done)
    print(
        f"stories: {equal} of {stories} equal, {chance} as one of several that the broker showed, {steps} steps, "
        f"{time.monotonic() - began:.0f} s"
    )
    whole = options.known or options.minutes is not None or stories == options.count
    return 0 if equal + chance == stories and whole else 1


if __name__ == "__main__":
    sys.exit(main())
