"""Which exchange, routing key and properties a message carries, under the number that its extents have (S50, S52)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.formats import properties
from engine.formats.message import MessageCodec, Template
from engine.node.command_base import Message

PERSISTENT_MODE, TRANSIENT_MODE = 2, 1


class MessageKinds:
    """Numbers of the codec's templates, and what each of them says.

    Args:
        codec: encodes messages.
    """

    def __init__(self, codec: MessageCodec) -> None:
        self._codec = codec
        self._said: dict[int, Message] = {}

    def number(self, message: Message, persistent: bool) -> int:
        """Return the number of a message's template, registering it when it is new."""
        plain = not message.headers and message.expiration_ms is None
        block = None if plain else _block(message, persistent)
        number = self._codec.template_no(Template(message.exchange, (message.routing_key,), block))
        self._said[number] = message
        return number

    def of(self, number: int) -> Message:
        """Return what a template says."""
        said = self._said.get(number)
        if said is None:
            template = self._codec.templates[number]
            said = Message(template.exchange, template.routing_keys[0] if template.routing_keys else "")
        return said

    def size_bytes(self, message: Message, size_bytes: int, persistent: bool) -> int:
        """Return the bytes of the whole term of a message with such a body (S55)."""
        return self._codec.term_bytes(self.number(message, persistent), size_bytes, persistent)


def _block(message: Message, persistent: bool) -> bytes:
    values: dict[str, Any] = {"delivery_mode": PERSISTENT_MODE if persistent else TRANSIENT_MODE}
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
        return ("F", [(name, field(each)) for name, each in value.items()])
    return ("S", str(value).encode())


def plain(message: Message) -> dict[str, Any]:
    """Return a message's words as JSON has them."""
    found: dict[str, Any] = msgspec.structs.asdict(message)
    return found
