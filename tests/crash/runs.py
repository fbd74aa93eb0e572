"""Running seeds, one after the other, and telling a failure as a program that can be pasted."""

from __future__ import annotations

import pprint
import shutil
from collections.abc import Iterable
from pathlib import Path

from engine.storage.directory import DirectoryStorage
from tests.crash.faults import FaultyStorage
from tests.crash.programs import Program, draw
from tests.crash.simulator import Outcome, Run

MOST_ATTEMPTS = 300
"""Programs tried at most while a failing one is made shorter."""


def run(program: Program, place: Path) -> Outcome:
    """Run a program on real files below a directory, which is emptied first."""
    shutil.rmtree(place, ignore_errors=True)
    inner = DirectoryStorage(str(place), fsync=False)
    try:
        return Run(program, FaultyStorage(inner, program["config"]["journaling"])).go()
    finally:
        inner.close()


def run_seeds(seeds: Iterable[int], place: Path) -> Outcome:
    """Run the programs of seeds and add up what happened.

    Raises:
        AssertionError: a run went wrong; the message holds a program that does, made as short as possible.
    """
    total = Outcome(runs=0)
    for seed in seeds:
        program = draw(seed)
        try:
            outcome = run(program, place)
        except Exception as error:  # any failure of a run is reported with its program
            shorter = shortened(program, place)
            text = pprint.pformat(shorter, width=100, sort_dicts=False)
            raise AssertionError(
                f"seed {seed}: {type(error).__name__}: {error}\n\n"
                f"from pathlib import Path\nfrom tests.crash.runs import run\n\nrun({text}, Path('var/crash'))\n"
            ) from error
        total.add(outcome)
    return total


def shortened(program: Program, place: Path) -> Program:
    """Leave out steps as long as the program still fails."""
    attempts = 0
    steps = list(program["steps"])
    size = len(steps)
    while size and attempts < MOST_ATTEMPTS:
        at = 0
        while at < len(steps) and attempts < MOST_ATTEMPTS:
            fewer = {**program, "steps": [*steps[:at], *steps[at + size :]]}
            attempts += 1
            if fails(fewer, place):
                steps = fewer["steps"]
            else:
                at += size
        size //= 2
    return {**program, "steps": steps}


def fails(program: Program, place: Path) -> bool:
    """Return whether a program goes wrong."""
    try:
        run(program, place)
    except Exception:  # noqa: BLE001 - whatever goes wrong
        return True
    return False
