"""Closing channels and connections: on request, after an error, or when a client hangs (P11, P18, A3)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from engine.amqp.errors import AmqpError
from engine.broker.clients.actors import CLOSED, OPEN
from engine.broker.clients.channel import connection_of
from engine.broker.clients.connections import PublisherConnections
from engine.broker.clients.consumers import Consumers
from engine.broker.commands.base import HAND
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.broker.vhost.definitions import HostDefinitions
from engine.report.transitions.amqp import ChannelClosed, ConfirmsForgotten, ConnectionClosed
from engine.report.transitions.base import Transition
from engine.values.labels import bare

OK_CODE = 200
OK_TEXT = "OK"


class ChannelClosing:
    """Closes the channels and connections of one node's actors.

    Args:
        delete_queue: deletes a queue: its name, the rule and the cause.
        forget_actor: removes an actor from the page: its name and the rule.
    """

    def __init__(
        self,
        connections: PublisherConnections,
        consumers: Consumers,
        definitions: HostDefinitions,
        delete_queue: Callable[[str, str, str], None],
        forget_actor: Callable[[str, str], None],
        emit: Callable[[Transition], None],
    ) -> None:
        self._connections = connections
        self._consumers = consumers
        self._definitions = definitions
        self._delete_queue = delete_queue
        self._forget_actor = forget_actor
        self._emit = emit

    def fail(self, actor: str, error: AmqpError, rule: str) -> None:
        """Close the channel or the connection, as AMQP does for an error of this actor."""
        if error.closes == "connection":
            self.close_connection(actor, rule, error.code, error.text)
        else:
            self.close_channel(actor, rule, error.code, error.text)

    def close_channel(self, actor: str, rule: str, code: int = OK_CODE, text: str = OK_TEXT) -> None:
        """Close a channel: its consumers are cancelled, and what it holds is requeued (P11)."""
        self._emit(ChannelClosed(rule, actor, code, text))
        self._end_channel(actor)

    def close_connection(self, actor: str, rule: str, code: int = OK_CODE, text: str = OK_TEXT) -> None:
        """Close a connection with its channel; its exclusive queues go with it (P18)."""
        self._emit(ConnectionClosed(rule, actor, code, text))
        by_hand = self._consumers.by_hand
        connection = connection_of(actor) if actor in by_hand else actor
        self._connections.unread.forget(connection)
        for name in [name for name in by_hand if connection_of(name) == connection] or [actor]:
            self._end_channel(name)
            if name in by_hand and bare(name) != HAND:
                del by_hand[name]
                self._forget_actor(name, rule)
        publisher, consumer = self._connections.publishers.get(actor), self._consumers.all.get(actor)
        if publisher is not None:
            publisher.connection_state = OPEN if bare(actor) == "burst" else CLOSED
        if consumer is not None:
            consumer.connection_state = CLOSED
        self.drop_exclusive(connection)

    def drop_exclusive(self, connection: str, lost: Collection[str] = ()) -> None:
        """Delete the exclusive queues of this connection (P18).

        Args:
            lost: queues that went with their node (H76).
        """
        owned = [each.name for each in self._definitions.queues.values() if each.owner == connection]
        for name in owned:
            if name not in lost:
                self._delete_queue(name, "P18", "exclusive")

    def _end_channel(self, actor: str) -> None:
        publisher, consumer = self._connections.publishers.get(actor), self._consumers.all.get(actor)
        if actor in self._consumers.by_hand:
            hand = self._consumers.by_hand[actor]
            if hand.confirming and hand.publisher.unconfirmed:
                self._emit(ConfirmsForgotten("K10", actor, hand.publisher.unconfirmed))
            self._connections.confirms.forget(actor)
            self._consumers.close_by_hand(hand)
        elif publisher is not None:
            publisher.rule = "P11"
            if publisher.unconfirmed:
                self._emit(ConfirmsForgotten("K10", actor, publisher.unconfirmed))
            publisher.channel_closed()
            self._connections.way_in.drop(publisher)
            self._connections.confirms.forget(actor)
        elif consumer is not None:
            consumer.rule = "P11"
            self._consumers.close(consumer)


SILENT_CHECKS: Final = 3
SECOND_US: Final = 1_000_000


class Heartbeats:
    """Connections whose clients have gone silent.

    Args:
        blocked: returns whether a connection is not read, by its actor's name.
        close: closes the connection of an actor that was silent too long; gets the interval in seconds.
    """

    def __init__(
        self, scheduler: TimerScheduler, blocked: Callable[[str], bool], close: Callable[[str, int], None]
    ) -> None:
        self._scheduler = scheduler
        self._blocked = blocked
        self._close = close
        self._timers: dict[str, ScheduledTimer] = {}

    def silent(self, actor: str, interval_s: int) -> None:
        """Note that an actor sends nothing from now on."""
        self.heard(actor)
        self._check_later(actor, interval_s, 0)

    def heard(self, actor: str) -> None:
        """Note that an actor sends something again, or is gone."""
        timer = self._timers.pop(actor, None)
        if timer is not None:
            timer.cancel()

    def _check_later(self, actor: str, interval_s: int, silent: int) -> None:
        check = partial(self._check, actor, interval_s, silent)
        self._timers[actor] = self._scheduler.after(interval_s * SECOND_US, check)

    def _check(self, actor: str, interval_s: int, silent: int) -> None:
        del self._timers[actor]
        silent = 0 if self._blocked(actor) else silent + 1
        if silent < SILENT_CHECKS:
            self._check_later(actor, interval_s, silent)
        else:
            self._close(actor, interval_s)
