"""Whether a start after an orderly stop ends a queue's process: a 3.8 may have left a journal that is too old (V8)."""

from __future__ import annotations

from typing import Any

from engine.classic_v1.index.combine import MORE_THAN_DELTA
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.settings import QueueSettings
from engine.formats.chunks import RawBytes
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.message import MessageCodec
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage
from engine.values.errors import EngineError, ProcessCrash
from engine.values.ranges import RangeSet


def crash(
    storage: Storage, directory: str, terms: RecoveryTerms, codec: MessageCodec, settings: QueueSettings
) -> ProcessCrash | None:
    """Return how the first read of delta after a clean start ends the process; None where it does not.

    Args:
        storage, directory: the queue's files; they stay as they are.
        terms: what the queue left.
        codec: of its virtual host.
        settings: of the release that wrote them.
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
        emit=_ignore,
        on_index_written=_ignore,
        on_both_written=_ignore,
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


def _ignore(_anything: Any) -> None:
    """Nobody hears of what is only tried."""
