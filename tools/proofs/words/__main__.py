"""`python -m tools.proofs.words [--count 2000] [--summary FILE]`: hold the words against the picture.

Headline, log, Why?, gauges and table of every moment of random runs, in three languages. Ends at the first that
disagree; what was counted goes into fidelity/words.json.
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
AT_ONCE = 100
"""Runs that one Node.js reads."""


def keep(path: Path, counts: dict[str, int]) -> None:
    """Write what was counted so far: whoever ends the program has what it saw."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"measured_on": measured_on(), **counts}, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Play the runs, look at each moment, and write how many there were."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.words", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="so many runs (default: %(default)s)")
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
        some = [{"catalogs": texts, **run} for run in runs[first : first + AT_ONCE]]
        found.update(json.loads(twin.agrees("words-twin.mjs", some).splitlines()[-1]))
        print(f"{first + len(some)} runs, {found['moments']} moments", flush=True)
        keep(options.summary, {"runs": first + len(some), **found})
    print(f"words: {found['moments']} moments of {len(runs)} runs, no disagreement")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
