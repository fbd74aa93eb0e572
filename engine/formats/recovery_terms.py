"""`recovery.dets`: what the queues of a virtual host leave for the next start when the node stops in order (S94, S112).

The table's own hashing is passed over: its buckets with objects are found by their mark.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, TypeGuard

import msgspec

from engine.formats import terms
from engine.formats.terms import ErlangAtom, Term, TermError

MAGIC: Final = b"\x00\xab\xcd\xef"
ACTIVE: Final = b"\x12\x34\x56\x78"
"""The mark of a bucket that holds objects, behind its size."""
MOST_BYTES: Final = 1 << 20
"""Of one queue's terms: those of ten thousand segments take a tenth of it."""
MOST_WASTED_BYTES: Final = 4 << 20
"""Of what looked like terms and was none; then the rest is not looked at."""

_SIZE = struct.Struct(">I")


class RecoveryTerms(msgspec.Struct, frozen=True):
    """One queue's.

    Args:
        segments: number and live messages of each segment in the index's map.
        version: of the index, 1 or 2 (W94).
        delivered_below: messages before this one have been delivered; None in terms without it.
        counted: messages whose deliveries are counted, as 4.3 does, with how often (W42).
        delivered_by: which of `next_deliver_seq_id` (up to 4.0) and `redeliver_seq_id` they have.
        next_seq_id: position of the next message; None in terms without it.
        persistent_count, persistent_bytes: persistent messages that it holds.
        persistent_ref: by which it is known to the persistent store.
    """

    segments: tuple[tuple[int, int], ...]
    persistent_count: int
    persistent_ref: bytes
    version: int = 1
    delivered_below: int | None = None
    counted: dict[int, int] = {}
    delivered_by: str = "next_deliver_seq_id"
    next_seq_id: int | None = None
    persistent_bytes: int = 0


def read_recovery_terms(data: bytes) -> dict[str, RecoveryTerms] | None:
    """Return the terms by the queues' directories; None where the file is not such a table."""
    if data[4:8] != MAGIC:
        return None
    found: dict[str, RecoveryTerms] = {}
    wasted = 0
    for each in _objects(data):
        try:
            known = _terms_of(terms.decode(each))
        except TermError:
            known = None
        if known is not None:
            found[known[0]] = known[1]
            continue
        wasted += len(each)
        if wasted > MOST_WASTED_BYTES:
            break
    return found


def _objects(data: bytes) -> Iterator[bytes]:
    at = data.find(ACTIVE)
    while at >= 0:
        end = at - 4 + _SIZE.unpack_from(data, at - 4)[0]
        place = at + 4
        while place + 4 <= min(end, len(data)):
            (size,) = _SIZE.unpack_from(data, place)
            if not 4 < size <= MOST_BYTES or place + size > end:
                break
            yield data[place + 4 : place + size]
            place += size
        at = data.find(ACTIVE, max(at + 4, min(place, len(data))))


def _terms_of(found: Term) -> tuple[str, RecoveryTerms] | None:
    match found:
        case (list(name), list(listed)) if all(isinstance(sign, int) and 32 < sign < 127 for sign in name):
            directory = "".join(chr(sign) for sign in name if isinstance(sign, int))
        case _:
            return None
    values = {
        str(each[0]): each[1]
        for each in listed
        if isinstance(each, tuple) and len(each) == len(("key", "value")) and isinstance(each[0], ErlangAtom)
    }
    version, segments = 1, values.get("segments")
    match values.get("v2_index_state"):
        case (int(), terms.OpaqueTerm() as mapped):
            version, segments = 2, [*terms.pairs_of(mapped)]
    count, ref = (values.get(key) for key in ("persistent_count", "persistent_ref"))
    if not isinstance(segments, list) or not _is_number(count) or not isinstance(ref, bytes):
        return None
    pairs = tuple(each for each in segments if isinstance(each, tuple))
    if any(len(each) != len(("segment", "unacked")) or not all(map(_is_number, each)) for each in pairs):
        return None
    by = "redeliver_seq_id" if "redeliver_seq_id" in values else "next_deliver_seq_id"
    below, following, size = (values.get(key) for key in (by, "next_seq_id", "persistent_bytes"))
    counts = values.get("delivery_count")
    times = terms.pairs_of(counts) if isinstance(counts, terms.OpaqueTerm) else []
    return directory, RecoveryTerms(
        segments=pairs,
        persistent_count=count,
        persistent_ref=ref,
        version=version,
        delivered_below=below if _is_number(below) else None,
        counted={key: many for key, many in times if _is_number(key) and _is_number(many)},
        delivered_by=by,
        next_seq_id=following if _is_number(following) else None,
        persistent_bytes=size if _is_number(size) else 0,
    )


def _is_number(found: Term) -> TypeGuard[int]:
    return isinstance(found, int) and 0 <= found < terms.NUMBERS_END
