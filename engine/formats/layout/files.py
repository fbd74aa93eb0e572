"""Files whose records are shown field by field: what a generation brings, so that a record is found and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Protocol

import msgspec

from engine.formats.layout.field import FileLayout

Read = Callable[[int, int], bytes]
"""Some bytes of a file: (offset, count)."""


class FoundBytes(msgspec.Struct, frozen=True):
    """One record on the way.

    Args:
        kind: "publish", "mark" (a segment's deliver or ack), "deliver", "ack" or "content".
        offset: of its first byte.
        size: its bytes.
        number: rel in a segment, seq_id in the journal, None in a store.
        msg_id: the message id, None for deliver and ack.
    """

    kind: str
    offset: int
    size: int
    number: int | None
    msg_id: bytes | None


class IndexHome(msgspec.Struct, frozen=True):
    """Where the index has a message.

    Args:
        path: of the file.
        kind: of its records, as in `FileReader.names`.
        number: of the segment; 0 for a file of which there is one.
        offset: of the record's first byte.
        size: its bytes.
        others: its other records, each as kind and label of the file, path and record.
    """

    path: str
    kind: str
    number: int
    offset: int
    size: int
    others: tuple[tuple[str, str, str, int], ...] = ()


class FileReader(Protocol):
    """Reads the files of one generation, a record at a time."""

    names: ClassVar[Mapping[str, str]]
    """Files that a queue has for itself, by the kind of their records; a number is in place of `{}`."""
    counts_from_file: ClassVar[frozenset[str]]
    """Kinds whose records are numbered from the beginning of their file."""

    def reads(self, name: str) -> bool:
        """Return whether a file is one of its own, by its name."""

    def layout_at(self, name: str, read: Read, offset: int, at_least: int) -> FileLayout:
        """Return the record at an offset of a file.

        Args:
            name: of the file.
            read: gives its bytes.
            offset: of the record's first byte.
            at_least: how long it is, or what the file has from there on.

        Raises:
            NoRecord: none begins there.
        """

    def records(self, name: str, read: Read, size: int) -> Iterator[FoundBytes]:
        """Yield the records of a file from front to back; raise NoRecord where that is not known."""

    def home(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], seq: int, entry_count: int
    ) -> IndexHome | None:
        """Return where a queue's index has a message, None where it has none.

        Args:
            sizes: the files in the queue's directory, with their bytes.
            read: gives a file's bytes.
            seq: the seq_id.
            entry_count: entries in a segment, where the virtual host says so.
        """

    def about(
        self, home: IndexHome, shape: FileLayout, read: Callable[[str], Read], seq: int
    ) -> dict[str, Any]:
        """Return what else is known of a message, for whoever has read its record."""

    def seq_with_id(
        self, sizes: Mapping[str, int], read: Callable[[str], Read], msg_id: bytes, entry_count: int
    ) -> int | None:
        """Return the seq_id that a queue's index has for an id, None where it has none; arguments as of `home`."""
