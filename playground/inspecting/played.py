"""A start on files that were given, played and counted: the messages in their order, the files, and the work."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.backing_queue.stores import CLEAN
from engine.broker.cluster import Cluster
from playground.inspecting.placed_files import PlacedFiles, has_placed
from playground.inspecting.readout import CRASHES
from playground.inspecting.revival import (
    POWER_CUT_US,
    UNTIL_US,
    FoundFiles,
    QueueRevival,
    files_of,
    parse_whole,
    taken_out,
)
from playground.inspecting.stopped import of_node
from playground.inspecting.unreadable import why

ROOM_BYTES: Final = 256 << 20


class _CountedFiles(FoundFiles):
    """Files that count what a start does with them."""

    def __init__(self, revival: QueueRevival) -> None:
        super().__init__(revival.files, ROOM_BYTES, revival.stop, revival.decoded)
        self.work = dict.fromkeys(("read", "written", "synced", "deleted"), 0)
        """Bytes read and written; calls that make a file durable, and files deleted."""

    def power_cut(self) -> None:
        super().power_cut()
        self.work = dict.fromkeys(self.work, 0)

    def read(self, path: str, decode: Any) -> Any:
        self.work["read"] += self.size(path) or 0
        return super().read(path, decode)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        found = super().read_bytes(path, offset, count)
        self.work["read"] += len(found)
        return found

    def append(self, path: str, chunks: Any) -> None:
        super().append(path, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def write(self, path: str, offset: int, chunks: Any) -> None:
        super().write(path, offset, chunks)
        self.work["written"] += sum(each.size_bytes for each in chunks)

    def fsync(self, path: str) -> None:
        super().fsync(path)
        self.work["synced"] += 1

    def delete(self, path: str) -> None:
        self.work["deleted"] += self.size(path) is not None
        super().delete(path)


def _begun(revival: QueueRevival, storage: _CountedFiles) -> Cluster:
    node = Cluster(parse_whole({**revival.scenario, "commands": []}), storage)
    storage.met_to_count(node)
    node.advance(POWER_CUT_US)
    node.submit({"do": "restart", "kind": "power"})
    node.advance(UNTIL_US)
    return node


def _played_on(node: Cluster, revival: QueueRevival, storage: _CountedFiles) -> None:
    """Play what a scenario asks after the start, and count its work alone."""
    for command in revival.scenario["commands"]:
        if command["at_us"] >= UNTIL_US:
            storage.work = dict.fromkeys(storage.work, 0)
            node.submit({name: value for name, value in command.items() if name != "at_us"})
    node.advance(max(UNTIL_US, revival.scenario["until_us"]))


def start(revival: QueueRevival) -> dict[str, Any]:
    """Return what a start makes of the files: each queue's messages in order, its files afterwards, and its work."""
    storage = _CountedFiles(revival)
    try:
        node = _begun(revival, storage)
        _played_on(node, revival, storage)
        work = dict(storage.work)
        files = files_of(storage)  # before messages are taken, which writes some
        found = taken_out(msgspec.structs.replace(revival, node=node))
        return {"queues": found, "files": files, "work": work, "failure": None}
    except CRASHES as error:
        return {"queues": {}, "files": {}, "work": None, "failure": why(error)}


def stop(revival: QueueRevival) -> tuple[QueueRevival | None, dict[str, Any]]:
    """Start the release that wrote the files, and stop it in order (Q63, W95).

    Returns:
        A start on what it left, None where it fails; and what the stop made of the files, as `start` says it, with
        which queues saved their terms.
    """
    storage = _CountedFiles(revival)
    try:
        node = _begun(revival, storage)
        before = files_of(storage)
        storage.work = dict.fromkeys(storage.work, 0)
        node.submit({"do": "stop_app"})
        node.advance(node.now_us + POWER_CUT_US)
        saved = of_node(node)
        work, after = dict(storage.work), files_of(storage)
    except CRASHES as error:
        return None, {"files": [], "work": None, "saved": {}, "failure": why(error)}
    kept = PlacedFiles(storage)
    is_placed = has_placed(revival.files)
    left = {
        path: kept.file(path) if is_placed else storage.read_bytes(path, 0, storage.size(path) or 0)
        for path in storage.paths()
        if not path.endswith((f"/{CLEAN}", "/.vhost"))
    }
    stopped = msgspec.structs.replace(
        revival, files=left, stop=saved, state=None, messages=[], failure=None, unplayed=None, node=None
    )
    own = {name: saved.terms.get(inside) is not None for name, inside in revival.names.items()}
    return stopped, {"files": changes(before, after), "work": work, "saved": own, "failure": None}


def changes(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
) -> list[tuple[str, int, int, int, int]]:
    """Return (kind, files and bytes before, files and bytes afterwards) of each kind of file."""
    return [(kind, *before.get(kind, (0, 0)), *after.get(kind, (0, 0))) for kind in sorted({*before, *after})]
