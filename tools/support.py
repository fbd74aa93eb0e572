"""Print what has no support any more at a day, of the releases on which the project is built; offline.

`python -m tools.support --date 2027-12-31` reads what Dockerfile, compose files, pyproject.toml and requirements.txt
name, and compares it with tools/support.toml, a list that people keep. Programs from Debian's packages (nginx, Redis)
have the support of the Debian release.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from tools.supplies import requirements

ROOT: Final = Path(__file__).resolve().parent.parent
LISTED: Final = ROOT / "tools" / "support.toml"
IMAGE: Final = re.compile(r"^(?:FROM|\s+image:)\s+(?P<name>[a-z]+):(?P<tag>[\w.-]+)", re.MULTILINE)
DEBIAN: Final = re.compile(r"\b(?:bullseye|bookworm|trixie|forky)\b")
NUMBER: Final = re.compile(r"^\d+(?:\.\d+)*")
IMAGES_IN: Final = ("Dockerfile", "compose.yaml", "compose.cluster.yaml")


class Use(NamedTuple):
    """A release on which something is built.

    Args:
        product: as tools/support.toml names it.
        release: the same.
        place: the file that names it.
    """

    product: str
    release: str
    place: str


def uses(root: Path = ROOT) -> Iterator[Use]:
    """Yield every release that is named, with the file that names it."""
    for place in IMAGES_IN:
        for found in IMAGE.finditer((root / place).read_text(encoding="utf-8")):
            number = NUMBER.match(found["tag"])
            if number is not None:
                yield Use(found["name"], number[0], place)
            for debian in DEBIAN.findall(found["tag"]):
                yield Use("debian", debian, place)
            if number is None and not DEBIAN.search(found["tag"]):
                yield Use(found["name"], found["tag"], place)
    for requirement, _why in requirements(root / "requirements.txt"):
        if requirement.name == "Django":
            release = ".".join(str(requirement.specifier).removeprefix("==").split(".")[:2])
            yield Use("django", release, "requirements.txt")


def ends(listed: Path = LISTED) -> dict[tuple[str, str], date]:
    """Return the last day of support of each release that is listed."""
    products = tomllib.loads(listed.read_text(encoding="utf-8"))
    return {
        (product, release): end
        for product, releases in products.items()
        for release, end in releases.items()
        if isinstance(end, date)
    }


def complaints(day: date, root: Path = ROOT, listed: Path = LISTED) -> Iterator[str]:
    """Yield a sentence for each release that has no support at a day, or whose end is not listed."""
    known = ends(listed)
    for use in sorted(set(uses(root))):
        end = known.get((use.product, use.release))
        if end is None:
            yield f"{use.place}: nobody has written down how long {use.product} {use.release} has support"
        elif end < day:
            yield f"{use.place}: {use.product} {use.release} has no support since {end}"
    least = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    oldest = least.removeprefix(">=")
    end = known.get(("python", oldest))
    if end is None or end < day:
        yield f"pyproject.toml: python {oldest}, the oldest that may run it, has no support since {end}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print what has no support; return 0 only if everything has."""
    parser = argparse.ArgumentParser(prog="python -m tools.support", description=__doc__)
    parser.add_argument("--date", type=date.fromisoformat, required=True, help="a day, as 2027-12-31")
    day = parser.parse_args(argv).date
    found = list(complaints(day))
    for sentence in found:
        print(f"support: {sentence}")
    print(f"support: {len(set(uses()))} releases, {len(found)} without support on {day}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
