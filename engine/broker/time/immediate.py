"""A process of a machine on which work takes no time: it does at once what it is sent (P6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.broker.time.credit import DEFAULT, CreditSpec
from engine.broker.time.meter import WorkMeter
from engine.broker.time.process import NodeCores, ProcessContext, WorkProcess
from engine.broker.time.scheduler import TimerScheduler

UNBOUNDED: Final = 1 << 62


class ImmediateProcess(WorkProcess):
    """Has the mailbox of a process, in which nothing ever waits: nobody runs out of credit, and nothing is shown.

    Only a reader may leave something lying in its socket, while it may not read (A3).
    """

    is_shown = False
    in_flow = False

    @classmethod
    def alone(cls, id_: str, scheduler: TimerScheduler) -> ImmediateProcess:
        """Return a process to which no other process of the node sends anything."""
        around = ProcessContext(scheduler, WorkMeter(), NodeCores(), _nobody, _ignore, _default)
        return cls(kind="queue", id_=id_, around=around)

    def post(self, priority: int, count: int, do: Callable[[int], None], each_ns: int = 0) -> None:
        """Do it now, or as soon as the process may read."""
        if self.ended:
            return
        if self._may_read is not None and (self._may_read(self) < count or self.mailbox):
            self._append(priority, count, do, each_ns)
            return
        do(count)
        if self._after_each is not None:
            self._after_each(self)

    def wake(self) -> None:
        """Do what lies there, as far as it may read."""
        while not self.ended and (work := self._take(everything=True)) is not None:
            work()

    def wake_now(self) -> None:
        """Do nothing: whatever was posted is done."""

    def may_send(self, to: str) -> int:
        """Return how many messages it may send to another process: any number."""
        return UNBOUNDED

    def pay(self, to: str, count: int) -> None:
        """Do nothing: the receiver has handled the messages."""

    def earned(self, sender: str, count: int) -> None:
        """Do nothing: the sender did not pay."""

    def peer_gone(self, peer: str) -> None:
        """Do nothing: nobody waits for its credit."""


def _nobody(_: str) -> WorkProcess | None:
    return None


def _ignore(_: object) -> None:
    """Nobody is notified."""


def _default() -> CreditSpec:
    return DEFAULT
