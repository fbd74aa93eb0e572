"""Rooms: the folders directly below a part of the project, and which of them may import which."""

from tests.layering.graph import Graph


def room_of(path: str) -> str:
    """Return the room of a file, given by its path inside the part: `queues/mail.py` is in `queues`."""
    return path.partition("/")[0]


def rooms_of(graph: Graph) -> dict[str, set[str]]:
    """Return the imports between rooms; a file that is in no folder is a room of its own."""
    rooms: dict[str, set[str]] = {room_of(path): set() for path in graph}
    for path, targets in graph.items():
        rooms[room_of(path)] |= {room_of(target) for target in targets} - {room_of(path)}
    return rooms
