"""The members of every queue: how they join, leave, take over and are put back in place (H7-H18, H61-H66)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, cast
from zlib import crc32

from engine.amqp.arguments import LOCATOR, LOCATORS, PRIORITIES
from engine.amqp.declarations import DeclaredQueue
from engine.amqp.policies import WHEN_SYNCED, Mirroring, mirroring_of
from engine.backing_queue.protocol import MirrorableQueue
from engine.broker.clients.connections import PublisherConnections
from engine.broker.commands.settings import NodeSettings
from engine.broker.mirrors.membership import NodeParts, QueueMember
from engine.broker.queues.queue_process import QueueProcess, mail_alone
from engine.broker.queues.queues import BrokerNode, NodeQueues
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.members import QueueMirror
from engine.mirrored_queue.ring import QueueRecord, wanted
from engine.report.transitions.base import Why
from engine.report.transitions.node import MirrorJoined, MirrorLeft, MirrorSynchronised, QueuePromoted
from engine.values.marks import ignore

SYNC_INTERVAL_MS: Final = 25
"""After which a mirror syncs its journal; a queue process takes 200 ms (H23, P2)."""


class MirroredQueues:
    """Manages the members of all queues. `below`: what the cluster stands on. `auto_sync`: fills a queue's
    mirrors, if its policy wants that without being asked (H51).
    """

    def __init__(self, below: NodeParts, auto_sync: Callable[[str], None]) -> None:
        self.nodes = below.nodes
        self.roll = roll = below.roll
        self.records, self.members = roll.records, roll.members
        self.masters, self.rings = roll.masters, roll.rings
        self.syncs, self.soon, self.settle = roll.syncs, roll.soon, roll.settle
        self.lost = 0
        """Messages that masters had and the mirrors which took over had not."""
        self._auto_sync = auto_sync
        self._clock = below.clock
        self._settings = below.configuration.current
        self._queues = below.queues
        self._definitions = below.definitions
        self._consumers = below.consumers
        self._confirms = below.connections.confirms
        self._board = below.board
        self._emit = below.emit

    @property
    def running(self) -> list[str]:
        return [name for name, node in self.nodes.items() if node.up]

    # --- queues begin and end ----------------------------------------------------------------------------------------
    def began(self, name: str, node: str) -> None:
        """Take a new queue in; its mirrors join before its declaration is answered (H16)."""
        declared = self._definitions.queues[name]
        record = self.records[name] = QueueRecord(name, node, declared.exclusive)
        self.roll.new_ring(name)
        record.mirroring = self._mirroring(record)
        self._queues[name].copies = None
        if record.mirroring is not None:
            self._wrap(record)
            self.update(record)
        self.settle()

    def ending(self, name: str) -> None:
        """Delete the mirrors of a queue that is about to be deleted (H77)."""
        record = self.records.get(name)
        if record is None:
            return
        sync = self.syncs.get(name)
        if sync is not None:
            sync.fail("deleted")
        if record.mirroring is not None:
            self.stop_mirrors(record, "normal")
        self.masters.pop(name, None)

    def ended(self, name: str) -> None:
        self.records.pop(name, None)
        self.rings.pop(name, None)
        self.roll.served(name)

    def forget(self, name: str, rule: str = "H76", cause: str = "node_down") -> None:
        """Forget a queue that is down and does not come back, because no node has it (H76) or it is deleted (H77)."""
        self._consumers.forget_queue(name, rule, cause)
        self._queues.forget(name, rule)
        self._confirms.queue_deleted(name)
        self.ended(name)

    def _gone(self, name: str) -> None:
        """Handle a queue without living members; if it is not durable, it does not come back (H76)."""
        record = self.records.get(name)
        if record is None or record.alive or self._definitions.queues[name].durable:
            return
        self.forget(name)

    def new_ring(self, record: QueueRecord) -> None:
        """Begin the ring again, with the master alone where there is mirroring."""
        ring = self.roll.new_ring(record.name)
        if record.mirroring is not None:
            ring.join(record.master)

    def _mirroring(self, record: QueueRecord) -> Mirroring | None:
        """Return what a queue's policy wants; none if it is exclusive, and here none with priorities (H7, H87)."""
        policy = self._definitions.policy(record.name)
        priorities = PRIORITIES in self._definitions.queues[record.name].arguments
        return None if policy is None or record.exclusive or priorities else mirroring_of(policy.definition)

    def _wrap(self, record: QueueRecord) -> None:
        process = self._queues[record.name].process
        process.queue = self.roll.engine_of(record.name, process.queue)
        self.rings[record.name].join(record.master)

    # --- policies (H13) ----------------------------------------------------------------------------------------------
    def policies_changed(self) -> None:
        """Move every queue's members to the nodes that its policy wants."""
        for record in list(self.records.values()):
            before, record.mirroring = record.mirroring, self._mirroring(record)
            if not record.alive or record.mirroring == before:
                continue
            if before is None:
                self._wrap(record)
            if record.mirroring is None:
                self.stop_mirrors(record, "shutdown")
                self._queues[record.name].process.queue = self.masters.pop(record.name).inner
                self.new_ring(record)
            else:
                self.update(record)
        self.settle()

    def update(self, record: QueueRecord, last: str | None = None) -> None:
        """Add the members that the policy lacks, drop those that are too many, and maybe synchronise (H13).
        `last`: a node that gets its mirror after the others.
        """
        master, mirrors = wanted(record, self.running)
        mirrors = sorted(mirrors, key=lambda node: node == last)
        for node in mirrors:
            if node != record.master and node not in record.mirrors:
                self.join(record, node)
        for node in list(record.mirrors):
            if node not in mirrors and node != master:
                self.drop(record, node)
        if master != record.master:
            self.move(record)
        self.soon(partial(self._auto_sync, record.name))

    # --- members come ------------------------------------------------------------------------------------------------
    def join(self, record: QueueRecord, node: str) -> None:
        """Begin a mirror on a node, empty, as the youngest (H20, H72)."""
        name, there = record.name, self.nodes[node]
        if there.host.has(name):
            there.host.of(name).wipe(name)
        record.mirrors.append(node)
        version = self._definitions.effective(name).queue_version
        queue = self._definitions.queues[name]
        engine = cast(MirrorableQueue, there.host.of(name).add(queue, self._clock.now_us, version))
        mirror = QueueMirror(
            engine,
            partial(self._confirms.member_confirmed, name, node),
            partial(self._synchronised, record, node),
        )
        process = QueueProcess(
            queue=engine,
            mail=partial(mail_alone, self._clock),
            scheduler=self._clock,
            settings=self._settings,
            monitor=there.watch.monitor,
            on_confirmed=mirror.on_disk,
            on_clock=ignore,
            sync_interval_ms=SYNC_INTERVAL_MS,
        )
        member = QueueMember(
            there, mirror, process, partial(self._asked, name), partial(self._crashed, record)
        )
        if self.roll.observer is not None:
            member.observer = partial(self.roll.observer, node, "direct")
        self.members[(name, node)] = member
        self.rings[name].join(node)
        master = self.masters[name]
        self._queues[name].copies = partial(self.roll.copy, name)
        self._emit(MirrorJoined("H20", name, node, {"depth_delta": master.whole_depth}))
        self.roll.broadcast(name, to_do.DepthInstruction(master.whole_depth))
        process.handled()
        self.soon(partial(self.reapply, name))

    def _asked(self, name: str, member: QueueMember) -> None:
        if self.roll.observer is not None:
            self.roll.observer(member.node, "sync_asked", member.mirror.depth_delta)
        sync = self.syncs.get(name)
        if sync is not None:
            sync.answered(member)

    def _synchronised(self, record: QueueRecord, node: str) -> None:
        """Record a mirror as synchronised; a master that the policy does not want may now end (H12, H41)."""
        if node in record.synchronised:
            return
        record.synchronised.add(node)
        self._emit(MirrorSynchronised("H41", record.name, node))
        self.soon(partial(self.reapply, record.name))
        self.soon(partial(self._maybe_move, record))

    def _maybe_move(self, record: QueueRecord) -> None:
        if record.alive and self.records.get(record.name) is record:
            master, _ = wanted(record, self.running)
            if master != record.master:
                self.update(record)

    def reapply(self, name: str) -> None:
        """The record changed: the master applies its arguments and policy again (H43)."""
        if name in self._queues:
            self._queues.obey(name, again=True)

    # --- members go --------------------------------------------------------------------------------------------------
    def drop(self, record: QueueRecord, node: str, how: str = "dropped") -> None:
        """Let a mirror delete its content and end (H14)."""
        member = self.members.pop((record.name, node), None)
        if member is not None:
            member.end()
            self._forget_label(record.name, node)
            member.home.host.of(record.name).delete(record.name, how)
        self._left(record, node, how)
        record.forget(node)
        self.soon(partial(self.reapply, record.name))

    def _forget_label(self, name: str, node: str) -> None:
        self._board.forget_queue(f"{name}@{node}")

    def _left(self, record: QueueRecord, node: str, how: str) -> None:
        self.rings[record.name].leave(node)
        self._emit(MirrorLeft("H61", record.name, node, how))
        self._confirms.member_gone(record.name, node)
        sync = self.syncs.get(record.name)
        if sync is not None:
            self.soon(partial(sync.died, node))
        if not record.mirrors or record.mirrors == [node]:
            live = self._queues.get(record.name)
            if live is not None:
                live.copies = None

    def stop_mirrors(self, record: QueueRecord, reason: str) -> None:
        """Let every mirror delete what it has and end (H66)."""
        self.roll.broadcast(record.name, to_do.DeleteInstruction(reason))
        self.rings[record.name].finish()
        for node in list(record.mirrors):
            self.drop(record, node, reason)

    def _crashed(self, record: QueueRecord, member: QueueMember) -> None:
        self.soon(partial(self.crash_mirror, record, member.node))

    def lose_mirror(self, record: QueueRecord, node: str, how: str) -> None:
        """Drop a mirror whose process is gone, and end its engine."""
        member = self.members.pop((record.name, node), None)
        if member is not None:
            member.end()
        self._forget_label(record.name, node)
        if how == "crash":
            self.rings[record.name].leave(node)
            self._emit(MirrorLeft("H61", record.name, node, how))
        else:
            self._left(record, node, how)

    def crash_mirror(self, record: QueueRecord, node: str) -> None:
        """Let a mirror crash: what waits for its confirm is rejected, and it begins again, empty (H63, H75)."""
        self.lose_mirror(record, node, "crash")
        self._confirms.queue_crashed(record.name, node)
        self.nodes[node].host.of(record.name).crash(record.name)
        self.died(record, {node})
        self.rejoin(record, node)

    def rejoin(self, record: QueueRecord, node: str) -> None:
        """Let a node whose member crashed have a mirror again, if the policy wants it there (H75)."""
        if record.alive and node in wanted(record, self.running)[1] and node not in record.mirrors:
            self.join(record, node)

    # --- deaths and promotion (H61-H64) ------------------------------------------------------------------------------
    def died(self, record: QueueRecord, dead: Iterable[str]) -> None:
        """Handle members that are gone: the living ones act, after instructions in transit have arrived (H28)."""
        self.rings[record.name].finish()
        self._died(record, set(dead))

    def _died(self, record: QueueRecord, dead: set[str]) -> None:
        living = [node for node in record.mirrors if node not in dead]
        if record.alive:
            for node in dead:
                record.forget(node)
            self.soon(partial(self.reapply, record.name))
            if record.mirroring is not None and record.mirroring.mode == "exactly":
                self.update(record)
            self.soon(partial(self._auto_sync, record.name))
            return
        if not living:
            record.mirrors, record.synchronised = [], set()
            self.soon(partial(self._gone, record.name))
            return
        heir = living[0]
        if heir in record.orphans:
            return
        if self.refuses(record):
            self._refuse(record, heir)
            return
        for node in dead:
            record.forget(node)
        self.promote(record, heir)

    def refuses(self, record: QueueRecord) -> bool:
        """Return whether no mirror may be promoted after a failure: when-synced, and none is synchronised (H61)."""
        mirroring = record.mirroring
        if mirroring is None or mirroring.promote_on_failure != WHEN_SYNCED:
            return False
        return not record.synchronised

    def _refuse(self, record: QueueRecord, heir: str) -> None:
        """Refuse to promote the oldest mirror: it deletes its messages, and still counts as living (H64)."""
        member = self.members.pop((record.name, heir))
        member.end()
        self._forget_label(record.name, heir)
        member.home.host.of(record.name).delete(record.name, "refused")
        self._emit(MirrorLeft("H64", record.name, heir, "refused"))
        self._confirms.member_gone(record.name, heir)
        record.orphans.add(heir)

    def promote(self, record: QueueRecord, heir: str) -> None:
        """Let a mirror be the master (H62)."""
        name = record.name
        member = self.members[(name, heir)]
        sync = self.syncs.get(name)
        if sync is not None:
            sync.fail("master_gone")
        if member.frozen:
            member.heir = True
            return
        del self.members[(name, heir)]
        member.end()
        mirror = member.mirror
        source, lost = self.roll.label(name, heir), mirror.depth_delta or 0
        record.forget(heir)
        record.master, record.alive = heir, True
        self.lost += lost
        self._emit(QueuePromoted("H62", name, heir, source, {"lost": lost}))
        self._board.rename_queue(name, source)
        mirror.queue.advance_clock(self._clock.now_us)
        mirror.requeue_all()
        master = self.roll.new_master(name, mirror.queue)
        master.seen.insert_all(each for each in mirror.known if each.known != "published_and_seen")
        self.roll.broadcast(name, to_do.DepthInstruction(master.whole_depth))
        live = self._queues.take_over(name, self.nodes[heir])
        live.copies = partial(self.roll.copy, name) if record.mirrors else None
        for copy in mirror.leftovers():
            live.enter(((copy.arrival, copy.expiration_ms),), 0, copy.confirm_at_once, already_delivered=True)
        for copy in member.late_copies():
            new, confirmed = master.late(copy)
            self._confirms.member_confirmed(name, heir, confirmed)
            for each in new:
                live.enter(
                    ((each.arrival, each.expiration_ms),), 0, each.confirm_at_once, already_delivered=True
                )
        self._consumers.served_anew(name, cancels=not record.down_sent)
        record.down_sent = False
        self.soon(partial(self.roll.served, name))
        self.soon(partial(self.reapply, name))
        if record.mirroring is not None and record.mirroring.mode == "exactly":
            self.update(record)
        self.soon(partial(self._auto_sync, name))

    def move(self, record: QueueRecord) -> None:
        """Let the old master go, so that a mirror takes over (H11, H14)."""
        name, node = record.name, record.master
        record.alive = False
        self._queues.lose(name)
        self.masters.pop(name, None)
        self.nodes[node].host.of(name).delete(name, "dropped")
        self.rings[name].leave(node)
        self._confirms.member_gone(name, node)
        self.died(record, ())

    def process(self, name: str, node: str | None) -> QueueProcess | None:
        record = self.records[name]
        if node is None or node == record.master:
            return self._queues[name].process if name in self._queues else None
        member = self.members.get((name, node))
        return member.process if member is not None else None


RULES: Final = {
    "node": "H1",
    "mirrors": "H1",
    "synchronised": "H41",
    "depth_delta": "H40",
    "held_copies": "H37",
    "frozen": "H88",
    "syncing": "H56",
}
"""By which rule each fact changes."""


class ShownMirrors:
    """Reads the members of one cluster; changes none."""

    def __init__(self, cluster: MirroredQueues) -> None:
        self._cluster = cluster

    def nodes(self) -> Why:
        """Return what is shown of the nodes; nothing where there is only one."""
        cluster = self._cluster
        if len(cluster.nodes) == 1:
            return {}
        shown: Why = {"between_bytes": cluster.roll.between_bytes, "lost": cluster.lost}
        for name, node in cluster.nodes.items():
            memory = node.watch.memory
            shown |= {
                f"{name}_up": node.up,
                f"{name}_memory_bytes": memory.total if node.up else 0,
                f"{name}_limit_bytes": node.watch.limit,
                f"{name}_alarm": node.watch.alarm,
            }
            if node.disk_alarm is not None:
                shown[f"{name}_disk_alarm"] = node.up and node.disk_alarm
        return shown

    def mirrors(self) -> Iterator[tuple[str, QueueMember]]:
        for (queue, node), member in sorted(self._cluster.members.items()):
            yield self._cluster.roll.label(queue, node), member

    def of_mirror(self, member: QueueMember) -> dict[str, Any]:
        """Return what is shown of a mirror beside its engine; what has its usual value is left out."""
        mirror, process = member.mirror, member.process
        known = member.home.watch.monitor.queues.get(process.name)
        shown: dict[str, Any] = {
            "mirror_of": process.name,
            "node": member.node,
            "depth_delta": "unknown" if mirror.depth_delta is None else mirror.depth_delta,
            "held_copies": mirror.waiting or None,
            "frozen": member.frozen or None,
            "syncing": member.syncing or None,
            **process.timer_items(),
        }
        if known is not None:
            shown |= {"reported_duration": known.reported, "desired_duration": known.sent}
        return {name: value for name, value in shown.items() if value is not None}


POLICY_KEY: Final = "queue-master-locator"


def strategy_of(arguments: Mapping[str, Any], policy: Mapping[str, Any], setting: str) -> str:
    """Return by which strategy a new queue's node is chosen; an argument that names none is passed over."""
    argument = arguments.get(LOCATOR)
    return str(argument if argument in LOCATORS else policy.get(POLICY_KEY, setting))


class MirrorPlaces:
    """Chooses the nodes of new queues. `seed`: the scenario's, which takes the place of chance (H88)."""

    def __init__(self, cluster: MirroredQueues, settings: Callable[[], NodeSettings], seed: int) -> None:
        self._cluster = cluster
        self._settings = settings
        self._seed = seed

    def node_for(self, queue: DeclaredQueue, policy: Mapping[str, Any], node: str) -> BrokerNode:
        """Return the node for a new queue's master, which a client of `node` declares."""
        nodes = self._cluster.nodes
        if queue.exclusive:
            return nodes[node]
        strategy = strategy_of(queue.arguments, policy, self._settings().queue_master_locator)
        if strategy == "client-local":
            return nodes[node]
        candidates = self._candidates(queue.name, policy, node)
        if strategy == "random":
            return nodes[candidates[crc32(f"{self._seed} {queue.name}".encode()) % len(candidates)]]
        return nodes[min(sorted(candidates), key=self._masters)]

    def _candidates(self, name: str, policy: Mapping[str, Any], node: str) -> list[str]:
        """Return all nodes that run; with ha-mode nodes those of the policy, and the client's own (H11)."""
        running, mirroring = self._cluster.running, mirroring_of(policy)
        if mirroring is None or mirroring.mode != "nodes":
            return running
        record = QueueRecord(name, node, exclusive=False)
        record.mirroring = mirroring
        master, mirrors = wanted(record, running)
        return [master, *mirrors] if mirrors else running

    def _masters(self, node: str) -> int:
        return sum(record.master == node for record in self._cluster.records.values())


class MemberFaults:
    """Lets members of one cluster crash, move and hang."""

    def __init__(
        self, cluster: MirroredQueues, queues: NodeQueues, connections: PublisherConnections
    ) -> None:
        self._cluster = cluster
        self._queues = queues
        self._confirms = connections.confirms
        self._room = connections.credit_came

    # --- crashes (H75) -----------------------------------------------------------------------------------------------
    def crash_master(self, name: str) -> bool:
        """Let a master's process crash; return whether a mirror takes over, else it starts on its own files (H75)."""
        record = self._cluster.records[name]
        living = [node for node in record.mirrors if (name, node) in self._cluster.members]
        if len(living) == 1 and self._cluster.refuses(record):
            # It ends (H64), and then nobody else is alive (H75).
            self._cluster.drop(record, living.pop(), "refused")
        if not living:
            return False
        node = record.master
        record.alive = False
        self._queues.lose(name)
        self._cluster.masters.pop(name, None)
        self._cluster.rings[name].leave(node)
        self._confirms.queue_crashed(name, node)
        self._cluster.nodes[node].host.of(name).crash(name)
        self._cluster.died(record, ())
        self._cluster.rejoin(record, node)
        self._cluster.settle()
        return True

    def transfer(self, record: QueueRecord, node: str) -> None:
        """Move the master: add the target, drop every other member, and let the policy add what lacks then (H87)."""
        if node not in record.mirrors:
            self._cluster.join(record, node)
            self._cluster.settle()
        old = record.master
        for other in [each for each in record.mirrors if each != node]:
            self._cluster.drop(record, other)
        self._cluster.move(record)
        self._cluster.settle()
        # The old master's end is noticed last, so its node gets its mirror after the others (recording m34).
        if record.alive:
            self._cluster.update(record, last=old)

    # --- members that hang -------------------------------------------------------------------------------------------
    def freeze(self, record: QueueRecord, node: str, what: str) -> None:
        """Let a member's process, or its multicast process, do nothing until it is thawed or dies."""
        if what == "gm":
            self._cluster.rings[record.name].frozen.add(node)
        elif node == record.master:
            self._queues[record.name].process.hold()
        elif (record.name, node) in self._cluster.members:
            member = self._cluster.members[(record.name, node)]
            member.frozen = True
            member.process.hold()

    def thaw(self, record: QueueRecord, node: str) -> None:
        """Let a member go on with what waited for it."""
        self._cluster.rings[record.name].thaw(node)
        member = self._cluster.members.get((record.name, node))
        if member is not None and member.frozen:
            member.frozen = False
            member.process.go_on()
            member.go_on()
            if member.heir:
                self._cluster.promote(record, node)
        elif node == record.master and record.alive and record.name not in self._cluster.syncs:
            live = self._queues[record.name]
            live.process.go_on()
            live.process.handled()
        sync = self._cluster.syncs.get(record.name)
        if sync is not None:
            sync.go_on()
        self._cluster.soon(self._room)
