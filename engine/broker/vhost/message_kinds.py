"""Templates: exchange, routing key and properties of messages, by the number in their extents (S50, S52)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec.structs import replace

from engine.backing_queue.protocol import Arrival
from engine.broker.commands.base import MessageFields
from engine.formats import properties
from engine.formats.message import MessageCodec, MessageTemplate
from engine.values.extents import RAW_PERSISTENT, READ_BACK, Extent
from engine.values.labels import BREAK, bare
from engine.values.sizes import Sizes
from engine.values.stretches import Stretches, StretchRecord

PERSISTENT_MODE, TRANSIENT_MODE = 2, 1
MANY_RUNS: Final = 4096
"""Ranges of stored messages to remember before searching for those that are gone."""


class StoredKind(StretchRecord, frozen=True, gc=False):
    """Facts that store records of messages contain and index records do not. `persistent`: whether their own
    delivery_mode is 2, whatever the queue.
    """

    template: int
    persistent: bool

    def continued_by(self, after: StoredKind) -> bool:
        """Return whether `after` has the same template and delivery mode."""
        return self.template == after.template and self.persistent == after.persistent


class MessageKinds:
    """The codec's templates by number. `embed_below`: bodies with properties of at least this many bytes are
    stored (Q12). `oldest`: returns the lowest message number that any queue or store has.
    """

    def __init__(self, codec: MessageCodec, embed_below: int, oldest: Callable[[], int]) -> None:
        self._codec = codec
        self._embed_below = embed_below
        self._oldest = oldest
        self._stored: Stretches[StoredKind] = Stretches()
        self._prune_at = MANY_RUNS
        self._published: dict[int, MessageFields] = {}
        self.next_msg_no = 0

    def take_numbers(self, count: int) -> int:
        """Take `count` new message numbers; return the first."""
        first = self.next_msg_no
        self.next_msg_no += count
        return first

    def number(self, message: MessageFields, persistent: bool) -> int:
        """Return the number of a message's template, registering it when it is new."""
        plain = not message.headers and message.expiration_ms is None and not message.properties
        block = None if plain else _block(message, persistent)
        if BREAK in message.exchange:
            message = replace(message, exchange=bare(message.exchange))
        number = self._codec.template_no(MessageTemplate(message.exchange, message.routing_keys, block))
        self._published[number] = message
        if message.rewritten:
            self._codec.rewritten(number, len(message.headers))
        return number

    def of(self, number: int) -> MessageFields:
        published = self._published.get(number)
        if published is None:
            template = self._codec.templates[number]
            published = MessageFields(
                template.exchange, template.routing_keys[0] if template.routing_keys else ""
            )
        return published

    def column(self, msg_no: int, sizes: Iterable[int]) -> Sizes:
        return self._codec.column(msg_no, sizes)

    @property
    def bodies(self) -> dict[str, Any]:
        """The columns as a snapshot shows them, by number: the first message's number, and all sizes."""
        return {str(each.number): [each.first, each.sizes] for each in self._codec.columns}

    def remember(self, arrival: Arrival) -> None:
        """Remember the templates of stored messages, as index records lack them and reads are only counted (S60)."""
        template, sizes = arrival.template, arrival.size_bytes
        border = self._embed_below - self._codec.estimated_bytes(template)
        if isinstance(sizes, int):
            if sizes < border:
                return
            self._stored.insert(StoredKind(arrival.msg_no, arrival.count, template, arrival.raw_persistent))
        else:
            self._remember_each(arrival, sizes, border)
        if len(self._stored) > self._prune_at:
            oldest = self._oldest()
            while self._stored and self._stored.first.start + self._stored.first.count <= oldest:
                self._stored.pop_head(self._stored.first.count)
            self._prune_at = max(MANY_RUNS, 2 * len(self._stored))

    def _remember_each(self, arrival: Arrival, sizes: Sizes, border: int) -> None:
        at, end = arrival.msg_no, arrival.msg_no + arrival.count
        while at < end:
            count = sizes.alike(at, end - at, border)
            if sizes.at(at) >= border:
                self._stored.insert(StoredKind(at, count, arrival.template, arrival.raw_persistent))
            at += count

    def as_read(self, extent: Extent) -> list[Extent]:
        """Return messages with the template and delivery mode that a read of their bodies gives (S60). Their
        expiration is not decoded then, as dead letters show (P9), unless the broker wrote it itself.
        """
        if not extent.home_store:
            return [self._undecoded(extent)]
        found: list[Extent] = []
        for at, count, known in self._stored.pieces(extent.msg_no, extent.count):
            part = extent.part(at - extent.msg_no, count)
            if known is not None:
                flags = extent.flags | (RAW_PERSISTENT if known.persistent else 0)
                part = self._undecoded(replace(part, template=known.template, flags=flags))
            found.append(part)
        return found

    def _undecoded(self, extent: Extent) -> Extent:
        message = self.of(extent.template)
        loses = message.expiration_ms is not None and not message.rewritten
        return extent.with_flags(READ_BACK) if loses else extent


def _block(message: MessageFields, persistent: bool) -> bytes:
    mode = PERSISTENT_MODE if persistent else TRANSIENT_MODE
    values: dict[str, Any] = {"delivery_mode": mode, **message.properties}
    if message.headers:
        values["headers"] = [(name, field(value)) for name, value in message.headers.items()]
    if message.expiration_ms is not None:
        values["expiration"] = str(message.expiration_ms)
    return properties.encode(values)


def field(value: Any) -> properties.Field:
    """Return a header's value with its type letter, as clients send it (S52)."""
    if value is None:
        return ("V", None)
    if isinstance(value, bool):
        return ("t", value)
    if isinstance(value, int):
        return ("l", value)
    if isinstance(value, list):
        return ("A", [field(each) for each in value])
    if isinstance(value, dict):
        return ("F", [(name, ("T", each) if name == "time" else field(each)) for name, each in value.items()])
    return ("S", str(value).encode())
