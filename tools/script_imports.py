"""Figures of the imports of the page's scripts: `python -m tools.script_imports static/js/view`.

The counterpart for Python is `tools.imports`.
"""

import argparse
import re
from collections import Counter
from pathlib import Path
from posixpath import dirname, join, normpath

from tools import graph

COMMENT = re.compile(
    r"""('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
NAMED = r"""(?:^|;)\s*(?:import\b(?:[^'";(]*?\bfrom)?|export\b[^'";(=]*?\bfrom)\s*['"]([^'"\n]+)['"]"""
LATE = r"""\bimport\(\s*['"]([^'"\n]+)['"]"""
IMPORT = re.compile(f"{NAMED}|{LATE}", re.MULTILINE)


def imported_paths(source: str) -> list[str]:
    """Return the paths that a module imports, statically or not, as it writes them."""
    code = COMMENT.sub(lambda match: match[1] or " ", source)
    return [named or late for named, late in IMPORT.findall(code)]


def read(root: Path) -> dict[str, list[str]]:
    """Return each script below a folder, as a path relative to it, with the scripts there that it imports."""
    scripts = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.js"))}
    return {
        name: sorted(
            {normpath(join(dirname(name), to)) for to in imported_paths(path.read_text("utf-8"))}
            & scripts.keys()
        )
        for name, path in scripts.items()
    }


def room(name: str) -> str:
    """Return the folder of a script directly below the root; "." for one that lies in the root itself."""
    return name.partition("/")[0] if "/" in name else "."


def report(root: Path) -> str:
    """Return the figures of one folder as text."""
    files = read(root)
    edges = [(start, end) for start, ends in files.items() for end in ends]
    between = Counter((room(a), room(b)) for a, b in edges if room(a) != room(b))
    rooms: dict[str, list[str]] = {room(name): [] for name in files}
    for a, b in between:
        rooms[a].append(b)
    order = graph.best_order(between, rooms)
    rising = graph.upwards(between, order)
    counted = [
        f"{len(files)} files",
        f"{len(edges)} imports",
        f"{len(set(graph.layers(files).values()))} layers",
        f"{len(graph.circles(files))} circles of files",
    ]
    of_rooms = [
        f"{len(rooms)} folders",
        f"{sum(between.values())} imports between them",
        f"{len(set(graph.layers(rooms).values()))} layers",
        f"{sum(between[each] for each in rising)} imports upwards",
        f"{len(graph.circles(rooms))} circles of folders",
    ]
    lines = [
        f"{root}: {', '.join(counted)}",
        f"  {', '.join(of_rooms)}",
        f"  bottom first: {', '.join(order)}",
    ]
    lines += [
        f"  upwards: {a} imports {b}" for a, b in edges if room(a) != room(b) and (room(a), room(b)) in rising
    ]
    lines += [f"  circle: {', '.join(each)}" for each in graph.circles(files)]
    return "\n".join(lines)


def main() -> None:
    """Print the figures of each folder that is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path, help="a folder of scripts, such as static/js/view")
    for folder in parser.parse_args().folder:
        print(report(folder))


if __name__ == "__main__":
    main()
