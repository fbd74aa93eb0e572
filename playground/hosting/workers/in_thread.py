"""Workers as threads of the server, for tests and for machines that cannot start processes."""

from __future__ import annotations

import contextlib
import os
import socket
import threading

from playground.hosting.door import NodeDoor
from playground.hosting.workers.link import Link
from playground.hosting.workers.pool import ENDS_S, Started
from playground.hosting.workers.pulse import Pulse
from playground.hosting.workers.worker import Worker


class InThread:
    """Starts workers as threads of this process.

    Args:
        door: makes the engines.
    """

    def __init__(self, door: NodeDoor) -> None:
        self._door = door

    def __call__(self) -> tuple[socket.socket, Started]:
        """Start one."""
        ours, theirs = socket.socketpair()
        worker = Worker(Link(theirs), self._door)
        thread = threading.Thread(target=worker.serve, name="engines", daemon=True)
        thread.start()
        return ours, _Thread(thread, theirs)


class _Thread:
    """See `pool.Started`."""

    def __init__(self, thread: threading.Thread, end: socket.socket) -> None:
        self.pulse = Pulse(os.getpid(), thread.native_id or 0)
        self._thread = thread
        self._end = end

    def kill(self) -> None:
        """Take its socket away; it ends after its turn."""
        with contextlib.suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def wait(self) -> None:
        """Return when it has ended, or after a while."""
        self._thread.join(ENDS_S)
