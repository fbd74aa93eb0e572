"""Orders and answers between the server and its processes for jobs: each is its length in eight bytes, and a pickle.

Both ends run this program, and input from strangers is never unpickled, only carried as text.
"""

from __future__ import annotations

import pickle
import socket
from typing import Any, Final

LENGTH_BYTES: Final = 8
MOST_BYTES: Final = 128 << 20
"""Most bytes of one answer; the largest written page has a quarter of this."""


class JobLinkBroken(Exception):
    """The other end is gone, or sends what it never does."""


def send(end: socket.socket, message: Any) -> None:
    """Send a message. Raises Broken; what cannot be pickled raises before anything is sent."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    if len(data) > MOST_BYTES:
        raise MemoryError
    try:
        end.sendall(len(data).to_bytes(LENGTH_BYTES) + data)
    except (BrokenPipeError, ConnectionResetError):
        raise JobLinkBroken from None


def receive(end: socket.socket) -> Any:
    """Return the next message. Raises Broken; TimeoutError where the socket has a time limit."""
    size_bytes = int.from_bytes(_exactly(end, LENGTH_BYTES))
    if size_bytes > MOST_BYTES:
        raise JobLinkBroken
    return pickle.loads(_exactly(end, size_bytes))  # noqa: S301 - of a process that this server started itself


def _exactly(end: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        try:
            part = end.recv(min(count - len(data), 1 << 20))
        except ConnectionResetError:
            raise JobLinkBroken from None
        if not part:
            raise JobLinkBroken
        data += part
    return bytes(data)
