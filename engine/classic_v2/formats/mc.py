"""The message container as 4.x stores it (W160-W163): its bytes, its size, and reading it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from engine.formats import properties as amqp
from engine.formats.arrays import np
from engine.formats.message import (
    OWN_PREFIX,
    MessageCodec,
    MessageTemplate,
    ParsedTerm,
    TermLayout,
    shown_text,
    stored_text,
)
from engine.formats.properties import PERSISTENT_ONLY, TRANSIENT_ONLY
from engine.formats.terms import MAX_DEPTH, ErlangAtom, Term, TermError
from engine.formats.terms import decode as decode_term
from engine.formats.terms import encode as encode_term

FRAME_BYTES: Final = 131064
"""Largest body frame of a client with the default frame_max (S53)."""
FIXED: Final = 140
"""Bytes of the term of a persistent message without properties, body, exchange and routing keys (W163)."""
TRANSIENT_BYTES: Final = 10
"""Bytes that `d => false` adds (W163)."""
EPOCH_MS: Final = 1_600_000_000_000
"""Arrival time of every message: the first moment of virtual time, so that equal messages are one run."""

BASIC_MESSAGE: Final = b"\x83h\x06"
"""How the message of 3.x begins: a tuple of six (S50)."""
_HEAD: Final = b"\x83h\x04w\x02mcw\x08mc_amqplh\x06w\x07contenta<w\x04none"
_PROTOCOL: Final = b"w\x19rabbit_framing_amqp_0_9_1"
_PROTOCOLS: Final = (_PROTOCOL, b"w\x04none")
"""What clients publish, and what the broker of 4.3 encodes itself (W160)."""
_ID_BEGINS: Final = b"w\x02idm\x00\x00\x00\x10"
"""The first pair of the map: 16 bytes."""
_TIME_BEGINS: Final = b"w\x03rtsn\x06\x00"
_TIME_BYTES: Final = 6
"""The last pair: milliseconds since 1970."""


class McCodec(MessageCodec):
    """Encodes and reads message containers, by runs of consecutive message numbers.

    Args:
        vhost: name of the virtual host; the term does not contain it.
        id_prefix: first 8 bytes of every own id; the other 8 are the message number.
        templates: templates known from the start, numbered from 0.
        transient_mark_second: `d` stands behind `id` in the map of annotations, else behind `x` (W162).
        frame_bytes: largest fragment of a body.
        rts_ms: the annotation of the arrival time, in milliseconds.
    """

    def __init__(
        self,
        vhost: str = "/",
        id_prefix: bytes = OWN_PREFIX,
        templates: Sequence[MessageTemplate] = (MessageTemplate(),),
        *,
        transient_mark_second: bool = False,
        frame_bytes: int = FRAME_BYTES,
        rts_ms: int = EPOCH_MS,
    ) -> None:
        self._mark_second = transient_mark_second
        self._rts_ms = rts_ms
        super().__init__(vhost, id_prefix, templates, frame_bytes)

    def _measure(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        made = self.templates[template]
        frames = -(-size_bytes // self._frame_bytes)
        keys = sum(5 + len(stored_text(key)) for key in made.routing_keys)
        if made.routing_keys:
            keys += 5
        return (
            FIXED
            - 14
            + len(stored_text(made.exchange))
            + keys
            + self.properties_bytes(template)
            + (5 + 5 * frames + size_bytes if frames else 0)
            + (0 if raw_persistent else TRANSIENT_BYTES)
            + sum(len(each) for each in self._optional(template))
        )

    def _optional(self, template: int) -> tuple[bytes, ...]:
        """Return the pairs of the map that only some messages have: priority, ttl, timestamp (W161)."""
        properties = self.templates[template].properties
        if not properties:
            return ()
        try:
            values = amqp.decode(properties)
        except TermError:
            return ()
        found = []
        if "priority" in values:
            found.append(b"w\x01p" + _term(values["priority"]))
        if "expiration" in values and values["expiration"].isdecimal():
            found.append(b"w\x03ttl" + _term(int(values["expiration"])))
        if "timestamp" in values:
            found.append(b"w\x02ts" + _term(values["timestamp"] * 1000))
        return tuple(found)

    def _lay_out(self, template: int, size_bytes: int, raw_persistent: bool) -> TermLayout:
        made = self.templates[template]
        properties = made.properties
        if properties is None:
            properties = PERSISTENT_ONLY if raw_persistent else TRANSIENT_ONLY
        body = self.body(0, size_bytes)
        step = self._frame_bytes
        frames = [body[at : at + step] for at in range(0, size_bytes, step)]
        content = _HEAD + _term(properties) + _PROTOCOL + _term(frames[::-1])
        mark = [] if raw_persistent else [b"w\x01dw\x05false"]
        exchange = [b"w\x01x" + _term(stored_text(made.exchange))]
        pairs = mark + exchange if self._mark_second else exchange + mark
        pairs.append(b"w\x02rk" + _term([stored_text(key) for key in made.routing_keys]))
        pairs.extend(self._optional(template))
        pairs.append(b"w\x03rts" + _term(self._rts_ms))
        before_id = (
            content + struct.pack(">BI", 116, len(pairs) + 1) + b"w\x02id" + struct.pack(">BI", 109, 16)
        )
        row = np.frombuffer(before_id + bytes(16) + b"".join(pairs), np.uint8)
        first = len(frames[0]) if frames else 0
        return TermLayout(row, len(before_id), len(content) - 1 - first, min(8, size_bytes))

    def _parse(self, term: bytes) -> ParsedTerm:
        """Take a message container apart (W160, W161), or a message of 3.x, which stays as it is (W100)."""
        if term[:3] == BASIC_MESSAGE:
            return super()._parse(term)
        parsed = parse_container(term)
        return ParsedTerm(
            parsed.id16,
            shown_text(parsed.exchange),
            tuple(shown_text(key) for key in parsed.routing_keys),
            parsed.properties,
            parsed.body_bytes,
            parsed.persistent,
            parsed.places,
            _TIME_BYTES if term.startswith(_TIME_BEGINS, len(term) - _TIME_BYTES - len(_TIME_BEGINS)) else 0,
        )


class MessageContainer(msgspec.Struct, frozen=True):
    """The parts of a message container.

    Args:
        exchange, routing_keys: where it was published.
        body_bytes: bytes of all fragments.
        persistent: the message's own delivery mode is 2.
        annotations: the whole map; names as strings.
        places: where the length of the properties, the body and the id begin; None where there is not one fragment.
    """

    exchange: bytes
    routing_keys: tuple[bytes, ...]
    properties: bytes
    body_bytes: int
    id16: bytes
    persistent: bool
    annotations: dict[str, Any]
    places: tuple[int, int, int] | None


def parse_container(term: bytes) -> MessageContainer:
    """Take a message container apart. Raises TermError: it is none of AMQP 0-9-1."""
    if not term.startswith(_HEAD):
        raise TermError("no_basic_message")
    properties, at = _read_binary(term, len(_HEAD))
    protocol = next((each for each in _PROTOCOLS if term.startswith(each, at)), None)
    if protocol is None:
        raise TermError("no_basic_message")
    at += len(protocol)
    fragments, at = _read_list(term, at)
    if at >= len(term) or term[at] != 116:
        raise TermError("no_basic_message")
    found = _read_map(term, at)
    id16, exchange, keys = found.get("id"), found.get("x"), found.get("rk")
    if not isinstance(id16, bytes) or len(id16) != 16 or not isinstance(exchange, bytes):
        raise TermError("no_basic_message")
    if not isinstance(keys, list) or not all(isinstance(each, bytes) for each in keys):
        raise TermError("no_basic_message")
    persistent = found.get("d") != ErlangAtom("false")
    body = sum(len(each) for each in fragments)
    places = None
    if len(fragments) == 1 and term.startswith(_ID_BEGINS, at + 5):
        places = len(_HEAD) + 1, at - 1 - body, at + 5 + len(_ID_BEGINS)
    return MessageContainer(exchange, tuple(keys), properties, body, id16, persistent, found, places)


def container_body(term: bytes) -> bytes:
    """Return the body in a message container. Raises TermError: it is none of AMQP 0-9-1."""
    _properties, at = _read_binary(term, len(_HEAD))
    protocol = next((each for each in _PROTOCOLS if term.startswith(each, at)), None)
    if not term.startswith(_HEAD) or protocol is None:
        raise TermError("no_basic_message")
    return b"".join(reversed(_read_list(term, at + len(protocol))[0]))


def _read_binary(term: bytes, at: int) -> tuple[bytes, int]:
    if at + 5 > len(term) or term[at] != 109:
        raise TermError("no_basic_message")
    (size,) = struct.unpack_from(">I", term, at + 1)
    end = at + 5 + size
    if end > len(term):
        raise TermError("term_cut_off", at=len(term), count=end - len(term))
    return bytes(term[at + 5 : end]), end


def _read_list(term: bytes, at: int) -> tuple[list[bytes], int]:
    if at < len(term) and term[at] == 106:
        return [], at + 1
    if at + 5 > len(term) or term[at] != 108:
        raise TermError("no_basic_message")
    (count,) = struct.unpack_from(">I", term, at + 1)
    at += 5
    items = []
    for _ in range(min(count, len(term))):
        item, at = _read_binary(term, at)
        items.append(item)
    if at >= len(term) or term[at] != 106:
        raise TermError("no_basic_message")
    return items, at + 1


def _read_map(term: bytes, at: int) -> dict[str, Any]:
    """Read the map of annotations as a tuple of keys and values in turn, which `terms` can decode."""
    (count,) = struct.unpack_from(">I", term, at + 1) if at + 5 <= len(term) else (0,)
    if not 0 < count <= MAX_DEPTH:
        raise TermError("no_basic_message")
    flat = decode_term(struct.pack(">BBI", 131, 105, 2 * count) + term[at + 5 :])
    return {str(flat[each]): flat[each + 1] for each in range(0, 2 * count, 2)}


def _term(value: Term) -> bytes:
    """Return a value inside a term, without the version."""
    return encode_term(value)[1:]


ATOM, SMALL_ATOM, TUPLE, LIST, NIL, BINARY, SMALL_INTEGER = 100, 119, 104, 108, 106, 109, 97
_FIXED: Final = {NIL: 1, SMALL_INTEGER: 2}


def atoms_of(term: bytes) -> list[int]:
    """Return where the atoms of a stored message begin. `term`: tuples, lists, binaries, small integers and
    atoms, as a `basic_message` has them (S50). Raises ValueError: it has something else.
    """
    found: list[int] = []
    at = 1
    while at < len(term):
        tag = term[at]
        if tag == ATOM:
            found.append(at)
            at += 3 + int.from_bytes(term[at + 1 : at + 3], "big")
        elif tag == TUPLE:
            at += 2
        elif tag == LIST:
            at += 5
        elif tag == BINARY:
            at += 5 + int.from_bytes(term[at + 1 : at + 5], "big")
        elif tag in _FIXED:
            at += _FIXED[tag]
        else:
            raise ValueError(f"tag {tag} at {at} is none of a message's")
    return found


class LegacyCodec(MessageCodec):
    """Writes messages of 3.x as 4.0 does that read them from an index of version 1. `codec`: of the node; ids
    and templates are the same.
    """

    def __init__(self, codec: McCodec) -> None:
        super().__init__(codec.vhost, codec.id_prefix, codec.templates)
        codec.share_with(self)

    def _measure(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        return super()._measure(template, size_bytes, raw_persistent) - ATOMS

    def _lay_out(self, template: int, size_bytes: int, raw_persistent: bool) -> TermLayout:
        row, id_at, body_at, lead_bytes = super()._lay_out(template, size_bytes, raw_persistent)
        term = row.tobytes()
        begins = atoms_of(term)
        written, last = bytearray(), 0
        for begin in begins:
            written += term[last:begin] + bytes((SMALL_ATOM, term[begin + 2]))
            last = begin + 3
        written += term[last:]

        def moved(at: int) -> int:
            return at - sum(begin < at for begin in begins)

        return TermLayout(np.frombuffer(bytes(written), np.uint8), moved(id_at), moved(body_at), lead_bytes)


ATOMS: Final = len(atoms_of(MessageCodec().terms(0, 1, 0, 0, raw_persistent=True).tobytes()))
"""Atoms of each message: every one is a byte shorter."""
