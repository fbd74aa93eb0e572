"""What all commands are made of: bounded values, and the words of a message that is published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from engine.broker.time.pace import TICK_US
from engine.formats.properties import FLAGS
from engine.values.errors import ValueRefused
from engine.values.labels import bare

MAX_COUNT: Final = 10_000_000
MAX_SIZE_BYTES: Final = 134_217_728
MAX_RATE: Final = 1_000_000
MAX_PREFETCH: Final = 65_535
TICK_MS: Final = TICK_US // 1000
MAX_TICK_MS: Final = 180
"""Below the 200 ms without a message after which a queue syncs (P2): a coarser tick would make it do so."""
MAX_EXPIRATION_MS: Final = 315_360_000_000
MAX_FIELDS: Final = 16
MAX_SHORT_BYTES: Final = 255

Count = Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]
Size = Annotated[int, msgspec.Meta(ge=0, le=MAX_SIZE_BYTES)]
Rate = Annotated[int, msgspec.Meta(ge=1, le=MAX_RATE)]
Prefetch = Annotated[int, msgspec.Meta(ge=0, le=MAX_PREFETCH)]
TickMs = Annotated[int, msgspec.Meta(ge=TICK_MS, le=MAX_TICK_MS)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_.-]{0,31}\Z")]
"""A name that a scenario gives to a publisher, a channel, or itself."""
ChannelName = Name
"""A channel by hand; what is before its first dot names its connection. It is opened with its first use."""
BrokerName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_SHORT_BYTES)]
"""A name as brokers have them: any text of at most 255 bytes (a short string of AMQP)."""
QueueName = BrokerName
NewQueueName = Annotated[str, msgspec.Meta(max_length=MAX_SHORT_BYTES)]
"""As the others; an empty one leaves the name to the broker."""
PolicyName = BrokerName
ConsumerTag = BrokerName
ExchangeName = Annotated[str, msgspec.Meta(max_length=MAX_SHORT_BYTES)]
"""As the others; the default exchange has an empty one."""
RoutingKey = Annotated[str, msgspec.Meta(max_length=255)]
FieldName = Annotated[str, msgspec.Meta(max_length=64)]
"""May be empty, as for AMQP."""
Text = Annotated[str, msgspec.Meta(max_length=255)]
Fields = Annotated[dict[FieldName, Any], msgspec.Meta(max_length=MAX_FIELDS)]
"""A table of headers or arguments: true and false, integers, texts, null, and lists and tables of these."""
MAX_DEPTH: Final = 4
MAX_VALUES: Final = 64
MAX_INTEGER_BITS: Final = 53
"""What JavaScript keeps exactly."""
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPIRATION_MS)]

HAND: Final = "hand"
"""The channel that a command means when it names none."""
DEFAULT_QUEUE: Final = "orders"
"""The queue that a command means when it names none."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=False):
    """Anything that a node can be asked to do; `do` names the verb."""

    def __post_init__(self) -> None:
        """Look at names, which are bounded in bytes, and into tables, whose values may be nested.

        Raises ValueRefused for what AMQP or the bounds do not allow.
        """
        check_names(self)
        for name in TABLES:
            table = getattr(self, name, None)
            if table:
                check_table(name, table)
        expiration = getattr(self, "expiration", None)
        if expiration is not None:
            check_short("expiration", expiration)


NAMES: Final = ("name", "queue", "exchange", "source", "destination", "routing_key", "vhost")


def check_line_breaks(values: Mapping[str, Any]) -> None:
    """Refuse a name with a line break, which the broker takes out; in a node it parts a virtual host from a name in it.

    Raises ValueRefused.
    """
    for field in NAMES:
        text = values.get(field)
        if isinstance(text, str) and ("\n" in text or "\r" in text):
            raise ValueRefused("name_line_break", place=field)


def check_names(holder: object) -> None:
    """Refuse a name that is not a text of at most 255 bytes of UTF-8.

    Raises ValueRefused.
    """
    for field in NAMES:
        text = getattr(holder, field, "")
        if "\r" in text:
            raise ValueRefused("name_line_break", place=field)
        if not text.isascii():
            check_short(field, bare(text))


PROPERTIES: Final = {
    name: kind for name, _, kind in FLAGS if name not in ("headers", "delivery_mode", "expiration")
}
"""Of AMQP's fourteen those that have no field of their own in a command, each with its kind on the wire."""
MOST: Final = {"octet": 255, "timestamp": 2**53}
"""The highest number of a kind; the other kinds are texts."""
TABLES: Final = ("headers", "arguments", "definition", "properties")


def check_table(name: str, table: dict[str, Any]) -> None:
    """Refuse a table with other values than AMQP has, or with too many or too deep ones.

    Raises ValueRefused.
    """
    if name == "properties":
        check_properties(table)
    left = [(value, 1) for value in table.values()]
    count = 0
    while left:
        value, depth = left.pop()
        count += 1
        if count > MAX_VALUES:
            raise ValueRefused("too_many_values", place=name, most=MAX_VALUES)
        if depth > MAX_DEPTH:
            raise ValueRefused("table_too_deep", place=name, most=MAX_DEPTH)
        if isinstance(value, dict):
            if not all(
                isinstance(each, str) and 1 <= len(each.encode()) <= MAX_SHORT_BYTES for each in value
            ):
                raise ValueRefused("no_field_name", place=name, most=MAX_SHORT_BYTES)
            left += [(each, depth + 1) for each in value.values()]
        elif isinstance(value, list):
            left += [(each, depth + 1) for each in value]
        elif isinstance(value, str):
            if len(value) > MAX_SHORT_BYTES:
                raise ValueRefused("field_text_too_long", place=name, most=MAX_SHORT_BYTES)
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > 2**MAX_INTEGER_BITS):
            raise ValueRefused("no_field_number", place=name, most=MAX_INTEGER_BITS)
        elif value is not None and not isinstance(value, bool | int):
            raise ValueRefused("no_field_value", place=name, got=type(value).__name__)


def check_properties(properties: Mapping[str, Any]) -> None:
    """Refuse a property that AMQP has not, or a value that it does not fit into.

    Raises ValueRefused.
    """
    for name, value in properties.items():
        kind, place = PROPERTIES.get(name), f"properties.{name}"
        if kind is None:
            known = ", ".join(sorted(PROPERTIES))
            raise ValueRefused("no_property", place="properties", name=name, known=known)
        if kind in MOST:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST[kind]:
                raise ValueRefused("not_whole_between", place=place, least=0, most=MOST[kind])
        elif not isinstance(value, str):
            raise ValueRefused("not_text", place=place, got=type(value).__name__)
        else:
            check_short(place, value)


def check_short(place: str, text: str) -> None:
    """Refuse a text that is no short string of AMQP.

    Raises ValueRefused.
    """
    try:
        size_bytes = len(text.encode())
    except UnicodeEncodeError:
        raise ValueRefused("name_no_text", place=place) from None
    if size_bytes > MAX_SHORT_BYTES:
        raise ValueRefused("name_too_long", place=place, most=MAX_SHORT_BYTES)


class MessageFields(msgspec.Struct, frozen=True):
    """What a publisher gives with its messages besides their bodies.

    Args:
        expiration_ms: how long a message may stay in a queue, None for ever.
        mandatory: a message that no queue gets comes back.
        headers: without BCC, which the broker takes away.
        properties: those beside headers, delivery_mode and expiration.
        copies: routing keys of the CC and BCC headers.
        rewritten: the broker wrote its properties itself, because it took BCC away or added the death of a dead letter;
            it has them decoded then, also once they were read from a file (Q12, P9).
    """

    exchange: str = ""
    routing_key: str = DEFAULT_QUEUE
    mandatory: bool = False
    expiration_ms: int | None = None
    headers: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    copies: tuple[str, ...] = ()
    rewritten: bool = False

    def given(self) -> dict[str, Any]:
        """Return what the publisher gave, by its names here."""
        given = msgspec.structs.asdict(self)
        del given["rewritten"]
        return given

    @property
    def routing_keys(self) -> tuple[str, ...]:
        """Its own routing key and those of its CC and BCC headers (P16)."""
        return (self.routing_key, *self.copies)
