"""`python -m tools.proofs.fuzz [--seed 1] [--count 100000]`: random programs over all verbs, profiles and nodes.

Each is played on the sources and on what is compiled of them, with equal digests. What breaks either of them, or
differs, is shortened and written as a scenario; a refusal is an answer like any other.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

from tools.compiled import ROOT, environment, fitting, lacks
from tools.proofs.fuzz.programs import Program, program
from tools.proofs.fuzz.shrink import shrink

FOUND: Final = ROOT / "var" / "fuzz"
SECONDS: Final = 300
"""A program that takes longer hangs, on a machine with other work too."""

Answer = dict[str, Any]


class Side:
    """A process that plays programs on an engine.

    Args:
        place: of the compiled engine; None for the sources.
    """

    def __init__(self, place: Path | None) -> None:
        self._place = place
        self._begin()

    def _begin(self) -> None:
        variables = environment(self._place) if self._place else {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.proofs.fuzz.play"],
            cwd=ROOT,
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = self._line()
        if found != str((self._place or ROOT).resolve()):
            raise SystemExit(f"the engine was found at {found} and not at {self._place or ROOT}")

    def _line(self) -> str:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            return ""
        return self._process.stdout.readline().rstrip("\n")

    def tell(self, played: Program) -> None:
        """Begin a program, which the sides play at the same time."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(played) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Answer:
        """Return how the program ends that was told last; a process that hangs or dies is begun anew."""
        line = self._line()
        if line:
            found: Answer = json.loads(line)
            return found
        self.end()
        self._begin()
        return {"error": f"no answer within {SECONDS} s", "place": ""}

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def fault(answers: list[Answer]) -> str | None:
    """Return what is wrong with the answers of the sides, in words that are the same for the same fault."""
    for answer in answers:
        if "error" in answer:
            side = "" if "error" in answers[0] else "compiled only: "
            return side + re.sub(r"0x[0-9a-f]+|\d+|'[^']*'", "_", answer["error"]) + " " + answer["place"]
    return None if all(answer == answers[0] for answer in answers) else "compiled: another digest"


def answered(sides: list[Side], played: Program) -> list[Answer]:
    """Return how a program ends on each side."""
    for side in sides:
        side.tell(played)
    return [side.hear() for side in sides]


def _breaks(sides: list[Side], how: str, played: Program) -> bool:
    """Return whether a program breaks as another one did."""
    return fault(answered(sides, played)) == how


def main(arguments: list[str]) -> int:
    """Play the programs; return 1 if any broke."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first program (default: %(default)s)")
    parser.add_argument("--count", type=int, default=100_000, help="so many programs (default: %(default)s)")
    parser.add_argument("--minutes", type=float, help="end after so many minutes")
    parser.add_argument("--found", type=Path, default=FOUND, help="where what breaks is written")
    options = parser.parse_args(arguments)
    place = fitting()
    if place is None:
        why = lacks() or "nothing fits these sources; `make compiled` compiles them"
        print(f"fuzz: the sources alone are played: {why}", flush=True)
    sides = [Side(None), *([Side(place)] if place else [])]
    ends: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    began = time.monotonic()
    for number in range(options.count):
        if options.minutes and time.monotonic() - began > options.minutes * 60:
            break
        written = program(options.seed + number)
        answers = answered(sides, written)
        ends[next(iter(answers[0]))] += 1
        wrong = fault(answers)
        if wrong is not None:
            faults[wrong] += 1
            if faults[wrong] == 1:
                shorter = shrink(written, partial(_breaks, sides, wrong))
                options.found.mkdir(parents=True, exist_ok=True)
                path = options.found / f"{written['seed']}.json"
                path.write_text(json.dumps(shorter, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
                print(f"{path}: {wrong}", flush=True)
        if (number + 1) % 1_000 == 0:
            print(f"{number + 1} programs, {sum(faults.values())} broke", flush=True)
    for side in sides:
        side.end()
    total = ends.total()
    print(
        f"fuzz: programs {total}, refused {ends['refused']}, engines {len(sides)}, broken {sum(faults.values())}"
    )
    for wrong, times in faults.most_common():
        print(f"  {times} x {wrong}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
