"""State after = fold(state before, transitions): the meaning of every transition (promise 2).

The browser's reducer, static/js/model/reduce.js, does the same from the same docstrings. `to_json` gives the plain
shape that snapshots have on the wire; a node's own snapshot must equal it after every step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from engine import transitions as tr
from engine.classic_v1.fold.index_table import IndexTable
from engine.classic_v1.fold.store_table import StoreTable
from engine.report.fold.queue_table import QueueTable
from engine.report.fold.topology_table import TopologyTable
from engine.values.settings import REAL

PARTS: Final = ("settings", "memory", "disk", "alarms", "clock", "work", "app", "cluster")
MEMBERS: Final = ("actors", "processes")
"""Parts of the node with a table for each member."""


class State:
    """Everything that transitions describe: queues, stores and the node."""

    __slots__ = ("queues", "stores", "node", "topology")

    def __init__(self) -> None:
        self.queues: dict[str, QueueTable] = {}
        self.stores: dict[str, StoreTable] = {}
        self.node: dict[str, dict[str, Any]] = {part: {} for part in (*PARTS, *MEMBERS)}
        self.topology = TopologyTable()

    def queue(self, name: str) -> QueueTable:
        """Return a queue, making it known where this is the first word of it."""
        return self.queues.setdefault(name, QueueTable())

    def store(self, name: str) -> StoreTable:
        """Return a store, making it known where this is the first word of it."""
        return self.stores.setdefault(name, StoreTable())

    def queue_started(self, t: tr.QueueStarted) -> None:
        """A queue begins, with the index that its recovery found (Q62)."""
        queue = QueueTable()
        queue.index = self.queue(t.queue).index
        queue.mode, queue.durable, queue.delta, queue.counters = t.mode, t.durable, t.delta, dict(t.values)
        self.queues[t.queue] = queue

    def queue_stopped(self, t: tr.QueueStopped) -> None:
        """Everything of a queue is forgotten (S234)."""
        self.queues.pop(t.queue, None)

    def queue_promoted(self, t: tr.QueuePromoted) -> None:
        """A mirror is the queue from now on (H62)."""
        self.queues[t.queue] = self.queues.pop(t.source)

    def store_stopped(self, t: tr.StoreStopped) -> None:
        """Everything of a store is forgotten."""
        self.stores.pop(t.store, None)

    def segment_written(self, t: tr.SegmentWritten) -> None:
        """A segment of the node's size was written (S80.1)."""
        self.queue(t.queue).index.segment_written(t, self._segment_entries)

    def segment_deleted(self, t: tr.SegmentDeleted) -> None:
        """A segment of the node's size is forgotten (S80.1)."""
        self.queue(t.queue).index.segment_deleted(t, self._segment_entries)

    @property
    def _segment_entries(self) -> int:
        entries: int = self.node["settings"].get("segment_entry_count", REAL.segment_entry_count)
        return entries

    def node_changed(self, t: tr.NodeChanged) -> None:
        """Values of a part of the node differ."""
        self.node[t.part].update(t.values)

    def actor_changed(self, t: tr.ActorChanged) -> None:
        """Values of an actor differ, or it is gone."""
        _merge(self.node["actors"], t.actor, t.values)

    def process_changed(self, t: tr.ProcessChanged) -> None:
        """Values of a process differ, or it is gone."""
        _merge(self.node["processes"], t.process, t.values)


def _merge(members: dict[str, Any], name: str, values: dict[str, Any] | None) -> None:
    if values is None:
        members.pop(name, None)
    else:
        members.setdefault(name, {}).update(values)


def empty_state() -> State:
    """Return the state before the first transition."""
    return State()


def to_json(state: State) -> dict[str, Any]:
    """Return the state in the plain shape of a snapshot: dicts, lists, numbers and texts."""
    return {
        "queues": {name: queue.to_json() for name, queue in sorted(state.queues.items())},
        "stores": {name: store.to_json() for name, store in sorted(state.stores.items())},
        "node": {
            part: {name: dict(value) if part in MEMBERS else value for name, value in sorted(values.items())}
            for part, values in state.node.items()
        }
        | state.topology.to_json(),
    }


def fold(state: State, transition: tr.Transition) -> None:
    """Apply one transition to `state`, in place. Kinds that only report an event change nothing."""
    handler = _HANDLERS[type(transition)]
    if handler is not None:
        handler(state, transition)


def fold_all(state: State, transitions: Iterable[tr.Transition]) -> State:
    """Apply transitions in order and return the state."""
    for each in transitions:
        fold(state, each)
    return state


Handler = Callable[[State, Any], None]

_TABLES: Final[dict[str, tuple[type, Callable[[State, Any], Any]]]] = {
    "shift": (QueueTable, lambda state, t: state.queue(t.queue)),
    "queue": (QueueTable, lambda state, t: state.queue(t.queue)),
    "index": (IndexTable, lambda state, t: state.queue(t.queue).index),
    "store": (StoreTable, lambda state, t: state.store(t.store)),
    "topology": (TopologyTable, lambda state, t: state.topology),
    "state": (State, lambda state, t: state),
}
"""By what a kind changes: the class that has its fold method, and which of that class's tables it means."""


def _handler(kind: type[tr.Transition]) -> Handler | None:
    """Return what a kind does to the state: the method that is called as the kind is."""
    table = kind.about.fold
    if table is None:
        return None
    owner, find = _TABLES[table]
    name = "shift" if table == "shift" else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    method = getattr(owner, name)
    return lambda state, t: method(find(state, t), t)


_HANDLERS: Final[dict[type[tr.Transition], Handler | None]] = {
    kind: _handler(kind) for kind in tr.all_kinds()
}
