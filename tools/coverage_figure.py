"""Print the coverage of each part of the project, from what coverage.py wrote as JSON."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path


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


def main(path: str) -> int:
    """Print one line for each part and one for all."""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    for part, (reached, there) in by_part(report).items():
        print(f"coverage: {part:12} {100 * reached / max(1, there):5.1f} % of {there} lines and branches")
    print(f"coverage: {report['totals']['percent_covered']:.1f} % of everything")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
