"""The members of every queue: a mirror's process, and the messages between members (H1, H19, H22, H31, H32, H56)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import msgspec
from msgspec.structs import replace

from engine.amqp.errors import AmqpError, queue_words
from engine.backing_queue.protocol import Arrival, BackingQueue, MirrorableQueue
from engine.broker.clients.connections import ChannelClosing, PublisherConnections
from engine.broker.clients.consumers import Consumers
from engine.broker.clients.manual_channels import channel_of
from engine.broker.commands.base import Command
from engine.broker.commands.settings import NodeSettings
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.queues import BrokerNode, DeadLetters, NodeQueues, QueueLifetimes
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.reported_state import ReportedState
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.instructions import (
    DiscardInstruction,
    MirrorInstruction,
    PublishDeliveredInstruction,
    PublishInstruction,
    SyncStartInstruction,
)
from engine.mirrored_queue.members import MasterQueue, MirrorCopy, MirrorCrashed, QueueMirror
from engine.mirrored_queue.ring import FRAME_BYTES, MirrorRing, QueueRecord
from engine.report.transitions.base import Transition
from engine.report.transitions.node import RingSent
from engine.storage.port import Storage
from engine.values.errors import ProcessCrash
from engine.values.extents import Extent
from engine.values.labels import member

Batch = list[tuple[Extent, bool]]


class MirrorSynchronisation:
    """One synchronisation of one queue.

    Args:
        batches: reads everything that the master has, in batches; called when it is known that somebody takes part.
        later: lets the next batch follow after a hop; returns whether it will be called again, else it goes on at once.
        sent: called with a batch and the number of mirrors that got it.
        ended: called with how it ended and how many messages were sent.
    """

    def __init__(
        self,
        asked: Sequence[str],
        batches: Callable[[], list[Batch]],
        later: Callable[[Callable[[], None]], bool],
        sent: Callable[[Batch, int], None],
        ended: Callable[[str, int], None],
    ) -> None:
        self.cancelled = False
        self.ready: list[QueueMember] = []
        self._to_answer = set(asked)
        self._read = batches
        self._batches: list[Batch] | None = None
        self._later = later
        self._sent = sent
        self._ended = ended
        self._count = 0
        self._over = False

    @property
    def progress(self) -> int:
        return self._count

    def answered(self, member: QueueMember) -> None:
        """Take a mirror's answer: a complete mirror declines, another drops its messages (H52)."""
        self._to_answer.discard(member.node)
        if member.mirror.depth_delta != 0:
            member.mirror.throw_away()
            member.process.handled()
            member.syncing = True
            self.ready.append(member)
        self.go_on()

    def died(self, node: str) -> None:
        """Leave out a mirror that is gone (H59)."""
        self._to_answer.discard(node)
        self.go_on()

    def _leave_out_the_dead(self) -> None:
        """Several may be gone at once, and some of them may not have been reported yet (H59)."""
        self.ready = [each for each in self.ready if not each.gone]

    def go_on(self) -> None:
        """Send batches until a mirror must be waited for; check for a cancel between them (H58)."""
        while not self._over and not self._to_answer and not any(each.frozen for each in self.ready):
            self._leave_out_the_dead()
            if not self.ready:
                self._end("nobody")
            elif self.cancelled:
                self.fail("cancelled")
            elif self._step():
                return

    def _step(self) -> bool:
        """Send one batch, or end; return whether the next one comes later."""
        if self._batches is None:
            self._batches = self._read()
        if not self._batches:
            for each in self.ready:
                each.syncing = False
                each.mirror.filled()
                each.process.handled()
            self._end("done")
            return False
        batch = self._batches.pop(0)
        for each in self.ready:
            each.process.begin()
            each.mirror.take_batch(batch)
            each.process.handled()
        self._count += sum(extent.count for extent, _ in batch)
        self._sent(batch, len(self.ready))
        return self._later(self.go_on)

    def fail(self, how: str) -> None:
        """End it without success: its mirrors drop what they got, and have no depth (H58)."""
        self._leave_out_the_dead()
        for each in self.ready:
            each.syncing = False
            each.process.begin()
            each.mirror.lost_count()
            each.process.handled()
        self._end(how)

    def _end(self, how: str) -> None:
        self._over = True
        self._ended(how, self._count)


def in_batches(everything: list[tuple[Extent, bool]], size: int) -> list[Batch]:
    """Cut messages into batches of `size`, the last one smaller (H53)."""
    batches: list[Batch] = []
    batch: Batch = []
    room = size
    for extent, unacked in everything:
        done = 0
        while done < extent.count:
            count = min(room, extent.count - done)
            batch.append((extent.part(done, count), unacked))
            done += count
            room -= count
            if room == 0:
                batches.append(batch)
                batch, room = [], size
    return [*batches, batch] if batch else batches


WITH_MESSAGES = (PublishInstruction, PublishDeliveredInstruction, DiscardInstruction)


class QueueMember:
    """One mirror at work. `process`: its timers and its memory target, as any queue process has them (H23). `asked`:
    called when a synchronisation's beginning reaches it. `crashed`: called when an assertion of it fails.
    """

    def __init__(
        self,
        node: BrokerNode,
        mirror: QueueMirror,
        process: QueueProcess,
        asked: Callable[[QueueMember], None],
        crashed: Callable[[QueueMember], None],
    ) -> None:
        self.home = node
        self.mirror = mirror
        self.process = process
        self.frozen = False
        self.syncing = False
        self.gone = False
        self.heir = False
        """Whether to promote it when it handles messages again."""
        self.observer: Callable[[int], None] | None = None
        """Hears how many messages came from channels: a test sets it."""
        self._asked = asked
        self._crashed = crashed
        self._instructions: deque[MirrorInstruction] = deque()
        self._copies: deque[MirrorCopy] = deque()

    @property
    def node(self) -> str:
        return self.home.name

    @property
    def waits(self) -> bool:
        return bool(self._instructions or self._copies)

    @property
    def busy(self) -> bool:
        return self.frozen or self.syncing

    def take(self, instruction: MirrorInstruction) -> None:
        """Take an instruction of the master, which comes before what waits from channels."""
        if self.busy:
            self._instructions.append(instruction)
        elif not self.gone:
            self._obey(instruction)

    def take_copy(self, copy: MirrorCopy) -> None:
        if self.busy:
            self._copies.append(copy)
        elif not self.gone:
            self._from_channel(copy)

    def _obey(self, instruction: MirrorInstruction) -> None:
        self.process.begin()
        if isinstance(instruction, SyncStartInstruction):
            self._asked(self)
            return
        try:
            self.mirror.obey(instruction)
        except (MirrorCrashed, ProcessCrash):
            self._crash()
            return
        self.process.handled()
        if self.mirror.stuck:
            # Its conversion never ends, so it handles nothing any more (V5).
            self.frozen = True
            self.process.hold()

    def _from_channel(self, copy: MirrorCopy) -> None:
        if self.observer is not None:
            self.observer(copy.arrival.count)
        try:
            self.mirror.from_channel(copy)
        except ProcessCrash:
            self._crash()

    def _crash(self) -> None:
        """Its own process ends (H75), also where the queue in it does (V8, V9): the master's goes on."""
        self.gone = True
        self._crashed(self)

    def go_on(self) -> None:
        """Handle what waited: all instructions first (H22)."""
        while self._instructions and not self.busy and not self.gone:
            self._obey(self._instructions.popleft())
        while self._copies and not self.busy and not self.gone and not self.heir:
            self._from_channel(self._copies.popleft())

    def unhandled(self, sender: str) -> int:
        """Return the credit that it owes a channel: one for each copy and instruction (H84)."""
        copies = sum(copy.arrival.count for copy in self._copies if copy.arrival.sender == sender)
        arrivals = [each.arrival for each in self._instructions if isinstance(each, WITH_MESSAGES)]
        return copies + sum(each.count for each in arrivals if each.sender == sender)

    def late_copies(self) -> list[MirrorCopy]:
        """Return what still waits from channels, for whom it becomes."""
        waiting = list(self._copies)
        self._copies.clear()
        return waiting

    def end(self) -> None:
        """Stop handling anything; its engine is somebody else's to end."""
        self.gone = True
        self.process.stop()
        self.home.watch.monitor.deregister(self.process.name)


class LabelledRing:
    """Takes the transitions of one node's virtual host, and hands them on with the member's name. `first`:
    whether it is the cluster's first node, whose stores have their plain names.
    """

    def __init__(
        self, emit: Callable[[Transition], None], node: str, first: bool, label: Callable[[str, str], str]
    ) -> None:
        self._emit = emit
        self._node = node
        self._first = first
        self._label = label

    def __call__(self, transition: Transition) -> None:
        queue, store = getattr(transition, "queue", None), getattr(transition, "store", None)
        if isinstance(queue, str):
            name = self._label(queue, self._node)
            if name != queue:
                transition = replace(transition, queue=name)
        if isinstance(store, str) and not self._first:
            transition = replace(transition, store=f"{store}@{self._node}")
        self._emit(transition)


def ring_sent(name: str, node: str, instruction: to_do.MirrorInstruction, hops: int) -> RingSent:
    """Return the transition for an instruction that a master on `node` sends around."""
    kind = type(instruction).__name__.removesuffix("Instruction")
    why: dict[str, int | float | str | bool | None] = {}
    if isinstance(instruction, to_do.DropInstruction):
        why = {"left": instruction.left, "ack": instruction.ack}
    return RingSent("H32", name, node, kind, instruction.times, hops, instruction.body_bytes, why)


Observer = Callable[[str, str, Any], None]
"""Called with a node, what reached it (gm, direct, sync_asked), and that."""


class MirrorMembership:
    """The members of every queue. It is built before queues and clients, which read it; parts that are built
    later decide who joins and leaves.
    """

    def __init__(
        self, settings: Callable[[], NodeSettings], clock: TimerScheduler, emit: Callable[[Transition], None]
    ) -> None:
        self.records: dict[str, QueueRecord] = {}
        self.members: dict[tuple[str, str], QueueMember] = {}
        self.masters: dict[str, MasterQueue] = {}
        self.rings: dict[str, MirrorRing] = {}
        self.syncs: dict[str, MirrorSynchronisation] = {}
        self.waiting: dict[str, list[Callable[[], None]]] = {}
        """Calls that wait for a queue that is down."""
        self.observer: Observer | None = None
        self.between_bytes = 0
        """Bytes that mirroring sent from node to node: copies of channels, the ring, synchronisations."""
        self._settings = settings
        self._clock = clock
        self._emit = emit
        self._soon: deque[Callable[[], None]] = deque()

    def soon(self, do: Callable[[], None]) -> None:
        """Do something after the current event part."""
        self._soon.append(do)

    def settle(self) -> None:
        while self._soon:
            self._soon.popleft()()

    def served(self, name: str) -> None:
        """Do what waited for a queue: a master serves it again, or it is gone for good."""
        for waiting in self.waiting.pop(name, ()):
            waiting()

    def label(self, queue: str, node: str) -> str:
        """Return how transitions name the member of a queue on a node: the master as the queue itself."""
        record = self.records.get(queue)
        return queue if record is None or record.master == node else f"{queue}@{node}"

    def lives(self, record: QueueRecord) -> bool:
        return any((record.name, node) in self.members for node in record.mirrors)

    # --- the master's wrapper (H13, H19) -----------------------------------------------------------------------------
    def engine_of(self, name: str, engine: BackingQueue) -> BackingQueue:
        """Return what a queue's process works on, given the engine: with mirrors a wrapper around it."""
        record = self.records.get(name)
        if record is None or record.mirroring is None:
            return engine
        master = self.masters.get(name)
        kept = master is not None and master.inner is engine
        return cast(BackingQueue, master if kept else self.new_master(name, engine))

    def new_master(self, name: str, engine: BackingQueue) -> MasterQueue:
        master = self.masters[name] = MasterQueue(
            cast(MirrorableQueue, engine), partial(self.broadcast, name)
        )
        return master

    # --- messages on their way (H31, H32) ----------------------------------------------------------------------------
    def new_ring(self, name: str) -> MirrorRing:
        """Begin the ring of a queue's members, with none in it."""
        ring = self.rings[name] = MirrorRing(
            self._settings().ring_hop_us, self._clock.after, partial(self._deliver, name), self.count_bytes
        )
        return ring

    def count_bytes(self, count: int) -> None:
        self.between_bytes += count

    def broadcast(self, name: str, instruction: to_do.MirrorInstruction) -> None:
        """Let a queue's master tell its mirrors what it does (H32)."""
        record, ring = self.records[name], self.rings[name]
        if record.mirrors and not isinstance(
            instruction, to_do.SetModeInstruction | to_do.SetVersionInstruction
        ):
            self._emit(ring_sent(name, record.master, instruction, len(ring.members)))
        ring.broadcast(record.master, instruction)

    def _deliver(self, name: str, node: str, instruction: to_do.MirrorInstruction) -> None:
        if self.observer is not None:
            self.observer(node, "gm", instruction)
        member = self.members.get((name, node))
        if member is not None and not isinstance(instruction, to_do.DeleteInstruction):
            member.take(instruction)

    def copy(self, name: str, arrival: Arrival, expiration_ms: int | None, confirm_at_once: bool) -> None:
        """Give every mirror what a channel publishes (H31)."""
        copy, record = MirrorCopy(arrival, expiration_ms, confirm_at_once), self.records[name]
        for node in list(record.mirrors):
            member = self.members.get((name, node))
            if member is not None:
                self.count_bytes(arrival.total_bytes + arrival.count * FRAME_BYTES)
                member.take_copy(copy)


LIMIT_US: Final = 2000 * 30_000
"""2000 tries, one each 30 ms."""


class PendingCalls:
    """Clients and commands that wait for queues that are down. `redo`: does a command that its client sent
    while its channel waited.
    """

    def __init__(
        self,
        roll: MirrorMembership,
        consumers: Consumers,
        closing: ChannelClosing,
        clock: TimerScheduler,
        redo: Callable[[Command], None],
    ) -> None:
        self._roll = roll
        self._consumers = consumers
        self._closing = closing
        self._clock = clock
        self._redo = redo
        self._waiting = roll.waiting
        self._behind: dict[str, deque[Command]] = {}

    # --- methods -----------------------------------------------------------------------------------------------------
    def puts_off(self, queue: str, channel: str, do: Callable[[], None], forever: bool = False) -> bool:
        """Keep a method for later if its queue is down; return whether it was kept. `forever`: whether the
        method waits without limit. Raises AmqpError 404 for a queue that does not come back by itself,
        because its node stopped in order.
        """
        record = self._roll.records.get(queue)
        if record is None or record.alive:
            return False
        if record.stopped and not forever:
            raise AmqpError("not_found", f"{queue_words(queue)} process is stopped by supervisor")
        waiting = partial(self._go_on, channel, do)
        self._waiting.setdefault(queue, []).append(waiting)
        self._behind.setdefault(channel, deque())
        if not forever:
            self._clock.after(LIMIT_US, partial(self._give_up, queue, channel, waiting))
        return True

    def keeps(self, command: Command) -> bool:
        """Keep a command that its client sends on a channel that waits; return whether it was kept."""
        behind = self._behind.get(channel_of(command) or "")
        if behind is None:
            return False
        behind.append(command)
        return True

    def _give_up(self, queue: str, channel: str, waiting: Callable[[], None]) -> None:
        if waiting not in self._waiting.get(queue, ()):
            return
        self._waiting[queue].remove(waiting)
        self._behind.pop(channel, None)
        text = f"failed to perform operation on {queue_words(queue)} due to timeout"
        self._closing.fail(channel, AmqpError("not_found", text), "H64")

    def _go_on(self, channel: str, do: Callable[[], None]) -> None:
        behind = self._behind.pop(channel, deque())
        try:
            do()
        except AmqpError as error:
            self._closing.fail(channel, error, "H64")
            return
        for command in behind:
            self._redo(command)

    # --- consumers (H67) ---------------------------------------------------------------------------------------------
    def went_down(self, queue: str) -> None:
        """Handle a queue without a new master: cancel consumers with x-cancel-on-ha-failover; the others try for a
        minute to consume again.
        """
        record = self._roll.records[queue]
        for consumer in self._consumers.of_down(queue):
            if consumer.cancel_on_failover or record.stopped:
                self._consumers.cancel_down(consumer)
            else:
                self._clock.after(LIMIT_US, partial(self._gave_up, queue, consumer.name, record.downs))

    def _gave_up(self, queue: str, name: str, downs: int) -> None:
        record, consumer = self._roll.records.get(queue), self._consumers.all.get(name)
        if record is None or record.alive or record.downs != downs or consumer is None:
            return
        if consumer in self._consumers.of_down(queue):
            self._consumers.cancel_down(consumer)


class MirroredChannels:
    """The members of a cluster's queues as channels see them."""

    def __init__(
        self, roll: MirrorMembership, queues: NodeQueues, settings: Callable[[], NodeSettings]
    ) -> None:
        self._roll = roll
        self._queues = queues
        self._settings = settings
        self.passed: dict[str, int] = {}
        """Messages that channels passed on although credit had stopped them: what their readers had credit for."""

    def of(self, queue: str) -> tuple[str, ...]:
        record = self._roll.records.get(queue)
        if record is None:
            return ()
        alive = [node for node in record.mirrors if (queue, node) in self._roll.members]
        if record.alive:
            return tuple(member(queue, node) for node in (record.master, *alive)) if alive else ()
        return tuple(member(queue, node) for node in alive)

    def copy(self, queue: str, arrival: Arrival, expiration_ms: int | None, confirm_at_once: bool) -> None:
        """Send messages to every mirror (H31)."""
        self._roll.copy(queue, arrival, expiration_ms, confirm_at_once)

    def room(self, sender: str, queues: Sequence[str], count: int) -> int:
        """Return how many of `count` messages a channel may send before credit stops it (H84). Only members
        that hang, or are being synchronised, ever let it run out; the reader had its own credit too.
        """
        initial, _ = self._settings().credit_flow_default_credit
        room = count
        stopped = False
        for queue in queues:
            record = self._roll.records.get(queue)
            for node in record.mirrors if record is not None else ():
                each = self._roll.members.get((queue, node))
                if each is not None and each.busy:
                    stopped = True
                    room = min(room, -(-max(0, initial - each.unhandled(sender)) // 2))
            live = self._queues.get(queue)
            if live is not None and live.process.held is not None:
                stopped = True
                room = min(room, max(0, initial - self._held(sender, queue)))
        if not stopped:
            self.passed.pop(sender, None)
            return count
        if room == count:
            return room
        passed = self.passed.get(sender, 0)
        more = min(count - room, initial - passed)
        self.passed[sender] = passed + more
        return room + more

    def _held(self, sender: str, queue: str) -> int:
        """Return how many messages of a channel wait for a master that handles nothing."""
        waiting = self._queues[queue].process.held or ()
        arrivals = (each.args[0] for each in waiting if isinstance(each, partial) and each.args)
        return sum(each.count for each in arrivals if isinstance(each, Arrival) and each.sender == sender)


class NodeParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has built before its cluster. `nodes`: the nodes by name, in the order in which each lists
    those that run (H9). `roll`: who has which member of which queue. `emit`: takes each transition.
    """

    nodes: Mapping[str, BrokerNode]
    clock: TimerScheduler
    roll: MirrorMembership
    configuration: NodeConfiguration
    definitions: HostDefinitions
    board: ReportedState
    processes: NodeProcesses
    storage: Storage
    lifetimes: QueueLifetimes
    dead_letters: DeadLetters
    queues: NodeQueues
    consumers: Consumers
    connections: PublisherConnections
    emit: Callable[[Transition], None]

    @property
    def first(self) -> BrokerNode:
        """The node that a session without a cluster consists of."""
        return next(iter(self.nodes.values()))
