"""What reading a broker's files may take of a server, and how a process is bound to it."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from typing import Any, Final

from playground.inspecting.unreadable import OutOfTime

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
