"""`python -m tests.ctl.compare`: ask a real node the lines of a set, and compare with what the console answers.

Text and exit code must be equal but for what is a node's own and the order of rows; each line that differs is printed
with both answers, and whether `tests.ctl.otherwise` says why.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from tests.ctl.otherwise import is_known
from tests.ctl.played import answers, is_equal, profile_of, recorded
from tests.ctl.record import LINES, asked
from tools.proofs.differential.installation import LATEST, RELEASES


def differing(given: Iterable[dict[str, Any]], release: str) -> list[str]:
    """Return the lines that the console answers otherwise than the node did, and print how."""
    found = []
    for each, mine in answers(given, profile_of(release)):
        line = each["line"]
        if is_equal(each, mine):
            continue
        found.append(line)
        known = is_known(line, release)
        print(f"{'known' if known else 'NEW'}: {line}")
        if not known:
            print(f"node {each['code']}:\n{each['text']}\nhere {mine.code}:\n{mine.text}")
    return found


def main() -> None:
    """Compare all lines of each set, or the first ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=LATEST, help="of the node")
    parser.add_argument("--set", choices=LINES, help="which lines, instead of all sets")
    parser.add_argument("--lines", type=int, help="how many lines of a set to ask, instead of all")
    parser.add_argument("--recorded", action="store_true", help="take the answers of the recording: no node")
    given = parser.parse_args()
    for which in [given.set] if given.set else LINES:
        if given.recorded:
            found = recorded(given.release, which)[: given.lines]
        else:
            found = list(asked(given.release, which, given.lines))
        equal = len(found) - len(differing(found, given.release))
        print(f"{given.release}, {which}: {equal} of {len(found)} lines are equal")


if __name__ == "__main__":
    main()
