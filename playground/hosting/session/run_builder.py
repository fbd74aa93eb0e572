"""A session's run: built from its record, or brought back from a checkpoint, and kept as one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from playground.hosting.checkpoints import CheckpointStore
from playground.hosting.engine_api import NodeDoor
from playground.hosting.run import RunReplay, SessionRun
from playground.hosting.session import pacer
from playground.hosting.session_record import RecordedSession
from playground.limits.session_bounds import SessionBounds


class DataFiles(Protocol):
    """Where the files of sessions are."""

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session."""

    def of(self, session_id: str) -> Path:
        """Return the path of a session's files, existing or not."""

    def forget(self, session_id: str) -> None:
        """Remove the files of a session."""


logger = logging.getLogger(__name__)


class RunStorage(NamedTuple):
    """Where the runs of a process are kept.

    Args:
        files: makes and removes the directory of each.
        checkpoints: keeps whole runs; None for none.
    """

    files: DataFiles
    checkpoints: CheckpointStore | None = None


class RunBuilder:
    """Builds one session's runs.

    Args:
        storage: for its files and checkpoints.
        clock: real seconds.
        breathe: lets others have their turn; called between two transitions.
        report: hears how many percent are repeated, where that takes long.
    """

    def __init__(
        self,
        session_id: str,
        *,
        door: NodeDoor,
        storage: RunStorage,
        bounds: SessionBounds,
        clock: Callable[[], float],
        breathe: Callable[[], None],
        report: Callable[[int], None],
    ) -> None:
        self._session_id = session_id
        self._door = door
        self._files, self._checkpoints = storage
        self._bounds = bounds
        self._clock = clock
        self._breathe = breathe
        self._report = report
        self._kept_number = 0
        """Transitions of the run when it was kept last."""

    def build(self, record: RecordedSession, until_us: int) -> SessionRun:
        """Bring the newest checkpoint back and go on from there; without one that works, from the beginning.

        Args:
            until_us: the virtual time to come to, in microseconds.
        """
        if self._checkpoints is not None:
            try:
                path = self._files.fresh(self._session_id)
                found = self._checkpoints.restore(self._session_id, record, until_us, path, self._breathe)
                if found is not None:
                    node, files, given = found
                    return self._repeat(
                        record,
                        until_us,
                        SessionRun(node, files, self._bounds.max_disk_bytes, self._clock),
                        given,
                    )
            except (OSError, MemoryError, *self._door.full):  # type: ignore[misc]  # mypy cannot unpack a tuple here
                logger.exception("session %s: its checkpoint cannot be used now", self._session_id)
            except Exception:
                logger.exception("session %s: its checkpoints are of no use", self._session_id)
                self._checkpoints.forget(self._session_id)
        path = self._files.fresh(self._session_id)
        node, files = self._door.open(record.scenario, str(path), self._bounds.room_bytes)
        return self._repeat(
            record, until_us, SessionRun(node, files, self._bounds.max_disk_bytes, self._clock), 0
        )

    def _repeat(self, record: RecordedSession, until_us: int, run: SessionRun, given: int) -> SessionRun:
        """Repeat what comes after the first `given` commands."""
        run.node.log.pause = self._breathe
        replay = RunReplay(run, record.commands[given:], until_us)
        self._kept_number = run.node.log.number if given else 0
        reported_s = self._clock()
        try:
            while not replay.go_on(pacer.SLICE_S):
                self._breathe()
                if self._clock() - reported_s >= pacer.NOTICE_S:
                    reported_s = self._clock()
                    self._report(min(99, run.node.now_us * 100 // max(1, until_us)))
        except BaseException:
            run.close()
            raise
        return run

    def keep(self, run: SessionRun, record: RecordedSession, after: int) -> None:
        """Keep the run as it is if so many transitions came since the last time."""
        number = run.node.log.number
        if self._checkpoints is None or number - self._kept_number < after:
            return
        self._kept_number = number
        path = self._files.of(self._session_id)
        run.node.log.pause = None  # a way back into this process is no part of a run
        try:
            self._checkpoints.save(self._session_id, run.node, run.files, path, record, self._breathe)
        except OSError:
            logger.exception("session %s: no checkpoint could be written", self._session_id)
        finally:
            run.node.log.pause = self._breathe
