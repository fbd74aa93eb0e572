"""What the publish records of a run of index entries say (S60, S62)."""

from __future__ import annotations

import msgspec

from engine.values.each import Each


class PublishRecord(msgspec.Struct, frozen=True):
    """Contents of the publish records of a run of index entries (S60, S62).

    A record of a message that is in a store does not contain the message's own delivery mode nor its template; such a
    publish takes `persistent` for the one and 0 for the other, so that a file read back equals what was written.

    Args:
        msg_no: number of the first entry's message; the others follow one by one.
        size_bytes: body bytes of each: one number, or a column.
        expiry_us: absolute microseconds, 0 for never.
        persistent: queue durable and message persistent.
        embedded: the message term is in the record.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
    """

    msg_no: int
    size_bytes: Each
    expiry_us: int = 0
    persistent: bool = True
    embedded: bool = False
    raw_persistent: bool = True
    template: int = 0

    def __post_init__(self) -> None:
        """Forget what the record of a message in a store cannot contain."""
        if not self.embedded and (self.template or self.raw_persistent != self.persistent):
            msgspec.structs.force_setattr(self, "template", 0)
            msgspec.structs.force_setattr(self, "raw_persistent", self.persistent)

    def later(self, offset: int) -> PublishRecord:
        """Return the same for the entries that begin `offset` messages on."""
        if not offset:
            return self
        return PublishRecord(
            self.msg_no + offset,
            self.size_bytes,
            self.expiry_us,
            self.persistent,
            self.embedded,
            self.raw_persistent,
            self.template,
        )
