"""The message term taken apart, a broker's or this engine's (S50, S51)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.formats import terms
from engine.formats.terms import ErlangAtom, TermError

PERSISTENT_ONLY, TRANSIENT_ONLY = b"\x10\x00\x02", b"\x10\x00\x01"
"""Property lists with delivery_mode 2 or 1 and nothing else (S52)."""


class StoredNames:
    """The atoms of a message term, dotted so that patterns compare with them."""

    BASIC_MESSAGE = ErlangAtom("basic_message")
    RESOURCE = ErlangAtom("resource")
    EXCHANGE = ErlangAtom("exchange")
    CONTENT = ErlangAtom("content")
    PROTOCOL = ErlangAtom("rabbit_framing_amqp_0_9_1")


class ParsedMessage(msgspec.Struct, frozen=True):
    """The parts of a message term (S50, S51).

    Args:
        vhost: name of the virtual host.
        exchange: name of the exchange.
        routing_keys: in stored order.
        properties: the encoded property list; None when only the decoded one is stored.
        decoded_properties: the `P_basic` tuple, or None.
        frames: body frames in the order received.
        id16: the message id.
        persistent: the message's own delivery mode is 2.
    """

    vhost: bytes
    exchange: bytes
    routing_keys: tuple[bytes, ...]
    properties: bytes | None
    decoded_properties: tuple[Any, ...] | None
    frames: tuple[bytes, ...]
    id16: bytes
    persistent: bool

    @property
    def delivery_mode_only(self) -> bool:
        """Whether the property list holds the delivery mode and nothing else."""
        return self.properties == (PERSISTENT_ONLY if self.persistent else TRANSIENT_ONLY)


def parse_message(term: bytes) -> ParsedMessage:
    """Take a message term apart (S50, S51).

    Args:
        term: the whole external term.

    Raises:
        TermError: it is not a message term.
    """
    match terms.decode(term):
        case (
            StoredNames.BASIC_MESSAGE,
            (StoredNames.RESOURCE, bytes(vhost), StoredNames.EXCHANGE, bytes(exchange)),
            list(keys),
            (StoredNames.CONTENT, int(), decoded, encoded, ErlangAtom(), list(frames)),
            bytes(id16),
            (terms.TRUE | terms.FALSE) as flag,
        ) if len(id16) == 16 and all(isinstance(each, bytes) for each in (*keys, *frames)):
            return ParsedMessage(
                vhost,
                exchange,
                tuple(keys),
                encoded if isinstance(encoded, bytes) else None,
                decoded if isinstance(decoded, tuple) else None,
                tuple(reversed(frames)),
                id16,
                flag == terms.TRUE,
            )
    raise TermError("no_basic_message")
