"""A slower processor for some processes: they are stopped for a part of each stretch of time.

DevTools slow down only the thread of a page; the engine of the static edition runs in a worker beside it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

RUNS_S: Final = 0.01


@contextmanager
def slowed(processes: Iterable[int], times: float) -> Iterator[None]:
    """Make processes so many times slower until the block ends.

    Args:
        processes: their ids.
        times: 1 leaves them as they are; 4 lets them run a quarter of the time.
    """
    over = threading.Event()
    thread = threading.Thread(target=_take_turns, args=(tuple(processes), times, over), daemon=True)
    if times > 1:
        thread.start()
    try:
        yield
    finally:
        over.set()
        if times > 1:
            thread.join()


def _take_turns(processes: tuple[int, ...], times: float, over: threading.Event) -> None:
    while not over.wait(RUNS_S):
        try:
            _signal(processes, signal.SIGSTOP)
            over.wait(RUNS_S * (times - 1))
        finally:
            _signal(processes, signal.SIGCONT)


def _signal(processes: tuple[int, ...], what: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):  # it ended meanwhile
            os.kill(process, what)
