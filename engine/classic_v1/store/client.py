"""One queue's side of a message store (S140, S146, S155, S200)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from engine.classic_v1.store.state import StorePeer
from engine.formats.message import MessageCodec
from engine.values.extents import RAW_PERSISTENT, Extent
from engine.values.sizes import Each, Length
from engine.values.stretches import Range


class StoreContent(NamedTuple):
    """Values that all messages of a run share, except the sizes of a column.

    Args:
        size_bytes: body bytes of each.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
        record_bytes: bytes of each store record.
    """

    size_bytes: Each
    raw_persistent: bool
    template: int
    record_bytes: Length


class WriteRequest(msgspec.Struct, frozen=True):
    """One write message for each of `count` ids (S140).

    Args:
        msg_no: lowest message number.
        count: how many.
        step: 1 when the lowest was sent first, -1 when the highest was.
        each: each was sent by a call of its own.
    """

    peer: StorePeer
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

    peer: StorePeer
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

    peer: StorePeer


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


class StoreServer(Protocol):
    """What a client calls of the store that made it: `MsgStore` is one."""

    codec: MessageCodec

    def send_write(
        self, peer: StorePeer, msg_no: int, count: int, step: int, content: StoreContent, each: bool
    ) -> None:
        """Take writes into the mailbox (S140)."""

    def write_new(self, writes: Sequence[WriteRequest]) -> None:
        """Take and handle writes of messages that are new (S140-S144)."""

    def end_each(self, peer: StorePeer, messages: Sequence[Range], read: bool) -> int:
        """Read and remove messages, each by calls of its own; return how many were read (S147, S155)."""

    def send_remove(self, peer: StorePeer, ranges: tuple[Range, ...], step: int, single: bool) -> None:
        """Take one remove into the mailbox (S146)."""

    def read(self, peer: StorePeer, start: int, count: int, wait: bool) -> int:
        """Read bodies; return how many reads wait for a locked file (S155)."""

    def alike(self, start: int, count: int) -> int:
        """Return how many messages can be read and then removed at once."""

    def close_marked(self, peer: StorePeer) -> None:
        """Close the read handles that are marked (S185)."""

    def end_client(self, peer: StorePeer) -> None:
        """Handle everything that was sent (S200)."""

    def delete_client(self, peer: StorePeer) -> None:
        """Let the name go after what was sent (S150)."""


class StoreClient:
    """A queue's client of a store; made by `MsgStore.client`. `peer`: the server's record of this client.
    `initial_credit`: writes that may be sent before the first grant (F1).
    """

    def __init__(self, store: StoreServer, peer: StorePeer, initial_credit: int) -> None:
        self._store = store
        self._peer = peer
        self.account = peer.account
        """The credit of its process (F1)."""
        self._initial = initial_credit
        self._content_before: StoreContent | None = None

    @property
    def credit(self) -> int | None:
        """Writes that may still be sent, None before the first one (F1)."""
        return self._peer.account.left

    @property
    def ref(self) -> str:
        return self._peer.ref

    @property
    def blocked(self) -> bool:
        """Whether the credit is used up (F2)."""
        left = self._peer.account.left
        return left is not None and left <= 0

    @property
    def credit_left(self) -> int:
        """Writes until this client is blocked; 0 or less when it is (F2)."""
        return self._initial if self.credit is None else self.credit

    def grant(self, credits_: int) -> None:
        """Add credit that the store granted; the queue calls this when it takes the message (F2). `credits_`:
        as `on_credit` reported.
        """
        self._peer.account.left = (self.credit or 0) + credits_

    def write(self, extent: Extent, one_by_one: bool = False, descending: bool = False) -> None:
        """Send one write for each message of an extent; each costs a credit (S140, F4). `one_by_one`: each is
        a call of its own: settling lets everything finish between them. `descending`: the last message is
        written first, as when alphas are paged out from q4's tail.
        """
        step = -1 if descending else 1
        self._store.send_write(
            self._peer, extent.msg_no, extent.count, step, self._content(extent), one_by_one
        )
        self.charge(extent.count)

    def charge(self, count: int) -> None:
        """Take the credit of so many writes (F4)."""
        self._peer.account.left = self.credit_left - count

    def write_new(self, extents: Sequence[Extent], one_by_one: bool, descending: bool = False) -> None:
        """Let the store handle new messages at once, as sending the writes and settling would; credit is
        charged apart. `extents`: the messages, in the order of their writes. `one_by_one`: each is a call of
        its own; else all are of one call, which the caller ends by settling. `descending`: the last message
        of each is written first.
        """
        step = -1 if descending else 1
        self._store.write_new(
            [
                WriteRequest(self._peer, each.msg_no, each.count, step, self._content(each), one_by_one)
                for each in extents
            ]
        )

    def _content(self, extent: Extent) -> StoreContent:
        """Return what is equal in all messages; of a log it is often what it was before."""
        raw, known = extent.flags & RAW_PERSISTENT != 0, self._content_before
        if (
            known is not None
            and known.size_bytes is extent.size_bytes
            and known.raw_persistent == raw
            and known.template == extent.template
        ):
            return known
        record_bytes = self._store.codec.record_length(extent.template, extent.size_bytes, raw)
        self._content_before = found = StoreContent(extent.size_bytes, raw, extent.template, record_bytes)
        return found

    def remove(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Send removes: one message with all ids, or one for each (S146). `ranges`: message numbers, in the
        order in which they are handled. `one_by_one`: a message and a call for each id: settling lets
        everything finish between them. `descending`: handle the ids from the last of the last range to the
        first of the first.
        """
        if ranges:
            ordered = tuple(reversed(ranges)) if descending else tuple(ranges)
            self._store.send_remove(self._peer, ordered, -1 if descending else 1, one_by_one)

    def end_each(self, messages: Sequence[Range], read: bool) -> int:
        """Read and remove messages, a call each and the store settles after each; return how many were read (S147)."""
        return self._store.end_each(self._peer, messages, read)

    def read(self, extent: Extent) -> None:
        """Read the bodies of an extent, waiting while a file is locked (S155)."""
        self._store.read(self._peer, extent.msg_no, extent.count, wait=True)

    def request(self, extent: Extent) -> int:
        """Read the bodies of an extent without waiting; return how many reads wait for a locked file (S156)."""
        return self._store.read(self._peer, extent.msg_no, extent.count, wait=False)

    def alike(self, extent: Extent) -> int:
        """Return how many messages from the extent's first on may be read together and then removed together.
        For the store that is the same as reading and removing one after the other, each a call of its own:
        which files are open when the garbage collector comes decides what stays on disk (S186).
        """
        return self._store.alike(extent.msg_no, extent.count)

    def close_marked(self) -> None:
        """Close the read handles of files that the garbage collector wants to remove (S185)."""
        self._store.close_marked(self._peer)

    def terminate(self) -> None:
        """End in order: everything sent is handled; the store keeps the client's name (S200)."""
        self._store.end_client(self._peer)

    def delete(self) -> None:
        """End for good, the queue being deleted (S150, S200)."""
        self._store.delete_client(self._peer)

    def kill(self) -> None:
        """End without cleaning up, because the queue's process is gone; its messages are still handled."""
        self._peer.silence()
