"""A queue's directory: slots of `.qi`, bodies of `.qs`, and the messages that they describe together."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from engine.classic_v2.formats.layout import body_place, entry_layout, header_layout, slot_layout
from engine.classic_v2.formats.mc import BASIC_MESSAGE, MessageContainer, container_body, parse_container
from engine.classic_v2.formats.qi import (
    HEADER_BYTES,
    INDEX_MAGIC,
    NEEDED_BYTES,
    SLOT_BYTES,
    STORE_MAGIC,
    BlankBytes,
    BodyLocation,
    IndexSlots,
    decode_index,
    read_header,
)
from engine.classic_v2.formats.qs import ENTRY, ENTRY_HEADER_BYTES
from engine.classic_v2.formats.rdq import scan
from engine.damage import (
    SIZE_BYTES,
    InspectedQueue,
    QueueReader,
    StoredMessage,
    StoreFiles,
    content,
    described,
    numbered,
)
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.layout import FileLayout, FileReader, FoundBytes, IndexHome, NoRecord, Read
from engine.formats.properties import parse_message
from engine.formats.store_records import ID_BYTES, MARKER
from engine.formats.terms import TermError
from engine.storage.directory import DirectoryStorage
from engine.values.chunks import RawBytes
from engine.values.marks import override
from engine.values.sizes import equal

LIVE: Final = 1
MARKED: Final = 0
"""First byte of a slot that recovery marked as acknowledged; what is behind it stays (W84)."""


class QueueSigns:
    """What stored messages show of the release that wrote them."""

    def __init__(self) -> None:
        self.containers = self.older = 0
        """Messages as 4.x stores them, and as earlier releases do."""
        self.mark_second: bool | None = None
        """Whether `d` stands right behind `id` in a transient message, as on 4.0.5; on 4.3.6 `x` does (W211)."""

    def note(self, found: KeptMessage) -> None:
        if found.container is None:
            self.older += 1
            return
        self.containers += 1
        names = list(found.container.annotations)
        if "d" in names and "x" in names:
            self.mark_second = names.index("d") < names.index("x")


class FoundSlot(msgspec.Struct, gc=False):
    """One live message, as its slot describes it.

    Args:
        slots: the slots that were read together.
        at: its place among them.
        entry: where its entry is in `.qs`; None where its body is in a shared store.
        id16: its id; None where the entry cannot be read.
        body: of an entry that can be read, where it is kept.
        found_bytes: length of that body.
    """

    slots: IndexSlots
    at: int
    entry: int | None
    id16: bytes | None
    body: dict[str, Any] | None = None
    found_bytes: int | None = None
    acked: bool = False

    @property
    def expiry_us(self) -> int:
        """Microseconds since 1970 at which it expires, 0 for never."""
        return self.slots.expiry_us

    @property
    def size_bytes(self) -> int:
        return equal(self.slots.body_bytes)

    @property
    def embedded(self) -> bool:
        """Whether its body lies with the queue."""
        return self.entry is not None

    @property
    def msg_no(self) -> int:
        """Its number; only of a body in a shared store."""
        return self.slots.msg_no + self.at

    @property
    def persistent(self) -> bool:
        """Whether a start brings it back."""
        return self.slots.persistent

    @property
    def is_owed(self) -> bool:
        """Whether a start needs its record in the persistent store."""
        return self.slots.persistent and not self.embedded


class V2QueueInspector(QueueReader):
    """Reads one queue's directory. `signs`: learns which release wrote the messages."""

    extension = "qi"

    def __init__(self, host: InspectedQueue, directory: str, signs: QueueSigns) -> None:
        super().__init__(host, directory)
        self.messages: dict[int, FoundSlot] = {}
        self.entry_count: int | None = None
        """Slots of a segment, as the header of a file says; the broker keeps it nowhere else (W3)."""
        self.signs = signs

    @override
    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names that a queue of version 1 has, with `bodies` besides."""
        names = self._storage.list(self._directory)
        name = self._name()
        bodies = dict(numbered(names, "qs"))
        self.segments = {number for number, _name in numbered(names, "qi")}
        segments = [self._segment(number, name, bodies.get(number)) for number, name in numbered(names, "qi")]
        lasting = [each for each in self.messages.values() if each.slots.persistent]
        return {
            "name": name,
            "dir": self._directory,
            "version": 2,
            "live_messages": len(self.messages),
            "lasting_messages": len(lasting),
            "journal": None,
            "segments": segments,
            "segment_entry_count": self.entry_count,
            "bodies": [
                {"file": name, "size": self._storage.size(self._path(name))} for name in bodies.values()
            ],
            "messages_sha256": self._digest(),
            "messages": self._listed(),
        }

    # --- segments ---
    def _segment(self, number: int, name: str, beside: str | None) -> dict[str, Any]:
        path = self._path(name)
        data = content(self._storage, path, self._findings) or b""
        found: dict[str, Any] = {
            "file": name,
            "size": self._storage.size(path),
            "records": 0,
            "publishes": 0,
            "del_or_ack": 0,
            "live": 0,
            "empty": 0,
        }
        self.live[number] = 0
        header = read_header(data, INDEX_MAGIC)
        if header is None or len(data) < HEADER_BYTES:
            kind = "truncated" if len(data) < HEADER_BYTES else "garbage"
            self._findings.add(path, 0, kind, "index_header", size=len(data))
            return found
        if header.end <= header.first:
            self._findings.add(path, 5, "garbage", "index_range", first=header.first, end=header.end)
            return found
        self.entry_count = header.end - header.first
        store = self._bodies(number, beside)
        at, offset = header.first, HEADER_BYTES
        for chunk in decode_index(data, self._codec)[1:]:
            if isinstance(chunk, IndexSlots):
                self._live(number, at, chunk, beside, store)
                found["live"] += chunk.count
            elif isinstance(chunk, RawBytes):
                self._odd(path, offset, chunk.data)
            elif isinstance(chunk, BlankBytes):
                found["empty"] += chunk.size_bytes // SLOT_BYTES
            at += chunk.size_bytes // SLOT_BYTES
            offset += chunk.size_bytes
        if at > header.end:
            self._findings.add(
                path, HEADER_BYTES, "contradiction", "slots_beyond", count=at - header.end, end=header.end
            )
        self.live[number] = found["publishes"] = found["records"] = found["live"]
        return found

    def _bodies(self, number: int, name: str | None) -> bytes | None:
        """Return the content of a segment's `.qs` file; None where there is none that a broker reads."""
        if name is None:
            return None
        path = self._path(name)
        data = content(self._storage, path, self._findings)
        if data is None:
            return None
        if len(data) < NEEDED_BYTES:
            self._findings.add(path, 0, "truncated", "body_header", size=len(data))
            return None
        if read_header(data, STORE_MAGIC) is None:
            self._findings.add(path, 0, "garbage", "body_magic")
            return None
        return data

    def _live(self, number: int, at: int, slots: IndexSlots, beside: str | None, store: bytes | None) -> None:
        """Note live slots, and look each small body up in its `.qs` file (W117, W120)."""
        if slots.location is not BodyLocation.QUEUE:
            for skip in range(slots.count):
                no = slots.msg_no + skip
                self.messages[at + skip] = FoundSlot(slots, skip, None, self._codec.id_bytes(no))
            return
        if store is None:
            path = self._path(beside or f"{number}.qs")
            if beside is None:
                self._findings.add(path, None, "missing", "bodies_missing", count=slots.count, first=at)
            for skip in range(slots.count):
                self.messages[at + skip] = FoundSlot(slots, skip, slots.offset_of(skip), None)
            return
        for skip in range(slots.count):
            entry, size = slots.offset_of(skip), equal(slots.term_bytes)
            id16, body = self._body(self._path(beside or ""), store, entry, size, at + skip)
            found_bytes = None if body is None else body["body_length"]
            kept = None if self._options.heads else body
            self.messages[at + skip] = FoundSlot(slots, skip, entry, id16, kept, found_bytes)

    def _body(
        self, path: str, store: bytes, entry: int, term_bytes: int, seq: int
    ) -> tuple[bytes | None, dict[str, Any] | None]:
        try:
            found = content_of(entry_term(store, entry, term_bytes))
            if found is None:
                raise _Broken("body_without_message", entry)
        except _Broken as broken:
            self._note_broken(path, min(entry, len(store)), seq, broken)
            return None, None
        self.signs.note(found)
        return found.id16, found.body

    def _note_broken(self, path: str, offset: int, seq: int, broken: _Broken) -> None:
        at, found, wanted = broken.at, broken.found, broken.wanted
        if broken.code == "body_cut_off":
            self._findings.add(
                path, offset, "truncated", "body_cut_off", seq=seq, at=at, left=found, wanted=wanted
            )
        elif broken.code == "body_of_other_size":
            self._findings.add(
                path, offset, "garbage", "body_of_other_size", seq=seq, at=at, found=found, wanted=wanted
            )
        elif broken.code == "body_checksum":
            self._findings.add(path, offset, "garbage", "body_checksum", seq=seq, at=at)
        else:
            self._findings.add(path, offset, "garbage", "body_without_message", seq=seq, at=at)

    def _odd(self, path: str, offset: int, data: bytes) -> None:
        """Note slots that are neither live nor empty; those that recovery marked are as they should be (W97)."""
        for skip in range(0, len(data), SLOT_BYTES):
            slot = data[skip : skip + SLOT_BYTES]
            if slot[0] == MARKED and len(slot) == SLOT_BYTES:
                continue
            at = offset + skip
            if len(slot) < SLOT_BYTES:
                self._findings.add(path, at, "truncated", "slot_cut_off", count=len(slot), at=at)
            elif slot[0] != LIVE:
                self._findings.add(path, at, "garbage", "slot_status", at=at, found=slot[0])
            else:
                self._findings.add(path, at, "garbage", "slot_fields", at=at)

    # --- messages ---
    @override
    def body_bytes(self, seq: int) -> int | None:
        found = self.messages[seq]
        is_own = found.id16 is None or found.id16.startswith(self._codec.id_prefix)
        return None if is_own else found.found_bytes

    @override
    def content(self, seq: int) -> bytes | None:
        found = self.messages[seq]
        path = self._path(f"{seq // (self.entry_count or 1)}.qs")
        size = equal(found.slots.term_bytes)
        if found.entry is None or self._storage.size(path) is None:
            return None
        data = self._storage.read_bytes(path, found.entry, ENTRY_HEADER_BYTES + size)
        try:
            return entry_term(data, 0, size)
        except _Broken:
            return None

    @override
    def _digested(self, seq: int, found: FoundSlot) -> tuple[object, ...]:
        slots = found.slots
        known = found.id16.hex() if found.id16 is not None else "-"
        return seq, int(slots.persistent), known, slots.body_bytes, slots.expiry_us, int(found.embedded)

    @override
    def _described(self, seq: int, found: FoundSlot) -> dict[str, Any]:
        slots = found.slots
        row: dict[str, Any] = {
            "seq": seq,
            "persistent": slots.persistent,
            "msg_id": found.id16.hex() if found.id16 is not None else "",
            "size": slots.body_bytes,
            "expiry_us": slots.expiry_us or None,
            "embedded_bytes": slots.term_bytes if found.embedded else 0,
            "delivered": False,
            "acked": False,
        }
        if found.embedded:
            row["body"] = found.body
        return row


class _Broken(Exception):
    """An entry of `.qs` that a broker does not take: why, where, and the bytes that are there and should be."""

    def __init__(self, code: str, at: int, found: int = 0, wanted: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.at = at
        self.found = found
        self.wanted = wanted


def entry_term(data: bytes, at: int, term_bytes: int) -> bytes:
    """Return the message of one entry of `.qs`, checked as a broker does (W117, W120). Raises _Broken: a
    broker does not take it.
    """
    end = at + ENTRY_HEADER_BYTES + term_bytes
    if end > len(data):
        raise _Broken("body_cut_off", at, max(0, len(data) - at), term_bytes)
    size, flags, checksum, _ = ENTRY.unpack_from(data, at)
    if size != term_bytes:
        raise _Broken("body_of_other_size", at, size, term_bytes)
    term = data[at + ENTRY_HEADER_BYTES : end]
    if flags & 1 and zlib.crc32(term) & 0xFFFF != checksum:
        raise _Broken("body_checksum", at)
    return term


class KeptMessage(NamedTuple):
    """A stored message. `id16`: its id. `body`: as a report describes it. `container`: its parts, where 4.x
    stored it.
    """

    id16: bytes
    body: dict[str, Any]
    container: MessageContainer | None = None


def content_of(term: bytes) -> KeptMessage | None:
    """Read the message in a stored term, of 4.x (W160) or of an older release (S50); None when it is none."""
    try:
        if term.startswith(BASIC_MESSAGE):
            message = parse_message(term)
            return KeptMessage(message.id16, described(message))
        found = parse_container(term)
    except TermError:
        return None
    body = {
        "exchange": found.exchange.decode("utf-8", "replace"),
        "routing_keys": [key.decode("utf-8", "replace") for key in found.routing_keys],
        "properties_hex": found.properties.hex(),
        "is_persistent": found.persistent,
        "body_length": found.body_bytes,
    }
    return KeptMessage(found.id16, body, found)


MOST_FILE_BYTES: Final = 1 << 40
"""Bytes that would make a record this large are no record."""


class V2StoreInspector(StoreFiles):
    """Reads one store's directory. `host`: the virtual host. `directory`: path of the store's directory in
    it, "" for the root. `signs`: learns which release wrote the messages.
    """

    def __init__(self, host: InspectedQueue, directory: str, signs: QueueSigns) -> None:
        super().__init__(host, directory)
        self.signs = signs

    @override
    def _file(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = self._data(path)
        listed: list[dict[str, Any]] = []
        entries = end = 0
        for offset, total, id16 in scan(data, _any_record, stops_early=False):
            self._skipped(path, data, end, offset)
            end = offset + total
            entries += 1
            number = self._codec.msg_no_of(id16)
            self.message_numbers.add(number)
            self.runs.append((number, 1, total))
            is_read = entries == 1 or not self._options.heads  # one shows the release
            found = self._message(path, data, offset, total, id16) if is_read else None
            if entries <= self._options.list_most:
                listed.append(
                    {
                        "offset": offset,
                        "total_size": total,
                        "msg_id": id16.hex(),
                        "marker": MARKER,
                        "body": found and found.body,
                    }
                )
        self._skipped(path, data, end, len(data))
        report: dict[str, Any] = {"file": name, "size": self._storage.size(path), "entries": entries}
        if entries <= self._options.list_most:
            report["list"] = listed
        return report

    def _message(self, path: str, data: bytes, offset: int, total: int, id16: bytes) -> KeptMessage | None:
        """Read the message of a record, and note one that cannot be read, or is another than the record names."""
        found = content_of(data[offset + 24 : offset + total - 1])
        if found is None:
            self._findings.add(path, offset, "garbage", "record_without_message", at=offset)
            return None
        if found.id16 != id16:
            self._findings.add(path, offset, "garbage", "record_of_another_message", at=offset)
        else:
            self.body_bytes[self._codec.msg_no_of(id16)] = found.body["body_length"]
        self.signs.note(found)
        return found

    def _skipped(self, path: str, data: bytes, begin: int, end: int) -> None:
        """Note what should be a record and is none; other gaps are what a compaction leaves (W142, W143)."""
        if end - begin < SIZE_BYTES:
            if any(data[begin:end]):
                count = end - begin
                self._findings.add(path, begin, "truncated", "size_field_cut_off", count=count, at=begin)
            return
        size = int.from_bytes(data[begin : begin + SIZE_BYTES], "big")
        if size < ID_BYTES:
            return
        total = size + 9
        if begin + total > len(data):
            left = len(data) - begin
            if size < MOST_FILE_BYTES:
                self._findings.add(
                    path, begin, "truncated", "store_record_cut_off", at=begin, size=total, left=left
                )
            else:
                self._findings.add(path, begin, "garbage", "no_record", at=begin, count=end - begin)
        elif data[begin + total - 1] != MARKER:
            found = data[begin + total - 1]
            self._findings.add(
                path, begin, "wrong marker", "wrong_marker", at=begin, found=found, wanted=MARKER
            )


def _any_record(_id16: bytes, _total: int, _offset: int) -> bool:
    return True


BOUNDARY: Final = b"\x83h\x04w\x02mc"
"""How a stored message of 4.x begins (W160)."""
HEAD_BYTES: Final = 64
WINDOW_BYTES: Final = 1 << 20


class V2HostReader:
    """Reads the directories of version 2."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host
        self._signs = QueueSigns()
        self._queues = 0

    def has_queue(self, directory: str) -> bool:
        """Return whether a queue's directory has files of version 2, or says so in `.queue_name` (W80)."""
        storage = self._host.storage
        names = storage.list(directory)
        if numbered(names, "qi") or numbered(names, "qs"):
            return True
        path = f"{directory}/.queue_name" if directory else ".queue_name"
        size = storage.size(path) if ".queue_name" in names else None
        return bool(size) and storage.read_bytes(path, 0, size or 0).endswith(b"INDEX: v2\n")

    def has_store(self, directory: str) -> bool:
        """Return whether the first record of some store file holds a message as 4.x stores it (W160)."""
        storage = self._host.storage
        return any(
            _head(storage, f"{directory}/{name}" if directory else name).find(BOUNDARY) >= 0
            for _number, name in numbered(storage.list(directory), "rdq")
        )

    def queue(self, directory: str) -> V2QueueInspector:
        self._queues += 1
        if numbered(self._host.storage.list(directory), "idx"):
            self._host.findings.add(directory or ".", None, "contradiction", "versions_mixed")
        return V2QueueInspector(self._host, directory, self._signs)

    def store(self, directory: str) -> V2StoreInspector:
        return V2StoreInspector(self._host, directory, self._signs)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term of 4.x, None if it is none (W160)."""
        try:
            found, body = parse_container(term), container_body(term)
        except TermError:
            return None
        keys = found.routing_keys
        return StoredMessage(found.id16, found.exchange, keys, found.properties, None, found.persistent, body)

    def release(self, terms: Collection[RecoveryTerms]) -> str | None:
        """Return the series of a 4.x, by what queues saved, and otherwise by the order of annotations (W211)."""
        if not (self._signs.containers or (self._queues and not self._signs.older)):
            return None
        saved = {each.delivered_by for each in terms if each.version == 2}
        if saved:
            return "4.3" if "redeliver_seq_id" in saved else "4.0"
        if self._signs.mark_second is None:
            return self._host.options.series
        return "4.0" if self._signs.mark_second else "4.3"


def _head(storage: DirectoryStorage, path: str) -> bytes:
    """Return some bytes of a file from the first one on that is not zero: a compaction leaves gaps (W142)."""
    size = storage.size(path) or 0
    for at in range(0, size, WINDOW_BYTES):
        held = storage.read_bytes(path, at, min(WINDOW_BYTES + HEAD_BYTES, size - at)).lstrip(b"\0")
        if held:
            return held[:HEAD_BYTES]
    return b""


BLOCK_SLOTS: Final = 8192


class V2FileReader(FileReader):
    """See `FileReader`."""

    names = {"slots": "{}.qi", "bodies": "{}.qs"}
    counts_from_file = frozenset()

    @override
    def reads(self, name: str) -> bool:
        return name.endswith((".qi", ".qs"))

    @override
    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        """Return the slot or the entry at an offset of a file; at 0 its header."""
        if offset == 0:
            return header_layout(read(0, HEADER_BYTES))
        if name.endswith(".qi"):
            rel, inside = divmod(offset - HEADER_BYTES, SLOT_BYTES)
            if rel < 0 or inside:
                raise NoRecord("no slot begins there (W81)")
            return slot_layout(read(offset, SLOT_BYTES), rel)
        size = int.from_bytes(read(offset, 4), "big")
        return entry_layout(read(offset, ENTRY_HEADER_BYTES + size))

    @override
    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        raise NoRecord(f"{name} has slots or entries, which are not listed")

    @override
    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        """Return the slot; the files say how many a segment has, as the release does not let it change (W3)."""
        for path in sizes:
            header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC) if path.endswith(".qi") else None
            if header is None or header.end <= header.first:
                continue
            segment, rel = divmod(seq, header.end - header.first)
            wanted = f"{path.rpartition('/')[0]}/{segment}.qi"
            if wanted not in sizes:
                return None
            offset = HEADER_BYTES + rel * SLOT_BYTES
            return (
                None
                if _is_empty(read(wanted), offset, rel)
                else IndexHome(wanted, "slots", segment, offset, SLOT_BYTES)
            )
        return None

    @override
    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return the seq_id, and the place in `.qs` that the slot names, as a question for the entry there."""
        place = body_place(read(home.path)(home.offset, SLOT_BYTES))
        body = None if place is None else {"file": f"bodies:{home.number}", "offset": place[0]}
        return {"seq": seq, "body": body}

    @override
    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        """Return the seq_id of the live slot that names a body of the shared store."""
        for path, size in sizes.items():
            header = read_header(read(path)(0, HEADER_BYTES), INDEX_MAGIC) if path.endswith(".qi") else None
            if header is None:
                continue
            for at in range(HEADER_BYTES, size, BLOCK_SLOTS * SLOT_BYTES):
                rel = _slot_with_id(read(path)(at, BLOCK_SLOTS * SLOT_BYTES), msg_id)
                if rel is not None:
                    return header.first + (at - HEADER_BYTES) // SLOT_BYTES + rel
        return None


def _is_empty(read: Read, offset: int, rel: int) -> bool:
    """Return whether a slot has no message, and never had one; one that is not whole is for the reader to refuse."""
    try:
        shape = slot_layout(read(offset, SLOT_BYTES), rel)
    except NoRecord:
        return False
    return shape.kind == "empty" and len(shape.fields) == 1


def _slot_with_id(data: bytes, msg_id: bytes) -> int | None:
    """Return the number of the slot in some slots that names an id."""
    at = data.find(msg_id)
    while at >= 0:
        rel, inside = divmod(at, SLOT_BYTES)
        if inside == 4 and data[at - 4] == 1 and data[at - 1] == BodyLocation.SHARED:
            return rel
        at = data.find(msg_id, at + 1)
    return None
