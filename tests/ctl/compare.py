"""`python -m tests.ctl.compare`: ask a real node every recorded line, and compare with what the console answers.

Text and exit code must be equal but for ports and the order of rows; each line that differs is printed with both
answers, and whether `test_recorded` says why.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from typing import Any

from engine.ctl.console import ask
from tests.ctl.record import LINES, asked
from tests.ctl.test_recorded import NOT_PLAYED, OTHERWISE, RECORDED, changed, comparable, made_state


def differing(answers: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lines that the console answers otherwise than the node did, and print how."""
    state, found = made_state(), []
    for each in answers:
        line = each["line"]
        mine = ask(line, state, 0)
        if comparable(line, mine.text) != comparable(line, each["text"]) or mine.code != each["code"]:
            found.append(line)
            known = NOT_PLAYED.search(line) or any(re.search(pattern, line) for pattern in OTHERWISE)
            print(f"{'known' if known else 'NEW'}: {line}")
            if not known:
                print(f"node {each['code']}:\n{each['text']}\nhere {mine.code}:\n{mine.text}")
        changed(state, line)
    return found


def main() -> None:
    """Compare all lines, or the first ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=len(LINES), help="how many lines to ask")
    parser.add_argument("--recorded", action="store_true", help="take the answers of the recording: no node")
    given = parser.parse_args()
    answers = RECORDED[: given.lines] if given.recorded else asked(LINES[: given.lines])
    counted = list(answers)
    print(f"{len(counted) - len(differing(counted))} of {len(counted)} lines are equal")


if __name__ == "__main__":
    main()
