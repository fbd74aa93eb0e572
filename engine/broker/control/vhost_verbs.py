"""What the commands about virtual hosts do: they come with stores of their own, and go with all that they have (S1)."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.stores import MessageStore
from engine.broker.clients.channel import connection_of
from engine.broker.commands.base import HAND
from engine.broker.commands.topology import MAX_VHOSTS
from engine.broker.commands.vhosts import AddVhost, DeleteVhost
from engine.broker.control.client_parts import ClientParts, OnClientParts
from engine.broker.control.ends import QueueEnds
from engine.broker.control.verbs import Handlers
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.time.processes import NodeProcesses
from engine.broker.vhost.reported_state import ReportedState
from engine.values.errors import CommandError
from engine.values.labels import FIRST_HOST, host_of, in_host

FORCED: Final = 320


class VhostVerbs(OnClientParts):
    """Virtual hosts come and go."""

    def __init__(
        self,
        parts: ClientParts,
        ends: QueueEnds,
        cluster: MirroredQueues,
        processes: NodeProcesses,
        board: ReportedState,
    ) -> None:
        super().__init__(parts)
        self._ends = ends
        self._nodes = cluster.nodes
        self._processes = processes
        self._board = board

    def handlers(self) -> Handlers:
        """Return what does each of these commands."""
        return {AddVhost: self._add, DeleteVhost: self._delete}

    def _add(self, command: AddVhost) -> None:
        vhost = command.vhost
        if vhost in self._definitions.hosts:
            return
        if len(self._definitions.hosts) >= MAX_VHOSTS:
            raise CommandError("too_many_vhosts", most=MAX_VHOSTS)
        self._definitions.add_host(vhost)
        self._connections.add_host(vhost)
        self._consumers.channel(in_host(vhost, HAND))
        for node in self._nodes.values():
            node.host.add_host(vhost)
        if self._processes.timed:
            self._processes.of_stores(self._stores(vhost), self._queues.sweep)

    def _stores(self, vhost: str) -> dict[str, MessageStore]:
        first = next(iter(self._nodes.values())).host
        return {name: each for name, each in first.stores.items() if host_of(name) == vhost}

    def _delete(self, command: DeleteVhost) -> None:
        vhost = command.vhost
        if vhost not in self._definitions.hosts:
            known = ", ".join(self._definitions.hosts)
            raise CommandError("no_vhost", name=vhost, known=known)
        if vhost == FIRST_HOST:
            raise CommandError("first_vhost", name=vhost)
        self._close_connections(vhost)
        self._delete_queues(vhost)
        for node in self._nodes.values():
            for name in [each for each in node.host.stores if host_of(each) == vhost]:
                self._processes.end(f"store:{name}")
                self._processes.end(f"gc:{name}")
            node.host.forget_host(vhost)
        self._definitions.remove_host(vhost)

    def _close_connections(self, vhost: str) -> None:
        """Close every connection into it, with the broker's words."""
        text = f"CONNECTION_FORCED - vhost '{vhost}' is deleted"
        publishers, consumers = self._connections.publishers, self._consumers.all
        hands = self._consumers.by_hand
        burst, hand = in_host(vhost, "burst"), in_host(vhost, HAND)
        for name in [each for each in (*publishers, *consumers) if host_of(each) == vhost and each != burst]:
            self._closing.close_connection(name, "S1", FORCED, text)
            if name in publishers:
                self._connections.remove(publishers[name])
            else:
                self._consumers.remove(consumers[name])
            self._board.forget_actor(name, "S1")
        for connection in dict.fromkeys(connection_of(each) for each in hands if host_of(each) == vhost):
            used = next(each for each in hands if connection_of(each) == connection)
            self._closing.close_connection(used, "S1", FORCED, text)
        if hand in hands:
            del hands[hand]
            self._board.forget_actor(hand, "S1")
        self._connections.remove(publishers[burst])
        self._board.forget_actor(burst, "S1")

    def _delete_queues(self, vhost: str) -> None:
        for name in [each for each in self._definitions.queues if host_of(each) == vhost]:
            self._ends.delete(name, "S1", "vhost_deleted")
