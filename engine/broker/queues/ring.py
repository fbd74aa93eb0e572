"""The consumers of one queue: their turns, and parking (P12, P13). A consumer that cannot take a message at
its turn is parked with its channel. When it has room again, it returns to the tail of its priority with all
others of its channel that have room. So it loses its place in the ring.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Literal

from engine.broker.clients.actors import Consumer
from engine.broker.clients.channel import Channel

Limited = Literal["dormant", "active", "suspended"]
"""A queue's relation to a channel's limit: none, ask first, or refused and waiting for room (P13)."""


class ConsumerLine:
    """Consumers in their order, those of a higher priority first."""

    def __init__(self) -> None:
        self._lines: dict[int, deque[Consumer]] = {}

    def __iter__(self) -> Iterator[Consumer]:
        return chain.from_iterable(self._lines.values())

    def __contains__(self, consumer: Consumer) -> bool:
        return any(consumer in line for line in self._lines.values())

    def add(self, consumer: Consumer) -> None:
        """Put a consumer after all others of its priority."""
        if consumer.priority not in self._lines:
            self._lines[consumer.priority] = deque()
            self._lines = dict(sorted(self._lines.items(), reverse=True))
        self._lines[consumer.priority].append(consumer)

    def remove(self, consumer: Consumer) -> None:
        """Take a consumer out, if it is here, whatever its priority is now."""
        for line in self._lines.values():
            if consumer in line:
                line.remove(consumer)

    @property
    def head(self) -> Consumer | None:
        """The first consumer of the highest priority that has any."""
        for line in self._lines.values():
            if line:
                return line[0]
        return None

    def turn(self, consumer: Consumer) -> None:
        """Move the first of its priority after the others."""
        self._lines[consumer.priority].rotate(-1)

    def equals(self, consumer: Consumer) -> tuple[Consumer, ...]:
        """Return all of a consumer's priority, in the order of their turns."""
        return tuple(self._lines.get(consumer.priority, ()))


class ConsumerRing:
    """Chooses which of a queue's consumers is served next. `resume`: called when a channel with a limit has
    room again.
    """

    def __init__(self, resume: Callable[[Channel], None]) -> None:
        self.single_active = False
        """Whether one consumer gets everything for as long as it is there (x-single-active-consumer)."""
        self.active: Consumer | None = None
        """That consumer."""
        self.members: dict[Consumer, None] = {}
        """All of them, in the order in which they came."""
        self._turns = ConsumerLine()
        self._parked = ConsumerLine()
        self._limited: dict[Channel, Limited] = {}
        self._resume = resume

    def __iter__(self) -> Iterator[Consumer]:
        return chain(self._turns, self._parked)

    # --- they come and go --------------------------------------------------------------------------------------------
    def add(self, consumer: Consumer) -> None:
        """Let a consumer take its turn last among those of its priority (P12)."""
        if consumer.channel.limiter.active:
            self.limit(consumer.channel)
        self.members[consumer] = None
        self._turns.add(consumer)
        if self.single_active and self.active is None:
            self.active = consumer

    def remove(self, consumer: Consumer) -> None:
        """Let a consumer get nothing any more."""
        self._turns.remove(consumer)
        self._parked.remove(consumer)
        self.members.pop(consumer, None)
        if not any(each.channel is consumer.channel for each in self.members):
            self._limited.pop(consumer.channel, None)
            consumer.channel.limiter.forget(self)
        if consumer is self.active:  # one that is parked is not looked at
            self.active = self._turns.head

    # --- whose turn --------------------------------------------------------------------------------------------------
    def next(self) -> Consumer | None:
        """Return whose turn it is, after parking those that cannot take anything; None when nobody can."""
        while (consumer := self.active if self.single_active else self._turns.head) is not None:
            if self.single_active and consumer in self._parked:
                return None
            if self._may_take(consumer):
                return consumer
            self._turns.remove(consumer)
            self._parked.add(consumer)
        return None

    def _may_take(self, consumer: Consumer) -> bool:
        channel = consumer.channel
        state = self._limited.get(channel, "dormant")
        if state == "suspended" or consumer.credit <= 0:
            return False
        if state == "active" and not channel.limiter.may_send(self):
            self._limited[channel] = "suspended"
            return False
        return True

    def turns(self, consumer: Consumer, count: int) -> tuple[tuple[Consumer, ...], int]:
        """Return the consumers that get the next of `count` messages in turn, and how many each may take
        before a limiter must be asked. If a limiter must be asked in between, return only the next consumer;
        it gets one message, unless no other has its priority.
        """
        equal = (consumer,) if self.single_active else self._turns.equals(consumer)
        among = len(equal)
        if among == 1:
            asked = self._limited.get(consumer.channel) == "active" and consumer.needs_ack
            credit = consumer.credit
            room = count if count < credit else credit
            return equal, min(room, consumer.channel.limiter.room) if asked else room
        if among > count or any(not self._is_simple(each, consumer) for each in equal):
            return (consumer,), 1
        return equal, min(count // among, *(each.credit for each in equal))

    def _is_simple(self, other: Consumer, consumer: Consumer) -> bool:
        """Return whether a consumer takes messages like others, without asking a limiter."""
        simple = self._limited.get(other.channel, "dormant") == "dormant" and other.credit > 0
        return simple and other.needs_ack == consumer.needs_ack

    def delivered(self, consumer: Consumer, count: int) -> None:
        """Put the consumer whose turn it was after the others."""
        if not self.single_active:
            self._turns.turn(consumer)
        if self._limited and consumer.needs_ack and self._limited.get(consumer.channel) == "active":
            consumer.channel.limiter.sent(count)

    # --- room again --------------------------------------------------------------------------------------------------
    def unpark(self, channel: Channel) -> bool:
        found = [each for each in self._parked if each.channel is channel and each.credit > 0]
        for each in found:
            self._parked.remove(each)
            self._turns.add(each)
        return bool(found)

    def limit(self, channel: Channel) -> None:
        """Ask the channel's limiter before each delivery from now on."""
        if self._limited.get(channel, "dormant") == "dormant":
            self._limited[channel] = "active"

    def unlimit(self, channel: Channel) -> bool:
        """Stop asking the limiter; return whether the channel waited for room."""
        waited = self._limited.pop(channel, "dormant") == "suspended"
        if waited:
            self.unpark(channel)
        return waited

    def resume(self, limiter: object) -> None:
        """Continue with a channel whose limiter has room again."""
        for channel, state in list(self._limited.items()):
            if channel.limiter is limiter and state == "suspended":
                self._limited[channel] = "active"
                self.unpark(channel)
                self._resume(channel)
