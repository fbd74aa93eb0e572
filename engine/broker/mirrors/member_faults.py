"""What happens to single members by hand: crashes, moves, and processes that hang (H63, H75, H87)."""

from __future__ import annotations

from engine.broker.clients.connections import PublisherConnections
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.queues import NodeQueues
from engine.mirrored_queue.record import QueueRecord


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
        self._cluster.nodes[node].host.crash(name)
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
        self._cluster.move(record, node)
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
