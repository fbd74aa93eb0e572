"""The program that forks workers: it loads the engine once, and ends when the server is gone.

`python -m playground.hosting.workers.forks FD` is how the server starts it (`workers/pool.py`).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable

from playground.hosting.workers import worker
from playground.hosting.workers.link import NUMBER_BYTES, ONE_MORE


def fork(server: socket.socket) -> int:
    """Fork; return 0 in the new process and its pid, already sent to the server, in this one. If it fails,
    the server gets the error's number and this returns -1.
    """
    try:
        pid = os.fork()
        handle = os.pidfd_open(pid) if pid else -1
    except OSError as error:
        server.sendall((error.errno or 1).to_bytes(NUMBER_BYTES))
        return -1
    if pid == 0:
        server.close()
        os.setpgid(0, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        return 0
    socket.send_fds(server, [pid.to_bytes(NUMBER_BYTES)], [handle])
    os.close(handle)
    return pid


def main(serve: Callable[[int], None]) -> None:
    """Fork a process for each handle that comes over the socket whose number is the only argument.

    Args:
        serve: what such a process does; takes the handle's number, and ends the process.
    """
    # The kernel forgets those that end: the server watches them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # what is loaded stays in memory that all of them share
    server = socket.socket(fileno=int(sys.argv[1]))
    while True:
        _order, handles, _flags, _address = socket.recv_fds(server, len(ONE_MORE), 1)
        if not handles:
            return  # the server is gone
        if fork(server) == 0:
            serve(handles[0])
        os.close(handles[0])


if __name__ == "__main__":
    main(worker.serve)
