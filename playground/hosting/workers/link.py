"""Messages over a socket between two processes: a length in four bytes, then MessagePack."""

from __future__ import annotations

import select
import socket
import struct
import threading
from typing import Any, Final

import msgspec

from engine.values.sizes import plain
from playground.hosting.session.protocol import FromWorker, ToWorker

LENGTH: Final = struct.Struct(">I")
READ_BYTES: Final = 256 * 1024
HELD_BYTES: Final = 256 * 1024
"""Pending bytes from which a message is sent at once."""

encode = msgspec.msgpack.Encoder(enc_hook=plain).encode
of_server = msgspec.msgpack.Decoder(ToWorker)
of_worker = msgspec.msgpack.Decoder(FromWorker)


def packed(message: Any) -> bytes:
    """Return a message as it goes over the socket."""
    data = encode(message)
    return LENGTH.pack(len(data)) + data


class MessageUnpacker:
    """Finds messages in what arrives, piece by piece."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[Any]) -> None:
        self._decoder = decoder
        self._data = bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Return the messages that are complete."""
        self._data += data
        found, at = [], 0
        while len(self._data) - at >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._data, at)
            end = at + LENGTH.size + length
            if len(self._data) < end:
                break
            with memoryview(self._data) as view:
                found.append(self._decoder.decode(view[at + LENGTH.size : end]))
            at = end
        del self._data[:at]
        return found


class LinkClosed(BaseException):
    """The server is gone, so all work here ends. It is not an Exception, so that no error handler catches
    it."""


class WorkerLink:
    """A worker's end."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._unpacker = MessageUnpacker(of_server)
        self._held = bytearray()
        self._sending = threading.Lock()
        self._arrival = select.poll()  # select() itself takes no handle from 1024 on
        self._arrival.register(end, select.POLLIN)

    def send(self, message: Any) -> None:
        """Send a message with the next `flush`, or now if there is much to send."""
        self._held += packed(message)
        if len(self._held) > HELD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send pending messages; waits while the server is behind. Raises `LinkClosed`."""
        if self._held:
            data, self._held = self._held, bytearray()
            self._send(data)

    def send_now(self, message: Any) -> None:
        """Send a message ahead of pending ones, from another thread. Raises `LinkClosed`."""
        self._send(packed(message))

    def _send(self, data: bytes | bytearray) -> None:
        try:
            with self._sending:
                self._socket.sendall(data)
        except OSError as error:
            raise LinkClosed from error

    def receive(self, wait_s: float) -> list[Any]:
        """Return what has arrived, after at most this wait. Raises `LinkClosed`."""
        try:
            if not self._arrival.poll(wait_s * 1000):
                return []
            data = self._socket.recv(READ_BYTES)
        except OSError as error:
            raise LinkClosed from error
        if not data:
            raise LinkClosed
        return self._unpacker.feed(data)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()
