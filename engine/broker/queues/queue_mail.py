"""The mailbox of a queue process, where work takes time (P1, P2, P6, F3, F5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from engine.backing_queue.protocol import Message
from engine.broker.queues.queue_process import MILLISECOND_US, QueueProcess
from engine.broker.time.credit import CreditPair
from engine.broker.time.process import BUMP, CALLBACK, PUBLISH, WorkProcess
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.values.labels import beside

PRIORITIES: Final = {"credit": PUBLISH, "bump": BUMP}
"""Priorities of what the queue's stores and index send it; what is not listed is a callback (P6)."""
CONSUMER_BIAS: Final = 2.0


class QueueMail:
    """What waits for one queue process, and what it does when a quantum is over.

    Args:
        queue_process: whose mailbox it is.
        processes: all processes of the node.
    """

    def __init__(
        self, queue_process: QueueProcess, processes: NodeProcesses, scheduler: TimerScheduler
    ) -> None:
        self.more_follows = False
        self.process: WorkProcess = processes.of(
            "queue", queue_process.name, after_each=self._rest, more_credit=self._credit
        )
        self._owner = queue_process
        self._processes = processes
        self._scheduler = scheduler
        self._sync_timer: ScheduledTimer | None = None
        self._sync_posted = False
        self._swept: dict[int, Message] = {}
        self._number = 0
        queue_process.queue.let_stores_work_alone(True)

    # --- what comes in -----------------------------------------------------------------------------------------------

    def post(self, priority: int, do: Callable[[], None]) -> None:
        """Let the process do something when its turn comes."""
        self.process.post(priority, 1, partial(_alone, do))

    @property
    def consumer_priority(self) -> int:
        """Priority of a new consumer and of reports about what was sent (P6)."""
        incoming, outgoing, _, _ = self._owner.queue.rates
        return 2 if incoming > 0 and outgoing / incoming < CONSUMER_BIAS else PUBLISH

    def together(self, do: Callable[[], None]) -> None:
        """Do it: what it sends to the queue waits in the mailbox, each message by itself."""
        do()

    def sweep(self) -> None:
        """Put what the stores, the index and the queue itself sent into the mailbox (K7, F5, Q52)."""
        for message in self._owner.queue.take_posted():
            self._number += 1
            self._swept[self._number] = message
            self.process.post(PRIORITIES.get(message[0], CALLBACK), 1, partial(self._take, self._number))

    def _take(self, number: int, _: int) -> None:
        message = self._swept.pop(number, None)
        if message is not None:
            self._owner.begin().take_message(*message)
            self._owner.handled(collects=False)

    def at_once(self, do: Callable[[], None]) -> None:
        """Let it be a message like any other, but one during which the process does nothing else (Q56)."""
        self.post(PUBLISH, partial(self._answered, do))

    def _answered(self, do: Callable[[], None]) -> None:
        waiting = list(self._swept.values())
        self._swept.clear()
        self._owner.queue.answered_at_once(waiting, do)
        self._owner.handled()

    def read(self) -> None:
        """Do nothing: what stores and index sent has its turn in the mailbox."""

    # --- after each handled message ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Do nothing yet: whether the mailbox is empty shows when the quantum is over."""

    def handled(self) -> None:
        """Go on to what follows a message: at once if it came from outside the mailbox, else after the quantum."""
        if not self.process.busy:
            self.rest()

    def _rest(self, _: WorkProcess) -> None:
        self.rest()

    def rest(self) -> None:
        """Sweep, let the stores work, note who blocks, and see which timer the index needs (P1, P2, F3)."""
        self.sweep()
        for side, credit in self._owner.queue.store_credit().items():
            self.process.blocked_elsewhere(self._store(side), credit.blocked)
        self._processes.wake_stores()
        needs = self._owner.queue.needs_timeout()
        if needs != "timed":
            self._stop_sync_timer()
            if self._owner.awake:
                self._owner.wait_idle(needs)
        elif self._sync_posted:
            return
        elif not self.process.mailbox:
            # A receive timeout of 0: with an empty mailbox the sync comes before anything else (P2).
            self._post_sync()
        elif self._sync_timer is None:
            self._sync_timer = self._scheduler.after(
                self._owner.sync_interval_ms * MILLISECOND_US, self._sync_is_due
            )

    def _store(self, side: str) -> str:
        """Return the process of a store of this queue's virtual host."""
        return f"store:{beside(self._owner.name, side)}"

    def _sync_is_due(self) -> None:
        self._sync_timer = None
        self._post_sync()

    def _post_sync(self) -> None:
        self._sync_posted = True
        self.post(CALLBACK, self._sync)

    def _sync(self) -> None:
        self._sync_posted = False
        self._stop_sync_timer()
        self._owner.sync()

    def _stop_sync_timer(self) -> None:
        if self._sync_timer is not None:
            self._sync_timer.cancel()
            self._sync_timer = None

    def stop(self) -> None:
        """End with the queue process, or because work takes no time any more."""
        self._stop_sync_timer()
        self._swept.clear()
        self._owner.queue.let_stores_work_alone(False)
        self._processes.end(self.process.id)

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being worked on."""
        return self.process.idle

    def _credit(self) -> dict[str, CreditPair]:
        """Return the credit towards the stores that it wrote to, which the queue itself counts (F4)."""
        return {
            self._store(side): CreditPair(each.left, each.initial, each.more)
            for side, each in self._owner.queue.store_credit().items()
            if each.left is not None
        }


def _alone(do: Callable[[], None], _: int) -> None:
    """Do what a single message asks for."""
    do()
