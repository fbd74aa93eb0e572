"""A burst of messages, as a command: all of one size and expiration, or each with its own."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

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
from engine.broker.commands.packed import mean_of, pack, unpack, unpack_expirations
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
        expirations: of each message where they differ, as `packed.pack_expirations` writes them; then the other two
            are left out. What a connection carries are the `runs` of it, which have one expiration each.
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
    expirations: str = ""

    def check_columns(self) -> None:
        """Look at the sizes and the expirations of the messages, where they differ.

        Raises ValueRefused.
        """
        if self.sizes and mean_of(unpack(self.sizes, self.count)) != self.size_bytes:
            raise ValueRefused("sizes_other_mean", place="sizes")
        if self.expirations:
            unpack_expirations(self.expirations, self.count)
            if self.expiration_ms is not None or self.expiration is not None:
                raise ValueRefused("expirations_beside_one", place="expirations")

    def part(self, offset: int, count: int) -> Publish:
        """Return `count` of the messages beginning at `offset`, which have one expiration."""
        if not self.sizes:
            return self if count == self.count else replace(self, count=count)
        sizes = unpack(self.sizes, self.count)[offset : offset + count]
        return replace(self, count=count, sizes=pack(sizes), size_bytes=mean_of(sizes))

    def runs(self) -> Iterator[Publish]:
        """Yield the messages in their order, those that follow each other with one expiration together."""
        if not self.expirations:
            yield self
            return
        sizes = unpack(self.sizes, self.count) if self.sizes else None
        at = 0
        for expiration_ms, run in groupby(unpack_expirations(self.expirations, self.count)):
            count = sum(1 for _each in run)
            own = {} if sizes is None else _own_sizes(sizes[at : at + count])
            yield replace(self, count=count, expirations="", expiration_ms=expiration_ms, **own)
            at += count

    def singles(self) -> Iterator[Publish]:
        """Yield the messages one by one where their sizes differ; else all at once."""
        if not self.sizes:
            yield self
            return
        for size in unpack(self.sizes, self.count):
            yield replace(self, count=1, sizes="", size_bytes=size)


def _own_sizes(sizes: array[int]) -> dict[str, Any]:
    """Return the fields of a burst of messages with these sizes."""
    if min(sizes) == max(sizes):
        return {"sizes": "", "size_bytes": sizes[0]}
    return {"sizes": pack(sizes), "size_bytes": mean_of(sizes)}
