"""What all parts of a shared store's server work on."""

from __future__ import annotations

from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store.client import SharedClient
from engine.classic_v2.store.tables import Cache, FileRow, Row
from engine.storage.port import Chunk, Storage
from engine.values.ranges import RangeSet
from engine.values.stretches import Stretches


class StoreState:
    """Tables of one store, its write buffer, and the few verbs that several parts need.

    Args:
        name: "persistent" or "transient".
        directory: its directory inside `storage`.
        storage: where its files are.
        codec: encodes messages.
        settings: limits and capabilities.
    """

    def __init__(
        self, name: str, directory: str, storage: Storage, codec: McCodec, settings: V2Settings
    ) -> None:
        self.name = name
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.settings = settings
        self.refs: set[str] = set()
        """Names in the client table: registered now, or known from before a clean stop (S200)."""
        self.rows: Stretches[Row] = Stretches()
        self.files: dict[int, FileRow] = {}
        self.current = 0
        self.offset = 0
        self.buffer: list[Chunk] = []
        self.buffer_bytes = 0
        self.cache = Cache()
        self.waiting: dict[SharedClient, RangeSet] = {}
        """What each client is told of at the next sync (W135)."""
        self.dying: dict[str, tuple[int, int]] = {}
        self.gc_candidates: set[int] = set()
        self.gc_timer: frozenset[int] | None = None
        """The files in the message of the 15 s timer, None while it does not run (W140)."""
        self.gc_work: list[tuple[str, int, int]] = []
        """What the collector's process was asked: (compact, truncate or delete; file; bytes)."""
        self.held: dict[int, int] = {}
        """Readers of each file; the collector leaves it alone as long as there is one (W145)."""

    def path(self, number: int) -> str:
        """Return the path of a store file (S7)."""
        return f"{self.directory}/{number}.rdq"

    def open_next(self, number: int) -> None:
        """Begin a new current file."""
        self.storage.create(self.path(number))
        self.files[number] = FileRow(number)
        self.current = number
        self.offset = 0

    def flush(self) -> None:
        """Hand the buffer to the operating system, without fsync (W135)."""
        if self.buffer:
            self.storage.append(self.path(self.current), self.buffer)
            self.buffer = []
            self.buffer_bytes = 0

    def sync(self) -> None:
        """Flush, and tell the clients that waited (W135)."""
        self.flush()
        due, self.waiting = self.waiting, {}
        for client, messages in due.items():
            if client.on_disk is not None:
                client.on_disk(messages)

    def await_sync(self, client: SharedClient, start: int, count: int) -> None:
        """Remember messages of which a client is told after the next sync."""
        if client.on_disk is not None:
            self.waiting.setdefault(client, RangeSet()).add(start, count)

    def set_refs(self, row: Row, refs: int) -> None:
        """Give rows another reference count; valid bytes follow when it leaves or reaches 0 (W138)."""
        self.rows.remove(row.start, row.count)
        self.rows.insert(row.with_refs(refs))
        if not row.refs or not refs:
            self.files[row.file].valid += row.size_bytes if refs else -row.size_bytes

    def rows_of(self, number: int) -> list[Row]:
        """Return the rows of one file, by offset."""
        return sorted((row for row in self.rows if row.file == number), key=lambda row: row.offset)
