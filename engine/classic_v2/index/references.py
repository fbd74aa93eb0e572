"""What the index files of durable queues refer to in the persistent store, for its dirty start (W99)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.classic_v2.formats.header import FileHeader
from engine.classic_v2.formats.qi import SLOT_BYTES, BodyLocation, IndexSlots, decode_index
from engine.classic_v2.settings import V2Settings
from engine.formats.message import MessageCodec
from engine.storage.port import Storage
from engine.values.ranges import Range


def references(
    storage: Storage, directory: str, codec: MessageCodec, settings: V2Settings
) -> Iterator[Range]:
    """Yield the live persistent messages of the shared store that a queue's `.qi` files name.

    Args:
        storage: where the files are.
        directory: the queue's directory.
        codec: numbers the ids.
        settings: how many slots count.
    """
    for name in storage.list(directory):
        if not name.endswith(".qi"):
            continue
        at = 0
        for chunk in storage.read(f"{directory}/{name}", lambda data: decode_index(data, codec)):
            if isinstance(chunk, FileHeader):
                continue
            if isinstance(chunk, IndexSlots) and chunk.persistent and chunk.location is BodyLocation.SHARED:
                count = min(chunk.count, settings.segment_entry_count - at)
                if count > 0:
                    yield Range(chunk.msg_no, count)
            at += chunk.size_bytes // SLOT_BYTES
