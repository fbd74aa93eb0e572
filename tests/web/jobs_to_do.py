"""Jobs that tests give to processes: good ones, and each way to take too much."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy

from playground.jobs import MEBIBYTE, JobBounds, job
from playground.texts import RequestRefused

SMALL: Final = JobBounds(work_s=1, wall_s=60.0, memory_bytes=64 * MEBIBYTE)
HASTY: Final = JobBounds(work_s=30, wall_s=0.5, memory_bytes=64 * MEBIBYTE)
held: list[bytes] = []


@job(SMALL)
def whose(*values: Any, leaves_mebibytes: int = 0) -> tuple[int, tuple[Any, ...]]:
    """Return the number of the process and what it was given."""
    held.append(b"x" * (leaves_mebibytes * MEBIBYTE))
    return os.getpid(), values


@job(SMALL)
def word() -> str:
    """Return a word in the language of whoever asks."""
    return gettext("The server is busy")


@job(SMALL)
def refuses() -> None:
    """Raise what a person reads."""
    raise RequestRefused(gettext_lazy("Choose two releases or more."), code="two")


@job(SMALL)
def counts(most: int) -> Iterator[int]:
    """Yield numbers."""
    yield from range(most)


@job(SMALL)
def works() -> None:
    """Never come to an end, in one call that nothing interrupts."""
    sum(iter(int, 1))


@job(HASTY)
def waits() -> None:
    """Wait for longer than it may, without work."""
    time.sleep(600)


@job(JobBounds(work_s=600, wall_s=600.0, memory_bytes=64 * MEBIBYTE))
def stays() -> None:
    """Stay for as long as a test lasts."""
    time.sleep(600)


@job(SMALL)
def takes(mebibytes: int) -> int:
    """Take memory."""
    return len(b"x" * (mebibytes * MEBIBYTE))
