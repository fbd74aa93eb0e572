"""What a node that stops in order leaves beside its files, and how the node of another release finds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.backing_queue.stores import CLEAN
from engine.broker.cluster import Cluster
from engine.broker.commands.settings import resolve
from engine.formats.chunks import RawBytes
from engine.formats.clean_stop import RecoveryTerms, read_file_summary, read_index, read_recovery_terms
from engine.formats.terms import TermError
from engine.releases import PROFILES, REFERENCE
from engine.values.sizes import read_length, total
from playground.inspecting.unreadable import FAR_SEGMENTS, FarApart
from playground.inspecting.uploads import Files

STORE: Final = "msg_store_persistent"


class StoredRow(NamedTuple):
    """Where the store has one message.

    Args:
        refs: how many queues need it.
        file: number of the file.
        offset: in bytes.
        size: of the record in bytes.
    """

    id16: bytes
    refs: int
    file: int
    offset: int
    size: int


class SavedStop(msgspec.Struct, frozen=True):
    """What an orderly stop saves (S201, W94).

    Args:
        terms: those of each queue, by its name in the node; None where they were lost (W200, W201).
        files: (number, size, valid bytes) of each file of the persistent store.
        rows: the index of that store.
        is_clean: whether the store saved both; without them the terms still count (S116.5).
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
    """Return what a broker's directory says of its orderly stop, None where there is nothing of one.

    Positions that are too far away count as none: a start would look for each segment between.

    Args:
        files: by path.
        root: of the virtual host, empty where it is what was given.
        names: of the queues in the node, by their directories.
        is_clean: whether a start believes what the store saved.
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
    """Let a node that starts now find what an orderly stop saved.

    Raises:
        FarApart: a queue has no segment, and would look for each of very many before its next position (Q34).
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
