"""What every transition is, and what is known of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

import msgspec

Why = dict[str, int | float | str | bool | None]
"""The numbers that made a transition fire."""

Group = Literal["messages", "memory", "files", "node"]
"""What a reader may filter by: the way of messages, what leaves and enters RAM, files on disk, or everything else."""

Shown = Literal["event", "detail", "step"]
"""An event has a line in the log; a detail has one on demand; a step is part of something that has one."""

Table = str
"""What a kind changes: messages change place (`shift`), or the table whose method has its name (`engine.folding`)."""

Disk = Literal["reads", "writes", "syncs"]

Mark = Literal["read", "load", "gc", "compact", "gone", "roll", "fsync"]
"""What a kind always is on the time line, whatever happened before."""


class About(msgspec.Struct, frozen=True):
    """What is known of a kind of transition, beside its fields. Nothing of it is on the wire or in a digest.

    Args:
        group: by which a reader may filter.
        function: of the broker, which does the same; empty where no single function does.
        fold: what it changes; None for a kind that only reports an event.
        shown: how the log shows it.
        weight: how much it explains, from 0 to 10, among what comes at once.
        units: of fields and of the numbers in `why`, where they differ from `UNITS`.
        mark: what it is on the time line.
        disk: the work on the disk that it stands for.
        arrives, leaves: whether its messages come into the queue, and are handed to a consumer.
    """

    group: Group
    function: str = ""
    fold: Table | None = None
    shown: Shown = "event"
    weight: int = 0
    setting: str | None = None
    units: Mapping[str, str] = {}
    mark: Mark | None = None
    disk: Disk | None = None
    arrives: bool = False
    leaves: bool = False


UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("count", "embedded", "dropped", "skipped", "redelivered", "from_store"), "messages"),
    **dict.fromkeys(("ram_msg_count", "ram_pending", "target", "old", "surplus", "quota", "cap"), "messages"),
    **dict.fromkeys(("q1_moved", "q4_moved", "pending_paged", "betas_moved", "delta_count"), "messages"),
    **dict.fromkeys(("q3_to_delta", "q2_to_delta", "betas", "permitted", "beta_surplus"), "messages"),
    **dict.fromkeys(("io_batch_size", "q3_len", "len", "max_length", "left", "singles", "reset"), "messages"),
    **dict.fromkeys(("bytes_", "record_bytes", "journal_bytes", "size_bytes", "reclaimed_bytes"), "bytes"),
    **dict.fromkeys(("left_on_disk", "offset", "bytes", "max_length_bytes"), "bytes"),
    **dict.fromkeys(("start", "end", "stop", "boundary"), "seq_id"),
    **dict.fromkeys(("msg_no", "multiple_to"), "msg_no"),
    **dict.fromkeys(("file", "current", "source", "destination"), "file"),
    "segment": "segment",
    "entries": "messages",
    "ref_count": "references",
    "step": "direction",
    "dirty": "records",
    "code": "AMQP code",
    "duration": "s",
    "rates": "messages/s",
    "commits": "transactions",
    "cycling": "queues",
}
"""Units by the name of a field or of a number in `why`."""


class Transition(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """One change, caused by `rule`."""

    about: ClassVar[About]

    rule: str
