"""Channels that a person works on by hand: what each of them is and holds (P14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.amqp.errors import AmqpError
from engine.broker.clients.actors import BLOCKED, HOLDS, RUNNING, Publisher
from engine.broker.clients.channel import Channel, UnackedDelivery
from engine.broker.clients.transactions import ChannelTransaction
from engine.broker.commands.base import HAND


class HandSettlement(msgspec.Struct):
    """Deliveries that a channel in tx mode will settle alike at its commit.

    Args:
        settle: what is done with each group of them.
    """

    settle: Callable[..., None]
    taken: list[UnackedDelivery]


class ManualChannel:
    """A channel behind the get, ack and requeue commands; manual consumers deliver into it as well.

    Args:
        name: of the channel; what is before its first dot names its connection.
    """

    usual_rule = HOLDS

    def __init__(self, name: str = HAND) -> None:
        self.name = name
        self.channel = Channel(name, joins=False)
        self.publisher = Publisher(name)
        """What it publishes; the person who works here reads nothing else of it."""
        self.in_tx = self.was_tx = False
        """Whether the channel is in tx mode; whether it ever was, which is shown from then on."""
        self.confirming = self.was_confirming = False
        """Whether the channel is in confirm mode; whether it ever was, which is shown from then on (K1)."""
        self.settling: list[HandSettlement] = []
        """Acknowledgements and rejects that wait for tx.commit (D12)."""
        self.blocked = self.was_blocked = False
        """Whether its connection's socket is not read; whether that ever was so, which is shown from then on (A3)."""
        self.unread = 0
        """Commands that lie in that socket."""
        self.uses_later_fields = False
        self.unanswered = 0
        """Methods that succeeded and got no answer, as their no-wait asked; shown from the first one on (P18)."""
        self.delivered = 0
        self.redelivered = 0
        self.acked = 0
        self.rule = HOLDS

    def select_confirms(self) -> None:
        """Put the channel into confirm mode, for good.

        Raises AmqpError 406 when it is in tx mode.
        """
        if self.in_tx:
            raise AmqpError("precondition_failed", "cannot switch from tx to confirm mode")
        self.confirming = self.was_confirming = True

    def select_tx(self) -> None:
        """Put the channel into tx mode, for good (D12).

        Raises AmqpError 406 when it is in confirm mode.
        """
        if self.confirming:
            raise AmqpError("precondition_failed", "cannot switch from confirm to tx mode")
        self.in_tx = self.was_tx = True
        if self.publisher.tx is None:
            self.publisher.tx = ChannelTransaction(0)

    def roll_back(self) -> None:
        """Hold again what was to be settled at the commit (D14)."""
        waiting, self.settling = self.settling, []
        for each in waiting:
            for unacked in each.taken:
                self.channel.unacked.insert(unacked)

    def disconnect(self) -> None:
        """Lose the channel; the next command opens another."""
        self.channel.reset()
        self.publisher.channel_closed()
        self.publisher.tx = None
        self.in_tx = self.confirming = False
        self.settling.clear()

    def info_items(self) -> dict[str, Any]:
        """Return what is shown of it."""
        return {
            "role": "hand",
            "state": BLOCKED if self.blocked else RUNNING,
            "unacked": self.channel.unacked.total,
            "delivered": self.delivered,
            "redelivered": self.redelivered,
            "acked": self.acked,
            **({"next_tag": self.channel.next_tag} if self.uses_later_fields else {}),
            **({"unread": self.unread} if self.was_blocked else {}),
            **({"unanswered": self.unanswered} if self.unanswered else {}),
            **(self._transaction() if self.was_tx else {}),
            **(self._confirms() if self.was_confirming else {}),
        }

    def _confirms(self) -> dict[str, Any]:
        publisher = self.publisher
        return {
            "confirm": self.confirming,
            "published": publisher.published,
            "confirmed": publisher.confirmed,
            "unconfirmed": publisher.unconfirmed,
        }

    def _transaction(self) -> dict[str, Any]:
        tx = self.publisher.tx
        return {
            "tx": self.in_tx,
            "tx_held": tx.holding if tx is not None else 0,
            "acks_held": sum(unacked.count for each in self.settling for unacked in each.taken),
            "commits": tx.commits if tx is not None else 0,
        }
