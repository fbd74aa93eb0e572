"""What one field of a record is."""

from __future__ import annotations

import msgspec


class NoRecord(ValueError):
    """No whole record begins at the place that was given; the text names the reason."""


class FieldBits(msgspec.Struct, frozen=True):
    """Some bits of a field.

    Args:
        name: what they are called.
        high: number of the highest one, counted from the field's last bit as 0.
        low: number of the lowest one.
        value: their value as a number.
        words: what that value means.
    """

    name: str
    high: int
    low: int
    value: int
    words: str


class FileField(msgspec.Struct, frozen=True):
    """Some bytes of a record that have one meaning. The fields of a record cover it without gaps, in order.

    Args:
        name: what they are called; the same for the same meaning, whatever the value.
        part: the larger part of the record they belong to, such as "message id" or "term".
        offset: of the first one, from the beginning of the record.
        length: how many.
        value: the value in words.
        rule: the rule that defines it.
        depth: how deep inside the Erlang term, 0 outside of it.
        bits: the bit fields inside, highest first.
    """

    name: str
    part: str
    offset: int
    length: int
    value: str
    rule: str
    depth: int = 0
    bits: tuple[FieldBits, ...] = ()


class FileLayout(msgspec.Struct, frozen=True):
    """One record, field by field.

    Args:
        kind: "publish", "mark" (a segment's deliver or ack), "deliver", "ack", or "content" (of a store).
        size: bytes of the record with the deliver and ack records of the same message right behind it.
        fields: they cover all of it.
        number: the rel of a segment record (S60) or the seq_id of a journal record (S62), else None.
        msg_id: the message id, None for deliver and ack.
        embedded_bytes: length of the embedded term, 0 without one.
    """

    kind: str
    size: int
    fields: tuple[FileField, ...]
    number: int | None = None
    msg_id: bytes | None = None
    embedded_bytes: int = 0
