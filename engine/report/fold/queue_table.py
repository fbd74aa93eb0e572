"""What a queue has beside its index, by its transitions."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine import transitions as tr
from engine.backing_queue.places import PLACES, listed, places_of
from engine.classic_v1.fold.index_table import IndexTable
from engine.values.extents import BLANK, Delta, Extent
from engine.values.stretches import Stretches

COUNTED: Final = frozenset(place.name for places in PLACES.values() for place in places if place.counted)
"""Places whose messages no extents list: `delta` has their number."""


class QueueTable:
    """One queue as its transitions describe it."""

    __slots__ = ("mode", "durable", "lanes", "delta", "counters", "reduction", "index", "info")

    def __init__(self) -> None:
        self.mode = "default"
        self.durable = True
        self.lanes: dict[str, Stretches[Extent]] = {}
        """Messages by the name of their place, for each place that ever had any."""
        self.delta: Delta = BLANK
        self.counters: dict[str, Any] = {}
        self.reduction: dict[str, Any] | None = None
        self.index = IndexTable()
        self.info: dict[str, Any] = {}

    def lane(self, place: str) -> Stretches[Extent]:
        """Return the messages in one place."""
        return self.lanes.setdefault(place, Stretches())

    def shift(self, t: tr.Shift) -> None:
        """Messages change place, and delta's record with them."""
        if t.source is not None and t.source not in COUNTED:
            source = self.lane(t.source)
            for extent in t.extents:
                source.remove(extent.start, extent.count)
        if t.to is not None and t.to not in COUNTED:
            self.lane(t.to).insert_all(t.extents)
        if t.delta is not None:
            self.delta = t.delta

    def delta_changed(self, t: tr.DeltaChanged) -> None:
        """Delta's record changed alone (Q34)."""
        self.delta = t.delta

    def counters_changed(self, t: tr.CountersChanged) -> None:
        """Numbers of the queue's record differ (Q5)."""
        self.counters.update(t.values)

    def reduced(self, t: tr.Reduced) -> None:
        """The newest reduction is kept with its numbers (Q45)."""
        self.reduction = t.why

    def target_changed(self, t: tr.TargetChanged) -> None:
        """The target is another (Q43)."""
        self.counters["target_ram_count"] = t.target

    def mode_changed(self, t: tr.ModeChanged) -> None:
        """The mode is another (Q56)."""
        self.mode = t.mode

    def queue_changed(self, t: tr.QueueChanged) -> None:
        """What is shown beside the record differs; None takes a name away (P17)."""
        for name, value in t.values.items():
            if value is None:
                self.info.pop(name, None)
            else:
                self.info[name] = value

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        places = listed(places_of(self.info))
        return {
            "mode": self.mode,
            "durable": self.durable,
            "lanes": {place: [rows_of(extent) for extent in self.lane(place)] for place in places},
            "delta": rows_of(self.delta),
            "counters": dict(self.counters),
            "reduced": None if self.reduction is None else dict(self.reduction),
            "index": self.index.to_json(),
            **self.info,
        }


def rows_of(value: Extent | Delta) -> list[Any]:
    """Return an extent or a delta record as the list that stands for it in JSON."""
    return list(msgspec.structs.astuple(value))
