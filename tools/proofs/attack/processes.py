"""The memory and files of processes, from the kernel."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tools.processes import descendants_of


def memory_bytes(pid: int) -> int:
    """Return what a process holds in memory; 0 when it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
    return 0


def open_files(pid: int) -> int:
    """Return how many handles a process and those that it started have open."""
    return sum(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in (pid, *descendants_of(pid)))


def parent_of(pid: int) -> int:
    """Return the process that has started a process. Raises OSError where it has ended."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("PPid:"):
            return int(line.split()[1])
    raise ProcessLookupError(pid)


def memory_of_all(pid: int) -> int:
    """Return what a process and all that it started hold in memory together: what several share counts once."""
    return sum(_share_bytes(each) for each in (pid, *descendants_of(pid)))


def _share_bytes(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024 * int(line.split()[1])
    return 0
