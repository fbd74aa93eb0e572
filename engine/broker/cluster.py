"""The cluster of one to three nodes, driven by commands in virtual time."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec

from engine.amqp.declarations import DeclaredQueue
from engine.amqp.errors import AmqpError
from engine.broker.clients.channel import AckTimeout
from engine.broker.clients.confirms import ConfirmSender
from engine.broker.clients.connections import (
    ChannelClosing,
    MessageRouter,
    PublishBounds,
    PublisherConnections,
)
from engine.broker.clients.consumers import Consumers
from engine.broker.commands import commands
from engine.broker.commands.base import Command
from engine.broker.commands.operator_commands import KillQueue
from engine.broker.commands.scenario import MAX_QUEUES, ParsedScenario, RefusedCommand, TimedCommand
from engine.broker.control.control import NodeControl
from engine.broker.control.operator_verbs import Console, no_console
from engine.broker.control.report import LiveValues
from engine.broker.control.verb_parts import CostProfile, QueueEnds, ShownSettings
from engine.broker.mirrors.membership import MirroredChannels, MirrorMembership, NodeParts
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.nodes import NODES, ClusterParts, RunningSyncs, nodes_of, queues_of
from engine.broker.queues.deliveries import QueueCallbacks
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.queues import DeadLetters, NodeQueues, QueueLifetimes
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import COMMAND, TimerScheduler
from engine.broker.vhost.configuration import QUEUE, NodeConfiguration, StorageCapacity
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.message_kinds import MessageKinds
from engine.broker.vhost.reported_state import ReportedState
from engine.formats.message import MessageCodec
from engine.report.log import TransitionLog
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.errors import CommandError, ProcessCrash

STEP_HORIZON_US: Final = 60_000_000
"""How far ahead a step searches for the next event, in microseconds."""
MOST_RESTARTS: Final = 5
RESTARTS_IN_US: Final = 10_000_000
"""So often a supervisor starts a queue's process again in this time; then it is down (`rabbit_amqqueue_sup`)."""


class Cluster:
    """A whole cluster in virtual time. The same scenario gives the same transitions, whatever the calls of
    `advance` and the storage.

    Args:
        scenario: profile, settings, seed and timed commands; more commands can be submitted.
        storage: an empty place for the node's files.
        keep: how many transitions the log holds.
        console: understands the lines of the command `ctl`; see engine.ctl.console.
    """

    def __init__(
        self, scenario: ParsedScenario, storage: Storage, keep: int = 2048, console: Console = no_console
    ) -> None:
        self.scenario = scenario
        self.storage = storage
        self.configuration = NodeConfiguration(scenario)
        self.log = TransitionLog(keep)
        self.refused: list[RefusedCommand] = []
        self.history: list[TimedCommand] = []
        self._crash_times: dict[str, list[int]] = {}
        self._build_broker()
        self._build_clients()
        self._build_control(console)
        self._begin()

    def _build_broker(self) -> None:
        """Build time, definitions, files, memory and queues, and start on an empty storage."""
        configuration = self.configuration
        self._clock = TimerScheduler()
        self.processes = NodeProcesses(self._clock, self._emit, configuration.credit)
        self.processes.use(configuration.node.work_profile)
        self.board = ReportedState(self._emit)
        self._codec = configuration.codec()
        below = configuration.queue.queue_index_embed_msgs_below
        self.kinds = MessageKinds(self._codec, below, self._oldest_message)
        self.definitions = HostDefinitions(self._emit, configuration.release.amqp)
        self.roll = MirrorMembership(configuration.current, self._clock, self._emit)
        self.nodes = nodes_of(
            configuration,
            self._codec,
            self.storage,
            self.kinds,
            self.roll.label,
            self._emit,
            self._clock.after,
        )
        self._clustered = len(self.nodes) > 1
        first = self.nodes[NODES[0]]
        self.host, self.watch = first.host, first.watch
        self.lifetimes = QueueLifetimes(self.definitions, self._clock, self._delete_queue)
        self.dead_letters = DeadLetters(
            self.definitions, self.kinds, self._clock, self._emit, configuration.release.amqp
        )
        self.confirms = ConfirmSender({}, self.roll.records, self.processes, self._emit, self._publish_failed)
        self.queues = NodeQueues(
            node=first,
            settings=configuration.current,
            processes=self.processes,
            board=self.board,
            callbacks=QueueCallbacks(
                self._emit,
                self.confirms.confirmed,
                self.confirms.discarded,
                self.confirms.taken,
                self.confirms.rejected,
                self.dead_letters.bury,
                self._broken,
            ),
            definitions=self.definitions,
            lifetimes=self.lifetimes,
            registry=self.roll,
        )
        self._settings = ShownSettings(configuration, self.queues, self.board)
        self._machine = CostProfile(configuration, self.processes, self.board)
        self._settings.report_settings("start")
        self._machine.report_work()
        for node in self.nodes.values():
            node.host.start_new()
        self.processes.of_stores(self.host.stores, self.queues.sweep)

    def _build_clients(self) -> None:
        """Build publishers, consumers, and the closing of their channels and connections."""
        self.consumers = Consumers(
            self.queues.live,
            self.queues.way_out,
            self._emit,
            self.lifetimes.lost_consumer,
            self.configuration.release.amqp,
        )
        hosts = [node.host for node in self.nodes.values()]
        self._capacity = StorageCapacity(self.configuration.node, self._codec, self.storage, hosts)
        self.connections = PublisherConnections(
            MessageRouter(
                self.queues.live,
                self.definitions,
                self.roll.records,
                MirroredChannels(self.roll, self.queues, self.configuration.current),
            ),
            self.consumers,
            self.kinds,
            PublishBounds(self.configuration.current, self._capacity),
            self.processes,
            self._emit,
            self._redo,
            self.confirms,
        )
        self._below = NodeParts(
            nodes=self.nodes,
            clock=self._clock,
            roll=self.roll,
            configuration=self.configuration,
            definitions=self.definitions,
            board=self.board,
            processes=self.processes,
            storage=self.storage,
            lifetimes=self.lifetimes,
            dead_letters=self.dead_letters,
            queues=self.queues,
            consumers=self.consumers,
            connections=self.connections,
            emit=self._emit,
        )
        self._syncs = RunningSyncs(self._below)
        self.cluster = MirroredQueues(self._below, self._syncs.maybe)
        self._ends = QueueEnds(self._below, self._settings, self.cluster)
        self._closing = ChannelClosing(
            self.connections,
            self.consumers,
            self.definitions,
            self._ends.delete,
            self.board.forget_actor,
            self._emit,
        )
        if self.consumers.rules.acknowledgements_time_out:
            self.consumers.time_out(
                partial(
                    AckTimeout,
                    clock=self._clock,
                    settings=self.configuration,
                    own=self.definitions.consumer_timeout_ms if self.definitions.times_queues else None,
                    fail=self._closing.fail,
                    words=self.consumers.rules.late_words,
                )
            )

    def _build_control(self, console: Console) -> None:
        """Build the parts that stop and start nodes and fill mirrors, the monitors, and the verbs of commands."""
        parts = ClusterParts(
            self._below,
            self.cluster,
            self._syncs,
            self._closing,
            seed=self.scenario.seed,
            node_changed=self._node_changed,
            redo=self._redo,
            most_queues=max(MAX_QUEUES, len(self.scenario.topology.queues) if self.scenario.topology else 0),
        )
        control = NodeControl(
            self._below,
            closing=self._closing,
            ends=self._ends,
            settings=self._settings,
            machine=self._machine,
            mirrored=self.cluster,
            parts=parts,
            console=console,
        )
        self.monitors, self.life = control.monitors, control.life
        self._report, self._verbs = control.report, control.verbs

    def _begin(self) -> None:
        self._declare_topology()
        self.monitors.start(self._happened)
        for timed in self.scenario.commands:
            self._clock.at(timed.at_us, partial(self._scheduled, timed), COMMAND)
        self._end_event()

    def _declare_topology(self) -> None:
        """Declare what the scenario has before its first command: its topology, or one queue called orders."""
        topology = self.scenario.topology
        if topology is None:
            only = DeclaredQueue(name=QUEUE, durable=self.configuration.node.queue_durable)
            self.queues.begin(only)
            self.cluster.began(QUEUE, NODES[0])
            return
        for command in topology.declarations():
            self._verbs.do(command)

    @property
    def process(self) -> QueueProcess:
        return next(iter(self.queues.values())).process

    # --- what parts send to parts that are built later ---------------------------------------------------------------
    def _emit(self, transition: Transition) -> None:
        self.log.add(self._clock.now_us, transition)
        if self.processes.timed:
            self.processes.meter.observe(transition)

    def _happened(self) -> int:
        return self.log.number + len(self.history)

    def _node_changed(self, _: str) -> None:
        self.monitors.measure_memory()
        self.monitors.others.measure_memory()

    def _oldest_message(self) -> int:
        """Return the lowest message number that any queue has in RAM or any store on disk."""
        oldest = [s.oldest_message() for node in self.nodes.values() for s in node.host.stores.values()]
        oldest += [queue.oldest_message() for queue in queues_of(self.nodes)]
        return min((each for each in oldest if each is not None), default=self.kinds.next_msg_no)

    def _broken(self, queue: str) -> None:
        """Let a queue's process crash at the end of this moment; what reaches it until then is lost (D4)."""
        self.queues[queue].process.hold()
        self._clock.after(1, partial(self._crash, queue))

    def _crashed(self, crash: ProcessCrash) -> None:
        """Handle a queue process that ended in the middle of a call; the rest of that event is lost (V8, V9).
        The connection of a channel that waits for the call's answer ends (V9).
        """
        for name, live in self.queues.items():
            if crash.queue == name or crash.queue in live.process.queue.parts:
                live.process.hold()
                self._clock.after(0, partial(self._crash, name))
                break
        else:
            raise crash
        if crash.caller is not None:
            channel, begun = crash.caller
            if begun:  # nobody cancels a consumer that its channel does not have before the answer
                self.consumers.unsubscribe(self.consumers.all[begun])
            self._clock.after(0, partial(self._closing.fail, channel, AmqpError("internal_error", ""), "D4"))

    def _crash(self, queue: str) -> None:
        """Let a queue's supervisor start its process again: more than five times in ten seconds it does not (D16)."""
        if queue not in self.queues:
            return
        now_us = self._clock.now_us
        recent = [at_us for at_us in self._crash_times.get(queue, ()) if at_us > now_us - RESTARTS_IN_US]
        self._crash_times[queue] = [*recent, now_us]
        if len(recent) < MOST_RESTARTS:
            self._verbs.do(KillQueue(queue=queue, how="error"))

    def _delete_queue(self, name: str, rule: str, cause: str) -> None:
        self._ends.delete(name, rule, cause)

    def _publish_failed(self, actor: str, error: AmqpError) -> None:
        self._closing.fail(actor, error, "P8")

    def _redo(self, command: Command) -> None:
        """Do what a manual client sent while its connection was blocked; nobody waits for a refusal now."""
        with suppress(CommandError):
            self._verbs.do(command)

    # --- time --------------------------------------------------------------------------------------------------------
    @property
    def now_us(self) -> int:
        return self._clock.now_us

    @property
    def codec(self) -> MessageCodec:
        return self._codec

    def advance(self, until_us: int, max_transitions: int | None = None) -> bool:
        """Let time pass up to `until_us`; return whether that was reached. `until_us`: virtual microseconds; nothing
        happens if this is in the past. `max_transitions`: stop after the event that reaches this many.
        """
        stop_at = None if max_transitions is None else self.log.number + max_transitions
        while self._happen(until_us):
            if stop_at is not None and self.log.number >= stop_at:
                return False
        self._clock.now_us = max(self._clock.now_us, until_us)
        return True

    def next_us(self) -> int | None:
        """Return the time at which something may next be reported by itself; None for never."""
        settled_us = self.monitors.settled_us()
        return self._clock.next_us() if settled_us is None else settled_us

    def step(self) -> bool:
        """Let time pass up to the next event that brings transitions; return whether there was one."""
        before = self.log.number
        until_us = self._clock.now_us + STEP_HORIZON_US
        while self._happen(until_us):
            if self.log.number > before:
                return True
        return False

    def _happen(self, until_us: int) -> bool:
        """Do the next event, if it is not after `until_us`; return whether there was one."""
        try:
            if not self._clock.run_next(until_us):
                return False
            self._end_event()
        except ProcessCrash as crash:
            self._crashed(crash)
        return True

    def run(self) -> str:
        self.advance(self.scenario.until_us)
        return self.log.digest

    # --- commands ----------------------------------------------------------------------------------------------------
    def submit(self, command: dict[str, Any] | Command) -> None:
        """Do a command now. Events of the node at the same time come first, so that a replay gives the same.
        Raises CommandError when it is malformed or cannot be done; then nothing changed.
        """
        parsed = command if isinstance(command, Command) else commands.parse(command)
        self.advance(self._clock.now_us)
        self._apply(parsed)

    def _apply(self, command: Command) -> None:
        try:
            self._verbs.do(command)
        except ProcessCrash as crash:
            self._crashed(crash)
        self.history.append(TimedCommand(self._clock.now_us, command))
        self._end_event()

    def _scheduled(self, timed: TimedCommand) -> None:
        try:
            self._apply(timed.command)
        except CommandError as error:
            self.refused.append(RefusedCommand(timed.at_us, timed.command, str(error)))

    def scenario_so_far(self, title: str | None = None) -> ParsedScenario:
        """Return the run up to now as a scenario with its digest, to be replayed."""
        self.advance(self._clock.now_us)
        return msgspec.structs.replace(
            self.scenario,
            title=self.scenario.title if title is None else title,
            commands=tuple(self.history),
            until_us=self._clock.now_us,
            digest=self.log.digest,
        )

    # --- looking -----------------------------------------------------------------------------------------------------
    def _end_event(self) -> None:
        """Let dead letters arrive, and report what an event changed without a transition of its own."""
        if self.monitors.only_looked:  # every third event of a session at work
            self.monitors.only_looked = False
            return
        if self.dead_letters.waiting:
            self.dead_letters.deliver(self.queues)
        if self._clustered:
            self.cluster.settle()
        self._report.report_changes()

    def snapshot(self) -> dict[str, Any]:
        """Return the state as plain values from the node's own structures; it equals the fold of all transitions."""
        return self._report.snapshot()

    def held_messages(self) -> int:
        """Return how many messages there are: in all queues, unacknowledged, and on their way in."""
        return self._capacity.held(self.connections.waiting)

    @property
    def most_messages(self) -> int:
        return self._capacity.most_messages

    def ram_bytes(self) -> int:
        return self._capacity.ram_bytes()

    def live(self) -> LiveValues:
        """Return what a snapshot does not contain: rates, and who is subscribed."""
        return self._report.live()

    def verify(self) -> None:
        """Compare files, tables and counts with one another; raises InvariantBroken at the first difference (S253)."""
        if not self.life.runs:
            return
        for queue in queues_of(self.nodes):
            queue.verify()
        for node in self.nodes.values():
            for store in node.host.stores.values() if node.up else ():
                store.verify()
