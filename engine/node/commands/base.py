"""What all commands are made of: bounded values, and the words of a message that is published."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec

MAX_COUNT: Final = 10_000_000
MAX_SIZE_BYTES: Final = 134_217_728
MAX_RATE: Final = 1_000_000
MAX_PREFETCH: Final = 65_535
MAX_EXPIRATION_MS: Final = 315_360_000_000
MAX_FIELDS: Final = 16
MAX_SHORT_BYTES: Final = 255

Count = Annotated[int, msgspec.Meta(ge=1, le=MAX_COUNT)]
Size = Annotated[int, msgspec.Meta(ge=0, le=MAX_SIZE_BYTES)]
Rate = Annotated[int, msgspec.Meta(ge=1, le=MAX_RATE)]
Prefetch = Annotated[int, msgspec.Meta(ge=0, le=MAX_PREFETCH)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_.-]{0,31}\Z")]
ChannelName = Name
"""A channel by hand; what stands before its first dot names its connection. It is opened with its first use."""
ExchangeName = Annotated[str, msgspec.Meta(pattern=r"^([a-z][a-z0-9_.-]{0,31})?\Z")]
RoutingKey = Annotated[str, msgspec.Meta(max_length=255)]
FieldName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Text = Annotated[str, msgspec.Meta(max_length=255)]
Fields = Annotated[dict[FieldName, Any], msgspec.Meta(max_length=MAX_FIELDS)]
"""A table of headers or arguments: true and false, integers, texts, null, and lists and tables of these."""
MAX_DEPTH: Final = 4
MAX_VALUES: Final = 64
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPIRATION_MS)]

HAND: Final = "hand"
"""The channel that a command means when it names none."""
DEFAULT_QUEUE: Final = "orders"
"""The queue that a command means when it names none."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=False):
    """Anything that a node can be asked to do; `do` names the verb."""

    def __post_init__(self) -> None:
        """Look into tables, whose values may be nested.

        Raises ValueError for what AMQP or the bounds do not allow.
        """
        for name in TABLES:
            table = getattr(self, name, None)
            if table:
                check_table(name, table)


PROPERTIES: Final = frozenset(
    "content_type content_encoding priority correlation_id reply_to message_id timestamp type user_id app_id "
    "cluster_id".split()
)
"""Of AMQP's fourteen those that have no field of their own in a command."""
TABLES: Final = ("headers", "arguments", "definition", "properties")


def check_table(name: str, table: dict[str, Any]) -> None:
    """Refuse a table with other values than AMQP has, or with too many or too deep ones.

    Raises ValueError.
    """
    unknown = set(table) - PROPERTIES if name == "properties" else None
    if unknown:
        raise ValueError(f"properties has no {min(unknown)}; there are {', '.join(sorted(PROPERTIES))}")
    left = [(value, 1) for value in table.values()]
    count = 0
    while left:
        value, depth = left.pop()
        count += 1
        if count > MAX_VALUES:
            raise ValueError(f"{name} has more than {MAX_VALUES} values")
        if depth > MAX_DEPTH:
            raise ValueError(f"{name} is nested deeper than {MAX_DEPTH}")
        if isinstance(value, dict):
            if not all(
                isinstance(each, str) and 1 <= len(each.encode()) <= MAX_SHORT_BYTES for each in value
            ):
                raise ValueError(f"{name}: a name has 1 to {MAX_SHORT_BYTES} bytes")
            left += [(each, depth + 1) for each in value.values()]
        elif isinstance(value, list):
            left += [(each, depth + 1) for each in value]
        elif isinstance(value, str):
            if len(value) > MAX_SHORT_BYTES:
                raise ValueError(f"{name}: a text has at most {MAX_SHORT_BYTES} characters")
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > 2**53):
            raise ValueError(f"{name}: a number is an integer of at most 53 bits")
        elif value is not None and not isinstance(value, bool | int):
            raise ValueError(f"{name}: {type(value).__name__} is no value that AMQP has")


class Message(msgspec.Struct, frozen=True):
    """What a publisher gives with its messages besides their bodies.

    Args:
        expiration_ms: how long a message may stay in a queue, None for ever.
        mandatory: a message that no queue gets comes back.
        headers: without BCC, which the broker takes away.
        properties: those beside headers, delivery_mode and expiration.
        copies: routing keys of the CC and BCC headers.
    """

    exchange: str = ""
    routing_key: str = DEFAULT_QUEUE
    mandatory: bool = False
    expiration_ms: int | None = None
    headers: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    copies: tuple[str, ...] = ()

    @property
    def routing_keys(self) -> tuple[str, ...]:
        """Its own routing key and those of its CC and BCC headers (P16)."""
        return (self.routing_key, *self.copies)
