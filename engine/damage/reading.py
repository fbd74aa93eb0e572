"""Parts that all inspectors use: reading within bounds, and descriptions of bodies."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, Protocol

import msgspec

from engine.damage.findings import DamageFindings
from engine.formats.chunks import AnyChunk
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.message import MessageCodec
from engine.formats.properties import ParsedMessage, parse_message
from engine.formats.terms import TermError
from engine.storage.directory import DirectoryStorage
from engine.values.errors import EngineError, FileCorrupt, ProcessCrash

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
    scanned: Iterator[tuple[int, AnyChunk]], path: str, findings: DamageFindings
) -> Iterable[tuple[int, AnyChunk]]:
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


class QueueReader(Protocol):
    """Reads one queue's directory."""

    extension: ClassVar[str]
    segments: set[int]

    @property
    def messages(self) -> Mapping[int, IndexedMessage]:
        """By seq_id."""

    @property
    def live(self) -> Mapping[int, int]:
        """Live messages of each segment."""

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""

    def content(self, seq: int) -> bytes | None:
        """Return the stored term of a message whose body lies with the queue; None where it cannot be read."""

    def body_bytes(self, seq: int) -> int | None:
        """Return the bytes of such a message's body, as the body itself says; None where it cannot be read."""

    def crash_at_start(self, terms: RecoveryTerms, settings: object) -> ProcessCrash | None:
        """Return how the start after an orderly stop would end the queue's process; None if it would not.

        Args:
            settings: of queues of the release that wrote the files.
        """


class StoreReader(Protocol):
    """Reads one store's directory."""

    message_numbers: set[int]
    body_bytes: dict[int, int]
    runs: list[tuple[int, int, int]]
    runs_until: list[int]
    saved_refs: list[bytes] | None

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""

    def places(self, wanted: Collection[bytes]) -> dict[bytes, tuple[str, int, int]]:
        """Return path, offset and bytes of the stored term of each wanted id that is in some file."""


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

    def store(self, directory: str) -> StoreReader:
        """Return the reader of a store's directory."""

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term, None if it is none of this generation's."""

    def release(self, terms: Collection[RecoveryTerms]) -> str | None:
        """Return the release's series if the read files show it, else None."""
