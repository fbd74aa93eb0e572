"""Whose fault a worker's silence is: its own, or the machine's, which had no processor for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
WAITS_FOR_A_PROCESSOR: Final = "R"


class WorkerHeartbeat:
    """Measures a worker's thread from outside, by the kernel's figures.

    Args:
        pid: of the worker's process.
        thread: native id of the thread in it that answers.
    """

    def __init__(self, pid: int, thread: int) -> None:
        self._stat = Path(f"/proc/{pid}/task/{thread}/stat")
        self._worked_s = self._read_state()[1]

    def own_s(self, passed_s: float) -> float:
        """Return how much of the time since the last call the worker could use.

        While a thread wants a processor, only what it worked counts: on a busy machine that is little, and it may
        answer as soon as it has its turn. While it wants none (stopped, or waiting for a disk), all of the time counts.

        Args:
            passed_s: real time since the last call.
        """
        before_s = self._worked_s
        state, self._worked_s = self._read_state()
        if state != WAITS_FOR_A_PROCESSOR:
            return passed_s
        return min(passed_s, self._worked_s - before_s)

    def _read_state(self) -> tuple[str, float]:
        """Return the thread's state and the seconds that it has worked; nothing is known where there is no /proc."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / TICKS_PER_S
