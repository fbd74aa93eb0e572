"""Commands of clients: publishers and consumers, work on manual channels, and closing."""

from __future__ import annotations

import zlib
from array import array
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, repeat
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec.structs import replace

from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    HAND,
    MAX_EXPIRATION_MS,
    MAX_FIELDS,
    MAX_SIZE_BYTES,
    TICK_MS,
    ChannelName,
    Command,
    ConsumerTag,
    Count,
    ExchangeName,
    Fields,
    Milliseconds,
    Name,
    Prefetch,
    Priority,
    QueueName,
    Rate,
    RoutingKey,
    Size,
    Text,
    TickMs,
)
from engine.values.byte_cache import ByteCache
from engine.values.errors import ValueRefused
from engine.values.sizes import from_little_endian, little_endian

SIZE: Final = "I"
"""Bytes of a size. All first bytes come first, then all second bytes, so that equal bytes lie together."""
EXPIRATION: Final = "Q"
"""Bytes of an expiration: ten years in milliseconds need more than four; zeros compress to almost nothing."""
MAX_UNEQUAL: Final = 1_000_000
"""Most messages of one column: a text of some hundred bytes may stand for this many, and each is checked."""
KEPT_BYTES: Final = 16 * 1024 * 1024
"""Bytes of recently unpacked columns to keep: a burst is checked, bounded and then played."""

_kept: ByteCache[tuple[str, str, int], array[int]] = ByteCache(
    KEPT_BYTES, lambda key, column: len(key[1]) + column.itemsize * len(column)
)


def pack(sizes: Iterable[int]) -> str:
    return _packed(SIZE, sizes)


def unpack(text: str, count: int) -> array[int]:
    """Return the body bytes of `count` messages. `text`: as `pack` wrote it. `count`: how many there are. Raises
    ValueRefused: it is not such a text, does not have `count` sizes, or has too many sizes or one that is too large.
    """
    return _unpacked("sizes", SIZE, text, count, MAX_SIZE_BYTES)


def pack_expirations(expirations_ms: Iterable[int | None]) -> str:
    """Return the text that `unpack_expirations` reads: for each message 0 for none, else the expiration plus one."""
    return _packed(EXPIRATION, (0 if each is None else each + 1 for each in expirations_ms))


def unpack_expirations(text: str, count: int) -> Iterator[int | None]:
    """Return the expirations of `count` messages in milliseconds, None for one without. `text`: as
    `pack_expirations` wrote it. `count`: how many there are. Raises ValueRefused: it is not such a text, does
    not have `count` expirations, or has too many or one that is too long.
    """
    column = _unpacked("expirations", EXPIRATION, text, count, MAX_EXPIRATION_MS + 1)
    return (each - 1 if each else None for each in column)


def _packed(kind: str, column: Iterable[int]) -> str:
    values = array(kind, column)
    data = little_endian(values)
    planes = b"".join(data[at :: values.itemsize] for at in range(values.itemsize))
    return b64encode(zlib.compress(planes, 9)).decode()


def _unpacked(place: str, kind: str, text: str, count: int, most: int) -> array[int]:
    """Return a column; the unpacked size is bounded before it is unpacked."""
    if count > MAX_UNEQUAL:
        raise ValueRefused("column_too_long", place=place, most=MAX_UNEQUAL, count=count)
    key = kind, text, count
    column = _kept.find(key)
    if column is not None:
        return column
    column = _read(place, kind, text, count)
    if max(column, default=0) > most:
        raise ValueRefused("column_too_large", place=place, most=most - (kind == EXPIRATION))
    return _kept.keep(key, column)


def _read(place: str, kind: str, text: str, count: int) -> array[int]:
    width = array(kind).itemsize
    wanted = width * count
    try:
        reader = zlib.decompressobj()
        planes = reader.decompress(a2b_base64(text, strict_mode=True), wanted + 1)
    except (ValueError, zlib.error):
        raise ValueRefused("column_unreadable", place=place) from None
    if len(planes) != wanted or not reader.eof:
        raise ValueRefused("column_of_others", place=place, count=count)
    data = bytearray(wanted)
    for at in range(width):
        data[at::width] = planes[at * count : (at + 1) * count]
    return from_little_endian(kind, data)


def mean_of(sizes: array[int]) -> int:
    """Return the mean, rounded up: the size of one message when all are treated together."""
    return -(-sum(sizes) // len(sizes))


MAX_TX: Final = 10_000
NackMode = Literal["requeue", "discard"]
AckMode = Literal["each", "multiple", "auto", "manual"]


Properties = Annotated[
    dict[str, Annotated[int, msgspec.Meta(ge=0, le=2**53)] | Text], msgspec.Meta(max_length=MAX_FIELDS)
]


class Publish(Command, frozen=True, tag="publish"):
    """A burst: `count` messages at once from one publisher.

    Args:
        properties: the AMQP properties without a field of their own.
        expiration: the property as the client wrote it, even if that is no time; `expiration_ms` is the usual way.
        channel: a manual channel, for publishes in a transaction; else the connection of bursts.
        immediate: the flag that RabbitMQ removed in 3.0; the broker answers it with 540.
        sizes: body bytes of each message if they differ, as `pack` writes them; then `size_bytes` is their mean,
            rounded up.
        expirations: of each message if they differ, as `pack_expirations` writes them; then the other two are left out.
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
        """Check the columns of sizes and expirations. Raises ValueRefused."""
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
        """Yield each run of messages with one expiration: their number and the expiration."""
        for expiration_ms, run in groupby(unpack_expirations(self.expirations, self.count)):
            yield sum(1 for _each in run), expiration_ms

    def singles(self) -> Iterator[Publish]:
        """Yield the messages one by one if they differ, else all at once."""
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


class SetPublisher(Command, frozen=True, tag="set_publisher"):
    """Start, change or pause a publisher with a steady rate. `hears_blocked`: the client announced that it
    understands connection.blocked (A5). `tx`: it commits a transaction after this many messages, 0 for none
    (D12-D15). `properties`: as in a burst; `priority` is for queues with x-max-priority (P20).
    """

    name: Name
    rate_per_s: Rate
    size_bytes: Size
    persistent: bool = False
    confirm: bool = False
    running: bool = True
    hears_blocked: bool = False
    tx: Annotated[int, msgspec.Meta(ge=0, le=MAX_TX)] = 0
    routing_key: RoutingKey = DEFAULT_QUEUE
    exchange: ExchangeName = ""
    mandatory: bool = False
    expiration_ms: Milliseconds | None = None
    headers: Fields = {}
    properties: Properties = {}


class SetConsumer(Command, frozen=True, tag="set_consumer"):
    """Start, change or pause a consumer.

    Args:
        rate_per_s: how many messages it finishes in a second.
        prefetch: how many it may hold unacknowledged, 0 for any number (P13); no-ack consumers ignore it.
        ack: `each` one by one, `multiple` with one acknowledgement for all that are finished, `auto` without any,
            `manual` by the ack command.
        queue: where it consumes from.
        priority: consumers of a higher one get messages first (P12).
        exclusive: nobody else may consume from the queue.
        channel_prefetch: how many its channel may hold (basic.qos with global), 0 for any number (P13).
        channel: the channel of a `manual` consumer; others have their own.
        cancel_on_failover: whether it is cancelled when a mirror takes over its queue (H67).
        nack: it rejects what it finishes (basic.nack, one by one or multiple as `ack` says): the messages are requeued
            or dead-lettered (P11).
        tick_ms: it acknowledges at most once in this many milliseconds. With bursts that are a second wide, a coarse
            tick makes a run cheaper. It changes neither what is stored nor how often a queue syncs; if work takes time,
            deliveries come later, by less than a tick.
    """

    name: ConsumerTag
    rate_per_s: Rate = 1
    prefetch: Prefetch = 1
    ack: AckMode = "each"
    running: bool = True
    queue: QueueName = DEFAULT_QUEUE
    priority: Priority = 0
    exclusive: bool = False
    channel_prefetch: Prefetch = 0
    channel: ChannelName = HAND
    cancel_on_failover: bool = False
    nack: NackMode | None = None
    tick_ms: TickMs = TICK_MS


class ConfirmSelect(Command, frozen=True, tag="confirm_select"):
    """Confirm publishes on a manual channel from now on (confirm.select, K1)."""

    channel: ChannelName = HAND


class TxSelect(Command, frozen=True, tag="tx_select"):
    """Let publishes and acknowledgements of a channel wait for tx.commit (tx.select, D12)."""

    channel: ChannelName = HAND


class TxCommit(Command, frozen=True, tag="tx_commit"):
    """Deliver what was published, then settle what was acknowledged or rejected (tx.commit, D13)."""

    channel: ChannelName = HAND


class TxRollback(Command, frozen=True, tag="tx_rollback"):
    """Forget what was published, and hold again what was acknowledged (tx.rollback, D14)."""

    channel: ChannelName = HAND


class Remove(Command, frozen=True, tag="remove"):
    """Close the connection of a publisher, a consumer or manual channels; unacknowledged messages are
    requeued (P11). The next manual command opens another.
    """

    name: ConsumerTag


class Cancel(Command, frozen=True, tag="cancel"):
    """Cancel a consumer: it gets nothing more; its channel keeps what it holds (basic.cancel, P11)."""

    name: ConsumerTag


class Hang(Command, frozen=True, tag="hang"):
    """Let the program of a publisher or a consumer hang: it sends nothing, not even heartbeats (A3). Its
    connection stays open until the broker misses the heartbeats; the actor's next command wakes the program.
    `heartbeat_s`: the interval on which client and broker agreed.
    """

    name: ConsumerTag
    heartbeat_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 60


class CloseChannel(Command, frozen=True, tag="close_channel"):
    """Close the channel of a publisher, of a consumer, or a manual one; its messages are requeued (P11)."""

    name: ConsumerTag


class Ack(Command, frozen=True, tag="ack"):
    """Acknowledge the oldest deliveries held by hand: one by one, or with one ack(multiple) (P14)."""

    count: Count
    multiple: bool = False
    channel: ChannelName = HAND


class Requeue(Command, frozen=True, tag="requeue"):
    """Reject the oldest deliveries held by hand so that they return to the queue (P11)."""

    count: Count
    channel: ChannelName = HAND


class Nack(Command, frozen=True, tag="nack"):
    """basic.nack of the oldest deliveries held by hand: one by one, or all at once (P11)."""

    count: Count
    multiple: bool = False
    requeue: bool = True
    channel: ChannelName = HAND


class Reject(Command, frozen=True, tag="reject"):
    """basic.reject of the oldest deliveries held by hand, one by one; without requeue they are dead letters (P11)."""

    count: Count
    requeue: bool = True
    channel: ChannelName = HAND


class AckTag(Command, frozen=True, tag="ack_tag"):
    """Acknowledge a delivery tag of a manual channel (basic.ack, P14)."""

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    channel: ChannelName = HAND


class NackTag(Command, frozen=True, tag="nack_tag"):
    """basic.nack or basic.reject with a delivery tag of a channel (P11, P14). `reject`: it is basic.reject,
    after which 4.3 counts a delivery that failed (W42).
    """

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    requeue: bool = True
    channel: ChannelName = HAND
    reject: bool = False


class Recover(Command, frozen=True, tag="recover"):
    """Requeue all that a channel holds (basic.recover, P11); the broker only supports it with requeue."""

    requeue: bool = True
    channel: ChannelName = HAND


class Qos(Command, frozen=True, tag="qos"):
    """Limit the messages that each later consumer, or the whole channel, may hold (basic.qos, P13). `prefetch`: 0 for
    any number. `channel_wide`: AMQP's `global`: one limit for all consumers of the channel, which holds at once.
    """

    prefetch: Prefetch
    channel_wide: bool = False
    channel: ChannelName = HAND


class Consume(Command, frozen=True, tag="consume"):
    """basic.consume on a channel by hand, whose messages are acknowledged by hand (P12). Unlike
    `set_consumer` it never changes a consumer: if the channel already has the tag, the broker closes the
    connection. `others`: as in `set_consumer`.
    """

    name: ConsumerTag
    prefetch: Prefetch = 0
    queue: QueueName = DEFAULT_QUEUE
    priority: Priority = 0
    exclusive: bool = False
    channel_prefetch: Prefetch = 0
    channel: ChannelName = HAND


class Get(Command, frozen=True, tag="get"):
    """basic.get `count` times; with `ack` the messages stay unacknowledged until the ack command (P11)."""

    count: Count
    ack: bool = True
    queue: QueueName = DEFAULT_QUEUE
    channel: ChannelName = HAND


class Purge(Command, frozen=True, tag="purge"):
    """Drop every ready message (P19)."""

    queue: QueueName = DEFAULT_QUEUE
    channel: ChannelName = HAND
