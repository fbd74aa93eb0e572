"""What a dirty recovery must find in given bytes: S110-S119 and S206-S209 read again, one message at a time.

Written from the specification for comparison only; it shares nothing with the engine but the decoder of terms.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.formats import terms

MARKER = 0xFF
HEAD_BYTES = 32
"""Id, expiry, body size and length of the embedded term, behind the first word of a publish record (S60, S62)."""


class Corrupt(Exception):
    """The broker's recovery would crash here."""


class Pub(NamedTuple):
    """A publish record without its first word."""

    persistent: bool
    body: bytes

    @property
    def id16(self) -> bytes:
        return self.body[:16]

    @property
    def size(self) -> int:
        return int.from_bytes(self.body[24:28], "big")

    @property
    def term(self) -> bytes:
        return self.body[HEAD_BYTES:]


class Slot(NamedTuple):
    """One seq_id's entry (S71)."""

    pub: Pub | None = None
    delivered: bool = False
    acked: bool = False


class Found(NamedTuple):
    """One message after the recovery."""

    seq_id: int
    pub: Pub


def recover(queue: dict[str, bytes], store: dict[str, bytes], size: int) -> list[Found]:
    """Return the live messages of a durable queue after a dirty start, in order.

    Args:
        queue: the files of the queue's directory.
        store: the files of the persistent store's directory.
        size: entries for each segment.

    Raises:
        Corrupt: the recovery would crash.
    """
    present = stored_ids(store)
    journal = replay(queue.get("journal.jif", b""))
    pending: dict[int, dict[int, Slot]] = {}
    for seq_id, slot in journal.items():
        pending.setdefault(seq_id // size, {})[seq_id % size] = slot
    files = {int(name[:-4]): data for name, data in queue.items() if name.endswith(".idx")}
    live: list[Found] = []
    for segment in sorted({*pending, *files}):
        filed = parse_segment(files.get(segment, b""), size)
        for rel, slot in sorted(combine(filed, pending.get(segment, {})).items()):
            assert slot.pub is not None
            if embedded_is_persistent(slot.pub) if slot.pub.term else slot.pub.id16 in present:
                live.append(Found(segment * size + rel, slot.pub))
    return live


def embedded_is_persistent(pub: Pub) -> bool:
    """Return what the embedded message says of itself (S110)."""
    try:
        kind, _, _, _, id16, persistent = terms.decode(pub.term)
    except (terms.TermError, ValueError, TypeError) as error:
        raise Corrupt("an embedded message that is no message") from error
    if (kind, id16) != (terms.ErlangAtom("basic_message"), pub.id16) or persistent not in (
        terms.TRUE,
        terms.FALSE,
    ):
        raise Corrupt("an embedded message that is not the record's")
    return bool(persistent == terms.TRUE)


# --- the message store (S206, S209) ---


def stored_ids(store: dict[str, bytes]) -> set[bytes]:
    """Return the ids of all records that the broker's scanner finds."""
    present: set[bytes] = set()
    for name, data in store.items():
        if name.endswith(".rdq"):
            present.update(scan(data + store.get(f"{name[:-4]}.rdt", b"")))
    return present


def scan(data: bytes) -> list[bytes]:
    """Return the ids of the records of a store file up to the first that is not whole (S209)."""
    found: list[bytes] = []
    at = 0
    while at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 8], "big")
        end = at + length + 9
        if length == 0 or end > len(data):
            break
        if data[end - 1] == MARKER:
            if length < 16:
                raise Corrupt(f"a record of {length} bytes at {at}")
            found.append(data[at + 8 : at + 24])
        at = end
    return found


# --- the queue index ---


def replay(data: bytes) -> dict[int, Slot]:
    """Apply the journal's records to empty slots (S71, S114)."""
    slots: dict[int, Slot] = {}
    at = 0
    while at + 8 <= len(data):
        word = int.from_bytes(data[at : at + 8], "big")
        kind, seq_id = word >> 62, word & ((1 << 62) - 1)
        if kind < 2:
            head = data[at + 8 : at + 8 + HEAD_BYTES]
            end = at + 8 + HEAD_BYTES + int.from_bytes(head[28:], "big")
            if len(head) < HEAD_BYTES or end > len(data) or not any(data[at : at + 40]):
                break
            if seq_id in slots:
                raise Corrupt(f"seq_id {seq_id} is published twice in the journal")
            slots[seq_id] = Slot(Pub(kind == 0, data[at + 8 : end]))
            at = end
            continue
        _mark(slots, seq_id, "deliver" if kind == 2 else "ack")
        at += 8
    return slots


def _mark(slots: dict[int, Slot], seq_id: int, action: str) -> None:
    slot = slots.get(seq_id, Slot())
    if action == "deliver":
        if slot.delivered or slot.acked:
            raise Corrupt(f"seq_id {seq_id} is delivered twice in the journal")
        slots[seq_id] = slot._replace(delivered=True)
    elif slot.acked or (slot.pub is not None and not slot.delivered):
        raise Corrupt(f"seq_id {seq_id} is acked at the wrong time in the journal")
    elif slot.pub is None:
        slots[seq_id] = slot._replace(acked=True)
    else:
        del slots[seq_id]


def parse_segment(data: bytes, size: int) -> dict[int, Slot]:
    """Return the entries of a segment file, acked ones kept (S90)."""
    slots: dict[int, Slot] = {}
    if not any(data):
        return slots
    at = 0
    while at < len(data):
        if at + 2 > len(data):
            raise Corrupt("one stray byte at the end of a segment")
        word = int.from_bytes(data[at : at + 2], "big")
        rel = word & 0x3FFF
        at += 2
        if word & 0x8000:
            head = data[at : at + HEAD_BYTES]
            end = at + HEAD_BYTES + int.from_bytes(head[28:], "big")
            if len(head) < HEAD_BYTES or end > len(data):
                continue  # the head is skipped; what is left of the torn record is read as records (S119)
            if rel >= size or rel in slots:
                raise Corrupt(f"a publish of {rel} in a segment where none can be")
            slots[rel] = Slot(Pub(bool(word & 0x4000), data[at:end]))
            at = end
        elif not word & 0x4000 or rel not in slots or slots[rel].acked:
            raise Corrupt(f"no record begins with {word:#06x}")
        else:
            old = slots[rel]
            slots[rel] = old._replace(delivered=True, acked=old.delivered)
    return slots


def combine(filed: dict[int, Slot], pending: dict[int, Slot]) -> dict[int, Slot]:
    """Return the live entries of file and journal together (S91, S115)."""
    live = {rel: slot for rel, slot in filed.items() if not slot.acked}
    for rel, new in pending.items():
        if is_duplicate(new, filed.get(rel)):
            continue
        if new.pub is not None and rel not in filed:
            live[rel] = new
        elif new.acked:
            live.pop(rel, None)
        else:
            live[rel] = live[rel]._replace(delivered=True)
    return live


def is_duplicate(new: Slot, old: Slot | None) -> bool:
    """Return whether a journal's entry says nothing that the segment does not know (the table of S115)."""
    marks = (new.delivered, new.acked)
    if old is None:
        if new.pub is None and not new.acked:
            raise Corrupt("the journal delivers what no segment holds")
        return new.pub is None
    if new.pub is not None:
        if new.pub != old.pub or old.acked or (old.delivered and not new.delivered):
            raise Corrupt("the journal publishes again what the segment knows better")
        return new.delivered == old.delivered
    if old.acked:
        if not new.acked:
            raise Corrupt("the journal delivers what the segment has acked")
        return True
    if marks == (False, True) and not old.delivered:
        raise Corrupt("the journal acks what was never delivered")
    return marks == (True, False) and old.delivered
