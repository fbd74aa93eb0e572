"""What enters and leaves a queue, as values."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from engine.values.each import Each
from engine.values.extents import Extent
from engine.values.sizes import at, total


class Arrival(msgspec.Struct, frozen=True, gc=False):
    """Messages on their way into a queue: consecutive message numbers, all else equal.

    Args:
        count: number of messages.
        msg_no: number of the first message's id.
        size_bytes: body bytes of each: one number, or a column.
        raw_persistent: the publisher set delivery_mode 2.
        wants_confirm: the queue process asks for a disk-dependent confirm (K1).
        expiry_us: absolute wall-clock microseconds, 0 for never.
        template: exchange, routing key and properties, as registered with the codec.
        sender: the channel that sent them; mirrors keep apart what came from each (H20).
        deliveries: how often delivering them has failed where they died, 0 for messages that never did (W42).
    """

    count: int
    msg_no: int
    size_bytes: Each
    raw_persistent: bool = False
    wants_confirm: bool = False
    expiry_us: int = 0
    template: int = 0
    sender: str = ""
    deliveries: int = 0

    @property
    def total_bytes(self) -> int:
        """Body bytes of all messages."""
        return total(self.size_bytes, self.msg_no, self.count)

    def single(self) -> Arrival:
        """Return the first message alone, with its body bytes as a number."""
        return replace(self, count=1, size_bytes=at(self.size_bytes, self.msg_no))

    def part(self, offset: int, count: int) -> Arrival:
        """Return `count` of the messages beginning at `offset`."""
        return Arrival(
            count,
            self.msg_no + offset,
            self.size_bytes,
            self.raw_persistent,
            self.wants_confirm,
            self.expiry_us,
            self.template,
            self.sender,
            self.deliveries,
        )


class TakenMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages taken from the head.

    Args:
        extent: the messages as the queue keeps them now (or kept them last).
        redelivered: how many of them, the first ones, carry redelivered = true (Q33).
        lane: the sub-queue they came from.
    """

    extent: Extent
    redelivered: int
    lane: str
