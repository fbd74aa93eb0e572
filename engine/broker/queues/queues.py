"""All queues of a node: their processes, starts and ends."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import msgspec
from msgspec.structs import replace

from engine.amqp.deaths import died, unmatched, without_cycles
from engine.amqp.declarations import DeclaredQueue
from engine.amqp.policies import EffectivePolicy
from engine.amqp.rules import AmqpRules
from engine.backing_queue.generation import StopKind
from engine.backing_queue.message_places import VARIABLE_QUEUE
from engine.backing_queue.protocol import Arrival, BackingQueue
from engine.broker.clients.actors import OPEN
from engine.broker.clients.consumers import WayOut
from engine.broker.clients.queue import ClientQueue
from engine.broker.commands.base import MessageFields
from engine.broker.commands.settings import NodeSettings
from engine.broker.memory.resource_monitors import MemoryWatch
from engine.broker.queues.deliveries import QueueCallbacks, QueueDeliveries
from engine.broker.queues.evictions import Dead, Reason
from engine.broker.queues.queue_process import ImmediateMail, QueueMail, QueueProcess
from engine.broker.time.process import PUBLISH
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import MILLISECOND_US, SECOND_US, ScheduledTimer, TimerScheduler
from engine.broker.vhost.configuration import QUEUE
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.message_kinds import MessageKinds
from engine.broker.vhost.reported_state import ReportedState
from engine.broker.vhost.virtual_hosts import VirtualHosts
from engine.mirrored_queue.ring import QueueRecord
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.node import DeadLettered
from engine.values.errors import CommandError, ProcessCrash
from engine.values.extents import Extent
from engine.values.labels import bare, beside
from engine.values.sizes import Sizes
from engine.values.sizes import at as one_of


class BrokerNode(msgspec.Struct, eq=False):
    """One node's virtual hosts and memory. `disk_alarm`: whether too little of its disk is free (M10); None
    where nobody looks. `up`: whether the node runs.
    """

    name: str
    host: VirtualHosts
    watch: MemoryWatch
    disk_alarm: bool | None = None
    up: bool = True


MORE_HOPS = 8
"""Hops of a dead letter in one event beside two for each queue."""


class DeadLetters:
    """Dead letters on their way; they reach their new queues at the end of the event that killed them.
    `kinds`: numbers of messages and templates.
    """

    def __init__(
        self,
        definitions: HostDefinitions,
        kinds: MessageKinds,
        clock: TimerScheduler,
        emit: Callable[[Transition], None],
        rules: AmqpRules,
    ) -> None:
        self._definitions = definitions
        self._kinds = kinds
        self._clock = clock
        self._emit = emit
        self.waiting: deque[tuple[Arrival, tuple[str, ...]]] = deque()
        self._circling: deque[tuple[Arrival, tuple[str, ...]]] = deque()
        """Those that go round without end and wait for the next second."""
        self._rules = rules

    def bury(self, queue: str, reason: Reason, dead: Sequence[Dead], limits: EffectivePolicy) -> None:
        """Give dead messages their new headers and route them; cycles are broken. Raises ProcessCrash: what a
        client wrote into `x-death` ends the queue's process (D16).
        """
        if limits.dead_letter_exchange is None:
            return
        exchange = beside(queue, limits.dead_letter_exchange)
        if exchange not in self._definitions.exchanges.exchanges:
            return
        apart = self._rules.deaths_apart
        for extent, times in dead:
            before = self._kinds.of(extent.template)
            odd = None if apart else unmatched(before.headers, bare(queue), reason)
            if odd is not None:
                raise ProcessCrash(queue, *odd)
            key = limits.dead_letter_routing_key
            headers = died(
                before.headers,
                reason=reason,
                queue=bare(queue),
                exchange=before.exchange,
                routing_key=before.routing_key,
                time_s=self._clock.now_us // SECOND_US,
                expiration_ms=None if extent.read_back and not apart else before.expiration_ms,
                new_routing_key=key,
                copies=before.copies if apart else None,
                died_before=before.rewritten,
            )
            again = MessageFields(
                exchange,
                before.routing_key if key is None else key,
                headers=headers,
                properties=before.properties,
                copies=before.copies if key is None else (),
                rewritten=True,
            )
            routed = self._definitions.route(exchange, again.routing_keys, headers, self._kinds.next_msg_no)
            names, cycling = without_cycles(reason, headers, [bare(each) for each in routed])
            to = tuple(beside(queue, each) for each in names)
            why: dict[str, int | float | str | bool | None] = {"cycling": len(cycling)}
            rule = "P11" if reason == "rejected" else "P9" if reason == "expired" else "P8"
            self._emit(DeadLettered(rule, queue, reason, extent.count, exchange, again.routing_key, to, why))
            if to:
                arrival = Arrival(
                    extent.count,
                    self._kinds.take_numbers(extent.count),
                    extent.size_bytes,
                    extent.raw_persistent,
                    template=self._kinds.number(again, extent.raw_persistent),
                    deliveries=times,
                )
                singly = isinstance(arrival.size_bytes, Sizes)
                for each in self._singly(arrival, extent) if singly else (arrival,):
                    self._kinds.remember(each)
                    self.waiting.append((each, to))

    @staticmethod
    def _singly(arrival: Arrival, dead: Extent) -> Iterator[Arrival]:
        """Yield messages with new numbers one by one, each with the body bytes that it had under its old one."""
        for at in range(dead.count):
            size_bytes = one_of(dead.size_bytes, dead.msg_no + at)
            yield replace(arrival, count=1, msg_no=arrival.msg_no + at, size_bytes=size_bytes)

    def deliver(self, queues: Mapping[str, QueueDeliveries]) -> None:
        """Deliver dead letters, including those that this causes. A client's `x-death` can send messages
        round for ever (D16). The broker does that as fast as it can; here an event ends after more hops than
        any other message takes, and a second passes before those messages go on.
        """
        for _hop in range(2 * len(queues) + MORE_HOPS):
            letters, self.waiting = self.waiting, deque()
            for arrival, to in letters:
                for name in to:
                    if name in queues:
                        queue = queues[name]
                        queue.process.send(PUBLISH, partial(queue.arrive, ((arrival, None),), 0))
            if not self.waiting:
                return
        if not self._circling:
            self._clock.at(self._clock.now_us + SECOND_US, self._go_on)
        self._circling += self.waiting
        self.waiting.clear()

    def _go_on(self) -> None:
        self.waiting += self._circling
        self._circling.clear()

    def forget(self) -> None:
        """Lose dead letters on their way, because the node stopped."""
        self.waiting.clear()
        self._circling.clear()


RULES: Final = {
    "queue_process": "P5",
    "rate_timer_at_us": "P5",
    "reported_duration": "M2",
    "desired_duration": "M2",
    "ttl_at_us": "P9",
    "expires_at_us": "P18",
    "part_of": "P20",
    "priority": "P20",
}
"""The rule by which each fact of a queue changes; definitions follow P17."""


class RequestedSettings(msgspec.Struct):
    """A queue's settings by commands, which survive restarts. `mode`: default or lazy. `target`: a pinned
    target_ram_count, None for none.
    """

    mode: str = "default"
    target: int | None = None


class QueueRegistry(Protocol):
    """What all nodes know of each queue."""

    @property
    def records(self) -> Mapping[str, QueueRecord]:
        """Where each queue runs, by name."""

    def engine_of(self, name: str, engine: BackingQueue, /) -> BackingQueue:
        """Return what a queue's process works on: the engine, wrapped if the queue has mirrors."""


class NodeQueues(Mapping[str, QueueDeliveries]):
    """The live queues by name, the oldest first. `settings`: returns the node's settings, which may change
    while it runs. `processes`: those of the broker, where work takes time. `callbacks`: what happens to
    messages, as Deliveries reports it.
    """

    def __init__(
        self,
        *,
        node: BrokerNode,
        settings: Callable[[], NodeSettings],
        processes: NodeProcesses,
        board: ReportedState,
        callbacks: QueueCallbacks,
        definitions: HostDefinitions,
        lifetimes: QueueLifetimes,
        registry: QueueRegistry,
    ) -> None:
        self.wishes: dict[str, RequestedSettings] = {}
        self.home = node
        self._node_of: dict[str, BrokerNode] = {}
        self._registry = registry
        self._records = registry.records
        self._clustered = settings().nodes > 1
        self._clock = processes.clock
        self._settings = settings
        self._processes = processes
        self.way_out = WayOut(processes, settings)
        self._board = board
        self._callbacks = callbacks
        self._definitions = definitions
        self._lifetimes = lifetimes
        self.live: dict[str, QueueDeliveries] = {}
        self._lives: Counter[str] = Counter()
        """The last process of each queue that was deleted; its namesake has later ones (P14)."""
        self._down: dict[str, QueueDeliveries] = {}
        """The queues of a stopped node, which nobody can reach until it starts again."""
        self._in_order = False
        """Whether the node stopped in order."""
        self._defined: dict[str, dict[str, Any]] = {}
        """What is shown of each queue's definition."""
        self._clock_shown = False

    def __getitem__(self, name: str) -> QueueDeliveries:
        return self.live[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.live)

    def __len__(self) -> int:
        return len(self.live)

    # --- queues begin and end ----------------------------------------------------------------------------------------
    def begin(self, queue: DeclaredQueue, node: BrokerNode | None = None) -> QueueDeliveries:
        """Start a new queue (Q5) on a node of the cluster."""
        name = queue.name
        self._node_of[name] = node or self.home
        self._definitions.add_queue(queue)
        version = self._definitions.effective(name).queue_version
        self._node_of[name].host.of(name).add(queue, self._clock.now_us, version)
        self.wishes[name] = RequestedSettings()
        live = QueueDeliveries(
            self._process(name), self.way_out, self._clock, self._callbacks, self._lives[name] + 1
        )
        live.ring.single_active = queue.arguments.get("x-single-active-consumer") is True
        self.live[name] = live
        self.obey(name)
        return live

    def obey(self, name: str, *, again: bool = False) -> None:
        """Apply a queue's arguments and policy, as at its start and with every change of a policy (P17).
        `again`: even if they are the same, because its process starts or a member came or went (H43).
        """
        live, limits = self.live[name], self._definitions.effective(name)
        before = live.evictions.limits
        self._node_of[name].host.hosted(name).version = limits.queue_version
        self._defined[name] = self._definitions.info_items(name)
        if limits.expires_ms != before.expires_ms:
            self._lifetimes.used(live)
        if (limits == before and not again) or live.process.stuck:
            return
        live.process.begin()
        live.evictions.obey(limits)
        if limits.queue_version is not None:
            live.process.set_version(limits.queue_version)
        if limits.queue_mode is not None:
            live.process.set_mode(limits.queue_mode)
        if not live.process.stuck:
            live.evictions.drop_expired()
        live.process.handled()

    def _process(self, name: str) -> QueueProcess:
        node = self._node_of[name]
        return QueueProcess(
            queue=self._registry.engine_of(name, node.host.hosted(name).queue),
            mail=self._mail,
            scheduler=self._clock,
            settings=self._settings,
            monitor=node.watch.monitor,
            on_confirmed=partial(self._callbacks.confirmed, name),
            on_clock=partial(self.report_timers, name),
        )

    def _mail(self, process: QueueProcess) -> ImmediateMail:
        if self._processes.timed:
            return QueueMail(process, self._processes, self._clock)
        return ImmediateMail(process, self._processes.of("queue", process.name), self._processes.end)

    def change_machine(self) -> None:
        """Give every queue process the mailbox for another machine, when nothing waits anywhere."""
        for live in self.live.values():
            live.process.change_mail(self._mail)

    def sweep(self) -> None:
        """Let every queue process take what the stores sent."""
        for live in self.live.values():
            live.process.mail.sweep()

    def end(self, name: str, rule: str, cause: str) -> None:
        """Delete a queue with everything in it (Q64)."""
        live = self.live.pop(name)
        self._lives[name] = live.life
        self._end_process(live)
        del self.wishes[name]
        self._node_of.pop(name).host.of(name).delete(name, cause)
        self._definitions.remove_queue(name, rule)

    def _end_process(self, live: QueueDeliveries) -> None:
        live.process.stop()
        live.evictions.stop()
        self._lifetimes.forget(live.name)
        self._node_of[live.name].watch.monitor.deregister(live.name)
        self._forget(live.name)

    def crash(self, name: str) -> None:
        """Let a queue's process crash; its supervisor starts it on its files (Q62, D4)."""
        self.live[name].process.stop()
        node = self._node_of[name]
        node.watch.monitor.deregister(name)
        self._forget(name)
        node.host.of(name).restart_queue(name, self._clock.now_us)
        self._start_process(name)

    def lose(self, name: str) -> None:
        """End a queue's process, because its node is gone or it moves; the queue waits for a new one (H61)."""
        live = self.live.pop(name)
        for consumer in live.consumers:
            live.remove(consumer)
        self._end_process(live)
        self._down[name] = live

    def take_over(self, name: str, node: BrokerNode) -> QueueDeliveries:
        """Give a queue that had lost its process a new one, on the engine that a node has (H62, H73)."""
        self.live[name] = self._down.pop(name)
        self._node_of[name] = node
        self._start_process(name)
        return self.live[name]

    def forget(self, name: str, rule: str) -> None:
        """Forget a queue that is down and does not come back (H76)."""
        self._definitions.remove_queue(name, rule)
        self._lives[name] = self._down.pop(name).life
        del self._node_of[name]
        del self.wishes[name]

    def check_may_stop(self) -> None:
        """Raise CommandError if a queue process is in a conversion that never ends: a stop does not reach it (V5)."""
        for name, live in self.live.items():
            if live.process.stuck:
                raise CommandError("never_stops", name=name)

    def stop(self, kind: StopKind) -> None:
        """Stop every queue with the node (D4)."""
        for live in self.live.values():
            self._end_process(live)
        self._processes.end_all()
        self.home.host.stop(kind)
        self._in_order = kind == "clean"
        self._down = dict(self.live)
        self.live.clear()

    def start_again(self) -> list[str]:
        """Start on the files of the stop; return the queues that are gone (D1, D2)."""
        self.live.update(self._down)
        self._down = {}
        host = self.home.host
        meter = self._processes.meter
        meter.take()
        host.start_again(self._clock.now_us)
        recovery = meter.take()
        self._processes.of_stores(host.stores, self.sweep)
        gone = [name for name in self.live if not host.has(name)]
        for name in gone:
            self._lives[name] = self.live.pop(name).life
            del self._node_of[name]
            del self.wishes[name]
        self._definitions.restart(list(self.live), self._in_order)
        for name in self.live:
            self._start_process(name)
            self._processes.has_read_files(f"queue:{name}", recovery)
        return gone

    def _start_process(self, name: str) -> None:
        """Give a queue that started again its process, and do what commands asked of it (Q62)."""
        live, process, wish = self.live[name], self._process(name), self.wishes[name]
        live.start_again(process)
        if wish.mode != "default":
            process.set_mode(wish.mode)
        if wish.target is not None:
            process.pin_target(wish.target)
        process.handled()
        live.evictions.limits = EffectivePolicy()
        self.obey(name, again=True)

    # --- looking -----------------------------------------------------------------------------------------------------
    def report_timers(self, name: str, rule: str) -> None:
        """Report when a queue's timer fires and whether it sleeps: as the node's clock for the first queue."""
        if name not in self.live:
            return
        if name == QUEUE:
            self._board.report_part("clock", rule, self.live[name].process.timer_items())
        else:
            self._board.report_queue(name, {**RULES, "queue_process": rule}, self.info_items(name))

    def timer_items(self) -> Why:
        """Return when the timer of the queue called orders fires, and whether it sleeps; empty if it never was."""
        if QUEUE in self.live:
            self._clock_shown = True
            return self.live[QUEUE].process.timer_items()
        return {"queue_process": None, "rate_timer_at_us": None} if self._clock_shown else {}

    def report_queues(self) -> None:
        """Report what changed without a transition of its own."""
        for name in self.live:
            self._board.report_queue(name, RULES, self.info_items(name))
            for part, items in self.items_of_parts(name).items():
                self._board.report_queue(part, RULES, items)

    def _durations(self, name: str) -> dict[str, Any]:
        """Return the seconds that a queue reported last, and those it was given as its aim; None is infinity (M2)."""
        known = self._node_of[name].watch.monitor.queues.get(name)
        if known is None:
            return {}
        return {"reported_duration": known.reported, "desired_duration": known.sent}

    def _forget(self, name: str) -> None:
        """Forget what was reported of a queue that ended with a transition of its own, and of its parts."""
        for each in (name, *self._node_of[name].host.hosted(name).queue.parts):
            self._board.forget_queue(each)

    def items_of_parts(self, name: str) -> dict[str, dict[str, Any]]:
        """Return what is shown of the queues that a queue consists of: one for each priority, the highest first."""
        parts = self.live[name].process.queue.parts
        found: dict[str, dict[str, Any]] = {}
        for place, (part, queue) in enumerate(parts.items()):
            found[part] = {"part_of": name, "priority": len(parts) - 1 - place}
            if queue.kind != VARIABLE_QUEUE:
                found[part]["backing_queue"] = queue.kind
        return found

    def info_items(self, name: str) -> dict[str, Any]:
        """Return what is shown of a queue beside its record, without default values."""
        items: dict[str, Any] = {}
        if name != QUEUE:
            items |= self.live[name].process.timer_items()
        if name != QUEUE or len(self.live) > 1 or self._processes.timed:
            items |= self._durations(name)
        items |= self._defined[name]
        backing_queue = self._node_of[name].host.hosted(name).backing_queue
        items["backing_queue"] = backing_queue if backing_queue != VARIABLE_QUEUE else None
        items["ttl_at_us"] = self.live[name].evictions.ttl_at_us
        items["expires_at_us"] = self._lifetimes.expires_at_us(name)
        if name in self._records:
            record = self._records[name]
            if self._clustered or record.mirroring is not None:
                items |= record.info_items()
        return {key: items[key] for key in items if items[key] is not None}


class QueueLifetimes:
    """The expiry timers of all queues. `end`: deletes a queue: its name, the rule and the cause."""

    def __init__(
        self, definitions: HostDefinitions, clock: TimerScheduler, end: Callable[[str, str, str], None]
    ) -> None:
        self._definitions = definitions
        self._clock = clock
        self._end = end
        self._timers: dict[str, ScheduledTimer] = {}

    def expires_at_us(self, queue: str) -> int | None:
        """Return when a queue expires if nobody uses it, None for never."""
        if queue not in self._timers:
            return None
        timer = self._timers[queue]
        return timer.at_us if timer.live else None

    def used(self, queue: ClientQueue) -> None:
        """Restart the timer, because the queue was declared, read with get, or lost a consumer; with consumers it only
        waits.
        """
        name = queue.name
        if name in self._timers and _consumed(queue):
            return
        self.forget(name)
        expires_ms = self._definitions.effective(name).expires_ms
        if expires_ms is not None:
            self._timers[name] = self._clock.after(expires_ms * MILLISECOND_US, partial(self._expired, queue))

    def _expired(self, queue: ClientQueue) -> None:
        del self._timers[queue.name]
        if not _consumed(queue):
            self._end(queue.name, "P18", "expired")

    def lost_consumer(self, queue: ClientQueue) -> None:
        definition = self._definitions.queues[queue.name]
        if definition.auto_delete and queue.used and not _consumed(queue):
            self._end(queue.name, "P18", "auto_delete")
        else:
            self.used(queue)

    def connections_closed(self, queues: Iterable[ClientQueue]) -> None:
        """Delete auto-delete queues that had consumers: a node that stops in order first closes all connections."""
        for queue in list(queues):
            if self._definitions.queues[queue.name].auto_delete and queue.consumers:
                self._end(queue.name, "P18", "auto_delete")

    def forget(self, queue: str) -> None:
        timer = self._timers.pop(queue, None)
        if timer is not None:
            timer.cancel()


def _consumed(queue: ClientQueue) -> bool:
    return any(each.connection_state == OPEN for each in queue.consumers)
