"""The mailbox of a queue process where work takes no time: it is empty after each message (P1, P2)."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.queues.queue_process import QueueProcess
from engine.broker.time.process import PUBLISH, WorkProcess
from engine.broker.time.processes import ImmediateProcess
from engine.broker.time.scheduler import TimerScheduler


class ImmediateMail:
    """Lets the process do at once what it is sent, as `engine.broker.queues.mail.Mail` asks.

    Args:
        queue_process: whose mailbox it is.
        process: to which its clients send.
        end: called with the id of that process when it ends.
    """

    idle = True
    consumer_priority = PUBLISH

    def __init__(self, queue_process: QueueProcess, process: WorkProcess, end: Callable[[str], None]) -> None:
        self.process = process
        self.more_follows = False
        self._owner = queue_process
        self._end = end

    def post(self, priority: int, do: Callable[[], None]) -> None:
        """Do it now: nothing waits before it, whatever its priority."""
        do()

    def together(self, do: Callable[[], None]) -> None:
        """Do something; the stores and the index have their turn when all of it is done."""
        self._owner.begin()
        self.more_follows = True
        do()
        self.more_follows = False
        self._owner.handled()

    def sweep(self) -> None:
        """Do nothing: `read` is called after each message."""

    def at_once(self, do: Callable[[], None]) -> None:
        """Do it: the stores answer without delay anyway (Q56)."""
        do()

    def read(self) -> None:
        """Handle what the stores and the index sent (K7, F5)."""
        self._owner.queue.drain_mailbox()

    def settle(self) -> None:
        """Sync if somebody waits for a confirm: a receive timeout of 0 comes before the sync timer (P2)."""
        needs = self._owner.queue.needs_timeout()
        if needs == "timed":
            self._owner.queue.timeout()
            self._owner.drain()
            needs = self._owner.queue.needs_timeout()
        self._owner.wait_idle(needs)

    def handled(self) -> None:
        """Do nothing: the mailbox is empty."""

    def stop(self) -> None:
        """End with the queue process, or because work takes time from now on."""
        self._end(self.process.id)


def mail_alone(scheduler: TimerScheduler, queue_process: QueueProcess) -> ImmediateMail:
    """Return the mailbox of a queue process to which no channel sends anything: a mirror's."""
    return ImmediateMail(queue_process, ImmediateProcess.alone(queue_process.name, scheduler), _nothing)


def _nothing(_: str) -> None:
    """There is no such process."""
