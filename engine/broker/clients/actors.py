"""Publishers and consumers: what each of them is and holds."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from engine.broker.clients.channel import Channel, ChannelTransaction, connection_of
from engine.broker.commands.base import MAX_COUNT, MessageFields
from engine.broker.commands.client_commands import Publish, SetConsumer, SetPublisher
from engine.broker.commands.commands import message_of, uses_later_fields
from engine.broker.time.process import WorkProcess
from engine.broker.time.scheduler import TICK_US, RatePace, ScheduledTimer
from engine.values.labels import bare

STOPPED: Final = "stopped"
RUNNING: Final = "running"
BLOCKING: Final = "blocking"
BLOCKED: Final = "blocked"
FLOW: Final = "flow"

OPEN: Final = "open"
CLOSED: Final = "closed"
"""States of a channel or a connection."""

PUBLISHES: Final = "P8"
CONSUMES: Final = "P12"
HOLDS: Final = "P14"
"""Rules of changes that happen to actors in normal operation."""


class Publisher:
    """A connection that publishes: at a steady rate, or in bursts by command (`burst`). While an alarm is
    set, the first message that arrives blocks the connection, and its messages wait (A3).
    """

    usual_rule = PUBLISHES

    def __init__(self, name: str) -> None:
        self.name = name
        self.bursts = bare(name) == "burst"
        """Whether it is the connection of bursts of its virtual host."""
        self.pace = RatePace(1, 0)
        self.size_bytes = 0
        self.persistent = False
        self.confirm = False
        self.running = False
        self.publish_seen = False
        self.alarm = False
        self.hears_blocked = False
        """Whether the client announced the capability connection.blocked (A5)."""
        self.blocked_sent = False
        self.reader: WorkProcess | None = None
        """The process that reads its socket; None before it has published."""
        self.published = 0
        self.confirmed = 0
        self.unconfirmed = 0
        self.waiting: deque[Publish] = deque()
        """Messages in its socket that nobody has read."""
        self.stopped: deque[Publish] = deque()
        """Messages that its channel holds back, because members of mirrored queues gave no credit (H84)."""
        self.flow = False
        """Whether the channel holds messages back, which stops its connection (H84)."""
        self.unsent: deque[Publish] = deque()
        """Messages that the client wrote and its connection has not carried yet."""
        self.carries_bytes_per_s = 0
        self.carried_bytes = 0
        """Bytes of the next message that have arrived."""
        self.timer: ScheduledTimer | None = None
        self.rule = PUBLISHES
        self.message = MessageFields()
        self.tx: ChannelTransaction | None = None
        self.was_tx = False
        """Whether its channel was ever in tx mode; shown from then on."""
        self.next_number = 1
        """The publish number of its next message on the channel (K10)."""
        self.channel_state = OPEN
        self.connection_state = OPEN
        self.uses_later_fields = False
        """Whether a command used a field that was added after the first release; reported from then on."""

    def change(self, command: SetPublisher) -> None:
        self.pace.rate_per_s = command.rate_per_s
        self.running = command.running
        self.hears_blocked = command.hears_blocked
        if command.tx != (self.tx.size if self.tx is not None else 0):
            self.tx = ChannelTransaction(command.tx) if command.tx else None
            self.was_tx = True
        self.address(command)

    def address(self, command: SetPublisher | Publish) -> None:
        """Take over what a command gives for its messages."""
        self.size_bytes = command.size_bytes
        self.persistent = command.persistent
        self.confirm = command.confirm
        self.message = message_of(command)
        self.channel_state = self.connection_state = OPEN
        self.uses_later_fields = self.uses_later_fields or uses_later_fields(command)

    def batch(self, count: int) -> Publish:
        """Return `count` of its messages as a burst."""
        message = self.message
        return Publish(
            count,
            self.size_bytes,
            self.persistent,
            self.confirm,
            message.routing_key,
            message.exchange,
            message.mandatory,
            message.expiration_ms,
            message.headers,
            message.properties,
        )

    def channel_closed(self) -> None:
        """Lose the channel; whatever it waited for no longer comes."""
        self._lose_channel()
        self.uses_later_fields = True

    def _lose_channel(self) -> None:
        self.running = False
        self.unconfirmed = 0
        self.next_number = 1
        if self.tx is not None:
            self.tx.roll_back()
        self.channel_state = CLOSED
        self.waiting.clear()
        self.stopped.clear()
        self.unsent.clear()
        stop(self)

    @property
    def unread(self) -> int:
        """Messages that wait in its socket or in its channel."""
        if not (self.waiting or self.stopped):
            return 0
        return sum([batch.count for batch in self.waiting]) + sum([batch.count for batch in self.stopped])

    @property
    def blocked(self) -> bool:
        """Whether nobody reads its socket, because it published while an alarm was set (A3)."""
        return self.alarm and self.publish_seen

    @property
    def state(self) -> str:
        """The state that the connection shows (A4)."""
        if self.alarm:
            return BLOCKED if self.blocked else BLOCKING
        if self.flow or (self.reader is not None and self.reader.in_flow):
            return FLOW
        return RUNNING if self.running or self.bursts else STOPPED

    def set_alarm(self, alarm: bool) -> None:
        """Note whether an alarm is set; when none is, forget that it published during one (A3)."""
        self.alarm = alarm
        if not alarm:
            self.publish_seen = False

    def disconnect(self) -> None:
        """Lose the connection; it does not come back by itself."""
        self._lose_channel()
        self.set_alarm(False)
        self.blocked_sent = False
        self.connection_state = CLOSED

    def info_items(self) -> dict[str, Any]:
        """Return what is shown of it."""
        return {
            "role": "publisher",
            "state": self.state,
            "rate_per_s": self.pace.rate_per_s if not self.bursts else None,
            "size_bytes": self.size_bytes,
            "persistent": self.persistent,
            "confirm": self.confirm,
            "published": self.published,
            "confirmed": self.confirmed,
            "unconfirmed": self.unconfirmed,
            "waiting": self.unread,
            **(self._more() if self.uses_later_fields else {}),
        }

    def _more(self) -> dict[str, Any]:
        tx = self.tx
        shown = {"tx": 0, "tx_held": 0, "commits": 0}
        if tx is not None:
            shown = {"tx": tx.size, "tx_held": tx.holding, "commits": tx.commits}
        return {
            **(shown if self.was_tx else {}),
            **self.message.given(),
            "channel_state": self.channel_state,
            "connection_state": self.connection_state,
        }


class Consumer:
    """A connection that consumes. A consumer with acknowledgements holds up to `prefetch` messages and
    finishes them at its rate (P13). One without has up to `unsent_limit` messages on the way to it, which its
    socket takes at its rate (P12).
    """

    usual_rule = CONSUMES

    def __init__(self, name: str, unsent_limit: int) -> None:
        self.name = name
        self.pace = RatePace(1, TICK_US // 2)
        self.queue = ""
        self.prefetch = 1
        self.ack = "each"
        self.running = False
        self.alarm = False
        self.unsent_limit = unsent_limit
        self.own_channel = Channel(name)
        self.channel = self.own_channel
        """Its channel: its own, or for `manual` one whose messages are acknowledged by hand."""
        self.holding = 0
        """Unacknowledged messages, or messages on the way for `auto`."""
        self.old = 0
        """Held messages that an earlier master delivered; the new master does not count them (H68)."""
        self.uncounted = 0
        """Acknowledged messages that its queue still counts, because an unknown tag came before theirs (H68)."""
        self.unsent = self.written = self.acking = 0
        """If work takes time: deliveries that no report covers yet, deliveries written since the last report, and
        acknowledgements that the queue has not handled yet (F8, P6).
        """
        self.counts_unsent = False
        self.delivered = 0
        self.redelivered = 0
        self.acked = 0
        self.timer: ScheduledTimer | None = None
        self.rule = CONSUMES
        self.priority = 0
        self.exclusive = False
        self.cancel_on_failover = False
        """Whether to cancel it when a mirror takes over: x-cancel-on-ha-failover (H67)."""
        self.nack: str | None = None
        """What happens to finished messages that it rejects: they are requeued or discarded (P11)."""
        self.nacked = 0
        self.channel_prefetch = 0
        self.finishing = False
        """Whether it was cancelled and has messages left to finish."""
        self.had_own_tick = False
        """Whether a command changed its tick; reported from then on."""
        self.channel_state = OPEN
        self.connection_state = OPEN
        self.uses_later_fields = False
        """Whether a command used a field that was added after the first release; reported from then on."""

    def change(self, command: SetConsumer, now_us: int) -> None:
        """Take the values of a command."""
        self.pace.change(command.rate_per_s, now_us)
        self.prefetch = command.prefetch
        self.ack = command.ack
        self.running = command.running
        self.finishing = False
        self.queue = command.queue
        self.priority = command.priority
        self.exclusive = command.exclusive
        self.cancel_on_failover = command.cancel_on_failover
        self.channel_prefetch = command.channel_prefetch
        self.nack = command.nack
        self.pace.tick_us = command.tick_ms * 1000
        self.had_own_tick = self.had_own_tick or self.pace.tick_us != TICK_US
        self.channel_state = self.connection_state = OPEN
        self.uses_later_fields = self.uses_later_fields or uses_later_fields(command)

    @property
    def credit(self) -> int:
        """How many messages may be delivered to it now; 0 parks it (P12, P13)."""
        if not self.running:
            return 0
        if self.ack == "auto":
            return self.unsent_limit - self.holding
        held = self.holding - self.old + self.acking + self.uncounted
        credit = self.prefetch - held if self.prefetch else MAX_COUNT
        if self.counts_unsent:
            credit = min(credit, self.unsent_limit - self.unsent)
        return credit if credit > 0 else 0

    @property
    def most(self) -> int:
        """How many messages it may hold, 0 for any number (P12, P13)."""
        if not self.needs_ack:
            return self.unsent_limit
        limits = [each for each in (self.prefetch, self.channel_prefetch) if each]
        return min(limits, default=0)

    @property
    def needs_ack(self) -> bool:
        return self.ack != "auto"

    def gave_back(self, count: int, found: int, counted: int) -> None:
        """Hold fewer messages, because the queue handled their acknowledgements or took them back. `found`: number of
        these messages that the queue had. `counted`: number of these that free room for new deliveries.
        """
        self.uncounted += found - counted
        if self.acking:  # they left its hands before, and were on their way
            self.acking = self.acking - count if self.acking > count else 0
        else:
            self.holding = max(0, self.holding - count)
        if self.old:  # of what was acknowledged, the rest was of a master that is gone now (H68)
            self.old = max(0, min(self.holding, self.old - count + found))

    def served_anew(self) -> None:
        """Start with a new master: held messages no longer count, and the whole prefetch is free (H68).
        Acknowledgements that it sent while no master lived are lost.
        """
        self.nothing_under_way()
        self.old = self.holding if self.needs_ack else 0

    @property
    def connection(self) -> str:
        return self.name if self.channel is self.own_channel else connection_of(self.channel.name)

    @property
    def works(self) -> bool:
        """Whether it finishes messages by itself at its rate; a cancelled one still finishes what it holds."""
        return (self.running or self.finishing) and self.ack != "manual"

    @property
    def state(self) -> str:
        """The state that the connection shows; a pure consumer under an alarm stays blocking and works (A4)."""
        if not self.running:
            return STOPPED
        return BLOCKING if self.alarm else RUNNING

    def forget_held(self) -> None:
        """Hold nothing any more, because the messages were requeued or their queue is gone."""
        self.own_channel.unacked.clear()
        self.holding = self.old = 0
        self.finishing = False
        self.nothing_under_way()
        stop(self)

    def nothing_under_way(self) -> None:
        """Forget deliveries and acknowledgements that are on the way between it and its queue."""
        self.unsent = self.written = self.acking = self.uncounted = 0

    def channel_closed(self) -> None:
        """Lose the channel, and with it the subscription and all deliveries."""
        self.running = False
        self.forget_held()
        self.own_channel.reset()
        self.channel_state = CLOSED
        self.uses_later_fields = True

    def disconnect(self) -> None:
        """Lose the connection; it does not come back by itself."""
        self.running = False
        self.alarm = False
        self.forget_held()
        self.own_channel.reset()
        self.channel_state = self.connection_state = CLOSED

    def info_items(self) -> dict[str, Any]:
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
            **(self._more() if self.uses_later_fields else {}),
        }

    def _more(self) -> dict[str, Any]:
        return {
            "queue": self.queue,
            "priority": self.priority,
            "exclusive": self.exclusive,
            "channel_prefetch": self.channel_prefetch,
            **({"nack": self.nack, "nacked": self.nacked} if self.nack or self.nacked else {}),
            **({"tick_ms": self.pace.tick_us // 1000} if self.had_own_tick else {}),
            "channel_state": self.channel_state,
            "connection_state": self.connection_state,
        }


def stop(actor: Publisher | Consumer) -> None:
    """Cancel the actor's next action."""
    if actor.timer is not None:
        actor.timer.cancel()
        actor.timer = None
