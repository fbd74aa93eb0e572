"""Choosing a port to listen on that nobody takes before the server does."""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from collections import deque
from pathlib import Path
from typing import Final

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20_000, 32_000
"""Below the ports that a system gives to outgoing connections (32768 and up on Linux, 49152 and up elsewhere): one of
those may be taken by anybody's connection between two starts of a server.
"""
CLAIMED: Final = Path(tempfile.gettempdir()) / f"waterline-ports-{os.getuid()}"
"""Each byte is a port; a process locks those that it was given, as seconds may pass before its server listens."""
MOST_CLAIMED: Final = 1000
"""Ports that one process keeps for itself; beyond them it gives back its oldest."""
_chosen = random.SystemRandom()
_handles: dict[int, int] = {}
_mine: deque[int] = deque()


def free_port() -> int:
    """Return a port of the loopback address on which nothing listens, and that no other process was given.

    Raises:
        OSError: a hundred ports were tried, and each was taken.
    """
    process = os.getpid()
    if process not in _handles:  # a lock belongs to the process that took it; a child has none
        _handles[process] = os.open(CLAIMED, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _mine.clear()
    for _try in range(100):
        port = _chosen.randrange(FIRST, LAST)
        if port not in _mine and _is_free(port) and _claim(_handles[process], port):
            return port
    raise OSError(f"no port between {FIRST} and {LAST} is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _claim(handle: int, port: int) -> bool:
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    _mine.append(port)
    if len(_mine) > MOST_CLAIMED:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, _mine.popleft())
    return True
