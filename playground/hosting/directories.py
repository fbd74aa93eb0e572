"""The real files of live sessions: one directory for each process, with one for each session in it. A process
locks its directory while it lives. The next process to start removes unlocked directories, so a killed
server's files do not stay for long. A worker of a killed server lives slightly longer and may still write, so
no worker recreates the directory of its process, and a lock is removed only after its directory.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import logging
import os
import shutil
import time
from pathlib import Path
from typing import IO, Final

logger = logging.getLogger(__name__)

ATTEMPTS: Final = 20
AGAIN_S: Final = 0.1
"""How often, and after how long, to remove a directory again if somebody wrote into it meanwhile."""


class SessionFiles:
    """A directory with one directory for each session in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session.

        Raises:
            FileNotFoundError: the directory of the process is gone.
        """
        path = self.of(session_id)
        self.forget(session_id)
        path.mkdir()
        return path

    def of(self, session_id: str) -> Path:
        return self.path / session_id

    def forget(self, session_id: str) -> None:
        shutil.rmtree(self.of(session_id), ignore_errors=True)


class ProcessDirectory(SessionFiles):
    """The directory of this process under `root`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.swept = [path.name for path in sweep(root)]
        """Processes found to be gone."""
        super().__init__(root / f"process-{os.getpid()}-{os.urandom(4).hex()}")
        self._lock_path = self.path.with_suffix(".lock")
        self._lock: IO[bytes] | None = None
        self._ended = False
        self._begin()
        atexit.register(self.remove)

    def _begin(self) -> None:
        """Make the directory. Its lock is beside it and taken first, so that a sweep finds no unlocked directory."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._lock:
            self._lock.close()
        self._lock = _locked(self._lock_path)
        self.path.mkdir(exist_ok=True)

    def renew(self) -> None:
        """Make the directory again if somebody removed the files of all sessions.

        Raises:
            FileNotFoundError: this process has removed its directory; a thread that is late does not bring it back.
        """
        if self._ended:
            raise FileNotFoundError(self.path)
        if not self._lock_path.exists():
            self._begin()
        self.path.mkdir(exist_ok=True)

    def fresh(self, session_id: str) -> Path:
        """Return an empty directory for a session in this process's directory, which `renew` makes if needed."""
        self.renew()
        return super().fresh(session_id)

    def remove(self) -> None:
        atexit.unregister(self.remove)
        self._ended = True
        if _removed(self.path):
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


def _removed(path: Path) -> bool:
    """Remove a directory, repeatedly while somebody still writes into it; return whether it is gone."""
    for _attempt in range(ATTEMPTS):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return True
        time.sleep(AGAIN_S)
    logger.warning("the files of a process cannot be removed: %s", path.name)
    return False


def sweep(root: Path) -> list[Path]:
    """Remove the directories of processes that are gone; return them."""
    removed = []
    for lock_path in root.glob("process-*.lock"):
        handle = _locked(lock_path)
        if handle is None:
            continue
        path = lock_path.with_suffix("")
        with contextlib.closing(handle):
            if not _removed(path):
                continue
            lock_path.unlink(missing_ok=True)
        removed.append(path)
        logger.info("removed the files of a process that is gone: %s", path.name)
    return removed
