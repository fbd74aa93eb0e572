"""Manual channels: what they hold, get, settle and have not read (P10, P11, P14, A3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from engine.amqp.declarations import unknown_tag
from engine.amqp.errors import AmqpError
from engine.backing_queue.protocol import TakenMessages
from engine.broker.clients.actors import BLOCKED, HOLDS, RUNNING, Consumer, Publisher
from engine.broker.clients.channel import (
    Channel,
    ChannelTransaction,
    DeliveryGroup,
    UnackedDelivery,
    by_queue,
    connection_of,
    tags_of,
)
from engine.broker.clients.queue import ClientQueue
from engine.broker.commands.base import HAND, Command
from engine.broker.commands.client_commands import Publish, SetConsumer
from engine.report.transitions.base import Transition
from engine.report.transitions.node import GotEmpty
from engine.values.errors import CommandError


class HandSettlement(msgspec.Struct):
    """Deliveries that a channel in tx mode settles in the same way at its commit."""

    settle: Callable[..., None]
    taken: list[UnackedDelivery]


class ManualChannel:
    """A channel behind the get, ack and requeue commands; manual consumers deliver into it as well. `name`:
    of the channel; what is before its first dot names its connection.
    """

    usual_rule = HOLDS

    def __init__(self, name: str = HAND) -> None:
        self.name = name
        self.channel = Channel(name, joins=False)
        self.publisher = Publisher(name)
        """Its publisher; commands use nothing else of it."""
        self.in_tx = self.was_tx = False
        """Whether the channel is in tx mode, and whether it ever was; shown from then on."""
        self.confirming = self.was_confirming = False
        """Whether the channel is in confirm mode, and whether it ever was; shown from then on (K1)."""
        self.settling: list[HandSettlement] = []
        """Acknowledgements and rejects that wait for tx.commit (D12)."""
        self.blocked = self.was_blocked = False
        """Whether nobody reads its connection's socket, and whether that ever was so; shown from then on (A3)."""
        self.unread = 0
        """Commands that wait in that socket."""
        self.uses_later_fields = False
        self.unanswered = 0
        """Number of methods that succeeded without an answer because of no-wait; shown from the first one on (P18)."""
        self.delivered = 0
        self.redelivered = 0
        self.acked = 0
        self.rule = HOLDS

    def select_confirms(self) -> None:
        """Put the channel into confirm mode, for good. Raises AmqpError 406 when it is in tx mode."""
        if self.in_tx:
            raise AmqpError("precondition_failed", "cannot switch from tx to confirm mode")
        self.confirming = self.was_confirming = True

    def select_tx(self) -> None:
        """Put the channel into tx mode, for good (D12). Raises AmqpError 406 when it is in confirm mode."""
        if self.confirming:
            raise AmqpError("precondition_failed", "cannot switch from confirm to tx mode")
        self.in_tx = self.was_tx = True
        if self.publisher.tx is None:
            self.publisher.tx = ChannelTransaction(0)

    def roll_back(self) -> None:
        """Hold again the deliveries that the commit would have settled (D14)."""
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


class UnreadInput:
    """Commands of blocked manual connections, in order. The broker stops reading the socket of a connection
    that published under an alarm. Everything else that its client sends, on any channel, waits too.
    `by_hand`: the channels by hand.
    """

    def __init__(self, by_hand: Mapping[str, ManualChannel]) -> None:
        self._by_hand = by_hand
        self.blocked: dict[str, deque[Command]] = {}
        """Waiting commands, by connection."""

    @property
    def messages(self) -> int:
        every = (each for waiting in self.blocked.values() for each in waiting)
        return sum(each.count for each in every if isinstance(each, Publish))

    def block(self, channel: str, command: Command) -> None:
        """Stop reading a connection; the command that caused this is the first to wait."""
        self.blocked[connection_of(channel)] = deque([command])
        self._show(connection_of(channel))

    def keeps(self, command: Command) -> bool:
        """Keep a command for later if its connection is blocked; return whether it was kept."""
        channel = channel_of(command)
        waiting = None if channel is None else self.blocked.get(connection_of(channel))
        if channel is None or waiting is None:
            return False
        waiting.append(command)
        self._show(connection_of(channel))
        return True

    def take(self) -> list[Command]:
        """Return all commands, connection by connection, as the sockets are read again."""
        blocked, self.blocked = self.blocked, {}
        for connection in blocked:
            self._show(connection)
        return [command for waiting in blocked.values() for command in waiting]

    def forget(self, connection: str) -> None:
        if self.blocked.pop(connection, None) is not None:
            self._show(connection)

    def clear(self) -> None:
        for connection in list(self.blocked):
            self.forget(connection)

    def _show(self, connection: str) -> None:
        waiting = self.blocked.get(connection)
        for name, hand in self._by_hand.items():
            if connection_of(name) == connection:
                hand.unread = 0 if waiting is None else len(waiting)
                hand.blocked = waiting is not None
                hand.was_blocked = True
                hand.rule = "A3"


def channel_of(command: Command) -> str | None:
    if isinstance(command, SetConsumer) and command.ack != "manual":
        return None
    return getattr(command, "channel", None)


Settles = Callable[[ManualChannel, DeliveryGroup, bool], None]
"""Settles one group of a channel's deliveries; gets whether the queue receives all at once."""


class ManualDeliveries:
    """Gets, acknowledges and rejects messages on manual channels. `queues`: the node's queues by name.
    `consumers`: all of them by name, since a manual channel may have some.
    """

    def __init__(
        self,
        queues: Mapping[str, ClientQueue],
        consumers: Mapping[str, Consumer],
        emit: Callable[[Transition], None],
    ) -> None:
        self._queues = queues
        self._consumers = consumers
        self._emit = emit

    def get(self, hand: ManualChannel, queue: str, count: int, ack: bool) -> None:
        """basic.get `count` times (P10)."""
        self._queues[queue].get(count, ack, partial(self._got, hand, queue, ack))

    def _got(
        self, hand: ManualChannel, queue: str, ack: bool, taken: list[TakenMessages], empty: bool
    ) -> None:
        for each in taken:
            hand.delivered += each.extent.count
            hand.redelivered += each.redelivered
            life = self._queues[queue].life
            hand.channel.deliver(queue, None, each.extent, each.redelivered, ack=ack, life=life)
        if empty:
            self._emit(GotEmpty("P10", hand.name, queue))

    def ack_held(self, hand: ManualChannel, count: int, multiple: bool) -> None:
        """Acknowledge the oldest deliveries held: with one acknowledgement, or one each (P14). Raises
        CommandError: there are fewer.
        """
        self._settle(hand, self._held(hand, count), self._ack, multiple)

    def ack_tag(self, hand: ManualChannel, tag: int, multiple: bool) -> None:
        """Acknowledge a delivery tag of a channel (P14). Raises AmqpError 406 when it is not outstanding."""
        self._settle(hand, self._of_tag(hand, tag, multiple), self._ack, multiple)

    def nack_tag(
        self, hand: ManualChannel, tag: int, multiple: bool, requeue: bool, reject: bool = False
    ) -> None:
        """Reject a delivery tag of a channel, with requeue or for good (P11, P14). Raises AmqpError 406 when
        it is not outstanding.
        """
        self._settle(hand, self._of_tag(hand, tag, multiple), self._unwanted(requeue, reject), multiple)

    def _unwanted(self, requeue: bool, reject: bool) -> Settles:
        """Return the function that settles rejected messages; only basic.reject counts as a failed delivery (W42)."""
        if requeue:
            return self._requeue_failed if reject else self._requeue
        return self._reject if reject else self._nack

    def _held(self, hand: ManualChannel, count: int) -> list[UnackedDelivery]:
        if count > len(hand.channel):
            raise CommandError("not_held", held=len(hand.channel), count=count)
        return hand.channel.take(count)

    def _of_tag(self, hand: ManualChannel, tag: int, multiple: bool) -> list[UnackedDelivery]:
        taken = hand.channel.take_tag(tag, multiple)
        if taken is None:
            raise unknown_tag(tag)
        hand.uses_later_fields = True
        return taken

    def recover(self, hand: ManualChannel) -> None:
        """Requeue everything that the channel holds (basic.recover, P11)."""
        self._settle(hand, hand.channel.take(len(hand.channel)), self._requeue)

    def give_back(self, hand: ManualChannel, consumer: Consumer) -> None:
        """Requeue the deliveries of a consumer of the channel that is gone (P11)."""
        self._settle(hand, hand.channel.take_of(consumer.name), self._requeue)

    def nack_held(
        self, hand: ManualChannel, count: int, multiple: bool, requeue: bool, reject: bool = False
    ) -> None:
        """Reject the oldest deliveries held, one by one or at once, with requeue or for good (P11). Raises
        CommandError: there are fewer.
        """
        self._settle(hand, self._held(hand, count), self._unwanted(requeue, reject), multiple)

    # --- settling ----------------------------------------------------------------------------------------------------
    def _settle(
        self, hand: ManualChannel, taken: Sequence[UnackedDelivery], do: Settles, multiple: bool = True
    ) -> None:
        """Let the queues settle deliveries that a channel no longer holds, group by group (P14). `do`:
        settles one group; gets whether the queue receives all at once or message by message. `multiple`:
        whether one method of the client settles all.
        """
        if hand.in_tx:  # what is acknowledged or rejected waits, equal ones in a row as one (D12)
            if hand.settling and hand.settling[-1].settle == do:
                hand.settling[-1].taken.extend(taken)
            else:
                hand.settling.append(HandSettlement(do, list(taken)))
            return
        limiter = hand.channel.limiter
        methods = [by_queue(taken)] if multiple else _one_by_one(taken, apart=limiter.active)
        left = deque(group for groups in methods for group in groups)
        for groups in methods:
            count = sum(each.count for each in groups if each.consumer is not None)
            limiter.acked(count, partial(self._settle_groups, hand, groups, left, do, multiple))

    def _settle_groups(
        self,
        hand: ManualChannel,
        groups: Sequence[DeliveryGroup],
        left: deque[DeliveryGroup],
        do: Settles,
        multiple: bool,
    ) -> None:
        """Let the queues settle the deliveries of one client method; `left` are the deliveries after these (P14)."""
        for group in groups:
            if self._is_heard(hand, left):
                do(hand, group, multiple and group.together)
            left.popleft()

    def _is_heard(self, hand: ManualChannel, left: Sequence[DeliveryGroup]) -> bool:
        """Return whether a queue accepts the first of the groups that a channel settles (P14)."""
        queue, first = self._queues.get(left[0].queue), left[0]
        if queue is None:
            return False
        waiting = chain((each.deliveries for each in left), (each.taken for each in hand.settling))
        if not queue.knows(hand.channel, chain.from_iterable(waiting)):
            return False
        old = [each for each in first.deliveries if each.life != queue.life]
        if old:
            hand.channel.overtaken(first.queue, queue.life, tags_of(old))
        return True

    def commit(self, hand: ManualChannel, ended: Container[str] = ()) -> None:
        """Settle the deliveries that waited for the commit, in order (D13). `ended`: queues that the channel knows by a
        process that has ended; it tells them nothing, so that what it has of them comes back when it closes (W229).
        """
        waiting, hand.settling = hand.settling, []
        hand.in_tx = False
        for each in waiting:
            for unacked in each.taken:
                if unacked.queue in ended:
                    hand.channel.unacked.insert(unacked)
            heard = [unacked for unacked in each.taken if unacked.queue not in ended]
            self._settle(hand, sorted(heard, key=attrgetter("start")), each.settle)
        hand.in_tx = True

    def _holder(self, group: DeliveryGroup) -> Consumer | None:
        """Return whose credit a group took; nobody's, if its tag now belongs to another queue's consumer."""
        found = None if group.consumer is None else self._consumers.get(group.consumer)
        return found if found is not None and found.queue == group.queue else None

    def _ack(self, hand: ManualChannel, group: DeliveryGroup, together: bool) -> None:
        holder = self._holder(group)
        hand.acked += group.count
        if holder is not None:
            holder.acked += group.count
        self._queues[group.queue].settlements.send_ack(holder, tags_of(group.deliveries), together)

    def _requeue(self, _: ManualChannel, group: DeliveryGroup, together: bool, failed: bool = False) -> None:
        self._queues[group.queue].settlements.requeue(
            self._holder(group), tags_of(group.deliveries), together, failed=failed
        )

    def _requeue_failed(self, hand: ManualChannel, group: DeliveryGroup, together: bool) -> None:
        self._requeue(hand, group, together, failed=True)

    def _nack(self, _: ManualChannel, group: DeliveryGroup, together: bool, failed: bool = False) -> None:
        self._queues[group.queue].settlements.reject(
            self._holder(group), tags_of(group.deliveries), together, failed=failed
        )

    def _reject(self, hand: ManualChannel, group: DeliveryGroup, together: bool) -> None:
        self._nack(hand, group, together, failed=True)


def _one_by_one(taken: Sequence[UnackedDelivery], apart: bool) -> list[list[DeliveryGroup]]:
    """Group deliveries that a client settles one by one: neighbours of one queue and consumer, unless apart."""
    if apart:
        single = [each.part(i, 1) for each in taken for i in range(each.count)]
        return [[DeliveryGroup(each.queue, each.consumer, [each])] for each in single]
    groups: list[DeliveryGroup] = []
    for each in taken:
        if groups and (groups[-1].queue, groups[-1].consumer) == (each.queue, each.consumer):
            groups[-1].deliveries.append(each)
        else:
            groups.append(DeliveryGroup(each.queue, each.consumer, [each]))
    return [[each] for each in groups]
