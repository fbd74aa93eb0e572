"""What is between a queue process and its mailbox, whether messages wait there or not (P1, P6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.broker.time.process import WorkProcess


class MailPort(Protocol):
    """The mailbox of a queue process."""

    process: WorkProcess

    @property
    def more_follows(self) -> bool:
        """Whether what the queue handles now is only a part of one message."""

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is being worked on."""

    @property
    def consumer_priority(self) -> int:
        """Priority of a new consumer and of reports about what was sent (P6)."""

    def post(self, priority: int, do: Callable[[], None]) -> None:
        """Let the process do something when its turn comes."""

    def together(self, do: Callable[[], None]) -> None:
        """Do something; whatever of it reaches the queue at once is one message for the queue."""

    def sweep(self) -> None:
        """Put what the stores, the index and the queue itself sent into the mailbox."""

    def at_once(self, do: Callable[[], None]) -> None:
        """Do what waits for the stores by itself: they answer without delay meanwhile (Q56)."""

    def read(self) -> None:
        """Handle what the stores and the index sent, if it does not wait for its turn (K7, F5)."""

    def settle(self) -> None:
        """Sync or wait, if the mailbox is known to be empty (P1, P2)."""

    def handled(self) -> None:
        """Go on to what follows a message."""

    def stop(self) -> None:
        """End with the queue process, or because another mailbox takes its place."""
