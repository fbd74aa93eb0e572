"""What is shown of a cluster: its nodes, and the members of its queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.broker.mirrors.member import QueueMember
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.report.transitions.base import Why

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
        """Yield every mirror with the name that transitions give it."""
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
