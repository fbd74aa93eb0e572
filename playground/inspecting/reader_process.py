"""The server's end of the process that reads a broker's files: starts it, forwards its lines, and ends it
with its visitor. The page gets a line of JSON for each step, and finally the answer. When the visitor leaves,
the server stops reading lines and the process ends.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import msgspec

from playground.inspecting import parcel
from playground.inspecting.parcel import kept
from playground.inspecting.uploads import UnreadableInput
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import PlacesFull, PlaceTicket, WorkPlaces

WAITING: Final = 32
"""Most that wait."""

places = WorkPlaces(parcel.AT_ONCE, WAITING)


R = TypeVar("R")
logger = logging.getLogger(__name__)

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = "playground.inspecting.reader"
KEPT: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""Of the server's environment: it has keys that no reader of files needs."""
ASKS_S: Final = 0.5
LEAVES_S: Final = 10.0
"""Who stopped and gives something else: how long the end of the process before may take to be noticed."""
BLOCK_BYTES: Final = 64 * 1024


class ReaderProcess:
    """The lines of one answer; whoever stops to ask for them ends the process.

    Args:
        parcel: what is read; it is closed at the end.
        caller: who has a place meanwhile.
    """

    def __init__(self, parcel: IO[bytes], caller: RequestCaller, held: WorkPlaces = places) -> None:
        self._parcel = parcel
        self._caller = caller
        self._held = held

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._parcel, tempfile.TemporaryFile() as found, tempfile.TemporaryFile() as known:
            ticket: PlaceTicket | None = None
            try:
                ends_s = time.monotonic() + LEAVES_S
                while (ticket := self._entered()) is None:
                    if time.monotonic() > ends_s:
                        raise UnreadableInput("one_at_a_time")
                    yield _line(step="waiting", ahead=1)
                    await asyncio.sleep(ASKS_S)
                known.write(kept.of(self._caller))
                known.seek(0)
                async with aclosing(self._steps(ticket, found, known)) as lines:
                    async for line in lines:
                        yield line
            except UnreadableInput as bad:
                yield msgspec.json.encode(bad.to_json())
                return
            except PlacesFull:
                yield msgspec.json.encode(UnreadableInput("many_read").to_json())
                return
            finally:
                if ticket is not None:
                    self._held.leave(ticket)
            known.seek(0)
            kept.keep(self._caller, known.read())
            while block := found.read(BLOCK_BYTES):
                yield block

    def _entered(self) -> PlaceTicket | None:
        """Begin to wait; None where this visitor has another place. Raises Full where too many wait."""
        try:
            return self._held.enter(self._caller, most=1)
        except PlacesFull as full:
            if full.yours:
                return None
            raise

    async def _steps(
        self, ticket: PlaceTicket, found: IO[bytes], known: IO[bytes]
    ) -> AsyncGenerator[bytes, None]:
        """Yield a line for each step, until the answer is in `found`."""
        async with aclosing(self._wait(ticket)) as lines:
            async for line in lines:
                yield line
        async with aclosing(self._work(found, known)) as lines:
            async for line in lines:
                yield line

    async def _wait(self, ticket: PlaceTicket) -> AsyncGenerator[bytes, None]:
        """Wait for a place. Raises Full where others were refused less."""
        ends_s = time.monotonic() + parcel.PATIENCE_S
        before = 0
        while ahead := self._held.ahead(ticket):
            if time.monotonic() > ends_s:
                raise UnreadableInput("many_read")
            if ahead != before:
                before = ahead
                yield _line(step="waiting", ahead=ahead)
            await asyncio.sleep(ASKS_S)

    async def _work(self, found: IO[bytes], known: IO[bytes]) -> AsyncGenerator[bytes, None]:
        """Run the process, which writes its answer to `found`, and what it reported on the files to `known`."""
        numbers = [found.fileno(), known.fileno()]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", PROGRAM, *map(str, numbers),
            cwd=ROOT, env=_environment(), stdin=self._parcel, stdout=subprocess.PIPE, pass_fds=numbers,
        )  # fmt: skip
        assert process.stdout is not None  # noqa: S101 - it was asked for
        ends_s = time.monotonic() + parcel.MOST_WALL_S
        try:
            while line := await _by(ends_s, process.stdout.readline()):
                yield line
            ended = await _by(ends_s, process.wait())
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if ended:
            raise _trouble(ended)
        found.seek(0)


async def _by(ends_s: float, awaited: Awaitable[R]) -> R:
    """Wait up to a moment; raise Unreadable afterwards."""
    try:
        return await asyncio.wait_for(awaited, max(0.0, ends_s - time.monotonic()))
    except TimeoutError:
        raise UnreadableInput("takes_too_long", most=int(parcel.MOST_WALL_S)) from None


def _line(**progress: Any) -> bytes:
    return msgspec.json.encode({"progress": progress}) + b"\n"


def _environment() -> dict[str, str]:
    """Return what the process needs to know: no secrets, and libraries that begin no threads."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def _trouble(ended: int) -> UnreadableInput:
    if ended == -signal.SIGXCPU:
        return UnreadableInput("takes_too_long", most=parcel.MOST_WORK_S)
    if ended not in (-signal.SIGKILL, -signal.SIGXCPU):
        logger.error("the reader of files ended with %s", ended)
    return UnreadableInput("needs_memory", most=parcel.MOST_MEMORY >> 20)
