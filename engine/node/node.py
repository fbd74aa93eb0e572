"""The node: queues with everything around them, driven by commands in virtual time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import msgspec

from engine.amqp.declarations import DeclaredQueue
from engine.amqp.errors import AmqpError
from engine.amqp.policies import Effective
from engine.ctl import console
from engine.errors import CommandError
from engine.extents import Extent
from engine.formats.message import MessageCodec, Template
from engine.node.broker.board import Board
from engine.node.broker.definitions import Definitions
from engine.node.broker.limits import Limits
from engine.node.broker.message_kinds import MessageKinds
from engine.node.broker.virtual_host import QUEUE, VirtualHost
from engine.node.clients.actors import Consumer, Hand, Publisher
from engine.node.clients.closing import Closing
from engine.node.clients.connections import Connections
from engine.node.clients.consumers import Consumers
from engine.node.commands import commands
from engine.node.commands.base import Command
from engine.node.commands.commands import AnyCommand
from engine.node.commands.scenario import Scenario, TimedCommand
from engine.node.commands.settings import DISK_NAMES, RUNTIME, NodeSettings
from engine.node.control import snapshot as picture
from engine.node.control.life import Life
from engine.node.control.monitors import Monitors
from engine.node.control.verbs import Verbs
from engine.node.memory.calibration import RESIDUAL_PCT
from engine.node.memory.monitor import MemoryMonitor
from engine.node.memory.watch import MemoryWatch
from engine.node.queues.dead_letters import DeadLetters
from engine.node.queues.deliveries import Callbacks
from engine.node.queues.evictions import Reason
from engine.node.queues.lifetimes import Lifetimes
from engine.node.queues.queue_process import QueueProcess
from engine.node.queues.queues import Queues
from engine.node.time.processes import Processes
from engine.node.time.scheduler import COMMAND, Scheduler
from engine.node.time.work import each_us
from engine.ranges import Range
from engine.storage.port import Storage
from engine.transition_log import TransitionLog
from engine.transitions import Transition, Why
from engine.variable_queue.arrivals import Arrival
from engine.variable_queue.state import QueueState

STEP_HORIZON_US: Final = 60_000_000
"""A step looks this far ahead for something to happen."""
PREFIX_BYTES: Final = 8


class Refused(msgspec.Struct, frozen=True):
    """A command of the scenario that could not be done when its time came."""

    at_us: int
    command: AnyCommand
    message: str


class Node:
    """A whole node in virtual time.

    The same scenario gives the same transitions, however the time is cut into calls of `advance` and whichever
    storage is underneath.

    Args:
        scenario: profile, settings, seed and timed commands; more commands can be submitted.
        storage: an empty place for the node's files.
        keep: how many transitions the log holds.
    """

    def __init__(self, scenario: Scenario, storage: Storage, keep: int = 2048) -> None:
        self.scenario = scenario
        self.queue_settings, self.settings = scenario.resolved()
        self._configured = self.settings
        self.named_settings = frozenset(scenario.settings)
        self.storage = storage
        self.log = TransitionLog(keep)
        self.refused: list[Refused] = []
        self.history: list[TimedCommand] = []
        self._clock = Scheduler()
        self.board = Board(self._emit)
        self._clock_told = False
        prefix = blake2b(scenario.seed.to_bytes(8, "big"), digest_size=PREFIX_BYTES).digest()
        self._codec = MessageCodec(id_prefix=prefix, templates=(Template(routing_keys=(QUEUE,)),))
        below = self.queue_settings.queue_index_embed_msgs_below
        self.kinds = MessageKinds(self._codec, below, self._oldest_message)
        self.definitions = Definitions(self._emit)
        self.lifetimes = Lifetimes(self.definitions, self._clock, self.delete_queue)
        self.host = VirtualHost(
            settings=self.queue_settings, codec=self._codec, storage=storage, emit=self._emit
        )
        self.watch = MemoryWatch(MemoryMonitor())
        self.hand = Hand()
        self.processes = Processes(self._clock, self._emit, self._stores_worked)
        self.processes.use(self.settings.work_profile)
        self.queues = Queues(
            host=self.host,
            hand=self.hand,
            clock=self._clock,
            settings=self.current_settings,
            watch=self.watch,
            processes=self.processes,
            board=self.board,
            emit=self._emit,
            on_confirmed=self._confirmed,
            callbacks=Callbacks(self._discarded, self._taken, self._rejected, self._bury),
            definitions=self.definitions,
            lifetimes=self.lifetimes,
        )
        self.tell_settings("start")
        self.board.tell("work", "P6", self.work_facts())
        self.host.start_new()
        if self.processes.timed:
            self.processes.of_stores(self.host.stores)
        self._limits = Limits(self.settings, self._codec, storage, self._queue_states)
        self.consumers = Consumers(
            self.queues, self.hand, self.queues.way_out, self._emit, self._lost_consumer
        )
        self.lifetimes.consumers = self.consumers
        self.connections = Connections(
            self.queues,
            self.consumers,
            self.definitions,
            self.kinds,
            self._publish_failed,
            self._clock,
            self._limits,
            self.processes,
            self.current_settings,
            self._emit,
        )
        self.closing = Closing(self, self._emit)
        self.dead_letters = DeadLetters(
            self.definitions,
            self.queues,
            self.kinds,
            self._clock,
            self.connections.take_numbers,
            self._emit,
        )
        self.life = Life(self)
        self._verbs = Verbs(self)
        self._declare_topology()
        self.monitors = Monitors(self, self._clock)
        self._begin()

    def _begin(self) -> None:
        self.monitors.start()
        for timed in self.scenario.commands:
            self._clock.at(timed.at_us, partial(self._scheduled, timed), COMMAND)
        self._end_event()

    def _declare_topology(self) -> None:
        """Declare what the scenario has before its first command: its topology, or one queue called orders."""
        topology = self.scenario.topology
        if topology is None:
            only = DeclaredQueue(name=QUEUE, durable=self.settings.queue_durable)
            self.queues.begin(only, redeclared=True)
            return
        for command in topology.declarations():
            self._verbs.do(command)

    def current_settings(self) -> NodeSettings:
        """Return the settings as commands left them."""
        return self.settings

    @property
    def process(self) -> QueueProcess:
        """The process of the first queue."""
        return next(iter(self.queues.values())).process

    def _queue_states(self) -> Iterator[QueueState]:
        return (each.state for each in self.queues.values())

    def _emit(self, transition: Transition) -> None:
        self.log.add(self._clock.now_us, transition)
        if self.processes.timed:
            self.processes.meter.observe(transition)

    def _oldest_message(self) -> int:
        """Return the lowest message number that any queue has in RAM or any store on disk."""
        oldest = [store.oldest_message() for store in self.host.stores.values()]
        oldest += [state.oldest_message() for state in self._queue_states()]
        return min((each for each in oldest if each is not None), default=self.connections.next_msg_no)

    def _confirmed(self, queue: str, messages: Sequence[Range]) -> None:
        self.connections.confirms.confirmed(queue, messages)

    def _discarded(self, queue: str, arrival: Arrival) -> None:
        self.connections.confirms.discarded(queue, arrival)

    def _taken(self, queue: str, messages: Range) -> None:
        self.connections.confirms.taken(queue, messages)

    def _rejected(self, queue: str, messages: Range) -> None:
        self.connections.confirms.rejected(queue, messages, "overflow")

    def _bury(self, queue: str, reason: Reason, dead: Sequence[Extent], limits: Effective) -> None:
        self.dead_letters.bury(queue, reason, dead, limits)

    def _lost_consumer(self, queue: str) -> None:
        self.lifetimes.lost_consumer(self.queues[queue])

    def _publish_failed(self, actor: str, error: AmqpError) -> None:
        self.closing.fail(actor, error, "P8")

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """The virtual time in microseconds."""
        return self._clock.now_us

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        """Let time pass up to `until_us`; return whether that was reached.

        Args:
            until_us: virtual microseconds; nothing happens when that is past.
            max_transitions: stop after the event that brought this many.
        """
        stop_at = None if max_transitions is None else self.log.number + max_transitions
        while self._clock.run_next(until_us):
            self._end_event()
            if stop_at is not None and self.log.number >= stop_at:
                return False
        self._clock.now_us = max(self._clock.now_us, until_us)
        return True

    def step(self) -> bool:
        """Let time pass up to the next event that brings transitions; return whether there was one."""
        before = self.log.number
        until_us = self._clock.now_us + STEP_HORIZON_US
        while self._clock.run_next(until_us):
            self._end_event()
            if self.log.number > before:
                return True
        return False

    def run(self) -> str:
        """Run the scenario to its end and return the digest."""
        self.advance(self.scenario.until_us)
        return self.log.digest

    # --- commands ----------------------------------------------------------------------------------------------------

    def submit(self, command: dict[str, Any] | AnyCommand) -> None:
        """Do a command now.

        What the node does by itself at this very time comes first, so that a replay gives the same.

        Raises CommandError when it is malformed or cannot be done; then nothing changed.
        """
        parsed = command if isinstance(command, Command) else commands.parse(command)
        self.advance(self._clock.now_us)
        self._apply(parsed)

    def _apply(self, command: AnyCommand) -> None:
        self._verbs.do(command)
        self.history.append(TimedCommand(self._clock.now_us, command))
        self._end_event()

    def _scheduled(self, timed: TimedCommand) -> None:
        try:
            self._apply(timed.command)
        except CommandError as error:
            self.refused.append(Refused(timed.at_us, timed.command, str(error)))

    def scenario_so_far(self, title: str | None = None) -> Scenario:
        """Return the run up to now as a scenario with its digest, to be replayed."""
        self.advance(self._clock.now_us)
        return msgspec.structs.replace(
            self.scenario,
            title=self.scenario.title if title is None else title,
            commands=tuple(self.history),
            until_us=self._clock.now_us,
            digest=self.log.digest,
        )

    def refusal_to_publish(self, batch: commands.Publish) -> str | None:
        """Return why a burst cannot be let in, or None."""
        copies = len(self.connections.route(batch))
        return self._limits.refusal(batch, self.connections.waiting, copies)

    # --- work --------------------------------------------------------------------------------------------------------

    def use_work_profile(self) -> None:
        """Let work cost what the setting says from now on; what waits anywhere is handled first, at once (P6)."""
        self.processes.use("instant")
        self.processes.work_off()
        self.queues.work_takes_time(False)
        self.processes.end_all()
        self.processes.use(self.settings.work_profile)
        if self.processes.timed:
            self.processes.of_stores(self.host.stores)
        self.queues.work_takes_time(self.processes.timed)
        self.connections.work_takes_time(self.processes.timed)
        self.board.tell("work", "P6", self.work_facts())
        for consumer in self.consumers.all.values():
            consumer.nothing_under_way()
            consumer.counts_unsent = self.processes.timed

    def _stores_worked(self) -> None:
        self.queues.sweep()

    def work_facts(self) -> Why:
        """Return what is shown of the machine that is modelled, once anybody named one; times of a message of 1 KiB."""
        if "work_profile" not in self.named_settings:
            return {}
        profile = self.processes.meter.profile
        return {
            "profile": profile.name,
            "assumed": profile.assumed,
            "why": profile.why,
            "cores": profile.milli_cores / 1000,
            **each_us(profile),
            **{f"memory_{name}_residual_pct": value for name, value in RESIDUAL_PCT.items()},
        }

    def look_at_memory(self) -> None:
        """Measure the modelled memory now; set or clear the alarm (M7)."""
        self.monitors.look_at_memory()

    def look_at_disk(self) -> None:
        """Look at the disk at once: its limit changed (M10)."""
        self.monitors.disk.look()

    # --- ends and crashes --------------------------------------------------------------------------------------------

    def forget_runtime_settings(self) -> None:
        """Go back to the configuration: what `rabbitmqctl` set is kept in RAM alone (M8)."""
        configured = {name: getattr(self._configured, name) for name in RUNTIME}
        self.settings = msgspec.structs.replace(self.settings, **configured)
        self.tell_settings("M8")

    def delete_queue(self, name: str, rule: str, cause: str) -> None:
        """Delete a queue: its consumers are cancelled, its messages and files go, confirms do not wait for it (P19)."""
        self.consumers.forget_queue(name, rule, cause)
        self.queues.end(name, rule, cause)
        self.connections.confirms.queue_deleted(name)
        self.tell_settings(rule)

    def kill_queue(self, name: str) -> None:
        """Let a queue's process crash; consumers are cancelled, its files tell what it has then (D4, Q62)."""
        self.consumers.forget_queue(name, "D4", "crash")
        self.connections.confirms.queue_crashed(name)
        self.queues.crash(name)

    # --- telling and looking -----------------------------------------------------------------------------------------

    def _end_event(self) -> None:
        """Let dead letters arrive, and tell what an event changed without a transition of its own."""
        self.dead_letters.deliver()
        if self.processes.timed:
            for publisher in self.connections.publishers.values():
                self.connections.way_in.show_flow(publisher)
        for actor in self.actors():
            self.board.tell_actor(actor.name, actor.rule, actor.facts())
            actor.rule = actor.usual_rule
        self.board.tell("app", "D2", self.life.facts())
        self.board.tell("memory", "M2", self.watch.facts())
        self.board.tell("disk", "M10", self.disk_facts())
        self.board.tell("alarms", "M7", self.alarm_facts())
        self.queues.tell()
        self.board.tell("clock", "P5", self.clock_facts())
        self.processes.tell()

    def tell_settings(self, rule: str = "set") -> None:
        """Tell settings that a command changed."""
        self.board.tell("settings", rule, self.setting_facts())

    def setting_facts(self) -> Why:
        """Return what is shown of the settings: those of the run, and those that commands changed."""
        return picture.setting_facts(self)

    def disk_facts(self) -> Why:
        """Return what is shown of the disk."""
        found: Why = {"used_bytes": self.monitors.used_bytes}
        return found | self.monitors.disk.monitor.facts() if self._disk_is_shown else found

    @property
    def _disk_is_shown(self) -> bool:
        """Whether anyone named a setting of the disk; runs from before there was one keep their digest."""
        return not DISK_NAMES.isdisjoint(self.named_settings)

    def clock_facts(self) -> Why:
        """Return when the timer of the queue called orders fires, and whether it sleeps; empty if it never was."""
        queue = self.queues.get(QUEUE)
        if queue is not None:
            self._clock_told = True
            return queue.process.clock_facts()
        return {"queue_process": None, "rate_timer_at_us": None} if self._clock_told else {}

    def alarm_facts(self) -> Why:
        """Return which alarms are set."""
        found: Why = {"memory": self.watch.alarm}
        return found | {"disk": self.monitors.disk.monitor.alarm} if self._disk_is_shown else found

    def actors(self) -> list[Publisher | Consumer | Hand]:
        """Return everybody who talks to the queue."""
        return [
            *self.connections.publishers.values(),
            *self.consumers.all.values(),
            self.hand,
        ]

    def snapshot(self) -> dict[str, Any]:
        """Return the state in plain values from the node's own structures; equals the fold of all transitions."""
        return picture.snapshot(self)

    def ask(self, line: str) -> console.Answer:
        """Return what a line of rabbitmqctl says; nothing changes. The command `ctl` does what a line changes."""
        return console.ask(line, self.snapshot(), self.now_us, self.live())

    def live(self) -> console.Live:
        """Return what a snapshot does not tell: rates, and who is subscribed."""
        return console.Live(
            {name: each.state.rates.all for name, each in self.queues.items()},
            frozenset(consumer.name for each in self.queues.values() for consumer in each.consumers),
        )

    def verify(self) -> None:
        """Compare files, tables and counts with one another; raises InvariantBroken at the first difference (S253)."""
        if not self.life.runs:
            return
        for queue in self.host.queues():
            queue.state.index.verify()
        for store in self.host.stores.values():
            store.verify()
