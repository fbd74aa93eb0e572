"""What a clean stop of 4.x leaves, as tables of the broker and as the engine's note: terms of queues, and the store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.backing_queue.protocol import CleanTerms
from engine.backing_queue.stores import CLEAN
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.store.recovery import V2CleanStop
from engine.formats.clean_stop import (
    read_clean_dot,
    read_file_summary,
    read_index,
    read_recovery_terms,
)
from engine.storage.port import Storage
from engine.values.chunks import RawBytes
from engine.values.settings import USUAL_ENTRY_COUNT
from playground.inspecting.readout import terms_of
from tools.proofs.differential.node import PrivateNode

STORE = "msg_store_persistent"


class Stop(msgspec.Struct, frozen=True):
    """What the persistent store saves.

    Args:
        refs: names of its clients, in hexadecimal.
        files: (number, size, valid) of each file.
        rows: (id in hexadecimal, references, file, offset, bytes) of each message.
    """

    refs: tuple[str, ...]
    files: tuple[tuple[int, int, int], ...]
    rows: tuple[tuple[str, int, int, int, int], ...]


class Left(msgspec.Struct, frozen=True):
    """What a virtual host saves.

    Args:
        terms: those of the queues, by the names of their directories.
        stop: of the persistent store.
    """

    terms: dict[str, CleanTerms]
    stop: Stop | None


def of_node(directory: Path) -> Left:
    """Read what a node left in a virtual host's directory (W94, S212)."""
    found = read_recovery_terms((directory / "recovery.dets").read_bytes()) or {}
    store = directory / STORE
    clean = read_clean_dot((store / "clean.dot").read_bytes())
    if clean is None:
        raise ValueError(f"{directory} has no clean stop")
    stop = Stop(
        tuple(sorted(ref.hex() for ref in clean.client_refs)),
        tuple(
            (row.file, row.file_bytes, row.valid_bytes)
            for row in read_file_summary((store / "file_summary.ets").read_bytes())
        ),
        tuple(
            (row.id16.hex(), row.ref_count, row.file, row.offset, row.record_bytes)
            for row in read_index((store / "msg_store_index.ets").read_bytes())
        ),
    )
    return Left({name: terms_of(each, USUAL_ENTRY_COUNT) for name, each in found.items()}, stop)


def for_engine(storage: Storage, codec: McCodec, stop: Stop) -> None:
    """Write the note that the engine's store looks for."""
    rows = sorted((codec.msg_no_of(bytes.fromhex(row[0])), 1, *row[1:]) for row in stop.rows)
    note = V2CleanStop(stop.refs, stop.files, tuple(rows))
    path = f"{STORE}/{CLEAN}"
    storage.create(path)
    storage.append(path, [RawBytes(msgspec.json.encode(note))])


def of_engine(storage: Storage, codec: McCodec, refs: Sequence[str]) -> Stop:
    """Read the engine's note, and remove it.

    Args:
        refs: what the clients are called instead of the engine's names.
    """
    path = f"{STORE}/{CLEAN}"
    note = msgspec.json.decode(storage.read_bytes(path, 0, storage.size(path) or 0), type=V2CleanStop)
    storage.delete(path)
    rows = [
        (codec.id_bytes(start + skip).hex(), count_of, file, offset + skip * size, size)
        for start, count, count_of, file, offset, size in note.rows
        for skip in range(count)
    ]
    return Stop(tuple(refs), note.files, tuple(rows))


def for_node(left: Left, directory: Path, node: PrivateNode, counts: bool) -> None:
    """Write the tables that a node believes: what is in them is the engine's, Erlang writes them.

    Args:
        left: by the engine.
        directory: of the virtual host.
        node: of the release that will read them; it is down.
        counts: whether that release counts deliveries (W42).
    """
    assert left.stop is not None
    described = {
        "directory": str(directory),
        "terms": {
            name: {
                "segments": [list(each) for each in each_terms.segments or ()],
                "next_seq_id": each_terms.next_seq_id,
                "delivered_by": "redeliver_seq_id" if counts else "next_deliver_seq_id",
                "delivered_below": each_terms.next_deliver_seq_id,
                "counted": [
                    [start + skip, times]
                    for start, many, times in each_terms.deliveries
                    for skip in range(many)
                ]
                if counts
                else None,
                "ref": each_terms.persistent_ref,
                "count": each_terms.persistent_count,
                "bytes": each_terms.persistent_bytes,
            }
            for name, each_terms in left.terms.items()
        },
        "refs": left.stop.refs,
        "files": left.stop.files,
        "rows": left.stop.rows,
    }
    path = node.root / "clean_stop.json"
    path.write_text(json.dumps(described), encoding="utf-8")
    node.erlang("cq_clean_stop", str(path))
