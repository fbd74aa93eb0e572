"""Messages of another node whose properties differ: a start of Inspect plays them as runs."""

from __future__ import annotations

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.formats.message import MessageCodec, MessageTemplate
from playground.inspecting.revival import FoundFiles


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


def test_a_session_on_the_files_keeps_what_each_message_says() -> None:
    """It shows and routes by properties; only a start that is counted may take some for alike."""
    files = FoundFiles({})
    node = Cluster(parse({"version": 1, "profile": "real", "commands": []}), files)
    files.met(node)
    assert not node.codec.pools_properties
    files.met_to_count(node)
    assert node.codec.pools_properties
