"""What every queue has, by its transitions; what one kind of queue has besides is its own part."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.backing_queue.message_places import counted, is_counted, listed, places_of
from engine.folding.tables import OwnPart, own_part
from engine.report.transitions.messages import Shift
from engine.report.transitions.queue import CountersChanged, ModeChanged, QueueChanged, TargetChanged
from engine.values.extents import BLANK, DeltaExtent, Extent
from engine.values.stretches import Stretches


class QueueTable:
    """One queue as its transitions describe it."""

    __slots__ = ("mode", "durable", "lanes", "record", "counters", "own", "info")

    def __init__(self, info: dict[str, Any] | None = None) -> None:
        self.mode = "default"
        self.durable = True
        self.lanes: dict[str, Stretches[Extent]] = {}
        """Messages by the name of their place, for each place that ever had any."""
        self.record: DeltaExtent = BLANK
        """Of the place whose messages are only counted, where the queue has one."""
        self.counters: dict[str, Any] = {}
        self.info: dict[str, Any] = info or {}
        self.own: OwnPart = own_part(self.info)()

    def lane(self, place: str) -> Stretches[Extent]:
        """Return the messages in one place."""
        return self.lanes.setdefault(place, Stretches())

    def shift(self, t: Shift) -> None:
        """Messages change place, and the record of those that are only counted with them."""
        if t.source is not None and not is_counted(t.source):
            source = self.lane(t.source)
            for extent in t.extents:
                source.remove(extent.start, extent.count)
        if t.to is not None and not is_counted(t.to):
            self.lane(t.to).insert_all(t.extents)
        if t.record is not None:
            self.record = t.record

    def counters_changed(self, t: CountersChanged) -> None:
        """Numbers of the queue's record differ (Q5)."""
        self.counters.update(t.values)

    def target_changed(self, t: TargetChanged) -> None:
        """The target is another (Q43)."""
        self.counters["target_ram_count"] = t.target

    def mode_changed(self, t: ModeChanged) -> None:
        """The mode is another (Q56)."""
        self.mode = t.mode

    def queue_changed(self, t: QueueChanged) -> None:
        """Update what is shown beside the record; None removes a name (P17)."""
        for name, value in t.values.items():
            if value is None:
                self.info.pop(name, None)
            else:
                self.info[name] = value
        if "backing_queue" in t.values and not isinstance(self.own, own_part(self.info)):
            self.own = own_part(self.info)()

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        places = places_of(self.info)
        return {
            "mode": self.mode,
            "durable": self.durable,
            "lanes": {place: [rows_of(extent) for extent in self.lane(place)] for place in listed(places)},
            "counted": {place: rows_of(self.record) for place in counted(places)},
            "counters": dict(self.counters),
            "own": self.own.to_json(),
            **self.info,
        }


def rows_of(value: Extent | DeltaExtent) -> list[Any]:
    """Return an extent or a record as the list that stands for it in JSON."""
    return list(msgspec.structs.astuple(value))
