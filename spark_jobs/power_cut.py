"""What a power cut would cost: the power goes, the node recovers on what was synced, and the difference is counted."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.errors import CommandError
from engine.node.node import Node


class Lost(NamedTuple):
    """Messages that were in the queues before the cut and are not there after the recovery.

    Args:
        messages: all of them, ready and unacknowledged.
        persistent: the persistent ones among them; a confirmed one is never lost.
    """

    messages: int | None
    persistent: int | None


def cut_power(node: Node) -> Lost:
    """Cut the node's power now, let it recover, and count; the node is of no further use for the run.

    Returns:
        what is lost, None twice if the node cannot be restarted now (its application is stopped).
    """
    before = _held(node.snapshot())
    try:
        node.submit({"do": "restart", "kind": "power"})
    except CommandError:
        return Lost(None, None)
    after = _held(node.snapshot())
    return Lost(before[0] - after[0], before[1] - after[1])


def _held(snapshot: dict[str, Any]) -> tuple[int, int]:
    """Return how many messages all queues hold, and how many of them are persistent."""
    messages = persistent = 0
    for queue in snapshot["queues"].values():
        messages += queue["delta"][1] + sum(extent[1] for lane in queue["lanes"].values() for extent in lane)
        persistent += queue["counters"]["persistent_count"]
    return messages, persistent
