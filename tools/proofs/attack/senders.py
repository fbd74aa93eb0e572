"""Cases that send without end: bodies of any length, bodies that never come, connections that say nothing."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from typing import Final
from urllib.parse import urlsplit

from playground.limits import rate_limits
from tools.proofs.attack.processes import memory_bytes
from tools.proofs.attack.world import SMALL, World, in_thread

BLOCK: Final = b"a=b&" * 16_384
GROWS_BYTES: Final = 48 * 2**20
"""What a server that reads nothing of it may grow by meanwhile: others are at work."""
CLOSES_S: Final = 15.0
"""How long after its time something may be noticed on a busy machine."""


async def _open(world: World) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = urlsplit(world.server.url)
    return await asyncio.open_connection(place.hostname, place.port)


def _head(world: World, path: str, *lines: str) -> bytes:
    usual = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"X-Forwarded-For: {world.address()}")
    form = "Content-Type: application/x-www-form-urlencoded"
    return "\r\n".join([*usual, form, *lines, "", ""]).encode()


def _send(world: World, path: str, count: int, chunked: bool) -> int:
    """Send a body of so many bytes, as far as it is taken; return the status of the answer."""
    place = urlsplit(world.server.url)
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {count}"
    block = b"%x\r\n%s\r\n" % (len(BLOCK), BLOCK) if chunked else BLOCK
    with socket.create_connection((place.hostname, place.port), timeout=CLOSES_S) as connection:
        with contextlib.suppress(ConnectionError):  # it is closed, and the answer is there
            connection.sendall(_head(world, path, length))
            for _each in range(-(-count // len(BLOCK))):
                connection.sendall(block)
        return int(connection.recv(64).split()[1])


async def bodies_without_end(world: World) -> None:
    """Whatever is sent to a page, with and without a length: refused before it is in memory, and nobody is late."""
    count = (20 if world.tiny else 600) * 2**20
    before = memory_bytes(world.server.process.pid)
    paths = ("/", "/s/import", "/lti/launch", *(() if world.tiny else ("/inspect/", "/whatif/own/")))
    statuses = await asyncio.gather(
        *(in_thread(_send, world, path, count, chunked) for path in paths for chunked in (False, True))
    )
    assert set(statuses) == {413}, statuses
    grown = memory_bytes(world.server.process.pid) - before
    assert grown < GROWS_BYTES, grown
    print(f"  {len(statuses)} bodies of {count >> 20} MB each: the server grew by {grown >> 20} MB")


async def bodies_that_never_come(world: World) -> None:
    """Whoever states a length and sends next to nothing takes no memory, and is answered after its time."""
    many = [await _open(world) for _each in range(8 if world.tiny else 200)]
    for _reader, writer in many:
        writer.write(_head(world, "/", f"Content-Length: {rate_limits.FORMS.most_bytes}") + b"x")
    newcomer = world.person()
    seat = await world.seat(newcomer, await in_thread(newcomer.new_session))
    assert (await seat.command(1, SMALL))["t"] == "accepted"
    if not world.tiny:
        async with asyncio.timeout(rate_limits.FORMS.within_s + CLOSES_S):
            answers = await asyncio.gather(*(reader.readline() for reader, _writer in many))
        assert {answer.split()[1] for answer in answers} == {b"408"}, set(answers)
    for _reader, writer in many:
        writer.transport.abort()


async def silent_connections(world: World) -> None:
    """More connections than a process has handles by default say nothing: others get in, and these are closed."""
    many = [await _open(world) for _each in range(16 if world.tiny else 1_100)]
    began_s = time.monotonic()
    for _each in range(1 if world.tiny else 5):
        newcomer = world.person()
        seat = await world.seat(newcomer, await in_thread(newcomer.new_session))
        assert (await seat.command(1, SMALL))["t"] == "accepted"
    if not world.tiny:
        async with asyncio.timeout(rate_limits.HEAD_S + CLOSES_S):
            ends = await asyncio.gather(*(reader.read(1) for reader, _writer in many), return_exceptions=True)
        assert all(end == b"" or isinstance(end, ConnectionError) for end in ends)
        print(f"  {len(many)} silent connections were closed after {time.monotonic() - began_s:.0f} s")
    for _reader, writer in many:
        writer.transport.abort()


CASES = (bodies_without_end, bodies_that_never_come, silent_connections)
