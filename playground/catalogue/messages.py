"""What the host sends to a page, as types: tests hold real messages to them, and the page's types come from them."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.classic_v1.fold import IndexEntry, StoreFile, StoreRow
from engine.values.extents import DeltaExtent, Extent
from engine.values.stretches import Range

Values = dict[str, Any]


class IndexState(msgspec.Struct, forbid_unknown_fields=True):
    """A queue's index; `segments` are numbers and bytes of files."""

    entries: list[IndexEntry]
    segments: list[tuple[int, int]]
    journal_bytes: int | None
    buffered_bytes: int
    dirty: int


class FilesState(msgspec.Struct, forbid_unknown_fields=True):
    """Files of a queue of version 2, and what waits to be written.

    Segments are (number, bytes, live messages), `unread` (number, bytes) of `.qs` files that a start found, slots
    (start, count, what became of them), places of bodies in `.qs` (start, count, offset, bytes of each, what became of
    them, number of the first message where bytes differ), as `engine.classic_v2.files_table` has them.
    """

    segments: list[tuple[int, int, int]]
    bodies: list[tuple[int, int]]
    unread: list[tuple[int, int]]
    buffered: list[Range]
    acks: list[Range]
    waiting: list[Range]
    waiting_bytes: int
    slots: list[tuple[int, int, int]]
    places: list[tuple[int, int, int, int, int, int]]


class QueueSnapshot(msgspec.Struct):
    """A queue; beside these fields it has those of the last `QueueChanged`. `own` is what only its kind shows."""

    mode: str
    durable: bool
    lanes: dict[str, list[Extent]]
    counted: dict[str, DeltaExtent]
    counters: Values
    own: Values


class StoreSnapshot(msgspec.Struct, forbid_unknown_fields=True):
    """A message store; `orphans` are numbers and bytes of files that are in no table."""

    files: list[StoreFile]
    current: int
    rows: list[StoreRow]
    cache: int
    buffered_bytes: int
    orphans: list[tuple[int, int]]


class BindingState(msgspec.Struct, forbid_unknown_fields=True):
    """A binding of a queue to an exchange."""

    exchange: str
    queue: str
    routing_key: str
    arguments: Values
    to: str


class NodeState(msgspec.Struct, forbid_unknown_fields=True):
    """The node, part by part, with its members by their names."""

    settings: Values
    memory: Values
    disk: Values
    alarms: dict[str, bool]
    clock: Values
    work: Values
    app: Values
    cluster: Values
    bodies: dict[str, tuple[int, list[int]]]
    actors: dict[str, Values]
    processes: dict[str, Values]
    exchanges: dict[str, Values]
    bindings: list[BindingState]
    policies: dict[str, Values]
    vhosts: list[str] = []


class RunSnapshot(msgspec.Struct, forbid_unknown_fields=True):
    """Everything that transitions describe."""

    queues: dict[str, QueueSnapshot]
    stores: dict[str, StoreSnapshot]
    node: NodeState


class FrameMessage(msgspec.Struct, tag_field="t", tag="frame", forbid_unknown_fields=True):
    """Transitions as rows, with the moment of each; `first` is the number of the first.

    Between two frames the page's clock goes on by itself, from `now_us` up to `to_us`, at `speed`, or at `pace` if
    the engine cannot keep up. A page answers a frame with an ack, unless `ack` is false.
    """

    first: int
    at_us: list[int]
    rows: list[list[Any]]
    now_us: int
    digest: str | None = None
    play: bool | None = None
    speed: float | None = None
    to_us: int | None = None
    pace: float | None = None
    ack: bool | None = None


class SnapshotMessage(msgspec.Struct, tag_field="t", tag="snapshot", forbid_unknown_fields=True):
    """The whole state; `skipped` are the transitions that were left out, by kind."""

    next: int
    at_us: int
    state: RunSnapshot
    digest: str
    skipped: dict[str, int]
    why: str
    to_us: int | None = None
    pace: float | None = None


class WelcomeMessage(msgspec.Struct, tag_field="t", tag="welcome", forbid_unknown_fields=True):
    """The first answer to a page."""

    session: str
    limits: Values
    engine: str
    scenario: Values
    life: str
    owner: bool
    lasts_us: int | None


class NoticeMessage(msgspec.Struct, tag_field="t", tag="notice", forbid_unknown_fields=True):
    """Words for the person: level info, limit or error."""

    level: str
    message: str


class AcceptedMessage(msgspec.Struct, tag_field="t", tag="accepted", forbid_unknown_fields=True):
    """A command was taken."""

    id: int | str


class RefusedMessage(msgspec.Struct, tag_field="t", tag="refused", forbid_unknown_fields=True):
    """A command was not taken: why, and what to do; for programs as a code with its parameters as well."""

    id: int | str | None
    message: str
    code: str | None = None
    values: Values = {}


class AnswerMessage(msgspec.Struct, tag_field="t", tag="answer", forbid_unknown_fields=True):
    """What the console answers to a line."""

    id: int | str
    text: str
    error: str | None


class MovedMessage(msgspec.Struct, tag_field="t", tag="moved", forbid_unknown_fields=True):
    """Another process has the session: where its socket is. This one is closed."""

    websocket: str


HostMessage = (
    FrameMessage
    | SnapshotMessage
    | WelcomeMessage
    | NoticeMessage
    | AcceptedMessage
    | RefusedMessage
    | AnswerMessage
    | MovedMessage
)
