"""Rooms, the folders directly below a part of the project, and files that import each other."""

from collections.abc import Iterator

from tests.layering.graph import Graph, circles

WITHOUT_CIRCLES = ("engine", "playground", "workloads", "sweeps", "spark_jobs", "tools", "tests")
"""Parts in which no files import each other; `test_javascript` checks the scripts."""


def room_of(path: str) -> str:
    """Return the room of a file, given by its path inside the part: `queues/mail.py` is in `queues`."""
    return path.partition("/")[0]


def rooms_of(graph: Graph) -> dict[str, set[str]]:
    """Return the imports between rooms; a file that is in no folder is a room of its own."""
    rooms: dict[str, set[str]] = {room_of(path): set() for path in graph}
    for path, targets in graph.items():
        rooms[room_of(path)] |= {room_of(target) for target in targets} - {room_of(path)}
    return rooms


def circle_breaches(part: str, files: Graph) -> Iterator[str]:
    """Yield a sentence for each group of files that import each other."""
    for each in circles(files):
        yield f"in {part} these import each other: {', '.join(each)}"
