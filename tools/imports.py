"""Count what a folder's files import from one another: layers, imports that run upwards, and circles.

Usage: python -m tools.imports engine/broker [static/js/view ...]

A file's layer is one above the highest file that it imports. Where files import each other in a circle, the order
with the fewest imports upwards is taken, and those are the ones that are counted as upwards. The same is then counted
with each room (a folder directly below) as one thing.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.layering.graph import Figures, figures
from tests.layering.rooms import rooms_of
from tests.layering.sources import ROOT, file_imports


def sentences(folder: str, root: Path = ROOT) -> Iterable[str]:
    """Yield the lines about a folder: its figures, then what breaks the order."""
    edges = file_imports(folder, root)
    yield from _figure_lines(f"{folder}, by files", figures(edges))
    rooms = rooms_of(edges)
    folders = {each for each in rooms if "." not in each}
    yield from _figure_lines(f"{folder}, by {len(folders)} folders", figures(rooms))


def _figure_lines(what: str, found: Figures) -> Iterable[str]:
    yield (
        f"{what}: {found.nodes} in {found.layers} layers, {found.edges} imports, "
        f"{len(found.upwards)} of them upwards, {len(found.circles)} circles"
    )
    for circle in found.circles:
        yield f"  circle: {', '.join(circle)}"
    for source, target in found.upwards:
        yield f"  upwards: {source} imports {target}"


def main(folders: Sequence[str]) -> None:
    """Print the figures of each folder."""
    if not folders:
        sys.exit(__doc__)
    for folder in folders:
        for sentence in sentences(folder.rstrip("/")):
            print(sentence)


if __name__ == "__main__":
    main(sys.argv[1:])
