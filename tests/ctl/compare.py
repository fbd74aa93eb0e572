"""`python -m tests.ctl.compare`: ask a real node the lines of a set, and compare with what the console answers.

Text and exit code must be equal but for what is a node's own and the order of rows; each line that differs is printed
with both answers, and whether `test_recorded` says why.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.ctl.played import answers, is_equal, recorded
from tests.ctl.record import SETS, asked, lines_of
from tests.ctl.test_recorded import is_known


def differing(given: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lines that the console answers otherwise than the node did, and print how."""
    found = []
    for each, mine in answers(given):
        line = each["line"]
        if is_equal(each, mine):
            continue
        found.append(line)
        known = is_known(line)
        print(f"{'known' if known else 'NEW'}: {line}")
        if not known:
            print(f"node {each['code']}:\n{each['text']}\nhere {mine.code}:\n{mine.text}")
    return found


def main() -> None:
    """Compare all lines of a set, or the first ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=list(SETS), default="", help="which lines")
    parser.add_argument("--lines", type=int, help="how many lines to ask, instead of all")
    parser.add_argument("--recorded", action="store_true", help="take the answers of the recording: no node")
    parser.add_argument("--answers", type=Path, help="take the answers in this file: no node")
    given = parser.parse_args()
    if given.answers:
        found = json.loads(given.answers.read_text())[: given.lines]
    elif given.recorded:
        found = recorded(given.set)[: given.lines]
    else:
        found = list(asked(lines_of(given.set)[: given.lines]))
    print(f"{len(found) - len(differing(found))} of {len(found)} lines are equal")


if __name__ == "__main__":
    main()
