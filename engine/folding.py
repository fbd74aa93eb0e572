"""The fold of common transitions (promise 2). `engine.transitions` adds those of each kind of queue."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from engine.backing_queue.message_places import VARIABLE_QUEUE, counted, is_counted, listed, places_of
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ActorChanged,
    ExchangeDeclared,
    ExchangeDeleted,
    NodeChanged,
    PolicyCleared,
    PolicySet,
    ProcessChanged,
    QueueBound,
    QueuePromoted,
    QueueUnbound,
    VhostAdded,
    VhostDeleted,
)
from engine.report.transitions.queue import (
    CountersChanged,
    ModeChanged,
    QueueChanged,
    QueueStarted,
    QueueStopped,
    Shift,
    TargetChanged,
)
from engine.values.extents import BLANK, DeltaExtent, Extent
from engine.values.labels import FIRST_HOST, host_of
from engine.values.stretches import Range, Stretches


class FoldTable(NamedTuple):
    """A table that kinds of transitions change; `About.fold` names it. `owner`: class with a method for each
    kind, named after the kind. `find`: returns the part of the state, given the state and the transition.
    """

    owner: type
    find: Callable[[Any, Any], Any]


class OwnPart(Protocol):
    """The part of a queue's state that only its kind of queue has."""

    def begin(self) -> None:
        """Begin, keeping what the recovery has found."""

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        """Yield the ranges of live seq_ids, each as first and one past the last. `own`: the part as a
        snapshot has it.
        """


class NothingMore:
    """The part of a queue that shows nothing of its own."""

    def begin(self) -> None:
        """Do nothing."""

    def to_json(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        yield from ()


TABLES: dict[str, FoldTable] = {}
"""All tables that a kind may name."""

_OWN_PARTS: dict[str, type[OwnPart]] = {}


def register(
    tables: Mapping[str, FoldTable], backing_queue: str | None = None, own: type[OwnPart] = NothingMore
) -> None:
    TABLES.update(tables)
    if backing_queue is not None:
        _OWN_PARTS[backing_queue] = own


Found = Callable[[Any], Iterable[Range]]

_FOUND: dict[type[Transition], Found] = {}


def found_by(kind: type[Transition]) -> Callable[[Found], Found]:
    """Register the decorated function to find the seq_ids in a transition that reports a queue's start."""

    def register_it(found: Found) -> Found:
        _FOUND[kind] = found
        return found

    return register_it


def found_at_start(transition: Transition) -> Iterable[Range] | None:
    """Return which seq_ids a queue's start found; None for a transition that does not report it."""
    found = _FOUND.get(type(transition))
    return None if found is None else found(transition)


def own_part(info: Mapping[str, Any]) -> type[OwnPart]:
    """Return the class of a queue's own part, given its snapshot or its facts."""
    assert _OWN_PARTS, "engine.generations registers every kind of queue"
    return _OWN_PARTS.get(info.get("backing_queue", VARIABLE_QUEUE), NothingMore)


class QueueTable:
    """One queue as its transitions describe it."""

    __slots__ = ("mode", "durable", "lanes", "record", "counters", "own", "info")

    def __init__(self, info: dict[str, Any] | None = None) -> None:
        self.mode = "default"
        self.durable = True
        self.lanes: dict[str, Stretches[Extent]] = {}
        """Messages by the name of their place, for each place that ever had any."""
        self.record: DeltaExtent = BLANK
        """Record of the place whose messages are only counted, if the queue has one."""
        self.counters: dict[str, Any] = {}
        self.info: dict[str, Any] = info or {}
        self.own: OwnPart = own_part(self.info)()

    def lane(self, place: str) -> Stretches[Extent]:
        return self.lanes.setdefault(place, Stretches())

    def shift(self, t: Shift) -> None:
        """Move messages, and update the record of those that are only counted."""
        if t.source is not None and not is_counted(t.source):
            source = self.lane(t.source)
            for extent in t.extents:
                source.remove(extent.start, extent.count)
        if t.to is not None and not is_counted(t.to):
            self.lane(t.to).insert_all(t.extents)
        if t.record is not None:
            self.record = t.record

    def counters_changed(self, t: CountersChanged) -> None:
        self.counters.update(t.values)

    def target_changed(self, t: TargetChanged) -> None:
        self.counters["target_ram_count"] = t.target

    def mode_changed(self, t: ModeChanged) -> None:
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
    return list(msgspec.structs.astuple(value))


class TopologyTable:
    """Exchanges, bindings and policies between publishers and queues."""

    __slots__ = ("vhosts", "exchanges", "bindings", "policies")

    def __init__(self) -> None:
        self.vhosts: list[str] = []
        """All virtual hosts if there are several, else none."""
        self.exchanges: dict[str, dict[str, Any]] = {}
        self.bindings: list[dict[str, Any]] = []
        self.policies: dict[str, dict[str, Any]] = {}

    def add_host(self, vhost: str) -> None:
        self.vhosts = [*(self.vhosts or [FIRST_HOST]), vhost]

    def forget_host(self, vhost: str) -> None:
        left = [each for each in self.vhosts if each != vhost]
        self.vhosts = left if len(left) > 1 else []
        self.exchanges = {name: each for name, each in self.exchanges.items() if host_of(name) != vhost}
        self.bindings = [each for each in self.bindings if host_of(each["queue"]) != vhost]
        self.policies = {name: each for name, each in self.policies.items() if host_of(name) != vhost}

    def exchange_declared(self, t: ExchangeDeclared) -> None:
        self.exchanges[t.exchange] = t.values

    def exchange_deleted(self, t: ExchangeDeleted) -> None:
        self.exchanges.pop(t.exchange, None)

    def queue_bound(self, t: QueueBound) -> None:
        self.bindings.append(_binding(t))

    def queue_unbound(self, t: QueueUnbound) -> None:
        self.bindings.remove(_binding(t))

    def policy_set(self, t: PolicySet) -> None:
        self.policies[t.policy] = t.values

    def policy_cleared(self, t: PolicyCleared) -> None:
        self.policies.pop(t.policy, None)

    def to_json(self) -> dict[str, Any]:
        return {
            **({"vhosts": list(self.vhosts)} if self.vhosts else {}),
            "exchanges": dict(sorted(self.exchanges.items())),
            "bindings": list(self.bindings),
            "policies": dict(sorted(self.policies.items())),
        }


def _binding(t: QueueBound | QueueUnbound) -> dict[str, Any]:
    return {name: getattr(t, name) for name in ("exchange", "queue", "routing_key", "arguments", "to")}


PARTS: Final = ("settings", "memory", "disk", "alarms", "clock", "work", "app", "cluster", "bodies")
MEMBERS: Final = ("actors", "processes")
"""Parts of the node with a table for each member."""
STAYING: Final = ("backing_queue",)
"""Shown facts of a queue that its start does not change: its implementation."""


class RunState:
    """Everything that transitions describe: queues, stores and the node."""

    __slots__ = ("queues", "stores", "node", "topology")

    def __init__(self) -> None:
        self.queues: dict[str, QueueTable] = {}
        self.stores: dict[str, Any] = {}
        """Stores by name; each is a table of its kind of queue."""
        self.node: dict[str, dict[str, Any]] = {part: {} for part in (*PARTS, *MEMBERS)}
        self.topology = TopologyTable()

    def queue(self, name: str) -> QueueTable:
        return self.queues.setdefault(name, QueueTable())

    def queue_started(self, t: QueueStarted) -> None:
        """Start a queue with what its recovery found (Q62)."""
        before = self.queue(t.queue)
        queue = QueueTable({name: before.info[name] for name in STAYING if name in before.info})
        queue.own = before.own
        queue.own.begin()
        queue.mode, queue.durable, queue.record, queue.counters = t.mode, t.durable, t.record, dict(t.values)
        self.queues[t.queue] = queue

    def queue_stopped(self, t: QueueStopped) -> None:
        self.queues.pop(t.queue, None)

    def queue_promoted(self, t: QueuePromoted) -> None:
        self.queues[t.queue] = self.queues.pop(t.source)

    def vhost_added(self, t: VhostAdded) -> None:
        self.topology.add_host(t.vhost)

    def vhost_deleted(self, t: VhostDeleted) -> None:
        """A virtual host is gone, with its stores and what was declared in it (S1)."""
        self.topology.forget_host(t.vhost)
        self.stores = {name: each for name, each in self.stores.items() if host_of(name) != t.vhost}

    def node_changed(self, t: NodeChanged) -> None:
        self.node[t.part].update(t.values)

    def actor_changed(self, t: ActorChanged) -> None:
        _merge(self.node["actors"], t.actor, t.values)

    def process_changed(self, t: ProcessChanged) -> None:
        _merge(self.node["processes"], t.process, t.values)


def _merge(members: dict[str, Any], name: str, values: dict[str, Any] | None) -> None:
    if values is None:
        members.pop(name, None)
    else:
        members.setdefault(name, {}).update(values)


def empty_state() -> RunState:
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
    """Return the method that applies a kind; it has the kind's name."""
    table = kind.about.fold
    if table is None:
        return None
    owner, find = TABLES[table]
    name = "shift" if table == "shift" else re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    method = getattr(owner, name)
    return lambda state, t: method(find(state, t), t)


class _Handlers(dict[type[Transition], Handler | None]):
    """Handlers by kind, each made at its first use, so that its table may be registered late."""

    def __missing__(self, kind: type[Transition]) -> Handler | None:
        self[kind] = found = _handler(kind)
        return found


_HANDLERS: Final = _Handlers()
