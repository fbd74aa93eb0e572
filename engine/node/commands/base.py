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
Int64 = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
Fields = Annotated[dict[FieldName, bool | Int64 | Text | None], msgspec.Meta(max_length=MAX_FIELDS)]
"""A table of headers or arguments, without nesting."""
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPIRATION_MS)]

HAND: Final = "hand"
"""The channel that a command means when it names none."""
DEFAULT_QUEUE: Final = "orders"
"""The queue that a command means when it names none."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=False):
    """Anything that can be told to a node; `do` names the verb."""


class Message(msgspec.Struct, frozen=True):
    """What a publisher says about its messages beside their bodies.

    Args:
        expiration_ms: how long a message may stay in a queue, None for ever.
        mandatory: a message that no queue gets comes back.
    """

    exchange: str = ""
    routing_key: str = DEFAULT_QUEUE
    mandatory: bool = False
    expiration_ms: int | None = None
    headers: dict[str, Any] = {}
