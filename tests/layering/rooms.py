"""Rooms: the folders directly below a part of the project, and which of them may import which."""

from collections.abc import Iterator, Sequence

from tests.layering.graph import Graph, circles

ROOMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "engine/broker": (
        ("time",),
        ("commands",),
        ("memory", "vhost"),
        ("clients",),
        ("queues",),
        ("mirrors",),
        ("control",),
        ("node.py",),
    ),
}
"""For each part its layers, the lowest first. A room imports what lies below it: no neighbour, and nothing above."""

WITHOUT_CIRCLES = ("engine/broker", "playground", "workloads", "sweeps", "spark_jobs")
"""Parts in which no files import each other; `test_javascript` checks the scripts."""

ROOMS_WITHOUT_CIRCLES = ("engine/broker", "playground")
"""Parts in which no rooms import each other either, not even by way of different files."""


def room_of(path: str) -> str:
    """Return the room of a file, given by its path inside the part: `queues/mail.py` is in `queues`."""
    return path.partition("/")[0]


def rooms_of(graph: Graph) -> dict[str, set[str]]:
    """Return the imports between rooms; a file that is in no folder is a room of its own."""
    rooms: dict[str, set[str]] = {room_of(path): set() for path in graph}
    for path, targets in graph.items():
        rooms[room_of(path)] |= {room_of(target) for target in targets} - {room_of(path)}
    return rooms


def room_breaches(part: str, files: Graph, layers: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each file without a layer, and each import that its layer does not allow."""
    height = {name: at for at, layer in enumerate(layers) for name in layer}
    for source, targets in files.items():
        own = height.get(room_of(source))
        if own is None:
            yield f"{part}/{source} is in no room of the table"
            continue
        for target in sorted(targets):
            if room_of(target) != room_of(source) and height.get(room_of(target), len(layers)) >= own:
                yield f"{part}/{source} imports {target}, which does not lie below {room_of(source)}"


def circle_breaches(part: str, files: Graph) -> Iterator[str]:
    """Yield a sentence for each group of files that import each other."""
    for each in circles(files):
        yield f"in {part} these import each other: {', '.join(each)}"
