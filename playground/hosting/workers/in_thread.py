"""Workers as threads of the server, for tests and for machines that cannot start processes."""

from __future__ import annotations

import contextlib
import os
import socket
import threading

from playground.hosting.engine_api import NodeDoor
from playground.hosting.workers.link import ProcessLink
from playground.hosting.workers.pool import ENDS_S, StartedProcess, WorkerHeartbeat
from playground.hosting.workers.worker import EngineWorker


class InThread:
    """Starts workers as threads of this process.

    Args:
        door: makes the engines.
    """

    def __init__(self, door: NodeDoor) -> None:
        self._door = door

    def __call__(self) -> tuple[socket.socket, StartedProcess]:
        ours, theirs = socket.socketpair()
        worker = EngineWorker(ProcessLink(theirs), self._door)
        thread = threading.Thread(target=worker.serve, name="engines", daemon=True)
        thread.start()
        return ours, _Thread(thread, theirs)


class _Thread:
    """See `pool.Started`."""

    def __init__(self, thread: threading.Thread, end: socket.socket) -> None:
        self.pulse = WorkerHeartbeat(os.getpid(), thread.native_id or 0)
        self._thread = thread
        self._end = end

    def kill(self) -> None:
        """Take its socket away; it ends after its turn."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def wait(self) -> None:
        """Return when it has ended, or after a while."""
        self._thread.join(ENDS_S)
