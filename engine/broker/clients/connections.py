"""Publishers' connections: rates, bursts, confirms, and what an alarm does to them (K1, K2, K8, A2-A6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from engine.amqp.declarations import check_publish
from engine.amqp.errors import AmqpError
from engine.amqp.exchanges import LOCAL_RANDOM
from engine.amqp.policies import term
from engine.backing_queue.protocol import Arrival, DatedArrival
from engine.broker.clients.actors import CLOSED, OPEN, Publisher, stop
from engine.broker.clients.channel import ChannelTransaction, HeldPublish, connection_of
from engine.broker.clients.confirms import ConfirmSender
from engine.broker.clients.consumers import Consumers
from engine.broker.clients.manual_channels import ManualChannel, UnreadInput
from engine.broker.clients.publish_path import BurstCarrier, WayIn
from engine.broker.clients.queue import ClientQueue, QueueMembers
from engine.broker.commands.base import HAND, Command
from engine.broker.commands.client_commands import Publish, unpack
from engine.broker.commands.commands import copies_of, message_of
from engine.broker.commands.settings import NodeSettings
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import BURST_SPACING_US, SECOND_US, ScheduledTimer, TimerScheduler
from engine.broker.vhost.configuration import StorageCapacity
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.message_kinds import MessageKinds
from engine.mirrored_queue.ring import QueueRecord
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ChannelClosed,
    ConfirmsForgotten,
    ConnectionBlocked,
    ConnectionClosed,
    ConnectionUnblocked,
    NodeChanged,
    Unroutable,
)
from engine.values.errors import CommandError
from engine.values.labels import BREAK, bare, beside, host_of, in_host
from engine.values.sizes import Sizes
from engine.values.stretches import Range


class MessageRouter:
    """Finds the queues that messages go to, and which of them are up, are down or have mirrors.

    Args:
        queues: those that live, by name.
        definitions: exchanges and bindings.
        records: what all nodes know of each queue.
        members: of mirrored queues; channels also send to them.
    """

    def __init__(
        self,
        queues: Mapping[str, ClientQueue],
        definitions: HostDefinitions,
        records: Mapping[str, QueueRecord],
        members: QueueMembers,
    ) -> None:
        self.queues = queues
        self.members = members
        self.definitions = definitions
        self._records = records

    def route(self, batch: Publish, turn: int = 0) -> tuple[str, ...]:
        """Return the queues that a batch goes to; `turn` says which one where the exchange draws one."""
        keys = (batch.routing_key, *copies_of(batch.headers)) if batch.headers else (batch.routing_key,)
        return self.definitions.route(batch.exchange, keys, batch.headers, turn)

    def held_up(self, queues: Sequence[str]) -> bool:
        """Return whether credit may stop messages to these queues: they have mirrors, or are frozen (H84)."""
        if self.members.passed:
            return True
        for name in queues:
            record, queue = self._records.get(name), self.queues.get(name)
            if (record is not None and record.mirrors) or (queue is not None and queue.holds):
                return True
        return False

    def look_up(self, queues: Sequence[str]) -> None:
        """Find queues by name. Raises AmqpError, which ends the connection, for the first one that there is
        not (W229).
        """
        for name in queues:
            if name not in self.definitions.queues:
                resource = f"{{resource,{term(host_of(name))},queue,{term(bare(name))}}}"
                raise AmqpError("resource_error", f"failed to deliver message: {{not_found,{resource}}}")

    def gone(self, held: HeldPublish) -> list[str]:
        """Return the queues of a commit whose processes have ended since the publish (W229)."""
        return [
            name
            for name, life in held.lives.items()
            if name not in self.queues or self.queues[name].life != life
        ]

    def whereto(
        self, names: Sequence[str]
    ) -> tuple[list[ClientQueue], list[str], Mapping[str, tuple[str, ...]]]:
        """Return which queues are up, which are down, and the members of mirrored ones."""
        queues: list[ClientQueue] = []
        down: list[str] = []
        mirrored: dict[str, tuple[str, ...]] = {}
        for name in names:
            record, queue = self._records.get(name), self.queues.get(name)
            if record is not None and record.mirrors:
                mirrored[name] = self.members.of(name)
            if record is not None and not record.alive:
                down.append(name)
            if queue is not None:
                queues.append(queue)
        return queues, down, mirrored


class PublishBounds:
    """Limits that a publish is checked against: the broker's own, and those of this program. `capacity`: this
    program's bounds, checked before messages are accepted.
    """

    def __init__(self, settings: Callable[[], NodeSettings], capacity: StorageCapacity) -> None:
        self.capacity = capacity
        self.max_message_bytes = settings().max_message_size
        self.settings = settings


class PublisherConnections:
    """All publishers of a node.

    Args:
        router: where messages go.
        consumers: notified of alarms too.
        kinds: numbers of what messages carry.
        bounds: checked before messages are accepted.
        processes: those of the broker, where work takes time.
        redo: does a command that waited in a blocked connection's socket.
        confirms: what channels wait for; its publishers by name are filled here.
    """

    def __init__(
        self,
        router: MessageRouter,
        consumers: Consumers,
        kinds: MessageKinds,
        bounds: PublishBounds,
        processes: NodeProcesses,
        emit: Callable[[Transition], None],
        redo: Callable[[Command], None],
        confirms: ConfirmSender,
    ) -> None:
        self.burst = Publisher("burst")
        self.publishers = confirms.publishers
        self.publishers[self.burst.name] = self.burst
        self.has_burst = False
        """Whether a burst came, over the connection that all of them share."""
        self.logged = False
        """Whether a log came: bursts of unequal bodies, over one connection that is always busy."""
        self.alarms: frozenset[str] = frozenset()
        """The resources whose alarm is set: memory, disk (A1)."""
        self.router = router
        self._consumers = consumers
        self._kinds = kinds
        self._bounds = bounds
        self._processes = processes
        self._clock = processes.clock
        self._emit = emit
        self._redo = redo
        self.way_in = WayIn(processes, self)
        self._carrier = BurstCarrier(self._clock, self._is_read, self.way_in.has_room, self._arrive)
        self.confirms = confirms
        self.unread = UnreadInput(consumers.by_hand)

    @property
    def alarm(self) -> bool:
        """Whether any alarm is set (A1)."""
        return bool(self.alarms)

    def flush(self, actor: str) -> None:
        """Send the confirms that a publisher's channel collected (K10)."""
        self.confirms.flush(actor)

    # --- publishing --------------------------------------------------------------------------------------------------
    def publish_burst(self, burst: Publish) -> None:
        """Publish a burst at its connection's speed, or let it wait while an alarm is set (A3)."""
        name = beside(burst.exchange, "burst") if BREAK in burst.exchange else "burst"
        publisher = self.publishers[name]
        publisher.address(burst)
        self.has_burst = True
        self.logged = self.logged or bool(burst.sizes)
        carries = self._bounds.settings().connection_bytes_per_s
        if carries is None:
            self._arrive(publisher, burst)
            return
        for each in burst.singles():
            self._carrier.write(publisher, each, carries)

    def add_host(self, vhost: str) -> None:
        name = in_host(vhost, "burst")
        self.publishers[name] = Publisher(name)

    def _arrive(self, publisher: Publisher, batch: Publish) -> None:
        """Put a burst, or a piece of it that the connection carried, into the publisher's socket."""
        self.way_in.accept(publisher, batch, BURST_SPACING_US)

    def _is_read(self, publisher: Publisher) -> bool:
        """Return whether the broker reads a socket; its first message under an alarm blocks it (A3)."""
        if self.alarm:
            self.seen(publisher)
        return not self.alarm

    def publish_by_hand(self, hand: ManualChannel, batch: Publish) -> None:
        """Publish on a manual channel; messages may wait for a commit (D12) or for an alarm to end (A3)."""
        if self.alarm:
            self.unread.block(hand.name, batch)
            return
        if batch.confirm:
            hand.select_confirms()
        hand.publisher.address(batch)
        sent = replace(batch, confirm=hand.confirming)
        for each in sent.singles() if self.way_in.takes_time else (sent,):
            self.send(hand.publisher, each, BURST_SPACING_US)

    def commit(self, hand: ManualChannel) -> set[str]:
        """Deliver the messages of a manual channel's transaction and wait for their confirms (D13).

        Returns:
            queues that the channel knows by a process that has ended: the last message for them went there (W229).
        """
        publisher = hand.publisher
        tx = publisher.tx
        return set() if tx is None else self._commit(publisher, tx, BURST_SPACING_US)

    def _commit(self, publisher: Publisher, tx: ChannelTransaction, spacing_us: int) -> set[str]:
        """Deliver held messages, up to the first of which a queue is gone, if that ends the connection (W229).

        The default exchange routes to names: a queue that is declared before the commit gets what was published to it.
        """
        ended: set[str] = set()
        for each in tx.take():
            if not bare(each.batch.exchange) and not self._consumers.rules.commits_to_processes:
                each = replace(each, queues=self.router.route(each.batch))  # noqa: PLW2901 - the same, routed again
            if self._consumers.rules.commits_look_up:
                self.router.look_up(each.queues)
            gone = self._spread(publisher, each, publisher.channel_state == OPEN, spacing_us)
            ended = ended.difference(each.lives).union(gone)
        return ended

    @property
    def waiting(self) -> int:
        """Messages that wait in sockets or transactions, or are on their way from there to the queues."""
        found = self.way_in.under_way if self._processes.timed else 0
        found += self.unread.messages if self.unread.blocked else 0
        for hand in self._consumers.by_hand.values():
            if hand.publisher.tx is not None:
                found += hand.publisher.tx.holding
        for each in self.publishers.values():
            if each.tx is not None:
                found += each.tx.holding
            if each.waiting or each.stopped or each.unsent:
                found += each.unread + sum([batch.count for batch in each.unsent])
        return found

    def refusal(self, batch: Publish) -> CommandError | None:
        """Return why the program's bounds refuse a batch, or None; messages on their way count too."""
        return self._bounds.capacity.refusal(batch, self.waiting, len(self.router.route(batch)))

    def set_running(self, publisher: Publisher) -> None:
        """Start, change or pause a steady publisher according to its fields."""
        stop(publisher)
        publisher.alarm = self.alarm
        if publisher.running:
            publisher.pace.begin(self._clock.now_us)
            self._set_timer(publisher)

    def _set_timer(self, publisher: Publisher) -> None:
        at_us = publisher.pace.next_us(self._clock.now_us)
        publisher.timer = self._clock.at(at_us, partial(self._tick, publisher))

    def _tick(self, publisher: Publisher) -> None:
        publisher.timer = None
        if self.alarm:
            # Its socket is not read from now on, so nothing more is due until the alarm ends (A3).
            self.seen(publisher)
            return
        tx = publisher.tx
        if publisher.flow or not self.way_in.has_room(publisher) or (tx is not None and not tx.room):
            # TCP holds the client up, or it waits for commit_ok (D13); what it could not write it does not make up for.
            publisher.pace.begin(self._clock.now_us)
            self._set_timer(publisher)
            return
        due = publisher.pace.due(self._clock.now_us)
        if tx is not None:
            due = min(due, tx.room)
            tx.published += due
        publisher.pace.did(due)
        sharing = sum(each.running for each in self.publishers.values())
        spacing_us = publisher.pace.spacing_us(due, sharing)
        batch = publisher.batch(due)
        if self.refusal(batch) is not None:
            publisher.running = False
            publisher.rule = "limit"
            return
        self.way_in.accept(publisher, batch, spacing_us)
        if publisher.running:
            self._set_timer(publisher)

    def seen(self, publisher: Publisher) -> None:
        """Note a publish under an alarm; the first one blocks the connection (A3, A5)."""
        publisher.publish_seen = True
        publisher.rule = "A3"
        if publisher.hears_blocked and not publisher.blocked_sent:
            publisher.blocked_sent = True
            self._emit(ConnectionBlocked("A5", publisher.name, reason_of(self.alarms)))

    def send(self, publisher: Publisher, batch: Publish, spacing_us: int, turn: int = 0) -> None:
        """Send a batch to its queues; confirms that do not depend on disk go out first (K1). A message that
        no queue gets is returned if it is mandatory, and confirmed at once (K10). Where the exchange draws a
        queue for each message, each queue gets an equal part of the batch, one after the other (W231).
        `turn`: of a part of a batch, by which its queue is found.
        """
        exchange = self.router.definitions.exchanges.exchanges.get(batch.exchange)
        user_id = batch.properties.get("user_id")
        try:
            check_publish(
                exchange,
                batch.exchange,
                size_bytes=max(unpack(batch.sizes, batch.count)) if batch.sizes else batch.size_bytes,
                max_message_bytes=self._bounds.max_message_bytes,
                expiration=batch.expiration,
                user_id=None if user_id is None else str(user_id),
                reply_to=batch.properties.get("reply_to"),
                headers=batch.headers,
            )
        except AmqpError as error:
            self.confirms.fail(publisher.name, error)
            return
        if exchange is not None and exchange.type == LOCAL_RANDOM and not turn:
            self._send_parts(publisher, batch, spacing_us)
            return
        message = message_of(batch)
        queues = self.router.route(batch, turn)
        if self.router.held_up(queues):
            room = self.router.members.room(publisher.name, queues, batch.count)
            if room < batch.count:
                publisher.stopped.append(batch.part(room, batch.count - room))
                publisher.flow = True
                if not room:
                    return
                batch = batch.part(0, room)
        msg_no = self._kinds.take_numbers(batch.count)
        sizes = self._column(msg_no, batch) if batch.sizes else batch.size_bytes
        arrivals: list[DatedArrival] = []
        for count, expiration_ms in batch.runs() if batch.expirations else ((batch.count, None),):
            if batch.expirations:
                message = replace(message, expiration_ms=expiration_ms)
            arrival = Arrival(
                count=count,
                msg_no=msg_no,
                size_bytes=sizes,
                raw_persistent=batch.persistent,
                template=self._kinds.number(message, batch.persistent),
                sender=publisher.name,
            )
            self._kinds.remember(arrival)
            arrivals.append((arrival, message.expiration_ms))
            msg_no += count
        publisher.published += batch.count
        held = HeldPublish(batch, message, arrivals, queues)
        if publisher.tx is None:
            self._spread(publisher, held, batch.confirm, spacing_us)
            return
        if self._consumers.rules.commits_to_processes:
            there = self.router.queues
            held = replace(held, lives={name: there[name].life for name in queues if name in there})
        publisher.tx.held.append(held)
        if publisher.tx.size and publisher.tx.holding >= publisher.tx.size:
            try:
                self._commit(publisher, publisher.tx, spacing_us)
            except AmqpError as error:
                self.confirms.fail(publisher.name, error)

    def _send_parts(self, publisher: Publisher, batch: Publish, spacing_us: int) -> None:
        """Give each queue that the exchange may draw its part of a batch."""
        first, sent = self._kinds.next_msg_no + 1, 0
        parts = min(self.router.definitions.exchanges.bound_to(batch.exchange), batch.count) or 1
        for number in range(parts):
            part = batch.part(sent, batch.count * (number + 1) // parts - sent)
            sent += part.count
            if publisher.flow:
                publisher.stopped.append(part)
            else:
                self.send(publisher, part, spacing_us, first + number)

    @property
    def bodies(self) -> dict[str, Any]:
        """What sizes of bodies that differ, as a snapshot shows them."""
        return self._kinds.bodies

    def _column(self, msg_no: int, batch: Publish) -> Sizes:
        column = self._kinds.column(msg_no, unpack(batch.sizes, batch.count))
        self._emit(NodeChanged("Q1", "bodies", {str(column.number): [msg_no, column.sizes]}))  # type: ignore[dict-item]
        return column

    def _spread(
        self, publisher: Publisher, held: HeldPublish, confirm: bool, spacing_us: int
    ) -> Sequence[str]:
        """Deliver messages to the queues that they were routed to; return those whose processes have ended."""
        batch, arrivals, message = held.batch, held.arrivals, held.message
        gone = self.router.gone(held) if held.lives else ()
        left = tuple(name for name in held.queues if name not in gone) if gone else held.queues
        queues, down, mirrored = self.router.whereto(left)
        if not queues and not down and not gone:
            # Mandatory ones are returned with 312 NO_ROUTE (K10).
            to, key = message.exchange, message.routing_key
            self._emit(Unroutable("K10", publisher.name, batch.count, to, key, message.mandatory))
        travel = self._processes.timed
        if confirm:
            waits: list[str] = []
            for queue in queues:
                if mirrored.get(queue.name):
                    waits += mirrored[queue.name]
                elif travel or (batch.persistent and queue.durable) or queue.withholds:
                    waits.append(queue.name)
            waits += [member for name in down for member in mirrored.get(name, ())]
            waits += [name for name in down if not mirrored.get(name)]
            waits += gone
            self.confirms.expect(publisher, Range(arrivals[0][0].msg_no, batch.count), waits)
        for name in gone:
            self.confirms.rejected(name, Range(arrivals[0][0].msg_no, batch.count), "gone")
        for name in down:
            self._to_nobody(name, held, confirm)
        for queue in queues:
            own, at_once = arrivals, False
            if confirm and batch.persistent and queue.durable:
                own = [(replace(arrival, wants_confirm=True), expires) for arrival, expires in arrivals]
            elif confirm:
                at_once = travel or bool(mirrored.get(queue.name)) or queue.withholds
            self.way_in.deliver(publisher, queue, own, spacing_us, at_once)
        return gone

    def _to_nobody(self, queue: str, held: HeldPublish, confirm: bool) -> None:
        """Send messages to the mirrors of a queue that is down; without any they are rejected (H46, H64)."""
        for arrival, expiration_ms in held.arrivals:
            self.router.members.copy(queue, arrival, expiration_ms, confirm)
        if not self.router.members.of(queue):
            self.confirms.rejected(queue, Range(held.arrivals[0][0].msg_no, held.batch.count), "down")

    # --- alarms and ends ---------------------------------------------------------------------------------------------
    def set_alarms(self, alarms: frozenset[str]) -> None:
        """Tell every connection which alarms are set; when none is, waiting messages continue (A1-A4, A6). A
        second reason for a blocked connection changes nothing (A5).
        """
        alarm, before = bool(alarms), self.alarm
        self.alarms = alarms
        if alarm == before:
            return
        publishers = list(self.publishers.values())
        for publisher in publishers:
            publisher.rule = "A4"
            publisher.set_alarm(alarm)
            if publisher.blocked_sent and not alarm:
                publisher.blocked_sent = False
                self._emit(ConnectionUnblocked("A5", publisher.name))
        for consumer in self._consumers.all.values():
            consumer.rule = "A4"
            consumer.alarm = alarm
        if alarm:
            return
        for publisher in publishers:
            if publisher.running and publisher.timer is None:
                publisher.pace.begin(self._clock.now_us)
                self._set_timer(publisher)
            self._carrier.go_on(publisher)
        for publisher in publishers:
            self._send_on(publisher)
            self.way_in.wake(publisher)
        for command in self.unread.take():
            self._redo(command)

    def _send_on(self, publisher: Publisher) -> None:
        """Send messages that members of mirrored queues had stopped, as far as the credit goes (H84)."""
        stopped = list(publisher.stopped)
        publisher.stopped.clear()
        publisher.flow = False
        for batch in stopped:
            if publisher.flow:
                publisher.stopped.append(batch)
            else:
                self.send(publisher, batch, BURST_SPACING_US)

    def credit_came(self) -> None:
        """Continue the channels that members of mirrored queues had stopped (H84)."""
        by_hand = (each.publisher for each in self._consumers.by_hand.values())
        for publisher in (*self.publishers.values(), *by_hand):
            if publisher.flow and not self.alarm:
                self._send_on(publisher)

    def change_machine(self) -> None:
        """Give the messages in sockets to the readers of the new machine."""
        for publisher in self.publishers.values():
            waiting = [*publisher.stopped, *publisher.waiting]
            publisher.stopped.clear()
            publisher.waiting.clear()
            publisher.flow = False
            for batch in waiting:
                self.way_in.accept(publisher, batch, BURST_SPACING_US)

    def remove(self, publisher: Publisher) -> None:
        """Close a publisher's connection; confirms on their way to it are lost."""
        self.way_in.close(publisher)
        publisher.disconnect()
        self.confirms.forget(publisher.name)
        del self.publishers[publisher.name]

    def lose(self, publisher: Publisher) -> None:
        """Lose a publisher's connection with its node, and the messages in its socket."""
        publisher.rule = "D4"
        self.way_in.drop(publisher)
        publisher.disconnect()
        self.confirms.forget(publisher.name)

    def disconnect_all(self) -> None:
        """Lose every connection, because the node stopped."""
        self.alarms = frozenset()
        self.confirms.clear()
        self.unread.clear()
        for publisher in self.publishers.values():
            publisher.rule = "D4"
            publisher.disconnect()


def reason_of(alarms: frozenset[str]) -> str:
    """Return the broker's words for why a connection is blocked (A5)."""
    words = {"memory": "low on memory", "disk": "low on disk"}
    return " & ".join(text for name, text in words.items() if name in alarms)


OK_CODE = 200
OK_TEXT = "OK"


class ChannelClosing:
    """Closes the channels and connections of one node's actors. `delete_queue`: deletes a queue: its name,
    the rule and the cause. `forget_actor`: removes an actor from the page: its name and the rule.
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
        """Delete the exclusive queues of this connection (P18). `lost`: queues that went with their node (H76)."""
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


class HeartbeatWatch:
    """Connections whose clients have gone silent. `blocked`: returns whether a connection is not read, by its actor's
    name. `close`: closes the connection of an actor that was silent too long; gets the interval in seconds.
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
