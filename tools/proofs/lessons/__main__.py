"""`python -m tools.proofs.lessons [--tiny] [--out FILE]`: simulate learners on all exercises.

For each stated misconception a learner who has it answers every exercise in every case, and two exercises or more must
show it. Ways of guessing must not be right more often than chance explains. Prints and writes the tables.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup()

from playground.exercises import catalog  # noqa: E402 - the settings come first
from tools.proofs.lessons import learners  # noqa: E402

FEWEST = 2
"""Exercises that show a misconception."""
IDLE_SHARE = 0.1
"""Of the kinds without single options so many may pass with nothing done."""
HEAD = [
    "# Simulated learners",
    "",
    "Written by `make lesson-check`; [classes](internals/classes.md) says what it does.",
    "",
]
TINY = 3
"""Misconceptions that the tiny mode asks about, with the exercises that show them."""


def tables(names: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of the tables, and what is wrong with them."""
    every = list(catalog.exercises().values())
    if len(names) < len(catalog.stated()):
        places = {place.partition("/")[0] for name in names for place in catalog.stated()[name]}
        every = [each for each in every if each.slug in places]
    lines, faults = ["| misconception | shown by (cases) |", "|---|---|"], []
    asked = learners.cases(every)
    for name in names:
        found = learners.detection(name, asked)
        shown = ", ".join(f"{slug} ({count})" for slug, count in found.by.items())
        lines.append(f"| {catalog.text(name, 'en')} | {shown} |")
        if len(found.by) < FEWEST:
            faults.append(f"{name}: only {len(found.by)} exercises show it")
        if found.others:
            faults.append(f"{name}: its learner also seems to believe {', '.join(sorted(found.others))}")
    lines += ["", "| guessing | answers | right | chance | chance reaches |", "|---|---|---|---|---|"]
    for way, gain in learners.guesses(each for each in every if each.kind == "choice").items():
        lines.append(f"| {way} | {gain.asked} | {gain.right:.1f} | {gain.chance:.1f} | {gain.most:.1f} |")
        if gain.gains:
            faults.append(f"{way}: right {gain.right:.1f} times, chance reaches {gain.most:.1f}")
    passed, count = learners.idle(each for each in every if each.kind != "choice")
    lines += ["", f"Of {count} cases of the other kinds, {passed} pass with nothing done."]
    if passed > IDLE_SHARE * count:
        faults.append(f"nothing done passes {passed} of {count}")
    lines += ["", "| exercise | right over 12 seeds, or the rules that decide a number |", "|---|---|"]
    for each in every:
        if each.kind in learners.COUNTED:
            counted = learners.rights(each).most_common()
            lines.append(f"| {each.slug} | {', '.join(f'{right} ({times})' for right, times in counted)} |")
    return lines, faults


def main(arguments: list[str]) -> int:
    """Print and write the tables; return 1 where a misconception is hardly shown, or guessing gains something."""
    parser = argparse.ArgumentParser(prog="python -m tools.proofs.lessons", description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="a few misconceptions with their exercises")
    parser.add_argument("--out", type=Path, default=Path("docs/lessons.md"), help="where the tables land")
    options = parser.parse_args(arguments)
    names = list(catalog.stated())
    lines, faults = tables(names[:TINY] if options.tiny else names)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join([*HEAD, *lines]) + "\n", encoding="utf-8")
    print("\n".join([*lines, "", *faults]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
