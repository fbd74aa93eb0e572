"""Workers as threads of the server, for tests and for machines that cannot start processes."""

from __future__ import annotations

import socket
import threading

from playground.hosting.door import Door
from playground.hosting.workers.link import Link
from playground.hosting.workers.pool import Kill
from playground.hosting.workers.worker import Worker


class InThread:
    """Starts workers as threads of this process.

    Args:
        door: makes the engines.
    """

    def __init__(self, door: Door) -> None:
        self._door = door
        self.workers: list[Worker] = []

    def __call__(self) -> tuple[socket.socket, Kill]:
        """Start one."""
        ours, theirs = socket.socketpair()
        worker = Worker(Link(theirs), self._door)
        self.workers.append(worker)
        threading.Thread(target=worker.serve, name="engines", daemon=True).start()
        return ours, lambda: theirs.shutdown(socket.SHUT_RDWR)
