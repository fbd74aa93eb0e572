"""The readers that a generation of storage provides for inspection."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

from engine.damage.findings import DamageFindings
from engine.damage.reading import ReadingOptions
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.message import MessageCodec
from engine.storage.directory import DirectoryStorage
from engine.values.errors import ProcessCrash


class InspectedQueue(NamedTuple):
    """The inspected virtual host.

    Args:
        storage: the inspected directory.
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
        body: all of it.
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
            terms: what the queue left.
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
