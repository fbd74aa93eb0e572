"""Workers from a process that has loaded the engine and has no session: it forks one, in milliseconds, when asked.

To load the engine takes most of a second of a processor. Where a worker is lost, its sessions would wait for that;
where all are lost at once, for as many such seconds as processors are too few.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from typing import Final

from playground.hosting.workers.orders import NUMBER_BYTES, ONE_MORE
from playground.hosting.workers.pool import ROOT, StartedProcess
from playground.hosting.workers.worker_heartbeat import WorkerHeartbeat

CAN_FORK: Final = hasattr(os, "pidfd_open")
"""Whether the kernel can name a process for good (Linux can); elsewhere each worker loads the engine by itself."""
ANSWERS_S: Final = 120.0
"""One that was just started loads the engine first, on a busy machine too."""
MORE: Final = {"OPENBLAS_NUM_THREADS": "1"}
"""Only a process with a single thread may be forked, and engines calculate no matrices."""


class ForkedWorker:
    """A worker that the nursery has forked: see `pool.Started`.

    Args:
        pid: of its process.
        handle: by which the kernel names that process and never another one (a pidfd).
    """

    def __init__(self, pid: int, handle: int) -> None:
        self.pulse = WorkerHeartbeat(pid, pid)
        self._handle = handle

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        """Return when it has ended."""
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        ended.poll()


FORKS: Final = "playground.hosting.workers.forks"


class WorkerFactory:
    """Starts workers by a process that forks them. It is started with the first one, and again where it is gone.

    Args:
        program: the module that forks, which decides what its processes do.
    """

    def __init__(self, program: str = FORKS) -> None:
        self._program = program
        self._one_at_a_time = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ours: socket.socket | None = None

    def __call__(self) -> tuple[socket.socket, StartedProcess]:
        """Start a worker.

        Returns:
            The server's end of the socket to it, and its process.

        Raises:
            OSError: the system has no room for it.
        """
        with self._one_at_a_time:
            try:
                return self._one()
            except OSError:  # it was lost with those that it had forked
                self.end()
                return self._one()

    def _one(self) -> tuple[socket.socket, StartedProcess]:
        """Fork a worker at the other end of a new socket: where this fails, one that was forked all the same ends."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                return ours, self._fork(theirs)
            except OSError:
                ours.close()
                raise

    def _fork(self, theirs: socket.socket) -> ForkedWorker:
        ours = self._ours or self._begin()
        socket.send_fds(ours, [ONE_MORE], [theirs.fileno()])
        answer, handles, _flags, _address = socket.recv_fds(ours, NUMBER_BYTES, 1)
        if not handles:
            raise OSError(int.from_bytes(answer), "no worker can be forked")
        return ForkedWorker(int.from_bytes(answer), handles[0])

    def _begin(self) -> socket.socket:
        self._ours, theirs = socket.socketpair()
        self._ours.settimeout(ANSWERS_S)
        number = theirs.fileno()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
                [sys.executable, "-m", self._program, str(number)],
                cwd=ROOT,
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the server
                env={**os.environ, **MORE},
            )
        return self._ours

    def end(self) -> None:
        """Let go of a process that does not answer, or that nobody needs any more."""
        if self._ours is not None:
            self._ours.close()
            self._ours = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
