"""Print the coverage of each part of the project, from what coverage.py wrote as JSON; keep it for docs/figures.md."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from tools.measured_on import measured_on


def by_part(report: dict[str, object]) -> dict[str, tuple[int, int]]:
    """Return, for each top folder, how many lines and branches were reached, and how many there are."""
    reached: dict[str, int] = defaultdict(int)
    there: dict[str, int] = defaultdict(int)
    files = report["files"]
    assert isinstance(files, dict)
    for name, each in files.items():
        part, summary = Path(name).parts[0], each["summary"]
        reached[part] += summary["covered_lines"] + summary["covered_branches"]
        there[part] += summary["num_statements"] + summary["num_branches"]
    return {part: (reached[part], there[part]) for part in sorted(there)}


def main(path: str, keep: str | None = None) -> int:
    """Print one line for each part and one for all; write the shares into the file `keep`, where one is named."""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    shares = {}
    for part, (reached, there) in by_part(report).items():
        shares[part] = round(100 * reached / max(1, there), 1)
        print(f"coverage: {part:12} {shares[part]:5.1f} % of {there} lines and branches")
    print(f"coverage: {report['totals']['percent_covered']:.1f} % of everything")
    if keep:
        kept = {"measured_on": measured_on(), "parts": shares}
        Path(keep).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
