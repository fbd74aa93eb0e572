"""A queue's directory: journal, segments, and the messages that they describe together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.classic_v1.formats.journal import (
    ENDING_ZEROS,
    MARK_BYTES,
    RECORDS,
    JournalMarks,
    JournalRecords,
    scan_journal,
)
from engine.classic_v1.formats.layout import find_id, find_seq, record_at, records
from engine.classic_v1.formats.publishing import PublishRecord, embedded_bytes
from engine.classic_v1.formats.record import RecordHead, scan_store
from engine.classic_v1.formats.segment import SegmentRecords, scan_segment
from engine.classic_v1.index.actions import IndexConfirms
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.index.segments import MORE_THAN_DELTA
from engine.classic_v1.settings import QueueSettings
from engine.damage import (
    DamageFindings,
    InspectedQueue,
    QueueReader,
    StoredMessage,
    StoreFiles,
    body_of,
    content,
    numbered,
    until_damage,
)
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.layout import FileLayout, FileReader, FoundBytes, IndexHome, NoRecord, Read
from engine.formats.message import MessageCodec
from engine.formats.properties import parse_message
from engine.formats.store_records import MARKER, StoreRecords
from engine.formats.terms import TermError
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk, RawBytes, ZeroBytes
from engine.values.errors import EngineError, ProcessCrash
from engine.values.marks import ignore, override
from engine.values.sizes import equal
from engine.values.stretches import RangeSet


def crash(
    storage: Storage, directory: str, terms: RecoveryTerms, codec: MessageCodec, settings: QueueSettings
) -> ProcessCrash | None:
    """Return how the first read of delta after a clean start ends the process; None where it does not.
    `storage`, `directory`: the queue's files; they stay as they are. `terms`: what the queue left.
    `settings`: of the release that wrote them.
    """
    copy = LedgerStorage()
    for name in storage.list(directory):
        path = f"{directory}/{name}" if directory else name
        size = storage.size(path)
        if size is not None and name.endswith((".idx", ".jif")):
            copy.create(path)
            copy.append(path, [RawBytes(storage.read_bytes(path, 0, size))])
            copy.fsync(path)
    index = QueueIndex(
        queue=directory,
        directory=directory,
        storage=copy,
        codec=codec,
        settings=settings,
        emit=ignore,
        confirms=IndexConfirms(ignore, ignore),
    )
    try:
        index.recover(terms.segments, True, lambda _numbers: RangeSet())
        _read_delta(index, terms.persistent_count, settings)
    except ProcessCrash as found:
        return found
    except EngineError:
        return None  # damage, which the report names
    return None


def _read_delta(index: QueueIndex, claimed: int, settings: QueueSettings) -> None:
    """Read the index up to the first messages that stay, as `load_delta` does (Q34)."""
    low, high = index.bounds()
    known = sorted(index.segments.unacked.keys() | index.segments.file_bytes.keys())
    for segment in known:  # between them there is nothing, however far apart they are
        start, end = max(low, segment * index.size), min(high, (segment + 1) * index.size)
        while start < end:
            stop = min(start + settings.delta_read_cap, end)
            kept = sum(each.count for each in index.read(start, stop) if each.persistent)
            if kept > claimed:
                raise ProcessCrash(index.queue, MORE_THAN_DELTA, str(claimed - kept), "case_clause")
            if kept:
                return
            start = stop


KINDS: Final = {"publish": "pub", "deliver": "del", "ack": "ack"}
"""What a listing calls a record of the journal."""


class FoundMessage(msgspec.Struct, gc=False):
    """One message of a queue, as its index files describe it.

    Args:
        first: the publish record of the run in which it was read.
        at: its place in the run.
        term: the embedded term of another node's message.
        embedded_bytes: length of the embedded term, 0 when the message is in a store.
        body_bytes: of a body whose term is not kept.
        delivered: a deliver record follows.
        acked: an ack record follows.
    """

    first: PublishRecord
    at: int
    term: bytes | None
    embedded_bytes: int
    delivered: bool = False
    acked: bool = False
    body_bytes: int | None = None

    @property
    def publish(self) -> PublishRecord:
        return self.first.later(self.at)

    @property
    def msg_no(self) -> int:
        return self.first.msg_no + self.at

    @property
    def expiry_us(self) -> int:
        """Microseconds since 1970 at which it expires, 0 for never."""
        return self.first.expiry_us

    @property
    def size_bytes(self) -> int:
        return equal(self.first.size_bytes)

    @property
    def embedded(self) -> bool:
        return self.first.embedded

    @property
    def persistent(self) -> bool:
        return self.first.persistent and not self.acked

    @property
    def is_owed(self) -> bool:
        """Whether a start needs its record in the persistent store."""
        return self.first.persistent and not self.first.embedded and not self.acked


class QueueOddities:
    """Entries of one file that contradict others: how many, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self.first = 0
        self.offset = 0

    def add(self, offset: int, seq: int, count: int = 1) -> None:
        if count and not self.count:
            self.offset, self.first = offset, seq
        self.count += count


class QueueInspector(QueueReader):
    """Reads one queue's directory."""

    extension = "idx"

    def __init__(self, host: InspectedQueue, directory: str) -> None:
        super().__init__(host, directory)
        self.messages: dict[int, FoundMessage] = {}
        self._entry_count = host.entry_count
        self._again = QueueOddities()
        self._strays = QueueOddities()
        self._terms: tuple[int, dict[int, bytes]] = (-1, {})
        """A segment, and the embedded terms of its messages, where they are not kept."""

    @override
    def crash_at_start(self, terms: RecoveryTerms, settings: object) -> ProcessCrash | None:
        """Return how the first read of delta ends the process: a 3.8 may have left a journal that is too old (V8)."""
        assert isinstance(settings, QueueSettings)
        return crash(self._storage, self._directory, terms, self._codec, settings)

    @override
    def report(self) -> dict[str, Any]:
        names = self._storage.list(self._directory)
        name = self._name()
        self.segments = {number for number, _name in numbered(names, "idx")}
        segments = [self._segment(number, name) for number, name in numbered(names, "idx")]
        journal = self._journal() if "journal.jif" in names else None
        if journal is None and segments:
            self._findings.add(self._path("journal.jif"), None, "missing", "no_journal")
        live = [message for message in self.messages.values() if not message.acked]
        count = self._entry_count
        self.live = Counter(seq // count for seq, message in self.messages.items() if not message.acked)
        return {
            "name": name,
            "dir": self._directory,
            "live_messages": len(live),
            "lasting_messages": sum(message.publish.persistent for message in live),
            "journal": journal,
            "segments": segments,
            "messages_sha256": self._digest(),
            "messages": [] if self._options.heads else self._listed(),
        }

    # --- segments ---
    def _segment(self, number: int, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = content(self._storage, path, self._findings) or b""
        found: dict[str, Any] = {
            "file": name,
            "size": self._storage.size(path),
            "records": 0,
            "publishes": 0,
            "del_or_ack": 0,
        }
        listed: list[dict[str, Any]] = []
        for offset, chunk in until_damage(
            scan_segment(data, number, self._entry_count, self._codec), path, self._findings
        ):
            if isinstance(chunk, SegmentRecords):
                found["publishes"] += chunk.count * (chunk.publish is not None)
                found["del_or_ack"] += chunk.count * chunk.marks
                found["records"] = found["publishes"] + found["del_or_ack"]
                if found["records"] <= self._options.list_most:
                    listed.extend(self._segment_records(offset, chunk))
                self._note(offset, chunk)
            elif isinstance(chunk, ZeroBytes):
                self._findings.add(path, offset, "zeros", "segment_of_zeros", count=chunk.size_bytes)
            elif isinstance(chunk, RawBytes):
                self._findings.add(path, offset, "truncated", "publish_record_cut_off", at=offset)
        self._note_oddities(path)
        if found["records"] <= self._options.list_most:
            found["list"] = listed
        return found

    def _segment_records(self, offset: int, run: SegmentRecords) -> Iterator[dict[str, Any]]:
        for at in range(run.count):
            one = run.written(at, 1)
            rel = one.start % self._entry_count
            if one.publish is not None:
                yield {"offset": offset, "kind": "pub", "rel_seq": rel, **self._published(one)}
                offset += one.size_bytes - 2 * one.marks
            for _ in range(one.marks):
                yield {"offset": offset, "kind": "del_or_ack", "rel_seq": rel}
                offset += 2

    def _published(self, one: SegmentRecords | JournalRecords) -> dict[str, Any]:
        publish = one.publish
        assert publish is not None
        found = {
            "persistent": publish.persistent,
            "msg_id": self._codec.id_bytes(publish.msg_no).hex(),
            "size": publish.size_bytes,
            "embedded_bytes": embedded_bytes(self._codec, publish, one.term),
        }
        if publish.expiry_us:
            found["expiry_us"] = publish.expiry_us
        return found

    # --- the journal ---
    def _journal(self) -> dict[str, Any]:
        path = self._path("journal.jif")
        data = content(self._storage, path, self._findings) or b""
        records = 0
        trailing = 0
        listed: list[dict[str, Any]] = []
        for offset, chunk in until_damage(scan_journal(data, self._codec), path, self._findings):
            if isinstance(chunk, JournalRecords):
                records += chunk.count * len(RECORDS[chunk.action])
                if records <= self._options.list_most:
                    listed.extend(self._journal_records(offset, chunk))
                self._note(offset, chunk)
            elif isinstance(chunk, JournalMarks):
                records += chunk.count
                if records <= self._options.list_most:
                    listed.extend(self._journal_marks(offset, chunk))
                self._note_marks(offset, chunk)
            else:
                trailing = chunk.size_bytes
                self._note_tail(path, offset, chunk)
        self._note_oddities(path)
        found: dict[str, Any] = {
            "size": self._storage.size(path),
            "records": records,
            "trailing_bytes": trailing,
        }
        if records <= self._options.list_most:
            found["list"] = listed
        return found

    def _journal_records(self, offset: int, run: JournalRecords) -> Iterator[dict[str, Any]]:
        for at in range(run.count):
            one = run.written(at, 1)
            behind = offset + one.size_bytes
            for action in RECORDS[run.action]:
                record = {"offset": offset, "kind": KINDS[action], "seq": one.start}
                yield {**record, **self._published(one)} if action == "publish" else record
                offset = behind - MARK_BYTES
            offset = behind

    def _journal_marks(self, offset: int, marks: JournalMarks) -> Iterator[dict[str, Any]]:
        for action, seq in marks.words():
            yield {"offset": offset, "kind": KINDS[action], "seq": seq}
            offset += MARK_BYTES

    def _note_tail(self, path: str, offset: int, chunk: ByteChunk) -> None:
        """Note what lies behind the last record that is replayed (S114)."""
        size = chunk.size_bytes
        if isinstance(chunk, ZeroBytes):
            self._findings.add(path, offset, "zeros", "journal_ends_in_zeros", count=size, at=offset)
            return
        assert isinstance(chunk, RawBytes)
        if chunk.data.startswith(ENDING_ZEROS):
            self._findings.add(path, offset, "garbage", "journal_goes_on_with_zeros", count=size, at=offset)
        else:
            self._findings.add(path, offset, "truncated", "journal_cut_off", count=size, at=offset)

    # --- messages ---
    def _note(self, offset: int, run: SegmentRecords | JournalRecords) -> None:
        """Apply a run to the messages known so far."""
        if run.publish is not None:
            self._note_published(offset, run, run.publish)
        marks = ("deliver",) * run.marks if isinstance(run, SegmentRecords) else RECORDS[run.action]
        delivers, acks = "deliver" in marks, "ack" in marks
        if not delivers and not acks:
            return
        strays = 0
        for seq in range(run.start, run.start + run.count):
            message = self.messages.get(seq)
            if message is None:
                strays += 1
            elif isinstance(run, SegmentRecords):
                message.acked |= run.marks + message.delivered > 1
                message.delivered = True
            else:
                message.delivered |= delivers
                message.acked |= acks
        self._strays.add(offset, run.start, strays)

    def _note_published(
        self, offset: int, run: SegmentRecords | JournalRecords, publish: PublishRecord
    ) -> None:
        length = embedded_bytes(self._codec, publish, run.term)
        assert isinstance(length, int), "a reader of another's files has no columns"
        term, body_bytes = run.term, None
        if term is not None and self._options.heads:
            body_bytes = self._codec.read_term(term).size_bytes
            term = None
        for at in range(run.count):
            known = self.messages.get(run.start + at)
            if known is None:
                self.messages[run.start + at] = FoundMessage(publish, at, term, length, body_bytes=body_bytes)
            elif isinstance(run, SegmentRecords) or known.publish != publish.later(at):
                self._again.add(offset, run.start)

    def _note_marks(self, offset: int, marks: JournalMarks) -> None:
        """Apply scattered marks to the messages known so far."""
        for action, seq in marks.words():
            message = self.messages.get(seq)
            if message is None:
                self._strays.add(offset, seq)
            elif action == "ack":
                message.acked = True
            else:
                message.delivered = True

    def _note_oddities(self, path: str) -> None:
        """Note what of a file contradicts itself or others, once it is read."""
        again, strays = self._again, self._strays
        if again.count:
            self._findings.add(
                path, again.offset, "contradiction", "published_twice", count=again.count, first=again.first
            )
        if strays.count:
            self._findings.add(
                path,
                strays.offset,
                "contradiction",
                "marked_and_not_published",
                count=strays.count,
                first=strays.first,
            )
        self._again, self._strays = QueueOddities(), QueueOddities()

    @override
    def _digested(self, seq: int, message: FoundMessage) -> tuple[object, ...]:
        publish = message.publish
        return (
            seq,
            int(publish.persistent),
            self._codec.id_bytes(publish.msg_no).hex(),
            publish.size_bytes,
            publish.expiry_us,
            message.embedded_bytes,
            int(message.delivered),
            int(message.acked),
        )

    @override
    def _described(self, seq: int, message: FoundMessage) -> dict[str, Any]:
        publish = message.publish
        found: dict[str, Any] = {
            "seq": seq,
            "persistent": publish.persistent,
            "msg_id": self._codec.id_bytes(publish.msg_no).hex(),
            "size": publish.size_bytes,
            "expiry_us": publish.expiry_us or None,
            "embedded_bytes": message.embedded_bytes,
            "delivered": message.delivered,
            "acked": message.acked,
        }
        term = self.content(seq) if publish.embedded else None
        if term is not None:
            found["body"] = body_of(term)
        return found

    @override
    def body_bytes(self, seq: int) -> int | None:
        found = self.messages[seq]
        return found.body_bytes if found.term is None else self._codec.read_term(found.term).size_bytes

    @override
    def content(self, seq: int) -> bytes | None:
        message = self.messages[seq]
        publish = message.publish
        if not publish.embedded or message.term is not None:
            return message.term
        if message.body_bytes is not None:
            return self._terms_of(seq // self._entry_count).get(seq)
        shape = (publish.template, equal(publish.size_bytes), publish.raw_persistent)
        term: bytes = self._codec.terms(publish.msg_no, 1, *shape).tobytes()
        return term

    def _terms_of(self, segment: int) -> dict[int, bytes]:
        """Return the embedded terms of a segment's messages, which are read again, once for all of them."""
        if self._terms[0] != segment:
            found: dict[int, bytes] = {}
            nowhere = DamageFindings()
            path, journal = self._path(f"{segment}.idx"), self._path("journal.jif")
            data = content(self._storage, path, nowhere) or b""
            noted = content(self._storage, journal, nowhere) or b""
            for _offset, run in (
                *until_damage(scan_journal(noted, self._codec), journal, nowhere),
                *until_damage(scan_segment(data, segment, self._entry_count, self._codec), path, nowhere),
            ):
                if isinstance(run, SegmentRecords | JournalRecords) and run.publish and run.term is not None:
                    found[run.start] = run.term
            self._terms = segment, found
        return self._terms[1]


class StoreInspector(StoreFiles):
    """Reads one store's directory, and what an interrupted compaction left in it (S206)."""

    unfinished = "rdt"

    @override
    def _file(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        data = self._data(path)
        entries = 0
        listed: list[dict[str, Any]] = []
        scanned = scan_store(data, self._codec, self._options.heads)
        for offset, chunk in until_damage(scanned, path, self._findings):
            if isinstance(chunk, RecordHead):
                entries += 1
                self.message_numbers.add(chunk.msg_no)
                self.runs.append((chunk.msg_no, 1, chunk.record_bytes))
            elif isinstance(chunk, StoreRecords):
                entries += chunk.count
                self.message_numbers.update(range(chunk.msg_no, chunk.msg_no + chunk.count))
                self.runs.append((chunk.msg_no, chunk.count, chunk.size_bytes // chunk.count))
                self._check(path, offset, chunk)
                if entries <= self._options.list_most:
                    listed.extend(self._records(offset, chunk))
            else:
                self._note_skipped(path, offset, chunk)
        found: dict[str, Any] = {"file": name, "size": self._storage.size(path), "entries": entries}
        if entries <= self._options.list_most:
            found["list"] = listed
        return found

    def _check(self, path: str, offset: int, run: StoreRecords) -> None:
        """Note a record whose message cannot be read, or is another one than the record names."""
        if run.term is None:
            return
        try:
            found = self._codec.read_term(run.term)
        except TermError:
            self._findings.add(path, offset, "garbage", "record_without_message", at=offset)
            return
        if found.msg_no != run.msg_no:
            self._findings.add(path, offset, "garbage", "record_of_another_message", at=offset)
        else:
            self.body_bytes[run.msg_no] = found.size_bytes

    def _note_skipped(self, path: str, offset: int, chunk: ByteChunk) -> None:
        """Note bytes that the scanner does not report (S209)."""
        if isinstance(chunk, ZeroBytes):
            self._findings.add(path, offset, "zeros", "store_zeros", count=chunk.size_bytes, at=offset)
            return
        assert isinstance(chunk, RawBytes)
        data = chunk.data
        count, size = len(data), int.from_bytes(data[:8], "big")
        if count < 8:
            self._findings.add(path, offset, "truncated", "size_field_cut_off", count=count, at=offset)
        elif size + 9 == count and data[-1] != MARKER:
            self._findings.add(
                path, offset, "wrong marker", "wrong_marker", at=offset, found=data[-1], wanted=MARKER
            )
        elif not size:
            self._findings.add(path, offset, "zeros", "zero_size", count=count, at=offset)
        else:
            self._findings.add(
                path, offset, "truncated", "store_record_cut_off", at=offset, size=size + 9, left=count
            )

    def _records(self, offset: int, run: StoreRecords) -> Iterator[dict[str, Any]]:
        for at in range(run.count):
            one = run.written(at, 1)
            term = one.term
            if term is None:
                shape = (one.template, equal(one.body_bytes), one.raw_persistent)
                term = self._codec.terms(one.msg_no, 1, *shape).tobytes()
            yield {
                "offset": offset,
                "total_size": one.size_bytes,
                "msg_id": self._codec.id_bytes(one.msg_no).hex(),
                "marker": MARKER,
                "body": body_of(term),
            }
            offset += one.size_bytes


class V1HostReader:
    """Reads the directories of version 1; it is asked last, as releases before 4.0 have no other."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host

    def has_queue(self, _directory: str) -> bool:
        return True

    def has_store(self, _directory: str) -> bool:
        return True

    def queue(self, directory: str) -> QueueInspector:
        return QueueInspector(self._host, directory)

    def store(self, directory: str) -> StoreInspector:
        return StoreInspector(self._host, directory)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term of 3.x, None if it is none (S50)."""
        try:
            found = parse_message(term)
        except TermError:
            return None
        return StoredMessage(
            found.id16,
            found.exchange,
            found.routing_keys,
            found.properties,
            found.decoded_properties,
            found.persistent,
            b"".join(found.frames),
        )

    def release(self, _terms: Collection[RecoveryTerms]) -> str | None:
        """Return None: files of version 1 do not show it."""
        return None


JOURNAL: Final = "journal.jif"
BLOCK_BYTES: Final = 256 * 1024
MARKS_BYTES: Final = 16
"""Room for the deliver and ack records right behind a publish record."""


class V1FileReader(FileReader):
    """See `FileReader`."""

    names = {"journal": JOURNAL, "segment": "{}.idx"}
    counts_from_file = frozenset({"segment"})

    @override
    def reads(self, name: str) -> bool:
        return name == JOURNAL or name.endswith((".idx", ".rdq"))

    @override
    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        data = read(offset, at_least + MARKS_BYTES if at_least < BLOCK_BYTES else BLOCK_BYTES)
        try:
            return record_at(name, data, 0)
        except NoRecord:
            if len(data) < BLOCK_BYTES:
                raise
        # A record that is longer than most: its own size is how much must be read.
        first = next(records(name, lambda at, n: read(offset + at, n), 1 << 62), None)
        if first is None:
            raise NoRecord("no record begins here")
        return record_at(name, read(offset, first.size + MARKS_BYTES), 0)

    @override
    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        return records(name, read, size)

    @override
    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        segment, rel = divmod(seq, entry_count)
        found: list[tuple[str, int, str, FoundBytes]] = []
        for kind, number, name, wanted in (
            ("segment", segment, f"{segment}.idx", rel),
            ("journal", 0, JOURNAL, seq),
        ):
            path = next((each for each in sizes if each.endswith(f"/{name}")), None)
            if path is not None:
                homes = find_seq(name, read(path), sizes[path], wanted)
                found += [(kind, number, path, each) for each in homes]
        first = next((each for each in found if each[3].kind == "publish"), None)
        if first is None:
            return None
        kind, number, path, record = first
        others = tuple(
            (_mark_kind(found, at), _label(*each[:2]), each[2], each[3].offset)
            for at, each in enumerate(found)
            if each is not first
        )
        return IndexHome(path, kind, number, record.offset, record.size, others)

    @override
    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return its other records, but for those that the layout shows with the first."""
        end = home.offset + shape.size
        return {
            "more": [
                {"kind": kind, "file": label, "offset": offset}
                for kind, label, path, offset in home.others
                if not (path == home.path and home.offset < offset < end)
            ]
        }

    @override
    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        for path, size in sizes.items():
            name = path.rpartition("/")[2]
            if name != JOURNAL and not name.endswith(".idx"):
                continue
            found = find_id(name, read(path), size, msg_id)
            if found is not None and found.number is not None:
                return found.number + (0 if name == JOURNAL else int(name[:-4]) * entry_count)
        return None


def _label(kind: str, number: int) -> str:
    return kind if kind == "journal" else f"{kind}:{number}"


def _mark_kind(found: list[tuple[str, int, str, FoundBytes]], at: int) -> str:
    """Return deliver or ack for a segment's mark: the first is the one, the second the other (S60)."""
    record = found[at][3]
    if record.kind != "mark":
        return record.kind
    return "ack" if any(each[3].kind == "mark" for each in found[:at]) else "deliver"
