"""Reading a broker's files in a process of its own: the parcel on its way there, the server's end, and the program.

`python -m playground.inspecting.reader ANSWER KNOWN` takes a parcel as its input, prints a line of JSON whenever it has
got further, and writes its answer to the file ANSWER. KNOWN holds what was reported before on these files, and
afterwards what is now. The page gets the lines, and finally the answer. When the visitor leaves, the server stops
reading lines, and the process ends. The files are not kept: who chooses another virtual host or start sends them again.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import logging
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import msgspec

from playground.inspecting import reading, uploads
from playground.inspecting.reading import KnownReports
from playground.inspecting.uploads import Files, OutOfTime, ReleaseChoice, UnreadableInput
from playground.limits.request_callers import RequestCaller
from playground.limits.work_places import PlacesFull, PlaceTicket, WorkPlaces

MOST_MEMORY: Final = 1 << 30
"""Bytes of data of the process that reads."""
MOST_WORK_S: Final = 60
"""Seconds of a processor."""
MOST_WALL_S: Final = 300.0
"""Seconds until it is ended, whatever it waits for."""
MOST_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of the answer."""
GRACE_S: Final = 5
"""What it has after its time to answer with what it has found."""
NICENESS: Final = 15
AT_ONCE: Final = max(2, (os.cpu_count() or 1) // 2)
"""Processes that read at the same time; of one caller one less. Engines come first: these are nice."""
PATIENCE_S: Final = 120.0
"""How long somebody waits for a place."""


def bind() -> None:
    """Bound this process: memory, work, the size of what it writes; it lets everybody else go first. At the end of
    its time it gets `OutOfTime`, and a little later it is ended by the system.
    """
    os.nice(NICENESS)
    _at_most(resource.RLIMIT_DATA, MOST_MEMORY, MOST_MEMORY)
    _at_most(resource.RLIMIT_AS, 2 * MOST_MEMORY, 2 * MOST_MEMORY)
    _at_most(resource.RLIMIT_FSIZE, MOST_ANSWER, MOST_ANSWER)
    _at_most(resource.RLIMIT_CORE, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing says so
    signal.signal(signal.SIGXCPU, _out_of_time)
    _at_most(resource.RLIMIT_CPU, MOST_WORK_S, MOST_WORK_S + GRACE_S)


def _at_most(what: int, soft: int, hard: int) -> None:
    with contextlib.suppress(OSError, ValueError):  # a system that cannot bound it, or bounds it more tightly
        resource.setrlimit(what, (soft, hard))


def _out_of_time(_number: int, _frame: Any) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # it comes again every second
    raise OutOfTime


_HEAD: Final = struct.Struct(">I")


class ParcelLabel(msgspec.Struct, frozen=True):
    """The header of a parcel. `sizes`: in bytes, in the same order. `choice`: what the reader wants to know of
    them.
    """

    paths: list[str]
    sizes: list[int]
    choice: ReleaseChoice


def pack(files: list[Any], paths: list[str], choice: ReleaseChoice) -> IO[bytes]:
    """Return an open file without a name that holds what was given; raise Unreadable where it is too much.
    `choice`: see `ParcelLabel`.
    """
    if sum(each.size for each in files) > uploads.MOST_BYTES:
        raise UnreadableInput("too_many_bytes", most=uploads.MOST_BYTES >> 20)
    label = msgspec.json.encode(ParcelLabel(paths, [each.size for each in files], choice))
    held: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - whoever takes it closes it
    held.write(_HEAD.pack(len(label)) + label)
    for each in files:
        for block in each.chunks(uploads.BLOCK_BYTES):
            held.write(block)
    held.seek(0)
    return held


def unpack(held: IO[bytes], left_out: list[str]) -> tuple[uploads.Files, ReleaseChoice]:
    """Return the files, and what is wanted of them; raise Unreadable where they cannot be read. `held`: what `pack`
    returned. `left_out`: gets the names of what is not read.
    """
    (size,) = _HEAD.unpack(held.read(_HEAD.size))
    label = msgspec.json.decode(held.read(size), type=ParcelLabel)
    if uploads.is_zip(label.paths):
        return uploads.of_zip(io.BytesIO(held.read()), left_out=left_out), label.choice
    found = ((path, _blocks(held, size)) for path, size in zip(label.paths, label.sizes, strict=True))
    return uploads.gathered(_each_whole(held, found, label.sizes), left_out=left_out), label.choice


def _blocks(held: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0:
        block = held.read(min(size, uploads.BLOCK_BYTES))
        yield block
        size -= len(block) or size


def _each_whole(held: IO[bytes], found: uploads.Given, sizes: list[int]) -> uploads.Given:
    """Yield the files, and go on behind each even where it was not read."""
    at = held.tell()
    for (path, blocks), size in zip(found, sizes, strict=True):
        held.seek(at)
        yield path, blocks
        at += size


KEPT_S: Final = 600.0
MOST_OF_ADDRESS: Final = 16 << 20
"""Bytes that one address keeps, whatever browsers it has; also of one visitor."""
MOST_BYTES: Final = 128 << 20
"""Of all together."""


class LabeledReports(msgspec.Struct, frozen=True):
    """Reports, and which files they are on. `digest`: of the files, and of the choice by which they were read.
    `reports`: by virtual host.
    """

    digest: bytes
    reports: KnownReports


class KeptReports:
    """Encoded reports by visitor, the newest of each; what is too old or too much is forgotten, the oldest first.
    `clock`: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[RequestCaller, tuple[float, bytes]] = {}

    def of(self, caller: RequestCaller) -> bytes:
        """Return what is kept for a visitor, nothing where that is nothing."""
        self._forget()
        return self._kept.get(caller, (0.0, b""))[1]

    def keep(self, caller: RequestCaller, data: bytes) -> None:
        """Keep this for a visitor, and nothing else."""
        self._kept.pop(caller, None)
        if data:
            self._kept[caller] = (self._clock(), data)
        self._forget(caller.group)

    def _forget(self, group: str | None = None) -> None:
        for caller, (kept_s, _data) in list(self._kept.items()):
            if self._clock() - kept_s > KEPT_S:
                del self._kept[caller]
        self._bound([each for each in self._kept if each.group == group], MOST_OF_ADDRESS)
        self._bound(list(self._kept), MOST_BYTES)

    def _bound(self, callers: list[RequestCaller], most: int) -> None:
        size = sum(len(self._kept[each][1]) for each in callers)
        for each in callers:
            if size > most:
                size -= len(self._kept.pop(each)[1])


kept: Final = KeptReports()


@contextmanager
def known_in(held: IO[bytes], files: Files, choice: ReleaseChoice) -> Iterator[KnownReports]:
    """Give the reports in a file that are on these files, and write afterwards what is known of them. `held`: an
    open file; what it says of other files goes. `choice`: by which they are read.
    """
    digest = digest_of(files, choice)
    try:
        before = msgspec.msgpack.decode(held.read(), type=LabeledReports)
    except msgspec.DecodeError:
        before = LabeledReports(b"", {})
    reports = before.reports if before.digest == digest else {}
    try:
        yield reports
    finally:
        held.seek(0)
        held.truncate()
        with suppress(MemoryError, OverflowError):
            data = msgspec.msgpack.encode(LabeledReports(digest, reports))
            held.write(data if len(data) <= MOST_OF_ADDRESS else b"")


def digest_of(files: Files, choice: ReleaseChoice) -> bytes:
    """Return a digest of files, and of what a choice says about how they are read."""
    found = hashlib.sha256(msgspec.msgpack.encode(choice.entries))
    for path, data in files.items():
        found.update(msgspec.msgpack.encode((path, len(data))))
        found.update(data)
    return found.digest()


WAITING: Final = 32
"""Most that wait."""

places = WorkPlaces(AT_ONCE, WAITING)

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
    """The lines of one answer; whoever stops to ask for them ends the process. `parcel`: what is read; it is closed
    at the end. `caller`: who has a place meanwhile.
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
        async with aclosing(self._wait(ticket)) as lines:
            async for line in lines:
                yield line
        async with aclosing(self._work(found, known)) as lines:
            async for line in lines:
                yield line

    async def _wait(self, ticket: PlaceTicket) -> AsyncGenerator[bytes, None]:
        """Wait for a place. Raises Full where others were refused less."""
        ends_s = time.monotonic() + PATIENCE_S
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
        ends_s = time.monotonic() + MOST_WALL_S
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
        raise UnreadableInput("takes_too_long", most=int(MOST_WALL_S)) from None


def _line(**progress: Any) -> bytes:
    return msgspec.json.encode({"progress": progress}) + b"\n"


def _environment() -> dict[str, str]:
    """Return what the process needs to know: no secrets, and libraries that begin no threads."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}


def _trouble(ended: int) -> UnreadableInput:
    if ended == -signal.SIGXCPU:
        return UnreadableInput("takes_too_long", most=MOST_WORK_S)
    if ended not in (-signal.SIGKILL, -signal.SIGXCPU):
        logger.error("the reader of files ended with %s", ended)
    return UnreadableInput("needs_memory", most=MOST_MEMORY >> 20)


EVERY_S: Final = 0.25
AGAIN_S: Final = 2.0
"""A line comes at least so often, so that it is noticed when nobody takes it."""
LEFT: Final = 3
"""Exit status where nobody waits for the answer any more."""


class ReaderSteps:
    """What the process is doing, reported from a thread of its own. `out`: number of the file that takes the lines."""

    def __init__(self, out: int) -> None:
        self._out = out
        self._now: dict[str, Any] = {"step": "unpacking"}
        threading.Thread(target=self._report, daemon=True).start()

    def __call__(self, step: str, **values: Any) -> None:
        self._now = {"step": step, **values}

    def _report(self) -> None:
        reported: dict[str, Any] = {}
        reported_s = 0.0
        while True:
            now, now_s = self._now, time.monotonic()
            if now is not reported or now_s - reported_s >= AGAIN_S:
                reported, reported_s = now, now_s
                try:
                    os.write(self._out, msgspec.json.encode({"progress": now}) + b"\n")
                except OSError:
                    os._exit(LEFT)
            time.sleep(EVERY_S)


def answer(held: IO[bytes], known: IO[bytes], steps: reading.ReadingSteps) -> dict[str, Any]:
    """Return what the page gets for a parcel. `known`: reports on files that were given before; afterwards those on
    these files. `steps`: is told how far it is.
    """
    left_out: list[str] = []
    try:
        files, choice = unpack(held, left_out)
        with known_in(known, files, choice) as reports:
            found, revived = reading.directory(files, choice, steps, reports)
    except UnreadableInput as bad:
        return bad.to_json()
    except MemoryError:
        return UnreadableInput("needs_memory", most=MOST_MEMORY >> 20).to_json()
    except OutOfTime:
        return UnreadableInput("takes_too_long", most=MOST_WORK_S).to_json()
    if "vhosts" not in found:
        found |= reading.names_left_out(left_out)
    if revived is not None and revived.state is not None:
        found["started"]["parts"] = [msgspec.Raw(part) for part in revived.messages]
    return found


def encoded(found: dict[str, Any]) -> bytes:
    """Return an answer as JSON, or that it is too long."""
    try:
        data = msgspec.json.encode(found)
        if len(data) <= MOST_ANSWER:
            return data
    except MemoryError:
        pass
    return msgspec.json.encode(UnreadableInput("long_answer", most=MOST_ANSWER >> 20).to_json())


def main() -> None:
    bind()
    with open(int(sys.argv[2]), "r+b") as known:  # noqa: PTH123 - a number
        found = answer(sys.stdin.buffer, known, ReaderSteps(sys.stdout.fileno()))
    with open(int(sys.argv[1]), "wb") as out:  # noqa: PTH123 - a number
        out.write(encoded(found))
    os._exit(0)  # nothing is left to tidy up


if __name__ == "__main__":
    main()
