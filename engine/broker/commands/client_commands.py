"""Commands of clients: what they publish, what they do on a channel by hand, and how they end."""

from __future__ import annotations

import zlib
from array import array
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, repeat
from typing import Annotated, Any, Final

import msgspec
from msgspec.structs import replace

from engine.broker.commands.base import (
    DEFAULT_QUEUE,
    HAND,
    MAX_EXPIRATION_MS,
    MAX_FIELDS,
    MAX_SIZE_BYTES,
    ChannelName,
    Command,
    ConsumerTag,
    Count,
    ExchangeName,
    Fields,
    Milliseconds,
    Prefetch,
    QueueName,
    RoutingKey,
    Size,
    Text,
)
from engine.broker.commands.operator_commands import Priority
from engine.values.byte_cache import ByteCache
from engine.values.errors import ValueRefused
from engine.values.sizes import from_little_endian, little_endian

SIZE: Final = "I"
"""A size has four bytes. The first of all come first, then the second of all: so what is alike lies together."""
EXPIRATION: Final = "Q"
"""An expiration has eight, as ten years in milliseconds need more than four; zeros take next to nothing."""
MAX_UNEQUAL: Final = 1_000_000
"""Messages of one column: a text of some hundred bytes may stand for so many, and each is looked at."""
KEPT_BYTES: Final = 16 * 1024 * 1024
"""Of the columns that were unpacked last: a burst is checked, bounded and played one after the other."""

_kept: ByteCache[tuple[str, str, int], array[int]] = ByteCache(
    KEPT_BYTES, lambda key, column: len(key[1]) + column.itemsize * len(column)
)


def pack(sizes: Iterable[int]) -> str:
    """Return the text that `unpack` reads."""
    return _packed(SIZE, sizes)


def unpack(text: str, count: int) -> array[int]:
    """Return the body bytes of `count` messages.

    Args:
        text: as `pack` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is not such a text, or does not have `count` sizes, or one that is too large, or too many.
    """
    return _unpacked("sizes", SIZE, text, count, MAX_SIZE_BYTES)


def pack_expirations(expirations_ms: Iterable[int | None]) -> str:
    """Return the text that `unpack_expirations` reads: for each message 0 for none, else one more than it is."""
    return _packed(EXPIRATION, (0 if each is None else each + 1 for each in expirations_ms))


def unpack_expirations(text: str, count: int) -> Iterator[int | None]:
    """Return the expirations of `count` messages in milliseconds, None for one without.

    Args:
        text: as `pack_expirations` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is not such a text, or does not have `count` expirations, or one that is too long, or too many.
    """
    column = _unpacked("expirations", EXPIRATION, text, count, MAX_EXPIRATION_MS + 1)
    return (each - 1 if each else None for each in column)


def _packed(kind: str, column: Iterable[int]) -> str:
    values = array(kind, column)
    data = little_endian(values)
    planes = b"".join(data[at :: values.itemsize] for at in range(values.itemsize))
    return b64encode(zlib.compress(planes, 9)).decode()


def _unpacked(place: str, kind: str, text: str, count: int, most: int) -> array[int]:
    """Return a column; how many bytes it may unfold to is known before it does."""
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
    """Return the mean, rounded up: what one message of them takes, where all are looked at together."""
    return -(-sum(sizes) // len(sizes))


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


class ConfirmSelect(Command, frozen=True, tag="confirm_select"):
    """confirm.select: publishes on a channel by hand are confirmed from now on (K1)."""

    channel: ChannelName = HAND


class TxSelect(Command, frozen=True, tag="tx_select"):
    """tx.select: publishes and acknowledgements of a channel wait for tx.commit from now on (D12)."""

    channel: ChannelName = HAND


class TxCommit(Command, frozen=True, tag="tx_commit"):
    """tx.commit: what was published arrives, then what was acknowledged or rejected is settled (D13)."""

    channel: ChannelName = HAND


class TxRollback(Command, frozen=True, tag="tx_rollback"):
    """tx.rollback: what was published is forgotten, what was acknowledged is held again (D14)."""

    channel: ChannelName = HAND


class Remove(Command, frozen=True, tag="remove"):
    """Close the connection of a publisher, a consumer or the hand; unacknowledged messages go back (P11).

    The hand's next command opens another.
    """

    name: ConsumerTag


class Cancel(Command, frozen=True, tag="cancel"):
    """basic.cancel: the consumer gets nothing more; what it holds stays with its channel (P11)."""

    name: ConsumerTag


class Hang(Command, frozen=True, tag="hang"):
    """The program of a publisher or a consumer hangs: it sends nothing any more, not even heartbeats (A3).

    Its connection stays open until the broker misses the heartbeats; the actor's next command wakes the program.

    Args:
        heartbeat_s: the interval on which client and broker agreed.
    """

    name: ConsumerTag
    heartbeat_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 60


class CloseChannel(Command, frozen=True, tag="close_channel"):
    """Close the channel of a publisher, a consumer or the hand: what it holds is requeued (P11)."""

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
    """basic.ack with a delivery tag of the hand's channel (P14)."""

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    channel: ChannelName = HAND


class NackTag(Command, frozen=True, tag="nack_tag"):
    """basic.nack or basic.reject with a delivery tag of a channel (P11, P14).

    Args:
        reject: it is basic.reject, after which 4.3 counts a delivery that failed (W42).
    """

    tag: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    multiple: bool = False
    requeue: bool = True
    channel: ChannelName = HAND
    reject: bool = False


class Recover(Command, frozen=True, tag="recover"):
    """basic.recover: all that a channel holds goes back to its queues; the broker has it with requeue only (P11)."""

    requeue: bool = True
    channel: ChannelName = HAND


class Qos(Command, frozen=True, tag="qos"):
    """basic.qos: how many messages each consumer that is started later, or the whole channel, may hold (P13).

    Args:
        prefetch: 0 for any number.
        channel_wide: AMQP's `global`: one limit for all consumers of the channel, which holds at once.
    """

    prefetch: Prefetch
    channel_wide: bool = False
    channel: ChannelName = HAND


class Consume(Command, frozen=True, tag="consume"):
    """basic.consume on a channel by hand, whose messages are acknowledged by hand (P12).

    Unlike `set_consumer` it begins a consumer and changes none: with a tag that the channel has already the broker
    closes the connection.

    Args:
        name: the consumer tag.
        others: as in `set_consumer`.
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
