"""`python -m tools.catalogue [--check]`: write the page's modules and the tables of the documentation from the classes.

For after a change of a transition's class, of a metric, or of another table that both languages have. With `--check` it
writes nothing, and fails where a file is out of date. `--draw SEED` prints items of the articles that nobody has
judged, with what the page says of them; a kept seed draws the same items again, and `--count` says how many.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup()

from django.conf import settings  # noqa: E402 - the settings come first

from tools.catalogue import drawn_items, metrics_table, written_files  # noqa: E402


def main(argv: Sequence[str] | None = None) -> int:
    """Do what was asked; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalogue", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    parser.add_argument("--draw", type=int, metavar="SEED", help="print items that nobody has judged")
    parser.add_argument("--count", type=int, default=80, help="of these items (default: %(default)s)")
    asked = parser.parse_args(argv)
    if asked.draw is not None:
        print(*drawn_items.lines(asked.draw, asked.count), sep="\n")
    elif asked.check:
        found = written_files.stale(settings.BASE_DIR)
        found += [metrics_table.PAGE.name] * metrics_table.is_stale()
        print(*(f"{path}: out of date, run python -m tools.catalogue" for path in found), sep="\n", end="")
        return bool(found)
    else:
        metrics_table.write()
        print(*(f"{path}: written" for path in written_files.write(settings.BASE_DIR)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
