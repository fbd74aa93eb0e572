"""The state of an index of version 2: its tables and its files' places (W80-W91)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from engine.backing_queue.generation import as_it_is
from engine.classic_v2.queue_store import QueueStore
from engine.classic_v2.settings import V2Settings
from engine.formats.message import MessageCodec
from engine.storage.port import Storage
from engine.values.extents import Extent
from engine.values.stretches import RangeSet, Stretches

MOST = 4


class OpenFiles:
    """Segments whose file is open for reading and writing."""

    __slots__ = ("_open", "closed")

    def __init__(self) -> None:
        self._open: list[int] = []
        self.closed: set[int] = set()
        """Those that were closed to make room since the last `mark`."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._open)

    def open(self, segment: int) -> None:
        """Open a file; a fifth one closes one of the two in the middle (W90)."""
        if segment in self._open:
            return
        if len(self._open) == MOST:
            _, low, high, _ = self._open
            if segment > high:
                gone = high
            elif segment < low:
                gone = low
            else:
                gone = high if high - segment < segment - low else low
            self._open.remove(gone)
            self.closed.add(gone)
        self._open.append(segment)
        self._open.sort()

    def close(self, segment: int) -> None:
        if segment in self._open:
            self._open.remove(segment)

    def close_all(self) -> None:
        self._open.clear()

    def mark(self) -> None:
        """Start to note which files are closed to make room."""
        self.closed = set()


class IndexTables:
    """Write buffer, cache and entries of one queue's index. `store`: the queue's own store, which has the
    places of small bodies. `stub`: content of `.queue_name` (W80). `as_read`: what messages of a shared store
    are that a file names: with all that they carry.
    """

    def __init__(
        self,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: V2Settings,
        store: QueueStore,
        stub: bytes,
        as_read: Callable[[Extent], Sequence[Extent]] = as_it_is,
    ) -> None:
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.settings = settings
        self.store = store
        self.stub = stub
        self.as_read = as_read
        self.name = store.name
        self.emit = store.emit
        self.forget()

    def forget(self) -> None:
        """Start without entries, as a blank queue does."""
        self.segments: dict[int, int] = {}
        """Live messages of each segment (W91)."""
        self.entries: Stretches[Extent] = Stretches()
        """Every live entry, in memory or on disk, of segments that are not `unread`."""
        self.odd = RangeSet()
        """Positions whose slots are neither live nor empty, or cut off: reading one ends the process (W205)."""
        self.unread: set[int] = set()
        """Segments of which only the number of live messages is known, after a clean start (W96)."""
        self.buffer = RangeSet()
        self.buffer_acks = RangeSet()
        self.cache = RangeSet()
        self.cache_acks = RangeSet()
        self.confirms = RangeSet()
        """Message numbers whose confirm waits for the index (W61)."""
        self.files = OpenFiles()

    def path(self, segment: int) -> str:
        """Return the path of a segment's file (W80)."""
        return f"{self.directory}/{segment}.qi"


FLAT: Final = 32
"""Most keys of a map that is an array sorted by key; a larger map is a tree by the hash of keys."""
_WORD: Final = 2**64 - 1
_TAG: Final = 0xF
_LEVEL_BITS: Final = 4


def walked(keys: Collection[int]) -> list[int]:
    """Return the keys of a map in the order in which `maps:fold/3` comes to them (W212). `keys`: integers
    from 0 to 2**59 - 1.
    """
    return sorted(keys, key=_place if len(keys) > FLAT else None)


def _place(key: int) -> int:
    """Return a number that orders keys as the tree does: the hash, its lowest four bits first."""
    bits, place = _hash(key), 0
    for _level in range(64 // _LEVEL_BITS):
        place = place << _LEVEL_BITS | bits & (1 << _LEVEL_BITS) - 1
        bits >>= _LEVEL_BITS
    return place


def _hash(key: int) -> int:
    """Return the runtime's hash of a small integer: its tagged word, mixed as MurmurHash3 ends."""
    word = key << 4 | _TAG
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        word = (word ^ word >> 33) * factor & _WORD
    return word ^ word >> 33
