"""Parts that connect the members of a mirrored queue: the record on every node, and the ring of instructions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from engine.amqp.policies import Mirroring
from engine.mirrored_queue.instructions import MirrorInstruction


class QueueRecord:
    """One queue as all nodes have it (H1). `master`: the node where its master is, or was last. `exclusive`:
    such a queue is never mirrored (H7).
    """

    def __init__(self, name: str, master: str, exclusive: bool) -> None:
        self.name = name
        self.master = master
        self.exclusive = exclusive
        self.alive = True
        """Whether the master lives; without it the queue is down."""
        self.stopped = False
        """Whether it is down because its node stopped in order, without mirrors by policy (H64)."""
        self.downs = 0
        """How often it went down."""
        self.down_sent = False
        """Whether channels were notified that it is down, because no mirror took over at once."""
        self.mirrors: list[str] = []
        """The mirrors' nodes, the oldest first."""
        self.synchronised: set[str] = set()
        self.orphans: set[str] = set()
        """Mirrors that ended because they might not be promoted; they count as living still (H64)."""
        self.mirroring: Mirroring | None = None
        self.syncing = False
        """Whether mirrors are being filled (H51)."""

    def info_items(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"node": self.master}
        if self.mirroring is not None:
            shown |= {"mirrors": list(self.mirrors), "synchronised": sorted(self.synchronised)}
        return shown | ({"syncing": True} if self.syncing else {})

    @property
    def members(self) -> tuple[str, ...]:
        """The nodes of all members, the master's first."""
        return (self.master, *self.mirrors)

    def forget(self, node: str) -> None:
        self.mirrors = [each for each in self.mirrors if each != node]
        self.synchronised.discard(node)
        self.orphans.discard(node)


def wanted(record: QueueRecord, running: Sequence[str]) -> tuple[str, list[str]]:
    """Return the nodes that should have the master and the mirrors, from the present members (H8-H11). `running`: the
    nodes that run, in the cluster's order; where the broker takes a random one, the first is taken.
    """
    mirroring, master = record.mirroring, record.master
    if mirroring is None or record.exclusive:
        return master, []
    if mirroring.mode == "all":
        return master, [node for node in running if node != master]
    if mirroring.mode == "exactly":
        present = [node for node in record.mirrors if node in running]
        others = sorted(node for node in running if node != master and node not in present)
        return master, [*present, *others][: mirroring.params - 1]
    possible = list(mirroring.params)
    synchronised = [node for node in record.mirrors if node in record.synchronised]
    if not synchronised:
        possible = sorted({*possible, master})
    possible = [node for node in possible if node in running]
    if not possible:
        return master, []
    if master not in possible:
        master = next((node for node in possible if node in synchronised), synchronised[0])
    return master, [node for node in possible if node != master]


FRAME_BYTES = 64
"""Assumed bytes of an instruction beside its bodies."""


class MirrorRing:
    """The ring's members, and the instructions in transit.

    Args:
        hop_us: time of an instruction from one member to the next; 0 for none.
        after: runs an action later.
        deliver: gives an instruction to the member on a node.
        sent: called with the number of bytes that went over a connection between two nodes.
    """

    def __init__(
        self,
        hop_us: int,
        after: Callable[[int, Callable[[], None]], object],
        deliver: Callable[[str, MirrorInstruction], None],
        sent: Callable[[int], None],
    ) -> None:
        self.members: list[str] = []
        self.frozen: set[str] = set()
        """Nodes whose multicast process hangs: what would pass through it waits."""
        self._hop_us = hop_us
        self._after = after
        self._deliver = deliver
        self._sent = sent
        self._held: dict[str, deque[tuple[list[str], MirrorInstruction]]] = {}
        self._under_way: dict[str, deque[MirrorInstruction]] = {}

    @property
    def under_way(self) -> bool:
        return any(self._under_way.values()) or any(self._held.values())

    def join(self, node: str) -> None:
        """Take a new member in, in front of the first one's left neighbour (H24 leaves the place to chance)."""
        self.members.append(node)

    def leave(self, node: str) -> None:
        """Close the ring after a death: instructions that a dead member passed on arrive, others are lost (H28)."""
        if node in self.members:
            self.members.remove(node)
        self.frozen.discard(node)
        self._under_way.pop(node, None)
        for nodes, instruction in self._held.pop(node, ()):
            if node not in nodes:  # it only passed it on: its neighbours see to that
                self._pass(nodes, instruction)

    def broadcast(self, sender: str, instruction: MirrorInstruction) -> None:
        """Send an instruction around, from its sender on (H25)."""
        if sender not in self.members:
            return
        at = self.members.index(sender)
        path = [*self.members[at:], *self.members[:at]]
        hops = len(path) if len(path) > 1 else 0
        # Body and acknowledgement go once around each (H26).
        self._sent(hops * (instruction.body_bytes + 2 * FRAME_BYTES * instruction.times))
        if sender in self.frozen:
            self._held.setdefault(sender, deque()).append((path, instruction))
        else:
            self._pass(path, instruction)

    def _pass(self, path: list[str], instruction: MirrorInstruction) -> None:
        for hop, node in enumerate(path):
            if node in self.frozen:
                self._held.setdefault(node, deque()).append((path[hop:], instruction))
                return
            if node not in self.members:
                continue
            if hop == 0 or self._hop_us == 0:
                self._deliver(node, instruction)
            else:
                self._under_way.setdefault(node, deque()).append(instruction)
                self._after(hop * self._hop_us, partial(self._arrived, node))

    def _arrived(self, node: str) -> None:
        """Deliver the oldest instruction that is on its way to a member."""
        waiting = self._under_way.get(node)
        if waiting:
            self._deliver(node, waiting.popleft())

    def finish(self) -> None:
        """Deliver everything in transit now, before a promotion (H28)."""
        for node, waiting in list(self._under_way.items()):
            while waiting:
                self._deliver(node, waiting.popleft())

    def thaw(self, node: str) -> None:
        """Let a multicast process go on, with what waited for it."""
        self.frozen.discard(node)
        for path, instruction in self._held.pop(node, ()):
            self._pass(path, instruction)
