"""AMQP's errors: the broker's text, and whether it closes the channel or the connection."""

from __future__ import annotations

from typing import Final, Literal

from engine.values.errors import EngineError
from engine.values.labels import bare, host_of

MAX_TEXT: Final = 255
"""Most bytes of a reply text (a short string); the broker truncates longer ones."""

Closes = Literal["channel", "connection"]

CODES: Final[dict[str, tuple[int, Closes]]] = {
    "access_refused": (403, "channel"),
    "not_found": (404, "channel"),
    "resource_locked": (405, "channel"),
    "precondition_failed": (406, "channel"),
    "frame_error": (501, "connection"),
    "command_invalid": (503, "connection"),
    "channel_error": (504, "connection"),
    "resource_error": (506, "connection"),
    "not_allowed": (530, "connection"),
    "not_implemented": (540, "connection"),
    "internal_error": (541, "connection"),
}
"""Reply code of each exception, and what the broker closes for it."""


class AmqpError(EngineError):
    """An error of a client that makes AMQP close its channel or connection. `name`: the exception's name, a
    key of CODES. `explanation`: the broker's words about this case, "" if it has none.
    """

    def __init__(self, name: str, explanation: str) -> None:
        self.name = name
        self.code, self.closes = CODES[name]
        text = (f"{name.upper()} - {explanation}" if explanation else name.upper()).encode()
        if len(text) > MAX_TEXT:
            text = text[: MAX_TEXT - 3] + b"..."
        self.text = text.decode(errors="ignore")
        super().__init__(self.text)


def failed(explanation: str) -> AmqpError:
    """Return the error of a precondition that does not hold."""
    return AmqpError("precondition_failed", explanation)


def queue_words(name: str) -> str:
    return f"queue '{bare(name)}' in vhost '{host_of(name)}'"


def exchange_words(name: str) -> str:
    return f"exchange '{bare(name)}' in vhost '{host_of(name)}'"
