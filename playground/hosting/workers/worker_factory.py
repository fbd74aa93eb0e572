"""Forks workers in milliseconds from a process that has loaded the engine and has no session. Loading the
engine takes most of a second of processor time, for which the sessions of a lost worker would have to wait.
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

from playground.hosting.workers.link import NUMBER_BYTES, ONE_MORE
from playground.hosting.workers.pool import ROOT, StartedProcess, WorkerHeartbeat

CAN_FORK: Final = hasattr(os, "pidfd_open")
"""Whether the kernel has lasting handles of processes, as Linux has; elsewhere each worker loads the engine itself."""
ANSWERS_S: Final = 120.0
"""Longest wait for its answer; a new one first loads the engine, perhaps on a busy machine."""
MORE: Final = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment that keeps numpy single-threaded, because only a process with a single thread may be forked."""


class ForkedWorker:
    """A forked worker; see `StartedProcess`.

    Args:
        handle: the kernel's lasting handle of that process (a pidfd).
    """

    def __init__(self, pid: int, handle: int) -> None:
        self.pulse = WorkerHeartbeat(pid, pid)
        self._handle = handle

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        ended.poll()


FORKS: Final = "playground.hosting.workers.forks"


class WorkerFactory:
    """Starts workers through a process that forks them. That process starts with the first worker, and again if it is
    gone.

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
        """Fork a worker at the other end of a new socket; if this fails, a worker that was still forked ends."""
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
        """Drop a process that does not answer or is no longer needed."""
        if self._ours is not None:
            self._ours.close()
            self._ours = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
