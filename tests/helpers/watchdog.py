"""A watchdog for runs that may never end: it counts the engine's own steps, not time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

ENGINE = str(Path(__file__).resolve().parents[2] / "engine")
LOOK_EVERY = 1_000


class NoProgress(AssertionError):
    """So many lines of the engine ran, and nothing is otherwise than before."""


@contextmanager
def watched(progress: Callable[[], Any], most: int = 100_000) -> Iterator[None]:
    """Fail when the engine runs `most` lines without any progress.

    Args:
        progress: returns what changes as the run goes on, such as how much is left.
        most: lines between two changes.
    """
    lines, since, seen = 0, 0, progress()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines, since, seen
        if event == "line":
            lines += 1
            if lines % LOOK_EVERY == 0:
                sys.settrace(None)
                now = progress()
                sys.settrace(call)
                if now != seen:
                    seen, since = now, lines
                elif lines - since >= most:
                    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                    raise NoProgress(f"{most} lines without progress at {place}: {now}")
        return line

    def call(frame: FrameType, _event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(ENGINE) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield
    finally:
        sys.settrace(before)
