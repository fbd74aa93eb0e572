"""Where the real files of live sessions are: one directory for each process, one inside it for each session.

A process holds a lock on its directory as long as it lives. The next one to start removes those that nobody holds, so
a killed server leaves nothing behind for long.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import shutil
from pathlib import Path
from typing import IO

logger = logging.getLogger(__name__)


class SessionFiles:
    """A directory with one directory for each session in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session."""
        path = self.of(session_id)
        self.forget(session_id)
        path.mkdir(parents=True)
        return path

    def of(self, session_id: str) -> Path:
        """Return where the files of a session are, or would be."""
        return self.path / session_id

    def forget(self, session_id: str) -> None:
        """Remove the files of a session."""
        shutil.rmtree(self.of(session_id), ignore_errors=True)


class ProcessDirectory(SessionFiles):
    """The directory of this process under `root`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.swept = [path.name for path in sweep(root)]
        """The processes that were found to be gone."""
        super().__init__(root / f"process-{os.getpid()}-{os.urandom(4).hex()}")
        self._lock_path = self.path.with_suffix(".lock")
        self._lock: IO[bytes] | None = None
        self._begin()
        atexit.register(self.remove)

    def _begin(self) -> None:
        """Make the directory. Its lock lies beside it and is taken first, so that a sweep sees no unlocked one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock:
            self._lock.close()
        self._lock = _locked(self._lock_path)
        self.path.mkdir(exist_ok=True)

    def renew(self) -> None:
        """Make the directory again if somebody removed the files of all sessions."""
        if not self._lock_path.exists():
            self._begin()

    def remove(self) -> None:
        """Remove everything of this process."""
        atexit.unregister(self.remove)
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._lock_path.unlink()
        if self._lock:
            self._lock.close()
            self._lock = None


def _locked(path: Path) -> IO[bytes] | None:
    """Open and lock a file, or return None when another process holds it."""
    handle = path.open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        return None
    return handle


def sweep(root: Path) -> list[Path]:
    """Remove the directories of processes that are gone; return them."""
    removed = []
    for lock_path in root.glob("process-*.lock"):
        handle = _locked(lock_path)
        if handle is None:
            continue
        path = lock_path.with_suffix("")
        with contextlib.closing(handle):
            shutil.rmtree(path, ignore_errors=True)
            lock_path.unlink(missing_ok=True)
        removed.append(path)
        logger.info("removed the files of a process that is gone: %s", path.name)
    return removed
