"""The processes that a process has started, and what they have worked, from the kernel."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def descendants_of(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have started, parents first."""
    born: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            born.setdefault(int(_fields(stat)[1]), []).append(int(stat.parent.name))
    found = list(born.get(pid, ()))
    for each in found:
        found += born.get(each, ())
    return found


def processor_s(pid: int) -> float:
    """Return the processor's time that a process has taken, in seconds."""
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def _fields(stat: Path) -> list[str]:
    """Return what the kernel says of a process after its name: its state, its parent, ..."""
    return stat.read_text().rpartition(")")[2].split()
