"""The processes that a process has started, from the kernel."""

from __future__ import annotations

import contextlib
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found: list[int] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            found += [int(child) for child in (thread / "children").read_text().split()]
    return found
