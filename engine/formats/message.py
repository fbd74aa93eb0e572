"""The stored message: its term, its size and its generated body (S50-S57)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from engine.formats import terms
from engine.formats.arrays import Bytes2D, np
from engine.formats.properties import PERSISTENT_ONLY, TRANSIENT_ONLY, StoredNames, parse_message
from engine.values.sizes import FRAME_BYTES, Each, Length, Lengths, Sizes, framed_bytes, unframed_bytes

FIRST_FOREIGN: Final = 1 << 52
"""Numbers from here on stand for ids that another node made; they stay exact in a browser's numbers."""
OWN_PREFIX: Final = b"waterlin"
"""The first half of own ids unless the scenario seeds another. It is not zero, so that no publish record is (S114)."""


def big_endian(start: int, count: int, step: int = 1) -> Bytes2D:
    """Return consecutive numbers as 8 big-endian bytes a row, ascending with `step` 1, descending with -1."""
    numbers = np.arange(count, dtype=np.uint64)
    first = np.uint64(start)
    values = first + numbers if step > 0 else first - numbers
    return values.astype(">u8").view(np.uint8).reshape(count, 8)


RECORD_OVERHEAD_BYTES: Final = 25
"""Size field, id and marker around the term of a store record (S54)."""

_ALPHABET = b"abcdefghijklmnopqrstuvwxyz"
_FIXED_TERM_BYTES = 142
_CACHED_LAYOUT_BYTES = 256 * 1024
_KNOWN_SHAPES = 8


class MessageTemplate(msgspec.Struct, frozen=True):
    """What a stored term carries besides id, body and persistence. `exchange`: name of the exchange; empty
    for the default exchange. `routing_keys`: the publish routing key, then those of CC and BCC (S50).
    `properties`: the encoded property list (S52); None for delivery_mode alone.
    """

    exchange: str = ""
    routing_keys: tuple[str, ...] = ("cq",)
    properties: bytes | None = None


class ReadMessage(msgspec.Struct, frozen=True):
    """The contents of a stored term.

    Args:
        msg_no: number of the id.
        size_bytes: body bytes.
        raw_persistent: the message's own delivery mode is 2 (S50).
        template: number of its template in the codec that read it.
        body_is_generated: the codec would write this very term for these values.
    """

    msg_no: int
    size_bytes: int
    raw_persistent: bool
    template: int
    body_is_generated: bool


class TermLayout(NamedTuple):
    """One encoded term and the places in it that differ from message to message, in bytes."""

    row: Bytes2D
    id_at: int
    body_at: int
    lead_bytes: int


_Parts = tuple[bytes, memoryview, bytes, bytes]
"""A term up to the length of its body, the body from its ninth byte on, what lies before the id, and behind it."""


class ParsedTerm(NamedTuple):
    """What a codec needs of a term that was taken apart. `properties`: the encoded property list; None where
    the term has none. `places`: where the length of the properties, the body and the id begin; None where the
    body is not one frame. `time_bytes`: last bytes of the term, which say when the message arrived.
    """

    id16: bytes
    exchange: str
    routing_keys: tuple[str, ...]
    properties: bytes | None
    size_bytes: int
    raw_persistent: bool
    places: tuple[int, int, int] | None
    time_bytes: int = 0


class _Alike(NamedTuple):
    """What terms with a body of one frame share: all but their properties, their body, their id, and a time.

    Args:
        head: the bytes up to the length of the properties.
        between: those from there to the length of the body.
        until_id: those from the body to the id.
        time_bytes: those behind the tail, which say when the message arrived.
    """

    head: bytes
    between: bytes
    until_id: bytes
    tail: bytes
    time_bytes: int
    exchange: str
    routing_keys: tuple[str, ...]
    raw_persistent: bool


_BODY_BEGINS = b"\x6c\x00\x00\x00\x01\x6d"
"""A list of one binary."""
_ID_BEGINS = b"\x6a\x6d\x00\x00\x00\x10"
"""The end of that list, and a binary of 16 bytes."""
_BETWEEN_BYTES: Final = 40
"""An atom and the beginning of a list; more than that is no such term."""


class MessageCodec:
    """Encodes and reads message terms, by runs of consecutive message numbers.

    Args:
        vhost: name of the virtual host the messages are in.
        id_prefix: first 8 bytes of every own id; the other 8 are the message number.
        templates: templates known from the start, numbered from 0.
        frame_bytes: largest fragment of a body (S53).

    Raises:
        ValueError: the prefix has not 8 bytes.
    """

    def __init__(
        self,
        vhost: str = "/",
        id_prefix: bytes = OWN_PREFIX,
        templates: Sequence[MessageTemplate] = (MessageTemplate(),),
        frame_bytes: int = FRAME_BYTES,
    ) -> None:
        if len(id_prefix) != 8:
            raise ValueError(f"id_prefix has {len(id_prefix)} bytes; it needs 8")
        self.id_prefix = id_prefix
        self._foreign: list[bytes] = []
        self._foreign_numbers: dict[bytes, int] = {}
        self.vhost = vhost
        self._frame_bytes = frame_bytes
        self.templates: list[MessageTemplate] = []
        self._template_numbers: dict[MessageTemplate, int] = {}
        self._shapes: list[tuple[int, bool]] = []
        """Template and persistence of own terms that were read, the newest first."""
        self._alike: list[_Alike] = []
        """What terms of other nodes that were read have in common, the newest first."""
        self.pools_properties = False
        """Whether other nodes' messages whose properties have the same flags and length count as alike."""
        self._pooled: dict[tuple[str, tuple[str, ...], int, bytes, bool], bytes] = {}
        self._one_frame = min(frame_bytes, FRAME_BYTES)
        self._rewritten: dict[int, int] = {}
        """Headers of templates that the broker wrote again, whose encoded block it does not have (S57)."""
        self.columns: list[Sizes] = []
        """Sizes of own messages that differ, in the order of message numbers."""
        for template in templates:
            self.template_no(template)
        self._make_caches()

    def share_with(self, other: MessageCodec) -> None:
        """Let another codec have the same ids and templates, now and later."""
        other._foreign, other._foreign_numbers = self._foreign, self._foreign_numbers
        other.templates, other._template_numbers = self.templates, self._template_numbers
        other._rewritten = self._rewritten
        other.pools_properties, other._pooled = self.pools_properties, self._pooled

    def _make_caches(self) -> None:
        self._cached_term_bytes = lru_cache(4096)(self._measure)
        self._cached_layout = lru_cache(64)(self._lay_out)
        self._cached_parts = lru_cache(64)(self._take_apart)

    def __getstate__(self) -> dict[str, object]:
        """Return everything but the caches: for a checkpoint of the run."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_cached")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._make_caches()

    def in_vhost(self, vhost: str) -> MessageCodec:
        """Return what encodes messages of another virtual host, with the same templates."""
        other = copy(self)
        other.__setstate__({"vhost": vhost, "_shapes": []})  # terms have another length there (S55)
        return other

    # --- ids and their numbers ---
    def ids(self, msg_no: int, count: int) -> Bytes2D:
        """Return the ids of consecutive message numbers as one table, 16 bytes a row."""
        if msg_no >= FIRST_FOREIGN:
            joined = b"".join(self._foreign[msg_no - FIRST_FOREIGN : msg_no - FIRST_FOREIGN + count])
            if len(joined) != 16 * count:
                raise ValueError(f"message {msg_no + count - 1} was never read from a file")
            return np.frombuffer(joined, np.uint8).reshape(count, 16)
        rows = np.empty((count, 16), np.uint8)
        rows[:, :8] = np.frombuffer(self.id_prefix, np.uint8)
        rows[:, 8:] = big_endian(msg_no, count)
        return rows

    def id_bytes(self, msg_no: int) -> bytes:
        """Return the 16 id bytes of a message number (S56)."""
        if msg_no >= FIRST_FOREIGN:
            return self._foreign[msg_no - FIRST_FOREIGN]
        return self.id_prefix + msg_no.to_bytes(8, "big")

    def is_own(self, id16: bytes) -> bool:
        return id16.startswith(self.id_prefix)

    def has_number(self, id16: bytes) -> bool:
        """Return whether an id is this node's own, or has been given a number."""
        return id16.startswith(self.id_prefix) or id16 in self._foreign_numbers

    def msg_no_of(self, id16: bytes) -> int:
        """Return the number of an id of 16 bytes, giving another node's id a fresh one when it is new."""
        if id16[:8] == self.id_prefix:
            number = int.from_bytes(id16[8:], "big")
            if number < FIRST_FOREIGN:
                return number
        known = self._foreign_numbers.get(id16)
        if known is None:
            known = self._foreign_numbers[id16] = FIRST_FOREIGN + len(self._foreign)
            self._foreign.append(bytes(id16))
        return known

    # --- templates and sizes ---
    def template_no(self, template: MessageTemplate) -> int:
        known = self._template_numbers.get(template)
        if known is None:
            known = self._template_numbers[template] = len(self.templates)
            self.templates.append(template)
        return known

    def properties_bytes(self, template: int) -> int:
        """Return the length in bytes of the property list, as the embedding rule counts it (S57)."""
        properties = self.templates[template].properties
        return 3 if properties is None else len(properties)

    def rewritten(self, template: int, headers: int) -> None:
        """Note that the broker wrote a template's properties itself, with so many headers, as for a dead letter."""
        self._rewritten[template] = headers

    def estimated_bytes(self, template: int) -> int:
        """Return what the embedding rule adds to the body: the encoded block, or 100 for each header (S57)."""
        headers = self._rewritten.get(template)
        return self.properties_bytes(template) if headers is None else 100 * headers

    def term_bytes(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        """Return the length of the term (S55). `template`: number of the template. `size_bytes`: body bytes.
        `raw_persistent`: the message's own delivery mode is 2.
        """
        return self._cached_term_bytes(template, size_bytes, raw_persistent)

    def term_length(self, template: int, size_bytes: Each, raw_persistent: bool) -> Length:
        if isinstance(size_bytes, int):
            return self._cached_term_bytes(template, size_bytes, raw_persistent)
        return Lengths(self._cached_term_bytes(template, 0, raw_persistent), size_bytes)

    def record_bytes(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        """Return the length of the store record: the term and 25 bytes (S54, S55)."""
        return self._cached_term_bytes(template, size_bytes, raw_persistent) + RECORD_OVERHEAD_BYTES

    def record_length(self, template: int, size_bytes: Each, raw_persistent: bool) -> Length:
        """Return the length of each message's store record; arguments as for `term_bytes`."""
        return self.term_length(template, size_bytes, raw_persistent) + RECORD_OVERHEAD_BYTES

    def _measure(self, template: int, size_bytes: int, raw_persistent: bool) -> int:
        made = self.templates[template]
        return (
            _FIXED_TERM_BYTES
            + _address_bytes(self.vhost, made.exchange, made.routing_keys)
            + self.properties_bytes(template)
            + framed_bytes(size_bytes, self._frame_bytes)
            + (not raw_persistent)
        )

    # --- columns ---
    def column(self, msg_no: int, sizes: Iterable[int]) -> Sizes:
        """Return the column of new messages whose bodies differ; a reader of files finds it again. `msg_no`:
        number of the first, higher than any before. `sizes`: body bytes of each.
        """
        column = Sizes(msg_no, sizes)
        self.columns.append(column)
        return column

    def column_of(self, msg_no: int, size_bytes: int) -> Sizes | None:
        """Return the column that says of a message that it has so many bytes, None without one."""
        at = bisect_right(self.columns, msg_no, key=attrgetter("first")) - 1
        if at < 0:
            return None
        column = self.columns[at]
        inside = msg_no < column.first + len(column)
        return column if inside and column.at(msg_no) == size_bytes else None

    # --- encoding ---
    def layout(self, template: int, size_bytes: int, raw_persistent: bool) -> TermLayout:
        """Return one encoded term with its varying places; arguments as for `term_bytes`."""
        if size_bytes > _CACHED_LAYOUT_BYTES:
            return self._lay_out(template, size_bytes, raw_persistent)
        return self._cached_layout(template, size_bytes, raw_persistent)

    def _lay_out(self, template: int, size_bytes: int, raw_persistent: bool) -> TermLayout:
        made = self.templates[template]
        body = self.body(0, size_bytes)
        step = self._frame_bytes
        frames = [body[at : at + step] for at in range(0, size_bytes, step)]
        properties = made.properties
        if properties is None:
            properties = PERSISTENT_ONLY if raw_persistent else TRANSIENT_ONLY
        term = terms.encode(
            (
                StoredNames.BASIC_MESSAGE,
                (
                    StoredNames.RESOURCE,
                    stored_text(self.vhost),
                    StoredNames.EXCHANGE,
                    stored_text(made.exchange),
                ),
                [stored_text(key) for key in made.routing_keys],
                (StoredNames.CONTENT, 60, terms.NONE, properties, StoredNames.PROTOCOL, frames[::-1]),
                bytes(16),
                terms.TRUE if raw_persistent else terms.FALSE,
            )
        )
        row = np.frombuffer(term, np.uint8)
        id_at = len(term) - (7 if raw_persistent else 8) - 16
        first = len(frames[0]) if frames else 0
        return TermLayout(row, id_at, id_at - 6 - first if frames else id_at, min(8, size_bytes))

    def fill(self, rows: Bytes2D, at: int, layout: TermLayout, ids: Bytes2D) -> None:
        """Write terms into a table of records, one message a row.

        Args:
            rows: the table; its rows are in the order of `ids`.
            at: column at which the terms begin.
            layout: the common shape.
            ids: 16 id bytes a row; own ids, since the body begins with the second half.
        """
        rows[:, at : at + len(layout.row)] = layout.row
        rows[:, at + layout.id_at : at + layout.id_at + 16] = ids
        if layout.lead_bytes:
            body = at + layout.body_at
            rows[:, body : body + layout.lead_bytes] = ids[:, 8 : 8 + layout.lead_bytes]

    def one(self, own: bytes, template: int, size_bytes: int, raw_persistent: bool) -> bytes:
        """Return the term of one message: without a table, which costs more than a message does. `own`: its
        16 id bytes. `template`, `size_bytes`, `raw_persistent`: as for `term_bytes`.
        """
        if 8 <= size_bytes <= self._one_frame:
            largest = min(self._one_frame, 1 << size_bytes.bit_length())
            head, body, until_id, behind = self._cached_parts(template, largest, raw_persistent)
            length = size_bytes.to_bytes(4, "big")
            return b"".join((head, length, own[8:], body[: size_bytes - 8], until_id, own, behind))
        layout = self.layout(template, size_bytes, raw_persistent)
        term = bytearray(layout.row.tobytes())
        term[layout.id_at : layout.id_at + 16] = own
        term[layout.body_at : layout.body_at + layout.lead_bytes] = own[8 : 8 + layout.lead_bytes]
        return bytes(term)

    def each_term(
        self, msg_no: int, count: int, template: int, sizes: Sizes, raw_persistent: bool
    ) -> Iterator[bytes]:
        """Yield the terms of messages whose bodies differ; arguments as for `terms`."""
        return map(b"".join, self.each_term_parts(msg_no, count, template, sizes, raw_persistent))

    def each_term_parts(
        self, msg_no: int, count: int, template: int, sizes: Sizes, raw_persistent: bool
    ) -> Iterator[tuple[bytes | memoryview, ...]]:
        """Yield the parts of each term: what writes them among other bytes copies a body once."""
        own = sizes.of(msg_no, count)
        most = self._one_frame
        largest = min(most, 1 << max(own).bit_length())
        head, body, until_id, behind = self._cached_parts(template, largest, raw_persistent)
        prefix = self.id_prefix
        for number, size in enumerate(own, msg_no):
            low = number.to_bytes(8, "big")
            if 8 <= size <= most:
                yield head, size.to_bytes(4, "big"), low, body[: size - 8], until_id, prefix, low, behind
            else:
                yield (self.one(prefix + low, template, size, raw_persistent),)

    def _take_apart(self, template: int, largest: int, raw_persistent: bool) -> _Parts:
        """Return what terms with bodies of one frame, up to a largest, have in common: few shapes for many sizes."""
        layout = self._lay_out(template, max(8, largest), raw_persistent)
        whole, body_at = layout.row.tobytes(), layout.body_at
        end = body_at + max(8, largest)
        body = memoryview(whole)[body_at + 8 : end]
        return whole[: body_at - 4], body, whole[end : layout.id_at], whole[layout.id_at + 16 :]

    def terms(self, msg_no: int, count: int, template: int, size_bytes: int, raw_persistent: bool) -> Bytes2D:
        """Return the terms of messages with consecutive numbers as one table, a term a row. `msg_no`: number
        of the first message. `template`, `size_bytes`, `raw_persistent`: as for `term_bytes`.
        """
        layout = self.layout(template, size_bytes, raw_persistent)
        rows = np.empty((count, len(layout.row)), np.uint8)
        self.fill(rows, 0, layout, self.ids(msg_no, count))
        return rows

    def body(self, msg_no: int, size_bytes: int) -> bytes:
        """Return the generated body: the number in 8 bytes, then the alphabet, cut to size."""
        if size_bytes <= 8:
            return msg_no.to_bytes(8, "big")[:size_bytes]
        return msg_no.to_bytes(8, "big") + (_ALPHABET * (size_bytes // 26 + 1))[: size_bytes - 8]

    # --- reading ---
    def read_term(self, term: bytes) -> ReadMessage:
        """Read the whole external term of a message, this engine's or a broker's (S50, S51). Raises
        TermError: it is not a message term.
        """
        for shape in self._shapes:
            known = self._read_generated(term, *shape)
            if known is not None:
                return known
        return self._read_alike(term) or self._read_parsed(term, self._parse(term))

    def _parse(self, term: bytes) -> ParsedTerm:
        """Take a term apart; raises TermError."""
        message = parse_message(term)
        size_bytes = sum(len(frame) for frame in message.frames)
        places = None
        if len(message.frames) == 1 and message.properties is not None:
            places = _places_of(term, message.id16, message.properties, size_bytes)
        return ParsedTerm(
            message.id16,
            shown_text(message.exchange),
            tuple(shown_text(key) for key in message.routing_keys),
            message.properties,
            size_bytes,
            message.persistent,
            places,
        )

    def _read_parsed(self, term: bytes, parsed: ParsedTerm) -> ReadMessage:
        id16, exchange, keys, properties, size_bytes, raw_persistent, places, time_bytes = parsed
        number = self.msg_no_of(id16)
        template = self._template_of(exchange, keys, properties or b"", raw_persistent)
        generated = self._is_generated(term, number, template, size_bytes, raw_persistent)
        if generated:
            self._shapes = [(template, raw_persistent), *self._shapes[: _KNOWN_SHAPES - 1]]
        elif places is not None and properties is not None:
            begins, body_at, id_at = places
            alike = _Alike(
                term[:begins],
                term[begins + 4 + len(properties) : body_at - 4],
                term[body_at + size_bytes : id_at],
                term[id_at + 16 : len(term) - time_bytes],
                time_bytes,
                exchange,
                keys,
                raw_persistent,
            )
            self._alike = [alike, *self._alike[: _KNOWN_SHAPES - 1]]
        return ReadMessage(number, size_bytes, raw_persistent, template, generated)

    def _template_of(
        self, exchange: str, routing_keys: tuple[str, ...], properties: bytes, raw_persistent: bool
    ) -> int:
        plain = PERSISTENT_ONLY if raw_persistent else TRANSIENT_ONLY
        if self.pools_properties:
            place = (exchange, routing_keys, len(properties), properties[:2], raw_persistent)
            properties = self._pooled.setdefault(place, properties)
        return self.template_no(
            MessageTemplate(exchange, routing_keys, None if properties == plain else properties)
        )

    def _is_generated(
        self, term: bytes, number: int, template: int, size_bytes: int, raw_persistent: bool
    ) -> bool:
        """Return whether this codec writes this very term."""
        return (
            number < FIRST_FOREIGN
            and len(term) == self.term_bytes(template, size_bytes, raw_persistent)
            and term == self.one(self.id_bytes(number), template, size_bytes, raw_persistent)
        )

    def shared_places(self, term: bytes) -> tuple[tuple[int, int], ...] | None:
        """Return which places of a term that was read are the same in those that are alike.

        Returns:
            Begin and end in bytes of what lies before the body, behind it up to the id, and behind that; where
            properties are pooled, those are left out. None where the term is like no other.
        """
        found = self._alike_places(term)
        if found is None:
            return None
        alike, properties_at, end, body_at, size_bytes, id_at = found
        before = ((0, properties_at), (end, body_at)) if self.pools_properties else ((0, body_at),)
        return *before, (body_at + size_bytes, id_at), (id_at + 16, len(term) - alike.time_bytes)

    def _alike_places(self, term: bytes) -> tuple[_Alike, int, int, int, int, int] | None:
        """Return what a term is like; begin and end of its properties, begin and size of its body, begin of its id."""
        for alike in self._alike:
            head, between, until_id, tail, time_bytes, *_address = alike
            if not term.startswith(head):
                continue
            at = len(head) + 4
            end = at + int.from_bytes(term[len(head) : at], "big")
            body_at = end + len(between) + 4
            size_bytes = int.from_bytes(term[body_at - 4 : body_at], "big")
            id_at = body_at + size_bytes + len(until_id)
            if (
                id_at + 16 + len(tail) + time_bytes == len(term)
                and term.startswith(tail, id_at + 16)
                and term.startswith(between, end)
                and term.startswith(until_id, body_at + size_bytes)
            ):
                return alike, at, end, body_at, size_bytes, id_at
        return None

    def _read_alike(self, term: bytes) -> ReadMessage | None:
        """Read a term without taking it apart if one of the same shape was read before."""
        found = self._alike_places(term)
        if found is None:
            return None
        alike, at, end, _body_at, size_bytes, id_at = found
        number = self.msg_no_of(term[id_at : id_at + 16])
        template = self._template_of(alike.exchange, alike.routing_keys, term[at:end], alike.raw_persistent)
        generated = self._is_generated(term, number, template, size_bytes, alike.raw_persistent)
        return ReadMessage(number, size_bytes, alike.raw_persistent, template, generated)

    def _read_generated(self, term: bytes, template: int, raw_persistent: bool) -> ReadMessage | None:
        """Read a term without taking it apart if it is this codec's own and of this shape; else return None."""
        behind = self._cached_parts(template, 8, raw_persistent)[3]
        id_at = len(term) - len(behind) - 16
        id16 = term[id_at : id_at + 16]
        number = int.from_bytes(id16[8:], "big")
        if id16[:8] != self.id_prefix or number >= FIRST_FOREIGN:
            return None
        framed = len(term) - self._cached_term_bytes(template, 0, raw_persistent)
        size_bytes = unframed_bytes(framed, self._frame_bytes)
        if size_bytes < 0 or self.one(id16, template, size_bytes, raw_persistent) != term:
            return None
        return ReadMessage(number, size_bytes, raw_persistent, template, True)


def _places_of(term: bytes, id16: bytes, properties: bytes, size_bytes: int) -> tuple[int, int, int] | None:
    """Return where the length of the properties, the body and the id begin; None where that is not beyond doubt."""
    id_at = term.rfind(_ID_BEGINS + id16) + len(_ID_BEGINS)
    body_at = id_at - len(_ID_BEGINS) - size_bytes
    begins = len(properties).to_bytes(4, "big") + properties
    head, found, between = term[: max(0, body_at - 4)].rpartition(begins)
    known = (
        found
        and head.endswith(b"m")
        and between.endswith(_BODY_BEGINS)
        and len(between) <= _BETWEEN_BYTES
        and term[body_at - 4 : body_at] == size_bytes.to_bytes(4, "big")
    )
    return (len(head), body_at, id_at) if known else None


@lru_cache(4096)
def _address_bytes(vhost: str, exchange: str, routing_keys: tuple[str, ...]) -> int:
    """Return what the names of virtual host, exchange and routing keys take in a term, with the list of keys."""
    # an empty list is a byte, not six
    keys = sum(5 + len(stored_text(key)) for key in routing_keys) if routing_keys else -5
    return len(stored_text(vhost)) + len(stored_text(exchange)) + keys


def stored_text(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def shown_text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
