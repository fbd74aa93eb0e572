"""What the generations' readers of data directories share: findings, reading of what is damaged, and of a store."""

from __future__ import annotations

import hashlib
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol

import msgspec

from engine.formats.clean_stop import RecoveryTerms, read_clean_dot, read_file_summary, read_index
from engine.formats.message import MessageCodec
from engine.formats.names import read_queue_name
from engine.formats.properties import ParsedMessage, parse_message
from engine.formats.terms import TermError
from engine.storage.directory import DirectoryStorage
from engine.values.chunks import ByteChunk
from engine.values.errors import EngineError, FileCorrupt, ProcessCrash, Refusal
from engine.values.marks import gettext_noop as _

ENGLISH: Final[dict[str, str]] = {
    # --- any file or directory ---
    "file_too_large": _("The file has %(size)s bytes; at most %(most)s are read."),
    "file_not_readable": _("The file cannot be read: %(why)s"),
    "file_became_shorter": _("The file became shorter while it was read."),
    "recovery_crashes": _("%(why)s A broker's recovery crashes on it."),
    "no_term": _("The file cannot be read: %(why)s A broker starts as after a crash."),
    "other_content": _("The file does not contain what a broker writes to it."),
    "nothing_known": _("There is no queue, message store, virtual host or node here."),
    # --- a virtual host ---
    "config_without_number": _(
        "The file gives no number from 1 to %(most)s: %(assumed)s entries in a segment are assumed, as a broker does "
        "(S4)."
    ),
    "queue_elsewhere": _("Queue %(name)s of virtual host %(vhost)s belongs in another directory (S1)."),
    "messages_without_record": _(
        "Live persistent messages without a record in %(store)s: %(count)s; the first has seq %(first)s. A broker "
        "drops them when it starts after a crash."
    ),
    "expiry_of_no_clock": _(
        "Messages with an expiry that no broker has written: %(count)s. The first, seq %(first)s, expires %(at)s us "
        "after 1970. A start drops what it takes for expired."
    ),
    "size_of_other_body": _(
        "Messages whose size in the index is not the body's: %(count)s. Of the first, seq %(first)s, the index says "
        "%(said)s B, and the body has %(found)s B."
    ),
    # --- a queue's index ---
    "segment_missing": _(
        "recovery.dets counts live messages in this segment (%(count)s), but the segment's file "
        "is missing. Messages that only this file held do not come back (S112)."
    ),
    "segment_of_other_count": _(
        "Live messages of this segment: %(saved)s by recovery.dets, %(found)s by the file and the journal (S112)."
    ),
    "start_ends_process": _(
        "The next start of a 3.8 ends this queue's process, in %(function)s: its journal repeats what the "
        "segments already have, because an orderly stop followed a kill in the middle of a flush. The "
        "queue is then started again as after a crash: what was acknowledged in between may come back (V8)."
    ),
    # --- a queue of version 2 ---
    "index_header": _(
        "In this file of %(size)s B the header of a .qi file is incomplete or wrong. Recovery after a "
        "crash deletes the file and its .qs (W97)."
    ),
    "index_range": _(
        "The header says that the segment begins at %(first)s and ends before %(end)s, so none of its slots is read "
        "here."
    ),
    "slots_beyond": _(
        "The file has slots after the end of its segment, which is %(end)s: %(count)s. A broker reads "
        "none of them."
    ),
    "slot_status": _(
        "The slot at offset %(at)s begins with byte %(found)s, which is neither live (1) nor empty (0). The queue's "
        "process crashes on it (W205)."
    ),
    "slot_fields": _("The slot at offset %(at)s is live, but no broker writes such fields."),
    "slot_cut_off": _("The slot at offset %(at)s is cut off after %(count)s B. Recovery ends there."),
    "body_header": _(
        "These %(size)s B are not a complete header of a .qs file. Recovery after a crash drops its "
        "messages; a clean start crashes at the first fetch (W205)."
    ),
    "body_magic": _(
        "The file does not begin as a .qs file of version 2. The queue's process crashes on it (W205)."
    ),
    "bodies_missing": _(
        "This file is missing, and live messages from seq %(first)s on have their bodies in it: %(count)s. "
        "Recovery after a crash drops them."
    ),
    "body_cut_off": _(
        "The body of seq %(seq)s at offset %(at)s should have %(wanted)s B after its header; only %(left)s "
        "B are left. Recovery after a crash drops it, and a fetch crashes the queue's process."
    ),
    "body_of_other_size": _(
        "The body of seq %(seq)s at offset %(at)s says %(found)s B, and the index %(wanted)s B. Recovery after a "
        "crash drops it, and a fetch crashes the queue's process."
    ),
    "body_checksum": _(
        "The body of seq %(seq)s at offset %(at)s has another checksum. Recovery after a crash drops it; a fetch after "
        "a clean start crashes the queue's process (W205)."
    ),
    "body_without_message": _(
        "The body of seq %(seq)s at offset %(at)s holds no message. A fetch would fail."
    ),
    "versions_mixed": _(
        "Files of both index versions are here: .idx files that wait for their conversion (W100)."
    ),
    # --- a queue's index ---
    "no_journal": _("There are segments, but no journal. A broker makes one."),
    "segment_of_zeros": _("Every byte of it is zero (%(count)s B). A broker deletes the file."),
    "publish_record_cut_off": _(
        "The end of the file cuts off the publish record at offset %(at)s. A broker skips 2 bytes and reads the rest "
        "as records."
    ),
    "published_twice": _("Entries that are published twice: %(count)s, from seq %(first)s on."),
    "marked_and_not_published": _(
        "Entries that are delivered or acknowledged without a publish record: %(count)s, from seq %(first)s on."
    ),
    "journal_ends_in_zeros": _(
        "From offset %(at)s on there are %(count)s zero bytes. A broker ends its replay here and uses what stands "
        "before."
    ),
    "journal_goes_on_with_zeros": _(
        "The %(count)s bytes from offset %(at)s on begin with 40 zero bytes. A broker ends its replay here and uses "
        "what stands before."
    ),
    "journal_cut_off": _(
        "The record at offset %(at)s is cut off after %(count)s B. A broker ends its replay here and uses what "
        "stands before."
    ),
    # --- a message store ---
    "compaction_interrupted": _(
        "A compaction was interrupted. A broker appends this file to the .rdq file of the same number (S206)."
    ),
    "store_file_missing": _("The file summary lists this file with %(size)s B."),
    "store_file_too_short": _("The file summary says %(size)s B, but the file ends at %(end)s."),
    "no_record": _(
        "The %(count)s B from offset %(at)s on are not a record. A broker's scanner goes on byte by "
        "byte (W143)."
    ),
    "record_without_message": _("The record at offset %(at)s holds no message. Reading it would fail."),
    "record_of_another_message": _(
        "The message in the record at offset %(at)s has another id than the record."
    ),
    "store_zeros": _("From offset %(at)s on there are %(count)s zero bytes. A broker stops reading here."),
    "wrong_marker": _(
        "The record at offset %(at)s ends with byte %(found)s instead of %(wanted)s. A broker skips it."
    ),
    "zero_size": _(
        "The bytes from offset %(at)s on (%(count)s B) begin with a size of zero. A broker stops "
        "reading here."
    ),
    "size_field_cut_off": _(
        "The bytes from offset %(at)s on (%(count)s B) are too few for a size field. A broker stops "
        "reading here."
    ),
    "store_record_cut_off": _(
        "The record at offset %(at)s claims %(size)s B, but only %(left)s B are left. A broker "
        "stops reading here."
    ),
}
"""The sentence of each code, which pages translate."""


MOST: Final = 10_000
"""Most findings that are described; others are only counted."""


class FileDamage(msgspec.Struct, frozen=True):
    """One finding.

    Args:
        file: path of the file, relative to the inspected directory.
        offset: byte at which it begins, None for the file as a whole.
        kind: "truncated", "garbage", "wrong marker", "zeros", "missing", "contradiction" or "unreadable".
        words: what is wrong and what a broker does about it, in English.
        code: key of the sentence.
        values: the sentence's values: numbers, texts, and refusals, each with a `code` and `values`.
    """

    file: str
    offset: int | None
    kind: str
    words: str
    code: str
    values: dict[str, Any]


class DamageFindings:
    """Collects damage while a directory is read."""

    def __init__(self) -> None:
        self.damage: list[FileDamage] = []
        self.more = 0
        """Number of findings beyond the first `MOST`, since each record may be damaged."""

    def add(self, file: str, offset: int | None, kind: str, code: str, /, **values: object) -> None:
        """Note one finding; arguments as of `FileDamage`, and the code is a key of `ENGLISH`."""
        if len(self.damage) == MOST:
            self.more += 1
            return
        plain = {name: _plain(value) for name, value in values.items()}
        texts = {name: f"{each}." if isinstance(each, Refusal) else each for name, each in values.items()}
        words = ENGLISH[code] % texts
        self.damage.append(FileDamage(file, offset, kind, words[0].upper() + words[1:], code, plain))

    def as_rows(self) -> list[dict[str, Any]]:
        return [msgspec.structs.asdict(each) for each in self.damage]


def _plain(value: object) -> int | str | dict[str, Any]:
    if isinstance(value, Refusal):
        return {"code": value.code, "values": value.values}
    return value if isinstance(value, int) else str(value)


MAX_FILE_BYTES: Final = 512 * 1024 * 1024
"""Larger files are listed but not decoded."""


class ReadingOptions(msgspec.Struct, frozen=True):
    """How much to report.

    Args:
        list_most: longest list of records or messages given in full; longer ones are counted and digested.
        entry_count: entries in a segment when no `.config` has it; None for the broker's own assumption (S4).
        series: of a 4.x whose files do not show it.
        digests: whether each file is read once more for its digest.
        pins: whether each store file says which queues keep it.
        heads: whether only the heads of a store's records are read, as a start reads them, and no body is kept.
    """

    list_most: int = 1000
    entry_count: int | None = None
    series: str = "4.3"
    digests: bool = True
    pins: bool = False
    heads: bool = False


def content(storage: DirectoryStorage, path: str, findings: DamageFindings) -> bytes | None:
    """Return a file's bytes; None if it cannot be read, with a finding unless it is missing."""
    size = storage.size(path)
    if size is None:
        return None
    if size > MAX_FILE_BYTES:
        findings.add(path, None, "unreadable", "file_too_large", size=size, most=MAX_FILE_BYTES)
        return None
    try:
        data = storage.read_bytes(path, 0, size)
    except (OSError, EngineError) as error:
        findings.add(path, None, "unreadable", "file_not_readable", why=error)
        return None
    if len(data) < size:
        findings.add(path, len(data), "unreadable", "file_became_shorter")
    return data


def until_damage(
    scanned: Iterator[tuple[int, ByteChunk]], path: str, findings: DamageFindings
) -> Iterable[tuple[int, ByteChunk]]:
    """Yield what a scanner finds; where a broker would crash, note that and stop."""
    try:
        yield from scanned
    except FileCorrupt as error:
        kind = "truncated" if error.code == "stray_byte" else "garbage"
        findings.add(path, error.offset, kind, "recovery_crashes", why=error)


def parsed(data: bytes | None, path: str, findings: DamageFindings, read: Callable[[bytes], Any]) -> Any:
    """Return the result of `read` on a small file, or None; a refusal becomes a finding."""
    if data is None:
        return None
    try:
        value = read(data)
    except TermError as error:
        findings.add(path, None, "garbage", "no_term", why=error)
        return None
    if value is None:
        findings.add(path, None, "garbage", "other_content")
    return value


def body_of(term: bytes) -> dict[str, Any] | None:
    """Describe the message in a stored term; None if it is not a message."""
    try:
        return described(parse_message(term))
    except TermError:
        return None


def described(message: ParsedMessage) -> dict[str, Any]:
    """Describe a message that was taken apart, as a report has it."""
    crc = 0
    for frame in message.frames:
        crc = zlib.crc32(frame, crc)
    return {
        "exchange": message.exchange.decode("utf-8", "replace"),
        "routing_keys": [key.decode("utf-8", "replace") for key in message.routing_keys],
        "properties_hex": None if message.properties is None else message.properties.hex(),
        "is_persistent": message.persistent,
        "body_length": sum(len(frame) for frame in message.frames),
        "body_crc32": crc,
    }


def numbered(names: Sequence[str], extension: str) -> list[tuple[int, str]]:
    """Return (number, name) of files such as 7.idx, in numeric order (S7, S9)."""
    found = []
    for name in names:
        stem, _, end = name.rpartition(".")
        if end == extension and stem.isascii() and stem.isdigit() and len(stem) < 19:
            found.append((int(stem), name))
    return sorted(found)


class InspectedQueue(NamedTuple):
    """The inspected virtual host.

    Args:
        codec: numbers the ids of queues and stores together.
        entry_count: entries in a segment, if the virtual host's `.config` says.
        findings: collects damage.
        options: how much to report.
    """

    storage: DirectoryStorage
    codec: MessageCodec
    entry_count: int
    findings: DamageFindings
    options: ReadingOptions


class StoredMessage(NamedTuple):
    """A message as its publisher gave it.

    Args:
        id16: the broker's id.
        exchange, routing_keys: where it was published.
        properties: the encoded property list; None where only the decoded one is stored.
        decoded_properties: that list's values in the protocol's order, behind its name; None where it is encoded.
        persistent: whether its own delivery mode is 2.
    """

    id16: bytes
    exchange: bytes
    routing_keys: tuple[bytes, ...]
    properties: bytes | None
    decoded_properties: tuple[Any, ...] | None
    persistent: bool
    body: bytes


class IndexedMessage(Protocol):
    """A message of an index, as one of the generations describes it."""

    acked: bool

    @property
    def msg_no(self) -> int:
        """Number of its message."""

    @property
    def expiry_us(self) -> int:
        """Microseconds since 1970 at which it expires, 0 for never."""

    @property
    def size_bytes(self) -> int:
        """Bytes of its body, as the index says."""

    @property
    def embedded(self) -> bool:
        """Whether its body is stored with the queue."""

    @property
    def persistent(self) -> bool:
        """Whether a start brings it back."""

    @property
    def is_owed(self) -> bool:
        """Whether a start needs its record in the persistent store."""


class QueueReader(ABC):
    """Reads one queue's directory; a generation reads the files' contents. `host`: the virtual host.
    `directory`: path of the queue's directory in it, "" for the root.
    """

    extension: ClassVar[str]
    """The extension of its segments' files."""
    messages: Mapping[int, IndexedMessage]
    """By seq_id."""

    def __init__(self, host: InspectedQueue, directory: str) -> None:
        self._storage = host.storage
        self._directory = directory
        self._codec = host.codec
        self._findings = host.findings
        self._options = host.options
        self.segments: set[int] = set()
        """Numbers of the segments that have a file."""
        self.live: dict[int, int] = {}
        """Live messages of each segment."""

    @abstractmethod
    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""

    @abstractmethod
    def content(self, seq: int) -> bytes | None:
        """Return the stored term of a message whose body lies with the queue; None where it cannot be read."""

    @abstractmethod
    def body_bytes(self, seq: int) -> int | None:
        """Return the bytes of such a message's body, as the body itself says; None where it cannot be read."""

    def crash_at_start(self, _terms: RecoveryTerms, _settings: object) -> ProcessCrash | None:
        """Return how the start after an orderly stop would end the queue's process; None if it would not.
        `_settings`: of queues of the release that wrote the files.
        """
        return None

    @abstractmethod
    def _digested(self, seq: int, message: Any) -> tuple[object, ...]:
        """Return what the digest has of a message."""

    @abstractmethod
    def _described(self, seq: int, message: Any) -> dict[str, Any]:
        """Return what the list has of a message."""

    def _path(self, name: str) -> str:
        return f"{self._directory}/{name}" if self._directory else name

    def _name(self) -> str | None:
        """Return the queue's name, as `.queue_name` states it."""
        path = self._path(".queue_name")
        title = parsed(content(self._storage, path, self._findings), path, self._findings, read_queue_name)
        return title[1] if title else None

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for seq, message in sorted(self.messages.items()):
            digest.update((" ".join(map(str, self._digested(seq, message))) + "\n").encode())
        return digest.hexdigest()

    def _listed(self) -> list[dict[str, Any]]:
        """Describe the messages in order; of very many only the first and the last."""
        seqs = sorted(self.messages)
        if len(seqs) > self._options.list_most:
            seqs = seqs[:3] + seqs[-3:]
        return [self._described(seq, self.messages[seq]) for seq in seqs]


class HostReader(Protocol):
    """Reads what one generation left of a virtual host."""

    def __init__(self, host: InspectedQueue) -> None:
        """Begin with an unread virtual host."""

    def has_queue(self, directory: str) -> bool:
        """Return whether a queue's directory is this generation's."""

    def has_store(self, directory: str) -> bool:
        """Return whether a store's directory is this generation's."""

    def queue(self, directory: str) -> QueueReader:
        """Return the reader of a queue's directory."""

    def store(self, directory: str) -> StoreFiles:
        """Return the reader of a store's directory."""

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term, None if it is none of this generation's."""

    def release(self, terms: Collection[RecoveryTerms]) -> str | None:
        """Return the release's series if the read files show it, else None."""


SIZE_BYTES: Final = 8
HEAD_BYTES: Final = 24
"""Of a record: its size, and the id (S200)."""
MARKER: Final = 255
NOT_ZERO: Final = re.compile(rb"[^\0]")


class StoreFiles(ABC):
    """Reads one store's directory; a generation reads the files' contents. `host`: the virtual host.
    `directory`: path of the store's directory in it, "" for the root.
    """

    unfinished: ClassVar[str] = ""
    """Suffix of files that an interrupted compaction leaves; empty if it leaves none."""

    def __init__(self, host: InspectedQueue, directory: str) -> None:
        self._storage = host.storage
        self._codec = host.codec
        self._findings = host.findings
        self._options = host.options
        self._directory = directory
        self.message_numbers: set[int] = set()
        """Numbers of the messages with a complete record in some file."""
        self.body_bytes: dict[int, int] = {}
        """Bytes of the body of another node's messages, by their numbers, as the records say."""
        self.runs: list[tuple[int, int, int]] = []
        """Their records in runs: first number, count, bytes of each."""
        self.runs_until: list[int] = []
        """Where the runs of each file end, in the order of the files."""
        self.saved_refs: list[bytes] | None = None
        """Clients that a clean stop saved; None if its files are incomplete, or a compaction is (S206)."""

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""
        names = self._storage.list(self._directory)
        clean = self._small("clean.dot", read_clean_dot)
        summary = self._small("file_summary.ets", read_file_summary)
        index = self._small("msg_store_index.ets", read_index)
        unfinished = numbered(names, self.unfinished) if self.unfinished else []
        if clean is not None and summary is not None and index is not None and not unfinished:
            self.saved_refs = list(clean.client_refs)
        files = []
        for _number, name in numbered(names, "rdq"):
            files.append(self._file(name))
            self.runs_until.append(len(self.runs))
        for _number, name in unfinished:
            self._findings.add(self._path(name), None, "contradiction", "compaction_interrupted")
        for row in summary or ():
            self._compare(row.file, row.file_bytes)
        return {
            "dir": self._directory,
            "clean_dot": clean
            and {"client_refs": len(clean.client_refs), "index_module": clean.index_module},
            "file_summary": None
            if summary is None
            else [[row.file, row.file_bytes, row.valid_bytes, row.left, row.right] for row in summary],
            "index_rows": self._index_rows(index),
            "files": files,
        }

    def places(self, wanted: Collection[bytes]) -> dict[bytes, tuple[str, int, int]]:
        """Return path, offset and bytes of the stored term of each wanted id that is in some file. One file
        is in memory at a time. Behind damage the next whole record is looked for, as no broker does.
        `wanted`: ids of 16 bytes.
        """
        found = {}
        for _number, name in numbered(self._storage.list(self._directory), "rdq"):
            path = self._path(name)
            data = content(self._storage, path, DamageFindings()) or b""
            at = 0
            while (something := NOT_ZERO.search(data, at)) is not None:
                at = max(at, something.start() - SIZE_BYTES + 1)
                end = at + SIZE_BYTES + int.from_bytes(data[at : at + SIZE_BYTES], "big")
                id16 = data[at + SIZE_BYTES : at + HEAD_BYTES]
                if at + HEAD_BYTES <= end < len(data) and data[end] == MARKER:
                    if id16 in wanted:
                        found[id16] = (path, at + HEAD_BYTES, end - at - HEAD_BYTES)
                    at = end + 1
                else:
                    at += 1
        return found

    @abstractmethod
    def _file(self, name: str) -> dict[str, Any]:
        """Read one file and return its report."""

    def _data(self, path: str) -> bytes:
        """Return what a file holds; where heads alone are read, what can be asked for it as bytes can."""
        if not self._options.heads:
            return content(self._storage, path, self._findings) or b""
        found: Any = self._storage.part(path, 0, self._storage.size(path) or 0)
        return found[0] if found else b""

    def _path(self, name: str) -> str:
        return f"{self._directory}/{name}" if self._directory else name

    def _small(self, name: str, read: Callable[[bytes], Any]) -> Any:
        path = self._path(name)
        return parsed(content(self._storage, path, self._findings), path, self._findings, read)

    def _index_rows(self, index: Any) -> Any:
        if index is None:
            return None
        if len(index) > self._options.list_most:
            return {"n": len(index)}
        return [[row.id16.hex(), row.ref_count, row.file, row.offset, row.record_bytes] for row in index]

    def _compare(self, number: int, size: int) -> None:
        path = self._path(f"{number}.rdq")
        there = self._storage.size(path)
        if there is None:
            self._findings.add(path, None, "missing", "store_file_missing", size=size)
        elif there < size:
            self._findings.add(path, there, "truncated", "store_file_too_short", size=size, end=there)
