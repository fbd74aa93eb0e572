"""What was reported on a visitor's files, kept for a while, so that each choice among them does not read them anew.

The files themselves are not kept: who chooses another virtual host or start sends them again, and a process that
reads them takes a report only where it is on the same files.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final

import msgspec

from playground.callers.request_callers import RequestCaller
from playground.inspecting.choice import ReleaseChoice
from playground.inspecting.reading import KnownReports
from playground.inspecting.uploads import Files

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
