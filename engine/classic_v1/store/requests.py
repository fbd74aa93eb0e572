"""What is sent to a message store: by its clients (S140, S146, S150), and by its garbage collector (S183, S184)."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import msgspec

from engine.classic_v1.store.state import V1Peer
from engine.values.sizes import Each, Length
from engine.values.stretches import Range


class StoreContent(NamedTuple):
    """Values that all messages of a run share, except the sizes of a column. `size_bytes`: body bytes of
    each. `raw_persistent`: the message's own delivery mode is 2. `template`: number of the term's template.
    """

    size_bytes: Each
    raw_persistent: bool
    template: int
    record_bytes: Length


class WriteRequest(msgspec.Struct, frozen=True):
    """One write message for each of `count` ids (S140). `msg_no`: lowest message number. `step`: 1 when the
    lowest was sent first, -1 when the highest was. `each`: each was sent by a call of its own.
    """

    peer: V1Peer
    msg_no: int
    count: int
    step: int
    content: StoreContent
    each: bool

    def without(self, done: int) -> WriteRequest:
        """Return what is left when the first `done` are handled."""
        start = self.msg_no + done if self.step > 0 else self.msg_no
        return WriteRequest(self.peer, start, self.count - done, self.step, self.content, self.each)

    def first(self, count: int) -> WriteRequest:
        start = self.msg_no if self.step > 0 else self.msg_no + self.count - count
        return WriteRequest(self.peer, start, count, self.step, self.content, self.each)


class RemoveSent(msgspec.Struct, frozen=True):
    """Remove messages (S146). `ranges`: the ids, in the order in which they are handled. `step`: 1 when each
    range is handled from its lowest number, -1 from its highest. `single`: one message for each id, each sent
    by a call of its own; else one message with all ids.
    """

    peer: V1Peer
    ranges: tuple[Range, ...]
    step: int
    single: bool

    @property
    def messages(self) -> int:
        return sum(each.count for each in self.ranges) if self.single else 1

    def split(self, count: int) -> tuple[RemoveSent, RemoveSent | None]:
        """Return the first `count` messages and the rest; one message with all ids is not split."""
        if not self.single:
            return self, None
        head: list[Range] = []
        for at, each in enumerate(self.ranges):
            if each.count >= count:
                head.append(_first(each, count, self.step))
                rest = [_rest(each, count, self.step)] if each.count > count else []
                return self._with(head), self._with([*rest, *self.ranges[at + 1 :]]) or None
            head.append(each)
            count -= each.count
        return self, None

    def _with(self, ranges: list[Range]) -> RemoveSent:
        return RemoveSent(self.peer, tuple(ranges), self.step, self.single)

    def __bool__(self) -> bool:
        return bool(self.ranges)


def _first(whole: Range, count: int, step: int) -> Range:
    return whole.part(0, count) if step > 0 else whole.part(whole.count - count, count)


def _rest(whole: Range, count: int, step: int) -> Range:
    return whole.part(count, whole.count - count) if step > 0 else whole.part(0, whole.count - count)


class DeleteClient(msgspec.Struct, frozen=True):
    """A client is gone for good (S150); its "dying" was announced before."""

    peer: V1Peer


class DeletedFile(msgspec.Struct, frozen=True):
    """The garbage collector deleted a file (S184)."""

    file: int
    reclaimed_bytes: int


class CombinedFiles(msgspec.Struct, frozen=True):
    """The garbage collector combined two files (S183)."""

    source: int
    destination: int
    size_bytes: int
    reclaimed_bytes: int


Result = DeletedFile | CombinedFiles
Item = WriteRequest | RemoveSent | DeleteClient


class StoreMailbox:
    """Messages in the order in which they are handled: results before what clients sent (S136)."""

    def __init__(self) -> None:
        self.results: deque[Result] = deque()
        self.items: deque[Item] = deque()

    def __bool__(self) -> bool:
        return bool(self.results or self.items)

    @property
    def messages(self) -> int:
        return len(self.results) + sum(_weight(item) for item in self.items)

    def clear(self) -> None:
        self.results.clear()
        self.items.clear()


def _weight(item: Item) -> int:
    if isinstance(item, WriteRequest):
        return item.count
    return item.messages if isinstance(item, RemoveSent) else 1
