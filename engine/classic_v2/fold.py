"""What a classic queue of version 2 shows of itself besides its lanes: its files and write buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.backing_queue.message_places import CLASSIC_V2
from engine.classic_v2.files_table import LIVE, FilesTable
from engine.classic_v2.transitions import FilesFound
from engine.folding import FoldTable, found_by, register
from engine.values.stretches import Range


class V2OwnPart:
    """The own part of one queue."""

    __slots__ = ("files",)

    def __init__(self) -> None:
        self.files = FilesTable()

    def begin(self) -> None:
        """The queue begins; its recovery has found the files before."""

    def to_json(self) -> dict[str, Any]:
        return {"files": self.files.to_json()}

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        for start, count, code in own["files"]["slots"]:
            if code == LIVE:
                yield start, start + count


def _files_of(state: Any, t: Any) -> FilesTable:
    """Return the files of a queue; with the first transition about them it is known to be of version 2."""
    queue = state.queue(t.queue)
    if not isinstance(queue.own, V2OwnPart):
        queue.info["backing_queue"] = CLASSIC_V2
        queue.own = V2OwnPart()
    return queue.own.files


TABLES: Final[Mapping[str, FoldTable]] = {"files": FoldTable(FilesTable, _files_of)}
"""Tables that only transitions of version 2 change, by their names in `About.fold`."""

register(TABLES, CLASSIC_V2, V2OwnPart)


@found_by(FilesFound)
def _found(t: FilesFound) -> tuple[Range, ...]:
    return t.live
