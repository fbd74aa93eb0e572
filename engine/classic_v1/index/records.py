"""Between the queue's extents and the records of the index (S60, S86)."""

from __future__ import annotations

from engine.classic_v1.formats.published import PublishRecord
from engine.classic_v1.index.slots import JournalSlot
from engine.values.errors import InvariantBroken
from engine.values.extents import (
    DELIVERED,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    Extent,
)


def publish_of(extent: Extent) -> PublishRecord:
    """Return the publish record of an extent's first message (S60).

    What no file keeps of a message in the store is set to what a reader has to assume.
    """
    flags = extent.flags
    embedded, persistent = not flags & HOME_STORE, flags & PERSISTENT != 0
    return PublishRecord(
        msg_no=extent.msg_no,
        size_bytes=extent.size_bytes,
        expiry_us=extent.expiry_us,
        persistent=persistent,
        embedded=embedded,
        raw_persistent=flags & RAW_PERSISTENT != 0 if embedded else persistent,
        template=extent.template if embedded else 0,
    )


def extent_of(slot: JournalSlot, flags_deliveries: bool) -> Extent:
    """Return live entries as the queue takes them back (S86): never waiting for a confirm (S64).

    Args:
        flags_deliveries: whether the queue goes by the delivered mark of each (V1).
    """
    publish = slot.publish
    if publish is None:
        raise InvariantBroken(f"seq_ids {slot.start} to {slot.end - 1} have no publish record (S91)")
    return Extent(
        slot.start,
        slot.count,
        publish.msg_no,
        publish.size_bytes,
        INDEXED
        | (PERSISTENT if publish.persistent else 0)
        | (IN_RAM if publish.embedded else HOME_STORE | IN_STORE)
        | (RAW_PERSISTENT if publish.raw_persistent else 0)
        | (DELIVERED if flags_deliveries and slot.delivered else 0),
        publish.expiry_us,
        publish.template,
    )
