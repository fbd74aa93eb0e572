"""The queue record, which every node has, and where a policy wants the members (H1, H8-H11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.amqp.policies import Mirroring


class QueueRecord:
    """One queue as all nodes have it (H1).

    Args:
        name: of the queue.
        master: the node where its master is, or was last.
        exclusive: such a queue is never mirrored (H7).
    """

    def __init__(self, name: str, master: str, exclusive: bool) -> None:
        self.name = name
        self.master = master
        self.exclusive = exclusive
        self.alive = True
        """Whether the master lives; without it the queue is down."""
        self.stopped = False
        """Whether it is down because its node stopped in order, and has no mirrors by policy (H64)."""
        self.downs = 0
        """How often it went down."""
        self.down_sent = False
        """Whether channels were notified that it is down: no mirror took over at once."""
        self.mirrors: list[str] = []
        """The mirrors' nodes, the oldest first."""
        self.synchronised: set[str] = set()
        self.orphans: set[str] = set()
        """Mirrors that ended because they might not be promoted; they count as living still (H64)."""
        self.mirroring: Mirroring | None = None
        self.syncing = False
        """Whether mirrors are being filled (H51)."""

    def info_items(self) -> dict[str, Any]:
        """Return what mirrors add to the facts of the queue."""
        shown: dict[str, Any] = {"node": self.master}
        if self.mirroring is not None:
            shown |= {"mirrors": list(self.mirrors), "synchronised": sorted(self.synchronised)}
        return shown | ({"syncing": True} if self.syncing else {})

    @property
    def members(self) -> tuple[str, ...]:
        """The nodes of all members, the master's first."""
        return (self.master, *self.mirrors)

    def forget(self, node: str) -> None:
        """Strike out a mirror."""
        self.mirrors = [each for each in self.mirrors if each != node]
        self.synchronised.discard(node)
        self.orphans.discard(node)


def wanted(record: QueueRecord, running: Sequence[str]) -> tuple[str, list[str]]:
    """Return the nodes that should have the master and the mirrors, from the present members (H8-H11).

    Args:
        running: the nodes that run, in the cluster's order; where the broker takes a random one, the first is taken.
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
