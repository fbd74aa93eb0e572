"""How busy the machine was with other work than ours."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
QUIET_SHARE = 0.1
"""A run is quiet if others used less than this share of the processors."""


class OtherWork:
    """Compares two moments: all work of the machine, and that of some processes with their children.

    Args:
        own: ids of the processes whose work is not other work.
    """

    def __init__(self, own: Iterable[int]) -> None:
        self._own = tuple(own)
        self._busy, self._total = _machine()
        self._ours = sum(_used(each) for each in self._own)

    def share(self) -> float:
        """Return which share of the processors' time since then others used."""
        busy, total = _machine()
        others = busy - self._busy - (sum(_used(each) for each in self._own) - self._ours)
        return max(0.0, others / max(1, total - self._total))


def _machine() -> tuple[int, int]:
    """Return the ticks that all processors worked, those stolen from this machine included, and all ticks."""
    user, nice, system, idle, iowait, irq, soft, steal = (
        int(each) for each in (PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    busy = user + nice + system + irq + soft + steal
    return busy, busy + idle + iowait


def _used(process: int) -> int:
    """Return the ticks that a process and its ended children worked; 0 when it is gone."""
    try:
        fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(each) for each in fields[11:15])
