"""A burst of messages, as a command: all of one size and expiration, or each with its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice, repeat
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
from engine.broker.commands.packed import mean_of, pack, pack_expirations, unpack, unpack_expirations
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
            are left out.
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
        """Return `count` of the messages beginning at `offset`."""
        if not (self.sizes or self.expirations):
            return self if count == self.count else replace(self, count=count)
        end = offset + count
        own: dict[str, Any] = {}
        if self.sizes:
            sizes = unpack(self.sizes, self.count)[offset:end]
            own = {"sizes": pack(sizes), "size_bytes": mean_of(sizes)}
        if self.expirations:
            expirations = islice(unpack_expirations(self.expirations, self.count), offset, end)
            own["expirations"] = pack_expirations(expirations)
        return replace(self, count=count, **own)

    def runs(self) -> Iterator[tuple[int, int | None]]:
        """Yield how many messages follow each other with one expiration, and which one, where they have a column."""
        for expiration_ms, run in groupby(unpack_expirations(self.expirations, self.count)):
            yield sum(1 for _each in run), expiration_ms

    def singles(self) -> Iterator[Publish]:
        """Yield the messages one by one where they differ; else all at once."""
        if not (self.sizes or self.expirations):
            yield self
            return
        sizes: Iterable[int] = repeat(self.size_bytes, self.count)
        if self.sizes:
            sizes = unpack(self.sizes, self.count)
        expirations: Iterable[int | None] = repeat(self.expiration_ms, self.count)
        if self.expirations:
            expirations = unpack_expirations(self.expirations, self.count)
        one = replace(self, count=1, sizes="", expirations="")
        for size, expiration_ms in zip(sizes, expirations, strict=True):
            yield replace(one, size_bytes=size, expiration_ms=expiration_ms)
