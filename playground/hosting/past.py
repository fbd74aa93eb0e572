"""The files of past moments: a run repeated up to one of its transitions, in a directory that is kept for a while."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.replay import RunPlayer
from playground.hosting.directories import ProcessDirectory
from playground.hosting.engine_api import NodeDoor
from playground.hosting.file_places import NotThere
from playground.hosting.session_record import RecordedSession
from playground.limits.session_limits import SessionLimits

KEPT: Final = 4
"""Moments that are kept at the same time; each may take as much disk as a session."""
FULL: Final = 0.9
"""Part of the allowed disk that may be taken."""


class PastFiles(msgspec.Struct, eq=False):
    """The files after that many transitions."""

    path: Path
    used: list[tuple[int, dict[str, Any]]]
    """The commands that were repeated: while the record begins with them, the files are still true."""
    readers: int = 0


def files_of(door: NodeDoor, limits: SessionLimits, root: str, number: int, record: RecordedSession) -> int:
    """Repeat a run on real files under `root` up to a transition; return how many of the commands that took.

    Args:
        door: makes the node.
        limits: `past_s` bounds the time of a repetition, `max_disk_bytes` its files.
        root: an empty directory.
        number: of transitions.
        record: of the session.

    Raises:
        NotThere: see `PastReader.at`.
    """
    node, files = door.open(record.scenario, root, limits.max_disk_bytes)
    player = RunPlayer(node, record.commands)
    deadline_s = time.monotonic() + limits.past_s
    try:
        for piece in player.play_to(number, limits.max_virtual_s * 1_000_000):
            if piece.last:
                break
            if time.monotonic() > deadline_s or files.used_bytes() > limits.max_disk_bytes * FULL:
                raise NotThere("too_long")
    except door.full as error:
        raise NotThere("too_long") from error
    finally:
        files.close()
    if node.log.number < number:
        raise NotThere("future")
    return player.given


class PastReader:
    """Repeats runs, one at a time.

    Args:
        directory: of this process; the files of moments lie beside those of live sessions.
        repeat: makes the files of a moment, see `files_of`: gets a directory, the number of transitions and the record.
        patience_s: longest that one waits for another's repetition.
    """

    def __init__(
        self,
        directory: ProcessDirectory,
        repeat: Callable[[str, int, RecordedSession], int],
        patience_s: float,
    ) -> None:
        self._directory = directory
        self._repeat_files = repeat
        self._patience_s = patience_s
        self._kept: OrderedDict[tuple[str, int], PastFiles] = OrderedDict()
        self._guard = threading.Lock()
        self._turn = threading.Lock()
        self.repeated = 0
        """How many runs were repeated so far."""

    def has(self, session_id: str, number: int, record: RecordedSession) -> bool:
        """Return whether the files are there already."""
        with self._guard:
            return self._find((session_id, number), record) is not None

    @contextlib.contextmanager
    def at(self, session_id: str, number: int, record: RecordedSession) -> Iterator[Path]:
        """Lend the directory of the files after `number` transitions.

        Raises:
            NotThere: "future" when the run has not come that far, "too_long" when repeating it takes too long or
                too much disk, "busy" when others are repeated meanwhile.
        """
        moment = self._take((session_id, number), record)
        try:
            yield moment.path
        finally:
            with self._guard:
                moment.readers -= 1
                self._trim()

    def _take(self, key: tuple[str, int], record: RecordedSession) -> PastFiles:
        with self._guard:
            moment = self._find(key, record)
            if moment is not None:
                return self._lend(key, moment)
        if not self._turn.acquire(timeout=self._patience_s):
            raise NotThere("busy")
        try:
            with self._guard:
                moment = self._find(key, record)  # who waited for the same moment finds it made
            if moment is None:
                moment = self._repeat(key, record)
            with self._guard:
                self._kept[key] = moment
                return self._lend(key, moment)
        finally:
            self._turn.release()

    def _find(self, key: tuple[str, int], record: RecordedSession) -> PastFiles | None:
        moment = self._kept.get(key)
        if moment is None or record.commands[: len(moment.used)] != moment.used:
            return None
        return moment

    def _lend(self, key: tuple[str, int], moment: PastFiles) -> PastFiles:
        moment.readers += 1
        self._kept.move_to_end(key)
        self._trim()
        return moment

    def _trim(self) -> None:
        """Forget the moments that nobody has asked for the longest time, but those that somebody reads."""
        for key in [key for key, moment in self._kept.items() if not moment.readers]:
            if len(self._kept) <= KEPT:
                return
            self._directory.forget(self._kept.pop(key).path.name)

    def _repeat(self, key: tuple[str, int], record: RecordedSession) -> PastFiles:
        session_id, number = key
        self.repeated += 1
        path = self._directory.fresh(f"{session_id}.{number}.{self.repeated}")
        try:
            used = self._repeat_files(str(path), number, record)
        except BaseException:
            self._directory.forget(path.name)
            raise
        return PastFiles(path, record.commands[:used])
