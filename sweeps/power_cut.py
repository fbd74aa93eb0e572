"""What a power cut would cost: the power goes, the node recovers on what was synced, and the messages are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.broker.cluster import Cluster
from engine.metrics import PowerCut
from engine.reading.message_places import in_counted, with_places
from engine.values.errors import CommandError
from engine.values.stretches import RangeSet


def cut_power(node: Cluster) -> PowerCut:
    """Cut the node's power now, let it recover, and compare; the node is of no further use for the run.

    Returns:
        what is lost and what returned, None for each if the node cannot be restarted now (it is stopped).
    """
    before = with_places(node.snapshot())
    try:
        node.submit({"do": "restart", "kind": "power"})
    except CommandError:
        return PowerCut(None, None, None)
    after = with_places(node.snapshot())
    lost = transient = returned = 0
    for name, queue in before.items():
        held = members(queue)
        left = members(after[name]) if name in after else RangeSet()
        both = len(held.intersection(left))
        lost += len(held) - both
        returned += len(left) - both
        transient += len(held) - queue["counters"]["persistent_count"]
    # A recovered queue has persistent messages only: every transient one is lost.
    return PowerCut(lost, max(0, lost - transient), returned)


def members(queue: Mapping[str, Any]) -> RangeSet:
    """Return the seq_ids of a queue's messages: ready and unacknowledged, those that RAM only counts among them."""
    found = RangeSet()
    for lane in queue["lanes"].values():
        for start, count, *_rest in lane:
            found.add(start, count)
    for place in queue["counted"]:
        for low, high in in_counted(queue, place):
            found.add(low, high - low)
    return found
