"""The processes that a process has started, and what they have worked, from the kernel."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found


def processor_s(pid: int) -> float:
    """Return the processor's time that a process has taken, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S
