"""Messages over a socket between two processes of this server, a length in four bytes before each, and their start."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from engine.values.sizes import plain
from playground.hosting.protocol import FromWorker, ToWorker

LENGTH: Final = struct.Struct(">I")
READ_BYTES: Final = 256 * 1024
HELD_BYTES: Final = 256 * 1024
"""Pending bytes from which a message is sent at once."""
NEW_OBJECTS: Final = 2_000, 10, 100
"""Between two searches for what refers to itself: among new objects, so many times among older ones, and so many times
among all. With Python's own numbers, a class of 300 was held up for 0.2 s every four seconds by the server's, and for
0.1 s every eight by a worker's, though the engine leaves nothing of that kind.
"""


class LinkCodec(NamedTuple):
    """How one end writes and reads messages."""

    encode: Callable[[Any], bytes]
    decode: Callable[[memoryview], Any]
    most_bytes: int = (1 << 8 * LENGTH.size) - 1

    def packed(self, message: Any) -> bytes:
        """Return a message as it goes over the socket. Raises MemoryError beyond `most_bytes`."""
        data = self.encode(message)
        if len(data) > self.most_bytes:
            raise MemoryError
        return LENGTH.pack(len(data)) + data


_encode: Final = msgspec.msgpack.Encoder(enc_hook=plain).encode
SERVER_END: Final = LinkCodec(_encode, msgspec.msgpack.Decoder(FromWorker).decode)
WORKER_END: Final = LinkCodec(_encode, msgspec.msgpack.Decoder(ToWorker).decode)


class MessageUnpacker:
    """Finds messages in what arrives, piece by piece."""

    def __init__(self, codec: LinkCodec) -> None:
        self._codec = codec
        self._data = bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Return the messages that are complete. Raises `LinkClosed` where one is longer than any is."""
        self._data += data
        found, at = [], 0
        while len(self._data) - at >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._data, at)
            if length > self._codec.most_bytes:
                raise LinkClosed
            end = at + LENGTH.size + length
            if len(self._data) < end:
                break
            with memoryview(self._data) as view:
                found.append(self._codec.decode(view[at + LENGTH.size : end]))
            at = end
        del self._data[:at]
        return found


class LinkClosed(BaseException):
    """The other process is gone: all work for it ends. It is not an Exception, so no error handler catches it."""


class ProcessLink:
    """One process's end, for threads."""

    def __init__(self, end: socket.socket, codec: LinkCodec = WORKER_END) -> None:
        self._socket = end
        self._codec = codec
        self._unpacker = MessageUnpacker(codec)
        self._held = bytearray()
        self._sending = threading.Lock()
        self._arrival = select.poll()  # select() itself takes no handle from 1024 on
        self._arrival.register(end, select.POLLIN)

    def send(self, message: Any) -> None:
        """Send a message with the next `flush`, or now if there is much to send."""
        self._held += self._codec.packed(message)
        if len(self._held) > HELD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send pending messages; waits while the other end is behind. Raises `LinkClosed`."""
        if self._held:
            data, self._held = self._held, bytearray()
            self._send(data)

    def send_now(self, message: Any) -> None:
        """Send a message ahead of pending ones, from another thread. Raises `LinkClosed`."""
        self._send(self._codec.packed(message))

    def _send(self, data: bytes | bytearray) -> None:
        try:
            with self._sending:
                self._socket.sendall(data)
        except OSError as error:
            raise LinkClosed from error

    def receive(self, wait_s: float | None = None) -> list[Any]:
        """Return what has arrived, after at most this wait; without one, as soon as anything comes. Raises
        `LinkClosed`.
        """
        try:
            if not self._arrival.poll(None if wait_s is None else wait_s * 1000):
                return []
            data = self._socket.recv(READ_BYTES)
        except OSError as error:
            raise LinkClosed from error
        if not data:
            raise LinkClosed
        return self._unpacker.feed(data)

    def hang_up(self) -> None:
        """End the connection for both ends; whoever waits here gets `LinkClosed`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()


ONE_MORE: Final = b"+"
"""Comes with a handle: the end of a socket that a new worker is to serve."""
NUMBER_BYTES: Final = 8
"""The answer: the new worker's number with a handle of its process, or an error's number with none."""
FORKS: Final = "forks"
"""Behind its socket's number, for a program that forks those that serve instead of serving itself."""


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


def run(serve: Callable[[int], None]) -> None:
    """Serve a socket, or fork a process for each that comes over it, until the server is gone. The number of the
    socket is the program's argument; whoever forks gets `FORKS` as well. `serve`: what a process does; takes the
    socket's number, and ends the process.
    """
    number = int(sys.argv[1])
    if FORKS not in sys.argv[2:]:
        serve(number)
        return
    # The kernel forgets those that end: the server watches them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # what is loaded stays in memory that all of them share
    server = socket.socket(fileno=number)
    while True:
        _order, handles, _flags, _address = socket.recv_fds(server, len(ONE_MORE), 1)
        if not handles:
            return  # the server is gone
        if fork(server) == 0:
            serve(handles[0])
        os.close(handles[0])
