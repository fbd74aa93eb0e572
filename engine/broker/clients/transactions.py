"""Transactions of publishers: what a channel holds until its client commits (D12-D15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine.backing_queue.arrivals import Arrival
from engine.broker.commands.base import MessageFields
from engine.broker.commands.publish import Publish


class HeldPublish(msgspec.Struct, frozen=True, gc=False):
    """Messages that were routed and are not delivered yet (D12).

    Args:
        batch: as the client published them.
        message: what it sent with them.
        arrivals: as they will arrive, with the expiration that each of them has in milliseconds.
        queues: where they were routed to.
        processes: of these queues, each with the number of its process, where a commit sends to no other (W229).
    """

    batch: Publish
    message: MessageFields
    arrivals: Sequence[tuple[Arrival, int | None]]
    queues: tuple[str, ...]
    processes: tuple[tuple[Any, int], ...] = ()


class ChannelTransaction:
    """A publisher's channel in tx mode; only its publishes, consumers acknowledge outside of transactions.

    Args:
        size: the client commits after that many messages; 0 when it commits by a command of its own.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.published = 0
        """Messages since the last commit, as the client counts them."""
        self.held: list[HeldPublish] = []
        self.committing = 0
        """Messages whose confirms the commit waits for (D13)."""
        self.commits = 0
        self.at_commit = False
        """Whether a commit by hand is under way: what a queue refuses is reported once everything was sent (D13)."""
        self.refused = False
        """Whether a queue refused a message of that commit."""

    @property
    def room(self) -> int:
        """How many messages the client may publish now; none while it waits for commit_ok."""
        return self.size - self.published

    @property
    def holding(self) -> int:
        """Messages that the channel holds."""
        return sum(each.batch.count for each in self.held)

    def take(self) -> list[HeldPublish]:
        """Return everything held, which the commit is to deliver."""
        taken, self.held = self.held, []
        self.committing = sum(each.batch.count for each in taken)
        return taken

    def confirmed(self, count: int) -> bool:
        """Take confirms; return whether that was the last one, so that commit_ok goes out (D13)."""
        self.committing -= count
        if self.committing:
            return False
        self.commits += 1
        self.published = 0
        return True

    def roll_back(self) -> None:
        """Drop what is held, the channel being closed (D14)."""
        self.held.clear()
        self.published = self.committing = 0
