"""The instructions that a master sends its mirrors over the ring: runs of equal instructions as one value (H32)."""

from __future__ import annotations

import msgspec

from engine.backing_queue.protocol import Arrival
from engine.values.marks import override
from engine.values.stretches import Range


class MirrorInstruction(msgspec.Struct, frozen=True, gc=False):
    """One instruction, or a run of them that follow each other."""

    @property
    def times(self) -> int:
        """Number of instructions that this value represents."""
        return 1

    @property
    def body_bytes(self) -> int:
        return 0


class _WithMessages(MirrorInstruction, frozen=True, gc=False):
    arrival: Arrival

    @property
    def times(self) -> int:
        return self.arrival.count

    @property
    def body_bytes(self) -> int:
        return self.arrival.total_bytes


class PublishInstruction(_WithMessages, frozen=True, gc=False):
    """Messages entered the master's queue."""


class PublishDeliveredInstruction(_WithMessages, frozen=True, gc=False):
    """Messages went to a consumer without being queued."""


class DiscardInstruction(_WithMessages, frozen=True, gc=False):
    """Messages left without a trace."""


class DropInstruction(MirrorInstruction, frozen=True, gc=False):
    """Messages left the head. `left`: the master's length after the last of them. `runs`: how many
    instructions. `ack`: whether the messages wait for an acknowledgement now.
    """

    left: int
    each: int
    runs: int
    ack: bool

    @property
    @override
    def times(self) -> int:
        return self.runs

    @property
    def total(self) -> int:
        return self.each * self.runs

    @property
    def first_left(self) -> int:
        """The master's length after the first of them."""
        return self.left + (self.runs - 1) * self.each


class _WithIds(MirrorInstruction, frozen=True, gc=False):
    """Args:
    messages: numbers of the messages, in the order of the call.
    runs: instructions, among which the messages are divided: one for all, or one each.
    """

    messages: tuple[Range, ...]
    runs: int

    @property
    @override
    def times(self) -> int:
        return self.runs

    @property
    def count(self) -> int:
        return sum(each.count for each in self.messages)


class AckInstruction(_WithIds, frozen=True, gc=False):
    """Messages were acknowledged."""


class RequeueInstruction(_WithIds, frozen=True, gc=False):
    """Messages went back into the queue."""


class SetModeInstruction(MirrorInstruction, frozen=True, gc=False):
    """The queue is lazy or default from now on."""

    mode: str


class SetVersionInstruction(MirrorInstruction, frozen=True, gc=False):
    """The queue's files are of another version from now on."""

    version: int


class DepthInstruction(MirrorInstruction, frozen=True, gc=False):
    """How many messages the master has, ready and unacknowledged (H40)."""

    depth: int


class SyncStartInstruction(MirrorInstruction, frozen=True, gc=False):
    """A synchronisation of these mirrors begins (H52)."""

    mirrors: tuple[str, ...]


class DeleteInstruction(MirrorInstruction, frozen=True, gc=False):
    """The mirrors delete what they have and end (H66)."""

    reason: str
