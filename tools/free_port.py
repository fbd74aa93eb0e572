"""Choosing a port to listen on that nobody takes before the server does."""

from __future__ import annotations

import random
import socket

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20_000, 32_000
"""Below the ports that a system gives to outgoing connections (32768 and up on Linux, 49152 and up elsewhere): one of
those may be taken by anybody's connection between two starts of a server.
"""
_chosen = random.SystemRandom()


def free_port() -> int:
    """Return a port of the loopback address on which nothing listens at the moment.

    Raises:
        OSError: a hundred ports were tried, and each was taken.
    """
    for _try in range(100):
        port = _chosen.randrange(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return port
    raise OSError(f"no port between {FIRST} and {LAST} is free")
