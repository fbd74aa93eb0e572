"""The index again, one message at a time, on plain bytes: written from the specification for comparison only."""

from __future__ import annotations

import struct
from collections.abc import Callable

from engine.formats.message import MessageCodec
from engine.values.extents import Extent

Slot = list[object]
"""[publish bytes after the first word and whether persistent, or None; delivered; acked]"""
Pub = tuple[bool, bytes]


class NaiveIndex:
    """S70-S94 and S110-S115, message by message.

    Args:
        size: entries per segment.
        max_journal: S79.
        codec: terms and ids.
    """

    def __init__(self, size: int, max_journal: int, codec: MessageCodec) -> None:
        self.size = size
        self.max_journal = max_journal
        self.codec = codec
        self.files: dict[int, bytes] = {}
        self.journal: bytes | None = None
        self.confirmed: list[tuple[str, list[int]]] = []
        self.die()

    def die(self) -> None:
        """Lose everything but the files."""
        self.map: dict[int, dict[int, Slot]] = {}
        self.unacked: dict[int, int] = {}
        self.buffer = b""
        self.is_open = False
        self.dirty = 0
        self.cache: list[bytes] = []
        self.delivers: list[int] = []
        self.waiting: dict[str, list[int]] = {"index": [], "both": []}

    def open(self) -> None:
        self.is_open = True
        if self.journal is None:
            self.journal = b""

    # --- S71 ---

    def slot(self, seq_id: int) -> Slot:
        segment = seq_id // self.size
        self.unacked.setdefault(segment, 0)
        return self.map.setdefault(segment, {}).setdefault(seq_id % self.size, [None, False, False])

    def act(self, seq_id: int, action: str, pub: Pub | None = None) -> None:
        slot = self.slot(seq_id)
        segment = seq_id // self.size
        if action == "publish":
            assert slot == [None, False, False]
            slot[0] = pub
            self.unacked[segment] += 1
        elif action == "deliver":
            assert slot[1:] == [False, False]
            slot[1] = True
        else:
            assert not slot[2]
            assert slot[1] or slot[0] is None
            self.unacked[segment] -= 1
            if slot[0] is not None:
                del self.map[segment][seq_id % self.size]
            else:
                slot[2] = True
        self.dirty += 1

    # --- S74-S80 ---

    def pub(self, one: Extent) -> Pub:
        term = b""
        if not one.home_store:
            table = self.codec.terms(one.msg_no, 1, one.template, one.size_bytes, one.raw_persistent)
            term = table.tobytes()
        fixed = struct.pack(">QII", one.expiry_us, one.size_bytes, len(term))
        return one.persistent, self.codec.id_bytes(one.msg_no) + fixed + term

    def publish(self, one: Extent, hint: int | None) -> None:
        pub = self.pub(one)
        self.open()
        self.wait(one)
        self.buffer += self.journal_publish(one.start, pub)
        self.act(one.start, "publish", pub)
        self.maybe_flush(hint)
        self.mark("deliver", [one.start])

    def journal_publish(self, seq_id: int, pub: Pub) -> bytes:
        return struct.pack(">Q", (0 if pub[0] else 1 << 62) | seq_id) + pub[1]

    def wait(self, one: Extent) -> None:
        if one.wants_confirm:
            self.waiting["index" if one.home_store else "both"].append(one.msg_no)

    def mark(self, action: str, seq_ids: list[int]) -> None:
        if seq_ids:
            self.open()
            for seq_id in seq_ids:
                self.buffer += struct.pack(">Q", (2 if action == "deliver" else 3) << 62 | seq_id)
                self.act(seq_id, action)
            self.maybe_flush(None)

    def pre_publish(self, one: Extent, hint: int | None) -> None:
        pub = self.pub(one)
        self.wait(one)
        self.cache.append(self.journal_publish(one.start, pub))
        self.delivers.append(one.start)
        self.act(one.start, "publish", pub)
        if len(self.cache) >= self.size:
            self.flush_cache(hint)

    def flush_cache(self, hint: int | None) -> None:
        if self.cache:
            self.open()
            self.buffer += b"".join(self.cache)
            self.cache = []
        delivers, self.delivers = self.delivers, []
        self.mark("deliver", delivers)
        self.maybe_flush(hint)

    def maybe_flush(self, hint: int | None) -> None:
        if self.dirty > self.max_journal or (hint is not None and self.dirty > hint):
            self.flush_journal()

    def flush_segments(self) -> None:
        for segment in sorted(self.unacked):
            slots = self.map.get(segment, {})
            if self.unacked[segment] == 0:
                self.files.pop(segment, None)
                self.map.pop(segment, None)
                del self.unacked[segment]
            elif slots:
                written = b""
                for rel in sorted(slots, reverse=True):
                    pub, delivered, acked = slots[rel]
                    if pub is not None:
                        assert isinstance(pub, tuple)
                        written += struct.pack(">H", (0xC000 if pub[0] else 0x8000) | rel) + pub[1]
                    written += struct.pack(">H", 0x4000 | rel) * (bool(delivered) + bool(acked))
                self.files[segment] = self.files.get(segment, b"") + written
                self.map[segment] = {}

    def flush_journal(self) -> None:
        self.flush_segments()
        self.open()
        self.journal = self.buffer = b""
        self.dirty = 0
        self.notify()

    def flush(self) -> None:
        if self.dirty:
            self.flush_journal()

    def sync(self) -> None:
        if self.is_open:
            self.journal = (self.journal or b"") + self.buffer
            self.buffer = b""
            self.notify()

    def notify(self) -> None:
        for kind in ("index", "both"):
            if self.waiting[kind]:
                self.confirmed.append((kind, sorted(self.waiting[kind])))
                self.waiting[kind] = []

    # --- S86, S90, S91 ---

    def load(self, segment: int) -> dict[int, Slot]:
        """Parse a file, acked entries kept."""
        slots: dict[int, Slot] = {}
        data = self.files.get(segment, b"")
        at = 0
        while at < len(data):
            (head,) = struct.unpack_from(">H", data, at)
            rel = head & 0x3FFF
            at += 2
            if head & 0x8000:
                end = at + 32 + int.from_bytes(data[at + 28 : at + 32], "big")
                slots[rel] = [(bool(head & 0x4000), data[at:end]), False, False]
                at = end
            elif not slots[rel][1]:
                slots[rel][1] = True
            else:
                assert not slots[rel][2]
                slots[rel][2] = True
        return slots

    def live(self, segment: int) -> dict[int, Slot]:
        """Combine file and pending entries (S91)."""
        slots = {rel: list(slot) for rel, slot in self.load(segment).items() if not slot[2]}
        for rel, (pub, delivered, acked) in self.map.get(segment, {}).items():
            old = slots.get(rel)
            if old is None:
                assert pub is not None
                slots[rel] = [pub, delivered, acked]
            else:
                assert pub is None
                assert bool(delivered) != bool(old[1])
                old[1] = True
                if acked:
                    del slots[rel]
        return slots

    def read(self, start: int, end: int) -> list[int]:
        """Return the live seq_ids of [start, end)."""
        found: list[int] = []
        for segment in range(start // self.size, (end - 1) // self.size + 1):
            found += [segment * self.size + rel for rel in sorted(self.live(segment))]
            self.unacked.setdefault(segment, 0)
        return [seq_id for seq_id in found if start <= seq_id < end]

    def reset(self) -> None:
        self.die()
        self.files = {}
        self.journal = None

    # --- S94, S110-S115 ---

    def terminate(self) -> list[tuple[int, int]]:
        if self.is_open:
            self.journal = (self.journal or b"") + self.buffer
        terms = sorted(self.unacked.items())
        self.die()
        return terms

    def kill_in_flush(self) -> None:
        if self.is_open:
            self.journal = (self.journal or b"") + self.buffer
        if self.dirty:
            self.flush_segments()
        self.die()

    def replay(self) -> None:
        data = self.journal
        if data is None:
            return
        self.is_open = True
        at = 0
        while at < len(data):
            (word,) = struct.unpack_from(">Q", data, at)
            at += 8
            seq_id = word & ((1 << 62) - 1)
            if word >> 62 < 2:
                end = at + 32 + int.from_bytes(data[at + 28 : at + 32], "big")
                self.act(seq_id, "publish", (word >> 62 == 0, data[at:end]))
                at = end
            else:
                self.act(seq_id, "deliver" if word >> 62 == 2 else "ack")

    def recover_clean(self, terms: list[tuple[int, int]]) -> None:
        self.replay()
        self.unacked.update(terms)

    def recover_dirty(self, contains: Callable[[int], bool], clean_queue: bool) -> tuple[int, int]:
        self.replay()
        size_bytes = 0
        for segment in sorted({*self.unacked, *self.files}):
            filed = self.load(segment)
            if segment in self.unacked:
                pending = self.map.setdefault(segment, {})
                for rel in list(pending):
                    old = filed.get(rel)
                    result = without_duplicate(pending[rel], old)
                    if result is None:
                        del pending[rel]
                    else:
                        pending[rel] = result
            live = self.live(segment)
            self.unacked[segment] = len(live)
            for rel, (pub, delivered, _) in sorted(live.items()):
                assert isinstance(pub, tuple)
                persistent, body = pub
                size_bytes += int.from_bytes(body[24:28], "big") * persistent
                embedded = len(body) > 32
                present = body.endswith(b"true") if embedded else contains(int.from_bytes(body[8:16], "big"))
                seq_id = segment * self.size + rel
                if not delivered and not (present and clean_queue):
                    self.act(seq_id, "deliver")
                if not present:
                    self.act(seq_id, "ack")
        count = sum(self.unacked.values())
        self.flush_journal()
        return count, size_bytes


def without_duplicate(new: Slot, old: Slot | None) -> Slot | None:
    """Return what stays of a pending entry (S115)."""
    pub, delivered, acked = new
    if old is None:
        assert pub is not None or acked
        return new if pub is not None else None
    if pub is not None:
        assert pub == old[0]
        assert not old[2]
        assert delivered or not old[1]
        return None if delivered == old[1] else [None, True, False]
    if old[2] or not acked:
        assert not old[2] or acked
        return None if old[1] else new
    assert delivered or old[1]
    return [None, not old[1], True]
