"""What a segment file and the pending entries contain together (S91), and what they contain twice (S115)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.classic_v1.index.overlay import overlay
from engine.classic_v1.index.slots import ACK, DELIVER, GONE, PUBLISH, JournalSlot
from engine.values.errors import IndexCorrupt
from engine.values.stretches import Stretches

BOTH: Final = PUBLISH + DELIVER
ENDED: Final = DELIVER + ACK


def combined(filed: JournalSlot | None, pending: JournalSlot | None) -> tuple[JournalSlot | None, int]:
    """Return the entries that result, None when removed, and the change of unacked for each (S91).

    Raises IndexCorrupt for a pair outside the table.
    """
    if pending is None:
        return filed, 0
    if filed is None:
        if pending.bits in (PUBLISH, BOTH):
            return pending, 1
    elif (filed.bits, pending.bits) == (PUBLISH, DELIVER):
        return filed.marked(DELIVER), 0
    elif (filed.bits, pending.bits) in ((PUBLISH, ENDED), (BOTH, ACK)):
        return None, -1
    raise _impossible("S91", filed, pending)


MERGE: Final = "rabbit_queue_index,segment_plus_journal1"
"""The broker's function with a clause for each pair of the table (S91)."""
MORE_THAN_DELTA: Final = "rabbit_variable_queue,maybe_deltas_to_betas"
"""The broker's function whose case has no clause for a delta with fewer messages than the index gave (V8)."""


def arguments(error: IndexCorrupt) -> str:
    """Return an impossible pair as Erlang writes the arguments of that function, messages left out."""
    return ",".join(_slot(error.values[name]) for name in ("filed", "pending"))


def _slot(bits: int | str) -> str:
    if not isinstance(bits, int) or not bits:
        return "undefined"
    marks = f"{'del' if bits & DELIVER else 'no_del'},{'ack' if bits & ACK else 'no_ack'}"
    return f"{{{'{_,_,_}' if bits & PUBLISH else 'no_pub'},{marks}}}"


def live_entries(
    filed: Iterable[JournalSlot], pending: Iterable[JournalSlot]
) -> tuple[Stretches[JournalSlot], int]:
    """Return the live entries of a segment, and what `pending` changes in its unacked count (S91).

    `filed` may hold acked entries; they are passed over, as a load without keep_acked would (S90).
    """
    live: Stretches[JournalSlot] = Stretches()
    change = 0
    pending = list(pending)
    if not pending:
        live.insert_all([slot for slot in filed if slot.publish is not None and not slot.acked])
        return live, change
    for old, new in overlay((slot for slot in filed if slot.live), pending):
        result, each = combined(old, new)
        if result is not None:
            live.insert(result)
        change += each * (new.count if new is not None else 0)
    return live, change


KEEP: Final = -1
DROP: Final = 0

DUPLICATES: Final[dict[tuple[int, int], tuple[int, int]]] = {
    (PUBLISH, 0): (KEEP, 0),
    (PUBLISH, PUBLISH): (DROP, 1),
    (BOTH, 0): (KEEP, 0),
    (BOTH, PUBLISH): (DELIVER, 1),
    (BOTH, BOTH): (DROP, 1),
    (DELIVER, PUBLISH): (KEEP, 0),
    (DELIVER, BOTH): (DROP, 0),
    (ACK, 0): (DROP, 0),
    (ACK, BOTH): (KEEP, 0),
    (ACK, GONE): (DROP, -1),
    (ENDED, 0): (DROP, 0),
    (ENDED, PUBLISH): (KEEP, 0),
    (ENDED, BOTH): (ACK, 0),
    (ENDED, GONE): (DROP, -1),
}
"""S115: (journal, segment file with acked entries kept) -> (what stays of the journal, number of duplicates).

Cells that are not here are errors.
"""


def without_duplicates(
    pending: Iterable[JournalSlot], filed: Iterable[JournalSlot]
) -> tuple[Stretches[JournalSlot], int]:
    """Return the pending entries without what the segment file has too, and the number of duplicates (S115).

    `filed` comes from a load that kept acked entries. Raises IndexCorrupt for a cell outside the table.
    """
    kept: Stretches[JournalSlot] = Stretches()
    duplicates = 0
    for new, old in overlay(pending, filed):
        if new is None:
            continue
        cell = DUPLICATES.get((new.bits, 0 if old is None else old.bits))
        if cell is None or (new.publish is not None and old is not None and _differ(new, old)):
            raise _impossible("S115", old, new)
        stays, each = cell
        duplicates += each * new.count
        if stays == KEEP:
            kept.insert(new)
        elif stays != DROP:
            kept.insert(JournalSlot(new.start, new.count, None, bool(stays & DELIVER), bool(stays & ACK)))
    return kept, duplicates


def _differ(new: JournalSlot, old: JournalSlot) -> bool:
    return new.publish != old.publish or new.term != old.term


def _impossible(rule: str, filed: JournalSlot | None, pending: JournalSlot) -> IndexCorrupt:
    return IndexCorrupt(
        "slots_impossible",
        first=pending.start,
        last=pending.end - 1,
        filed=0 if filed is None else filed.bits,
        pending=pending.bits,
        rule=rule,
    )
