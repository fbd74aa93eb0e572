"""Finds the cause of a worker's silence: itself, or a machine without a free processor."""

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
        """Return how much of the time since the last call the worker could use. While its thread waits for a
        processor, only its processor time counts, which is little on a busy machine. While it does not wait
        for one (stopped, or waiting for a disk), all time counts.

        Args:
            passed_s: real time since the last call.
        """
        before_s = self._worked_s
        state, self._worked_s = self._read_state()
        if state != WAITS_FOR_A_PROCESSOR:
            return passed_s
        return min(passed_s, self._worked_s - before_s)

    def _read_state(self) -> tuple[str, float]:
        """Return the thread's state and its processor seconds; unknown without /proc."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / TICKS_PER_S
