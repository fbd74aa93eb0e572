"""Publishers and consumers: what each of them is and holds."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from engine.node.channel import Channel
from engine.node.commands import DEFAULT_QUEUE, MAX_COUNT, Publish, SetConsumer, SetPublisher, says_more
from engine.node.pace import TICK_US, Pace
from engine.node.scheduler import Timer

STOPPED: Final = "stopped"
RUNNING: Final = "running"
BLOCKING: Final = "blocking"
BLOCKED: Final = "blocked"
FLOW: Final = "flow"

PUBLISHES: Final = "P8"
CONSUMES: Final = "P12"
HOLDS: Final = "P14"
"""Rules by which actors change in the usual course of things."""


class Publisher:
    """A connection that publishes: steadily, or in bursts by command (`burst`).

    While an alarm is set, the first message that arrives blocks the connection, and what it publishes waits (A3).
    """

    usual_rule = PUBLISHES

    def __init__(self, name: str) -> None:
        self.name = name
        self.pace = Pace(1, 0)
        self.size_bytes = 0
        self.persistent = False
        self.confirm = False
        self.running = False
        self.publish_seen = False
        self.alarm = False
        self.hears_blocked = False
        """Whether the client announced the capability connection.blocked (A5)."""
        self.told_blocked = False
        self.flow = False
        """Whether its reader waits for credit, or did a moment ago (A4)."""
        self.published = 0
        self.confirmed = 0
        self.unconfirmed = 0
        self.waiting: deque[Publish] = deque()
        self.timer: Timer | None = None
        self.rule = PUBLISHES
        self.routing_key = DEFAULT_QUEUE
        self.says_more = False
        """Whether a command gave it more than the first commands could say, which is told from then on."""

    def change(self, command: SetPublisher) -> None:
        """Take the values of a command."""
        self.pace.rate_per_s = command.rate_per_s
        self.running = command.running
        self.hears_blocked = command.hears_blocked
        self.address(command)

    def address(self, command: SetPublisher | Publish) -> None:
        """Take what a command says about its messages."""
        self.size_bytes = command.size_bytes
        self.persistent = command.persistent
        self.confirm = command.confirm
        self.routing_key = command.routing_key
        self.says_more = self.says_more or says_more(command)

    def batch(self, count: int) -> Publish:
        """Return `count` of its messages as a burst."""
        return Publish(count, self.size_bytes, self.persistent, self.confirm, self.routing_key)

    @property
    def blocked(self) -> bool:
        """Whether its socket is not read: an alarm is set and it published since (A3)."""
        return self.alarm and self.publish_seen

    @property
    def state(self) -> str:
        """The state that the connection shows (A4)."""
        if self.blocked:
            return BLOCKED
        if self.alarm:
            return BLOCKING
        if self.flow:
            return FLOW
        return RUNNING if self.running or self.name == "burst" else STOPPED

    def set_alarm(self, alarm: bool) -> None:
        """Hear of an alarm; when none is left, it has published nothing since (A3)."""
        self.alarm = alarm
        if not alarm:
            self.publish_seen = False

    def disconnect(self) -> None:
        """Lose the connection; it does not come back by itself."""
        self.running = False
        self.publish_seen = False
        self.alarm = False
        self.told_blocked = False
        self.unconfirmed = 0
        self.waiting.clear()
        stop(self)

    def facts(self) -> dict[str, Any]:
        """Return what is shown of it."""
        return {
            "role": "publisher",
            "state": self.state,
            "rate_per_s": self.pace.rate_per_s if self.name != "burst" else None,
            "size_bytes": self.size_bytes,
            "persistent": self.persistent,
            "confirm": self.confirm,
            "published": self.published,
            "confirmed": self.confirmed,
            "unconfirmed": self.unconfirmed,
            "waiting": sum(burst.count for burst in self.waiting),
            **({"routing_key": self.routing_key} if self.says_more else {}),
        }


class Consumer:
    """A connection that consumes.

    A consumer with acknowledgements holds up to `prefetch` messages and finishes them at its rate (P13). One without
    has up to `unsent_limit` messages on the way to it, which its socket takes at its rate (P12).
    """

    usual_rule = CONSUMES

    def __init__(self, name: str, unsent_limit: int) -> None:
        self.name = name
        self.pace = Pace(1, TICK_US // 2)
        self.queue = ""
        self.prefetch = 1
        self.ack = "each"
        self.running = False
        self.alarm = False
        self.unsent_limit = unsent_limit
        self.channel = Channel()
        """Unacknowledged messages in order of delivery; empty for `auto` and `manual`."""
        self.holding = 0
        """Unacknowledged messages, or messages on the way for `auto`."""
        self.unsent = self.written = self.acking = 0
        """Where work takes time: deliveries that no report covers yet, those written since the last one, and
        acknowledgements that the queue did not handle yet (F8, P6)."""
        self.counts_unsent = False
        self.delivered = 0
        self.redelivered = 0
        self.acked = 0
        self.timer: Timer | None = None
        self.rule = CONSUMES
        self.says_more = False
        """Whether a command gave it more than the first commands could say, which is told from then on."""

    def change(self, command: SetConsumer) -> None:
        """Take the values of a command."""
        self.pace.rate_per_s = command.rate_per_s
        self.prefetch = command.prefetch
        self.ack = command.ack
        self.running = command.running
        self.queue = command.queue
        self.says_more = self.says_more or says_more(command)

    @property
    def credit(self) -> int:
        """How many messages may be delivered to it now; 0 parks it (P12, P13)."""
        if not self.running:
            return 0
        if self.ack == "auto":
            return self.unsent_limit - self.holding
        limit = MAX_COUNT if self.prefetch == 0 else self.prefetch - self.holding - self.acking
        if self.counts_unsent:
            limit = min(limit, self.unsent_limit - self.unsent)
        return max(0, limit)

    @property
    def works(self) -> bool:
        """Whether it finishes messages by itself at its rate."""
        return self.running and self.ack != "manual"

    @property
    def state(self) -> str:
        """The state that the connection shows; a pure consumer under an alarm stays blocking and works (A4)."""
        if not self.running:
            return STOPPED
        return BLOCKING if self.alarm else RUNNING

    def cancelled(self) -> None:
        """Hear that its queue is gone, and with it what it holds."""
        self.running = False
        self.holding = 0
        self.nothing_under_way()
        stop(self)

    def nothing_under_way(self) -> None:
        """Forget deliveries and acknowledgements that are between it and its queue."""
        self.unsent = self.written = self.acking = 0

    def disconnect(self) -> None:
        """Lose the connection; it does not come back by itself."""
        self.running = False
        self.alarm = False
        self.channel.reset()
        self.holding = 0
        self.nothing_under_way()
        stop(self)

    def facts(self) -> dict[str, Any]:
        """Return what is shown of it."""
        return {
            "role": "consumer",
            "state": self.state,
            "rate_per_s": self.pace.rate_per_s,
            "prefetch": self.prefetch,
            "ack": self.ack,
            "unacked": self.holding if self.ack != "auto" else 0,
            "unsent": self.holding if self.ack == "auto" else self.unsent,
            "delivered": self.delivered,
            "redelivered": self.redelivered,
            "acked": self.acked,
            **({"queue": self.queue} if self.says_more else {}),
        }


class Hand:
    """The channel behind the get, ack and requeue commands; manual consumers deliver into it as well."""

    name = "hand"
    usual_rule = HOLDS

    def __init__(self) -> None:
        self.channel = Channel(joins=False)
        self.delivered = 0
        self.redelivered = 0
        self.acked = 0
        self.rule = HOLDS

    def disconnect(self) -> None:
        """Lose the channel."""
        self.channel.reset()

    def facts(self) -> dict[str, Any]:
        """Return what is shown of it."""
        return {
            "role": "hand",
            "state": RUNNING,
            "unacked": len(self.channel),
            "delivered": self.delivered,
            "redelivered": self.redelivered,
            "acked": self.acked,
        }


def stop(actor: Publisher | Consumer) -> None:
    """Cancel what the actor was going to do next."""
    if actor.timer is not None:
        actor.timer.cancel()
        actor.timer = None
