"""A burst of messages, as a command: all of one size, or each with its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec.structs import replace

from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    MAX_FIELDS,
    ChannelName,
    Command,
    Count,
    ExchangeName,
    Fields,
    Milliseconds,
    RoutingKey,
    Size,
    Text,
)
from engine.broker.commands.packed import mean_of, pack, unpack
from engine.values.errors import ValueRefused

Properties = Annotated[
    dict[str, Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Text], msgspec.Meta(max_length=MAX_FIELDS)
]


class Publish(Command, frozen=True, tag="publish"):
    """A burst: `count` messages at once from one publisher.

    Args:
        properties: of AMQP's fourteen those that have no field of their own here.
        expiration: the property as the client wrote it, which may be no time at all; `expiration_ms` is the usual way.
        channel: by hand, for publishes in a transaction; else the connection of bursts.
        immediate: the flag that RabbitMQ gave up in 3.0; the broker answers it with 540.
        sizes: body bytes of each message where they differ, as `packed.pack` writes them; then `size_bytes` is their
            mean, rounded up.
    """

    count: Count
    size_bytes: Size
    persistent: bool = False
    confirm: bool = False
    routing_key: RoutingKey = DEFAULT_QUEUE
    exchange: ExchangeName = ""
    mandatory: bool = False
    expiration_ms: Milliseconds | None = None
    headers: Fields = {}
    properties: Properties = {}
    expiration: Text | None = None
    channel: ChannelName | None = None
    immediate: bool = False
    sizes: str = ""

    def check_sizes(self) -> None:
        """Look at the sizes of the messages, where they differ.

        Raises ValueRefused.
        """
        if mean_of(unpack(self.sizes, self.count)) != self.size_bytes:
            raise ValueRefused("sizes_other_mean", place="sizes")

    def part(self, offset: int, count: int) -> Publish:
        """Return `count` of the messages beginning at `offset`."""
        if not self.sizes:
            return self if count == self.count else replace(self, count=count)
        sizes = unpack(self.sizes, self.count)[offset : offset + count]
        return replace(self, count=count, sizes=pack(sizes), size_bytes=mean_of(sizes))

    def singles(self) -> Iterator[Publish]:
        """Yield the messages one by one where their sizes differ; else all at once."""
        if not self.sizes:
            yield self
            return
        for size in unpack(self.sizes, self.count):
            yield replace(self, count=1, sizes="", size_bytes=size)
