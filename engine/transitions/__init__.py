"""Every change the engine can make, as immutable values over extents.

A transition says what changed, names the rule that caused it (`rule`) and carries the numbers that made it fire
(`why`). State after = fold(state before, transitions): see `engine.fold`, and static/js/model/reduce.js for its twin.
On the wire and in the digest a transition is one row: [kind, rule, fields..., why].
"""

from __future__ import annotations

from engine.transitions.amqp import (
    ChannelClosed,
    Committed,
    ConnectionClosed,
    ConsumerCancelled,
    DeadLettered,
    ExchangeDeclared,
    ExchangeDeleted,
    NacksSent,
    PolicyCleared,
    PolicySet,
    QueueBound,
    QueueUnbound,
    Rejected,
    Unroutable,
)
from engine.transitions.base import Transition, Why
from engine.transitions.index import (
    EntriesRecorded,
    IndexReset,
    JournalFlushed,
    JournalOpened,
    JournalSynced,
    SegmentDeleted,
    SegmentRead,
    SegmentWritten,
)
from engine.transitions.messages import (
    Acked,
    AlphasPushed,
    BetasPushed,
    DeltaRead,
    Discarded,
    Dropped,
    Fetched,
    LaneJoined,
    PendingPaged,
    PendingPurged,
    Published,
    PublishedDelivered,
    PutBack,
    Requeued,
    Shift,
)
from engine.transitions.node import (
    ActorChanged,
    ConfirmsSent,
    ConnectionBlocked,
    ConnectionUnblocked,
    NodeChanged,
    ProcessChanged,
)
from engine.transitions.queue import (
    ConfirmsDue,
    CountersChanged,
    DeltaChanged,
    ModeChanged,
    QueueChanged,
    Reduced,
    TargetChanged,
)
from engine.transitions.stops import (
    IndexRecovered,
    QueueStarted,
    QueueStopped,
    StoreRecovered,
    StoreStopped,
)
from engine.transitions.stores import (
    BufferWritten,
    CacheChanged,
    CombineStarted,
    CombineStepped,
    FileDeleted,
    FileLocked,
    FileRolledOver,
    FilesCombined,
    FileUnlinked,
    OperationDeferred,
    RefCountChanged,
    RowsForgotten,
    RowsMoved,
    StoreRead,
    StoreSynced,
    StoreWritten,
    WriteIgnored,
)

__all__ = [
    "Acked",
    "ActorChanged",
    "AlphasPushed",
    "BetasPushed",
    "BufferWritten",
    "CacheChanged",
    "ChannelClosed",
    "CombineStarted",
    "CombineStepped",
    "Committed",
    "ConfirmsDue",
    "ConfirmsSent",
    "ConnectionBlocked",
    "ConnectionClosed",
    "ConnectionUnblocked",
    "ConsumerCancelled",
    "CountersChanged",
    "DeadLettered",
    "DeltaChanged",
    "DeltaRead",
    "Discarded",
    "Dropped",
    "EntriesRecorded",
    "ExchangeDeclared",
    "ExchangeDeleted",
    "Fetched",
    "FileDeleted",
    "FileLocked",
    "FileRolledOver",
    "FileUnlinked",
    "FilesCombined",
    "IndexRecovered",
    "IndexReset",
    "JournalFlushed",
    "JournalOpened",
    "JournalSynced",
    "LaneJoined",
    "ModeChanged",
    "NacksSent",
    "NodeChanged",
    "OperationDeferred",
    "PendingPaged",
    "PendingPurged",
    "PolicyCleared",
    "PolicySet",
    "ProcessChanged",
    "Published",
    "PublishedDelivered",
    "PutBack",
    "QueueBound",
    "QueueChanged",
    "QueueStarted",
    "QueueStopped",
    "QueueUnbound",
    "Reduced",
    "RefCountChanged",
    "Rejected",
    "Requeued",
    "RowsForgotten",
    "RowsMoved",
    "SegmentDeleted",
    "SegmentRead",
    "SegmentWritten",
    "Shift",
    "StoreRead",
    "StoreRecovered",
    "StoreStopped",
    "StoreSynced",
    "StoreWritten",
    "TargetChanged",
    "Transition",
    "Unroutable",
    "Why",
    "WriteIgnored",
    "all_kinds",
    "fields_of",
]


def all_kinds(root: type[Transition] = Transition) -> list[type[Transition]]:
    """Return every concrete transition class, in an order that is always the same."""
    kinds: list[type[Transition]] = []
    for kind in root.__subclasses__():
        if kind is not Shift:
            kinds.append(kind)
        kinds.extend(all_kinds(kind))
    return kinds


def fields_of(kind: type[Transition]) -> tuple[str, ...]:
    """Return the field names of a kind, in row order (without the kind itself)."""
    return kind.__struct_fields__
