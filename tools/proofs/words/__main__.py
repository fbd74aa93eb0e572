"""`python -m tools.proofs.words [--count 2000] [--date DAY] [--summary FILE]`: hold the words against the picture.

Headline, log, Why?, gauges, table and dock of every moment of random runs, in three languages. Ends at the first that
disagree; what was counted, by release and surface, goes into fidelity/words.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.helpers.twin import Twin
from tests.helpers.word_runs import catalogs, gathered
from tools.measured_on import measured_on

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "fidelity" / "words.json"
AT_ONCE = 35
"""Runs that one Node.js reads."""


def keep(path: Path, date: str, counts: Counter[str]) -> None:
    """Write what was counted so far: whoever ends the program has what it saw. What it found before stays.

    Args:
        date: of the day.
        counts: by name; those of a release are named "release/surface".
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    held: dict[str, dict[str, int]] = {}
    for name, count in sorted(counts.items()):
        release, is_part, surface = name.partition("/")
        if is_part:
            held.setdefault(release, {})[surface] = count
    whole = {name: count for name, count in counts.items() if "/" not in name}
    on = measured_on(**({"date": date} if date else {}))
    kept = {"measured_on": on, **whole, "held": held, "found": before.get("found", [])}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Play the runs, look at each moment, and write how many there were."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.words", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="so many runs (default: %(default)s)")
    parser.add_argument("--date", default="", help="the day of the run")
    parser.add_argument("--summary", type=Path, default=KEPT, help="where the counts land")
    options = parser.parse_args(arguments)
    node = subprocess.run(
        [ROOT / "tools" / "ensure_node.sh"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    twin = Twin(node, ROOT)
    texts = catalogs(ROOT)
    runs = gathered(options.count)
    found: Counter[str] = Counter()
    for first in range(0, len(runs), AT_ONCE):
        some = runs[first : first + AT_ONCE]
        said = twin.agrees("words-twin.mjs", [{"catalogs": texts, **run} for run in some])
        found.update(json.loads(said.splitlines()[-1]))
        docks = json.loads(twin.agrees("timeline-twin.mjs", some).splitlines()[-1])
        found.update({name: count for name, count in docks.items() if "/" in name})
        found["runs"] += len(some)
        print(f"{found['runs']} runs, {found['moments']} moments", flush=True)
        keep(options.summary, options.date, found)
    print(f"words: {found['moments']} moments of {len(runs)} runs, no disagreement")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
