"""The messages of queues that have just started, taken one after the other as `basic.get` takes them."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.broker.cluster import Cluster
from engine.formats.message import MessageCodec
from engine.values.errors import EngineError
from engine.values.extents import HOME_STORE, Extent
from playground.inspecting.stopped import STORE, SavedStop, StoredRow
from playground.inspecting.uploads import Files

MOST_MESSAGES: Final = 200_000
"""With more in a queue the order is not compared one by one."""
QUEUE, HOST, DEAD = "queue", "host", "dead"
CRASHES: Final = (EngineError, ArithmeticError, LookupError, TypeError, ValueError)
"""How a start on damaged files ends, which is no mistake of the program."""


class TakenOut(msgspec.Struct):
    """What a queue gives after a start.

    Args:
        count: messages that it lists; None where its process does not start.
        given: how many it gives until a read ends it; as many as it lists where none does.
        redelivered: of those that it gives; None of too many to take out.
        expired: messages whose time had run out: dropped, or dead-lettered, as their turn comes.
        ids: of those that it gives, in their order; None of too many.
        end: what the first read of damage ends: "queue", "host" (the virtual host), or "dead" where the process does
            not start at all; None where all can be read.
        after: how many it gives once that has started again, None where nothing ends or it never does.
        arrived: messages that expired in other queues and come to this one as dead letters.
        crashes: how often its process ended while the node started; its supervisor started it again on its files.
    """

    count: int | None
    given: int = 0
    redelivered: int | None = 0
    expired: int = 0
    ids: list[bytes] | None = None
    end: str | None = None
    after: int | None = None
    arrived: int = 0
    crashes: int = 0

    @property
    def back(self) -> int | None:
        own = self.given if self.end is None else self.after if self.end != DEAD else None
        return None if own is None else own + self.arrived


class ReadableRecords:
    """Looks up whether a started store could read a message that a clean stop listed (S206: it opens no file)."""

    def __init__(self, files: Files, stop: SavedStop, codec: MessageCodec) -> None:
        self._codec = codec
        self._rows = {row.id16: row for row in stop.rows}
        self._files = {path.rpartition("/")[2]: data for path, data in files.items() if f"/{STORE}/" in path}

    def has(self, id16: bytes) -> bool:
        """Return whether the record is there, whole, and a message."""
        row = self._rows.get(id16)
        return row is not None and self._is_whole(row)

    def _is_whole(self, row: StoredRow) -> bool:
        data = self._files.get(f"{row.file}.rdq", b"")[row.offset : row.offset + row.size]
        if len(data) < row.size or int.from_bytes(data[:8], "big") + 9 != row.size or data[-1] != 255:
            return False
        try:
            return data[8:24] == row.id16 and bool(self._codec.read_term(data[24:-1]))
        except EngineError:
            return False


def take_out(
    node: Cluster, name: str, now_us: int, records: ReadableRecords | None, is_old: bool
) -> TakenOut:
    """Return what a queue gives that has just started.

    Args:
        node: that has started; it is not played any further.
        now_us: the wall clock in microseconds, by which messages expire.
        records: of the persistent store, where some may be damaged: then each message is taken by itself.
        is_old: whether the store's own process reads, as in 3.x: damage ends the virtual host then.
    """
    queue = node.queues[name].process.queue
    listed = queue.depth
    try:
        expired = _drop_expired(queue, now_us)
        depth = queue.depth
        if records is None:
            return _all_at_once(queue, node.codec, depth, expired, now_us)
    except CRASHES:  # its counters are not what its files hold (S116.5)
        return TakenOut(listed, end=QUEUE, ids=[], after=_after_restart(node, name, now_us, records))
    found = TakenOut(depth, expired=expired, ids=[])
    found.end = _one_by_one(queue, node.codec, found, now_us, records, is_old)
    if found.end == QUEUE:
        found.after = _after_restart(node, name, now_us, records)
    return found


def _drop_expired(queue: Any, now_us: int) -> int:
    taken, _next = queue.dropwhile(now_us)
    return sum(each.extent.count for each in taken)


def _all_at_once(queue: Any, codec: MessageCodec, depth: int, expired: int, now_us: int) -> TakenOut:
    if depth > MOST_MESSAGES:
        return TakenOut(depth, depth, None, expired)
    taken = queue.fetch(depth, True) if depth else []
    left = [each for each in taken if not 0 < each.extent.expiry_us <= now_us]
    ids = [codec.id_bytes(each.extent.msg_no + at) for each in left for at in range(each.extent.count)]
    redelivered = sum(each.extent.count for each in left if each.redelivered)
    return TakenOut(depth, len(ids), redelivered, expired + depth - len(ids), ids)


def _one_by_one(
    queue: Any, codec: MessageCodec, found: TakenOut, now_us: int, records: ReadableRecords, is_old: bool
) -> str | None:
    """Take messages until a read ends; after each the next is looked at for its expiry, which loads it (Q58, W47)."""
    try:
        while queue.depth:
            [taken] = queue.fetch(1, True)
            extent: Extent = taken.extent
            id16 = codec.id_bytes(extent.msg_no)
            if extent.flags & HOME_STORE and not records.has(id16):
                return HOST if is_old else QUEUE
            found.expired += _drop_expired(queue, now_us) if queue.depth else 0
            found.given += 1
            found.redelivered = (found.redelivered or 0) + bool(taken.redelivered)
            assert found.ids is not None  # noqa: S101 - it is made with a list
            found.ids.append(id16)
    except CRASHES:
        return QUEUE
    return None


def _after_restart(node: Cluster, name: str, now_us: int, records: ReadableRecords | None) -> int | None:
    """Return what it gives after its supervisor has started it again on its files, the stores running on (Q62)."""
    try:
        queue = node.host.all[next(iter(node.host.all))].restart_queue(name, node.now_us)
        if records is None:
            return _all_at_once(queue, node.codec, queue.depth, 0, now_us).given
        again = TakenOut(queue.depth, ids=[])
        _one_by_one(queue, node.codec, again, now_us, records, is_old=False)
    except CRASHES:
        return None
    return again.given
