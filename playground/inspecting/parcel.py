"""An upload on its way to the process that reads it, what that process may take, and which reports are kept.

The files themselves are not kept: who chooses another virtual host or start sends them again, and a process that
reads them takes a report only where it is on the same files.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import resource
import signal
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

import msgspec

from playground.inspecting import uploads
from playground.inspecting.reading import KnownReports
from playground.inspecting.uploads import Files, OutOfTime, ReleaseChoice, UnreadableInput
from playground.limits.request_callers import RequestCaller

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
    """Bound this process: memory, work, the size of what it writes; it lets everybody else go first.

    At the end of its time it gets `OutOfTime`, and a little later it is ended by the system.
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
    """The header of a parcel.

    Args:
        sizes: in bytes, in the same order.
        choice: what the reader wants to know of them.
    """

    paths: list[str]
    sizes: list[int]
    choice: ReleaseChoice


def pack(files: list[Any], paths: list[str], choice: ReleaseChoice) -> IO[bytes]:
    """Return an open file without a name that holds what was given; raise Unreadable where it is too much.

    Args:
        choice: see `ParcelLabel`.
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
    """Return the files, and what is wanted of them; raise Unreadable where they cannot be read.

    Args:
        held: what `pack` returned.
        left_out: gets the names of what is not read.
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
    """Reports, and which files they are on.

    Args:
        digest: of the files, and of the choice by which they were read.
        reports: by virtual host.
    """

    digest: bytes
    reports: KnownReports


class KeptReports:
    """Encoded reports by visitor, the newest of each; what is too old or too much is forgotten, the oldest first.

    Args:
        clock: seconds.
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
    """Give the reports in a file that are on these files, and write afterwards what is known of them.

    Args:
        held: an open file; what it says of other files goes.
        choice: by which they are read.
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
