"""The messages of queues that just started, taken as `basic.get` takes them, and what a stop in order leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.backing_queue.stores import CLEAN
from engine.broker.cluster import Cluster
from engine.broker.commands.settings import resolve
from engine.formats.clean_stop import RecoveryTerms, read_file_summary, read_index, read_recovery_terms
from engine.formats.message import MessageCodec
from engine.formats.terms import TermError
from engine.releases import PROFILES, REFERENCE
from engine.values.chunks import RawBytes
from engine.values.errors import EngineError
from engine.values.extents import HOME_STORE, Extent
from engine.values.sizes import read_length, total
from playground.inspecting.uploads import FAR_SEGMENTS, FarApart, Files

STORE: Final = "msg_store_persistent"


class StoredRow(NamedTuple):
    """Where the store has one message. `refs`: how many queues need it. `file`: number of the file. `offset`: in
    bytes. `size`: of the record in bytes.
    """

    id16: bytes
    refs: int
    file: int
    offset: int
    size: int


class SavedStop(msgspec.Struct, frozen=True):
    """What an orderly stop saves (S201, W94). `terms`: those of each queue, by its name in the node; None where
    they were lost (W200, W201). `files`: (number, size, valid bytes) of each file of the persistent store. `rows`:
    the index of that store. `is_clean`: whether the store saved both; without them the terms still count (S116.5).
    """

    terms: dict[str, CleanTerms | None]
    files: tuple[tuple[int, int, int], ...]
    rows: tuple[StoredRow, ...]
    is_clean: bool = True


def has_old_store(profile: str) -> bool:
    """Return whether the store's own process reads messages, as in 3.x: an unreadable one ends the virtual host."""
    return PROFILES[profile].release.storage.host_files is REFERENCE.storage.host_files


def of_node(node: Cluster) -> SavedStop:
    path = f"{node.host.root}/{STORE}/{CLEAN}"
    note = msgspec.json.decode(node.storage.read_bytes(path, 0, node.storage.size(path) or 0))
    return SavedStop(
        {name: node.host.hosted(name).terms for name in node.host.names()},
        tuple((number, size, valid) for number, size, valid in note["files"]),
        tuple(_rows(node, note["rows"])),
    )


def _rows(node: Cluster, rows: Iterable[list[int]]) -> Iterator[StoredRow]:
    """Yield one row for each message of the note's; a step of -1 says that later messages lie before."""
    for first, count, refs, file, offset, each, *step in rows:
        length = read_length(node.codec.columns, each)
        for at in range(count):
            before = total(length, first, at) if step != [-1] else -total(length, first + 1, at)
            size = total(length, first + at, 1)
            yield StoredRow(node.codec.id_bytes(first + at), refs, file, offset + before, size)


def of_files(
    files: Files, root: str, names: dict[str, str], entry_count: int, is_clean: bool
) -> SavedStop | None:
    """Return what a broker's directory says of its orderly stop, None where there is nothing of one. Positions that
    are too far away count as none: a start would look for each segment between. `files`: by path. `root`: of the
    virtual host, empty where it is what was given. `names`: of the queues in the node, by their directories.
    `is_clean`: whether a start believes what the store saved.
    """
    below = f"{root}/" if root else ""
    terms = read_recovery_terms(files.get(f"{below}recovery.dets", b"")) or {}
    own = {name: terms[each] for each, name in names.items() if each in terms}
    if not own or any(_is_far(each, entry_count) for each in own.values()):
        return None
    try:
        found = read_file_summary(files[f"{below}{STORE}/file_summary.ets"]) if is_clean else []
        rows = read_index(files[f"{below}{STORE}/msg_store_index.ets"]) if is_clean else []
    except (KeyError, TermError):
        return None
    return SavedStop(
        {name: terms_of(each, entry_count) for name, each in own.items()},
        tuple((row.file, row.file_bytes, row.valid_bytes) for row in found),
        tuple(StoredRow(row.id16, row.ref_count, row.file, row.offset, row.record_bytes) for row in rows),
        is_clean,
    )


def _is_far(found: RecoveryTerms, entry_count: int) -> bool:
    """Return whether terms name positions that are too far apart."""
    segments = [number for number, _live in found.segments]
    segments.append((found.next_seq_id or 0) // entry_count)
    return max(segments) - min(segments) > FAR_SEGMENTS


def terms_of(found: RecoveryTerms, entry_count: int) -> CleanTerms:
    """Return a queue's terms as the engine has them; those of 3.8 know no position, its index has the marks (V1)."""
    end = (max(number for number, _live in found.segments) + 1) * entry_count if found.segments else 0
    return CleanTerms(
        found.segments,
        end if found.next_seq_id is None else found.next_seq_id,
        found.delivered_below or 0,
        found.persistent_ref.hex(),
        found.persistent_count,
        found.persistent_bytes,
        deliveries=tuple((seq, 1, times) for seq, times in sorted(found.counted.items())),
    )


def without_marks(stop: SavedStop) -> SavedStop:
    """Return the same as 3.8 says it: its terms have no number below which all were delivered (Q33)."""
    terms = {
        name: each and msgspec.structs.replace(each, next_deliver_seq_id=each.next_seq_id)
        for name, each in stop.terms.items()
    }
    return msgspec.structs.replace(stop, terms=terms)


def give(node: Cluster, stop: SavedStop) -> None:
    """Let a node that starts now find what an orderly stop saved. Raises FarApart: a queue has no segment, and
    would look for each of very many before its next position (Q34).
    """
    host = node.host
    release, _scale = PROFILES[node.scenario.profile]
    is_old = has_old_store(node.scenario.profile)
    if is_old and not release.rules.get("starts_at_a_boundary"):
        settings = resolve(node.scenario.profile, node.scenario.settings)[0]
        most = FAR_SEGMENTS * settings.shown()["delta_read_cap"]
        empty = [each for each in stop.terms.values() if each and not each.segments]
        if any(not each.persistent_count and each.next_seq_id > most for each in empty):
            raise FarApart()
    for name in host.names():
        host.hosted(name).terms = stop.terms.get(name)
    if not stop.is_clean:
        return
    refs = [ref for name in host.names() if (each := stop.terms.get(name)) for ref in each.persistent_refs]
    step = [1] if is_old else []  # the rows of such a store say besides in which direction they lie
    rows = sorted([node.codec.msg_no_of(each.id16), 1, *each[1:], *step] for each in stop.rows)
    note = {"refs": sorted(refs), "files": stop.files, "rows": rows}
    path = f"{host.root}/{STORE}/{CLEAN}"
    node.storage.create(path)
    node.storage.append(path, [RawBytes(msgspec.json.encode(note))])
    node.storage.fsync(path)


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
    """Return what a queue gives that has just started. `node`: that has started; it is not played any further.
    `now_us`: the wall clock in microseconds, by which messages expire. `records`: of the persistent store, where
    some may be damaged: then each message is taken by itself. `is_old`: whether the store's own process reads, as
    in 3.x: damage ends the virtual host then.
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
