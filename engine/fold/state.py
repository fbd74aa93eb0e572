"""State after = fold(state before, transitions): the meaning of every transition (promise 2).

The browser's reducer, static/js/model/reduce.js, does the same from the same docstrings. `to_json` gives the plain
shape that snapshots have on the wire; a node's own snapshot must equal it after every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from engine import transitions as tr
from engine.extents import BLANK, Delta, Extent
from engine.fold.index_table import IndexTable
from engine.fold.store_table import StoreTable
from engine.fold.topology_table import TopologyTable
from engine.runs import Runs
from engine.settings import REAL

PLACES: Final = ("q1", "q2", "q3", "q4", "ram_pending", "disk_pending", "index_pending")
"""The sub-queues and the pending maps, in the order in which a snapshot shows them."""

PARTS: Final = ("settings", "memory", "disk", "alarms", "clock", "work", "app")
MEMBERS: Final = ("actors", "processes")
"""Parts of the node with a table for each member."""


class QueueTable:
    """One queue as its transitions describe it."""

    __slots__ = ("mode", "durable", "lanes", "delta", "counters", "reduced", "index", "facts")

    def __init__(self) -> None:
        self.mode = "default"
        self.durable = True
        self.lanes: dict[str, Runs[Extent]] = {place: Runs() for place in PLACES}
        self.delta: Delta = BLANK
        self.counters: dict[str, Any] = {}
        self.reduced: dict[str, Any] | None = None
        self.index = IndexTable()
        self.facts: dict[str, Any] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "mode": self.mode,
            "durable": self.durable,
            "lanes": {place: [rows_of(extent) for extent in self.lanes[place]] for place in PLACES},
            "delta": rows_of(self.delta),
            "counters": dict(self.counters),
            "reduced": None if self.reduced is None else dict(self.reduced),
            "index": self.index.to_json(),
            **self.facts,
        }


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


def empty_state() -> State:
    """Return the state before the first transition."""
    return State()


def rows_of(value: Extent | Delta) -> list[Any]:
    """Return an extent or a delta record as the list that stands for it in JSON."""
    return list(msgspec.structs.astuple(value))


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
    """Apply one transition to `state`, in place. Kinds that only tell of an event change nothing."""
    handler = _HANDLERS[type(transition)]
    if handler is not None:
        handler(state, transition)


def fold_all(state: State, transitions: Iterable[tr.Transition]) -> State:
    """Apply transitions in order and return the state."""
    for each in transitions:
        fold(state, each)
    return state


# --- queues ----------------------------------------------------------------------------------------------------------


def _shift(state: State, t: tr.Shift) -> None:
    queue = state.queue(t.queue)
    if t.source is not None and t.source != "delta":
        source = queue.lanes[t.source]
        for extent in t.extents:
            source.remove(extent.start, extent.count)
    if t.to is not None and t.to != "delta":
        queue.lanes[t.to].insert_all(t.extents)
    if t.delta is not None:
        queue.delta = t.delta


def _delta_changed(state: State, t: tr.DeltaChanged) -> None:
    state.queue(t.queue).delta = t.delta


def _counters(state: State, t: tr.CountersChanged) -> None:
    state.queue(t.queue).counters.update(t.values)


def _reduced(state: State, t: tr.Reduced) -> None:
    state.queue(t.queue).reduced = t.why


def _target(state: State, t: tr.TargetChanged) -> None:
    state.queue(t.queue).counters["target_ram_count"] = t.target


def _mode(state: State, t: tr.ModeChanged) -> None:
    state.queue(t.queue).mode = t.mode


def _queue_changed(state: State, t: tr.QueueChanged) -> None:
    facts = state.queue(t.queue).facts
    for name, value in t.values.items():
        if value is None:
            facts.pop(name, None)
        else:
            facts[name] = value


def _queue_started(state: State, t: tr.QueueStarted) -> None:
    queue = QueueTable()
    queue.index = state.queue(t.queue).index
    queue.mode, queue.durable, queue.delta, queue.counters = t.mode, t.durable, t.delta, dict(t.values)
    state.queues[t.queue] = queue


def _queue_stopped(state: State, t: tr.QueueStopped) -> None:
    state.queues.pop(t.queue, None)


def _index_recovered(state: State, t: tr.IndexRecovered) -> None:
    index = state.queue(t.queue).index = IndexTable()
    index.recovered(t)


# --- the node --------------------------------------------------------------------------------------------------------


def _node(state: State, t: tr.NodeChanged) -> None:
    state.node[t.part].update(t.values)


def _actor(state: State, t: tr.ActorChanged) -> None:
    actors = state.node["actors"]
    if t.values is None:
        actors.pop(t.actor, None)
    else:
        actors.setdefault(t.actor, {}).update(t.values)


def _process(state: State, t: tr.ProcessChanged) -> None:
    processes = state.node["processes"]
    if t.values is None:
        processes.pop(t.process, None)
    else:
        processes.setdefault(t.process, {}).update(t.values)


def _of_index(name: str) -> Callable[[State, Any], None]:
    method = getattr(IndexTable, name)
    return lambda state, t: method(state.queue(t.queue).index, t)


def _of_segment(name: str) -> Callable[[State, Any], None]:
    method = getattr(IndexTable, name)

    def handle(state: State, t: Any) -> None:
        size = state.node["settings"].get("segment_entry_count", REAL.segment_entry_count)
        method(state.queue(t.queue).index, t, size)

    return handle


def _of_store(name: str) -> Callable[[State, Any], None]:
    method = getattr(StoreTable, name)
    return lambda state, t: method(state.store(t.store), t)


def _of_topology(name: str) -> Callable[[State, Any], None]:
    method = getattr(TopologyTable, name)
    return lambda state, t: method(state.topology, t)


def _store_stopped(state: State, t: tr.StoreStopped) -> None:
    state.stores.pop(t.store, None)


_HANDLERS: Final[dict[type[tr.Transition], Callable[[State, Any], None] | None]] = {
    **dict.fromkeys((kind for kind in tr.all_kinds() if issubclass(kind, tr.Shift)), _shift),
    tr.DeltaChanged: _delta_changed,
    tr.CountersChanged: _counters,
    tr.Reduced: _reduced,
    tr.TargetChanged: _target,
    tr.ModeChanged: _mode,
    tr.QueueChanged: _queue_changed,
    tr.ConfirmsDue: None,
    tr.EntriesRecorded: _of_index("entries_recorded"),
    tr.JournalOpened: _of_index("journal_opened"),
    tr.JournalSynced: _of_index("journal_synced"),
    tr.JournalFlushed: _of_index("journal_flushed"),
    tr.SegmentWritten: _of_segment("segment_written"),
    tr.SegmentDeleted: _of_segment("segment_deleted"),
    tr.SegmentRead: None,
    tr.IndexReset: _of_index("reset"),
    tr.StoreWritten: _of_store("written"),
    tr.WriteIgnored: None,
    tr.BufferWritten: _of_store("buffer_written"),
    tr.StoreSynced: None,
    tr.FileRolledOver: _of_store("rolled_over"),
    tr.RefCountChanged: _of_store("ref_count_changed"),
    tr.RowsForgotten: _of_store("rows_forgotten"),
    tr.FileLocked: _of_store("file_locked"),
    tr.OperationDeferred: None,
    tr.CombineStarted: None,
    tr.CombineStepped: _of_store("combine_stepped"),
    tr.RowsMoved: _of_store("rows_moved"),
    tr.FilesCombined: _of_store("files_combined"),
    tr.FileDeleted: _of_store("file_deleted"),
    tr.FileUnlinked: _of_store("file_unlinked"),
    tr.StoreRead: None,
    tr.CacheChanged: _of_store("cache_changed"),
    tr.QueueStopped: _queue_stopped,
    tr.StoreStopped: _store_stopped,
    tr.StoreRecovered: _of_store("recovered"),
    tr.IndexRecovered: _index_recovered,
    tr.QueueStarted: _queue_started,
    tr.NodeChanged: _node,
    tr.ActorChanged: _actor,
    tr.ProcessChanged: _process,
    tr.ConfirmsSent: None,
    tr.NacksSent: None,
    tr.Committed: None,
    tr.ExchangeDeclared: _of_topology("exchange_declared"),
    tr.ExchangeDeleted: _of_topology("exchange_deleted"),
    tr.QueueBound: _of_topology("queue_bound"),
    tr.QueueUnbound: _of_topology("queue_unbound"),
    tr.PolicySet: _of_topology("policy_set"),
    tr.PolicyCleared: _of_topology("policy_cleared"),
    tr.ChannelClosed: None,
    tr.ConnectionClosed: None,
    tr.ConsumerCancelled: None,
    tr.Unroutable: None,
    tr.GotEmpty: None,
    tr.Rejected: None,
    tr.DeadLettered: None,
    tr.ConnectionBlocked: None,
    tr.ConnectionUnblocked: None,
}
"""What each kind does to the state; None for kinds that only tell of an event."""
