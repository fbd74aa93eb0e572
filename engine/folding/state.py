"""State after = fold(state before, transitions): the meaning of every transition (promise 2).

The browser's reducer, static/js/model/reduce.js, does the same from the same docstrings. `to_json` gives the plain
shape that snapshots have on the wire; a node's own snapshot must equal it after every step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from engine.folding.queue_table import QueueTable
from engine.folding.tables import TABLES, FoldTable, register
from engine.folding.topology_table import TopologyTable
from engine.report.transitions.amqp import VhostAdded, VhostDeleted
from engine.report.transitions.base import Transition
from engine.report.transitions.mirrors import QueuePromoted
from engine.report.transitions.node import ActorChanged, NodeChanged, ProcessChanged
from engine.report.transitions.stops import QueueStarted, QueueStopped
from engine.values.labels import host_of

PARTS: Final = ("settings", "memory", "disk", "alarms", "clock", "work", "app", "cluster", "bodies")
MEMBERS: Final = ("actors", "processes")
"""Parts of the node with a table for each member."""
STAYING: Final = ("backing_queue",)
"""What is shown of a queue that a start of it does not change: which implementation it has."""


class RunState:
    """Everything that transitions describe: queues, stores and the node."""

    __slots__ = ("queues", "stores", "node", "topology")

    def __init__(self) -> None:
        self.queues: dict[str, QueueTable] = {}
        self.stores: dict[str, Any] = {}
        """By name; what a store has is a table of the kind of queue whose store it is."""
        self.node: dict[str, dict[str, Any]] = {part: {} for part in (*PARTS, *MEMBERS)}
        self.topology = TopologyTable()

    def queue(self, name: str) -> QueueTable:
        """Return a queue, making it known where this is the first word of it."""
        return self.queues.setdefault(name, QueueTable())

    def queue_started(self, t: QueueStarted) -> None:
        """A queue begins, with what its recovery found (Q62)."""
        before = self.queue(t.queue)
        queue = QueueTable({name: before.info[name] for name in STAYING if name in before.info})
        queue.own = before.own
        queue.own.begin()
        queue.mode, queue.durable, queue.record, queue.counters = t.mode, t.durable, t.record, dict(t.values)
        self.queues[t.queue] = queue

    def queue_stopped(self, t: QueueStopped) -> None:
        """Everything of a queue is forgotten (S234)."""
        self.queues.pop(t.queue, None)

    def queue_promoted(self, t: QueuePromoted) -> None:
        """A mirror is the queue from now on (H62)."""
        self.queues[t.queue] = self.queues.pop(t.source)

    def vhost_added(self, t: VhostAdded) -> None:
        """A virtual host is there (S1)."""
        self.topology.add_host(t.vhost)

    def vhost_deleted(self, t: VhostDeleted) -> None:
        """A virtual host is gone, with its stores and what was declared in it (S1)."""
        self.topology.forget_host(t.vhost)
        self.stores = {name: each for name, each in self.stores.items() if host_of(name) != t.vhost}

    def node_changed(self, t: NodeChanged) -> None:
        """Values of a part of the node differ."""
        self.node[t.part].update(t.values)

    def actor_changed(self, t: ActorChanged) -> None:
        """Values of an actor differ, or it is gone."""
        _merge(self.node["actors"], t.actor, t.values)

    def process_changed(self, t: ProcessChanged) -> None:
        """Values of a process differ, or it is gone."""
        _merge(self.node["processes"], t.process, t.values)


def _merge(members: dict[str, Any], name: str, values: dict[str, Any] | None) -> None:
    if values is None:
        members.pop(name, None)
    else:
        members.setdefault(name, {}).update(values)


def empty_state() -> RunState:
    """Return the state before the first transition."""
    return RunState()


def to_json(state: RunState) -> dict[str, Any]:
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


def fold(state: RunState, transition: Transition) -> None:
    """Apply one transition to `state`, in place. Kinds that only report an event change nothing."""
    handler = _HANDLERS[type(transition)]
    if handler is not None:
        handler(state, transition)


def fold_all(state: RunState, transitions: Iterable[Transition]) -> RunState:
    """Apply transitions in order and return the state."""
    for each in transitions:
        fold(state, each)
    return state


Handler = Callable[[RunState, Any], None]

register(
    {
        "shift": FoldTable(QueueTable, lambda state, t: state.queue(t.queue)),
        "queue": FoldTable(QueueTable, lambda state, t: state.queue(t.queue)),
        "topology": FoldTable(TopologyTable, lambda state, t: state.topology),
        "state": FoldTable(RunState, lambda state, t: state),
    }
)


def _handler(kind: type[Transition]) -> Handler | None:
    """Return what a kind does to the state: the method that is called as the kind is."""
    table = kind.about.fold
    if table is None:
        return None
    owner, find = TABLES[table]
    name = "shift" if table == "shift" else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    method = getattr(owner, name)
    return lambda state, t: method(find(state, t), t)


class _Handlers(dict[type[Transition], Handler | None]):
    """Handlers by kind, each made when it is needed first: until then its table may be registered."""

    def __missing__(self, kind: type[Transition]) -> Handler | None:
        self[kind] = found = _handler(kind)
        return found


_HANDLERS: Final = _Handlers()
