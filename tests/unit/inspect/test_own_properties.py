"""Messages of another node whose properties differ: a start of Inspect plays them as runs."""

from __future__ import annotations

from engine.formats.message import MessageCodec, MessageTemplate


def template_numbers(codec: MessageCodec) -> set[int]:
    """Return the templates that twenty messages have, each with a message_id of its own."""
    other, found = MessageCodec(id_prefix=b"another!"), set()
    for at in range(20):
        template = other.template_no(MessageTemplate("", ("q",), b"\x00\x80\x05" + b"%05d" % at))
        found.add(codec.read_term(other.one(other.id_bytes(at), template, 20, False)).template)
    return found


def test_properties_of_one_length_and_with_the_same_flags_count_as_alike_where_asked() -> None:
    """50,000 such messages took 31 to 103 s of a processor: each was a stretch of its own in seven starts."""
    codec = MessageCodec()
    assert len(template_numbers(codec)) == 20
    codec.pools_properties = True
    assert len(template_numbers(codec)) == 1
    longer = codec.template_no(MessageTemplate("", ("q",), b"\x00\x80\x06123456"))
    assert longer not in template_numbers(codec)
