"""What the engine did, in nanoseconds of the running process: every transition costs what its profile gives."""

from __future__ import annotations

from engine.costs.prices import CPU, DISK, SYNCS
from engine.costs.work import PROFILES, WorkProfile
from engine.report.transitions.base import Transition
from engine.report.transitions.stores import BufferWritten


class WorkMeter:
    """Adds up the cost of what was emitted since it was last read.

    Costs follow from what happened: the message that triggers a reduction, a flush or a read from disk is the slow one.
    """

    def __init__(self) -> None:
        self.profile: WorkProfile = PROFILES["instant"]
        self._ns = self._disk_ns = 0
        self._unsynced: dict[str, int] = {}
        """Bytes of each store's current file that no fsync has covered yet."""

    def take(self) -> tuple[int, int]:
        """Return the nanoseconds of processor and of disk since the last call."""
        taken = self._ns, self._disk_ns
        self._ns = self._disk_ns = 0
        return taken

    def add(self, ns: int) -> None:
        """Count work for which there is no transition."""
        self._ns += ns

    def again(self, ns: int, disk_ns: int) -> None:
        """Count work that was taken already, for the process that has to wait for it."""
        self._ns += ns
        self._disk_ns += disk_ns

    def observe(self, transition: Transition) -> None:
        """Count what a transition cost, where work takes time."""
        kind = type(transition)
        if isinstance(transition, BufferWritten):
            self._unsynced[transition.store] = self._unsynced.get(transition.store, 0) + transition.bytes_
            self._disk_ns += self.profile.disk.write(transition.bytes_)
        elif kind in SYNCS:
            written = self._unsynced.pop(transition.store, 0)  # type: ignore[attr-defined]  # as SYNCS says
            self._disk_ns += self.profile.disk.fsync(written)
        else:
            if kind in CPU:
                self._ns += CPU[kind](self.profile, transition)
            if kind in DISK:
                self._disk_ns += DISK[kind](self.profile, transition)

    def forget(self) -> None:
        """Start again with the node."""
        self.take()
        self._unsynced.clear()
