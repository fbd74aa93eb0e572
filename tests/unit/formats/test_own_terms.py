"""Own terms are read without being taken apart, whatever sizes their bodies have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats import message, terms
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.properties import ParsedMessage
from engine.values.sizes import FRAME_BYTES, framed_bytes, unframed_bytes

EDGES = (0, 1, 7, 8, 9, 4095, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES)
SIZES = st.one_of(st.sampled_from(EDGES), st.integers(0, 20_000))


@given(SIZES, st.sampled_from((9, 4096, FRAME_BYTES)))
def test_a_framed_body_tells_its_size(size_bytes: int, frame_bytes: int) -> None:
    assert unframed_bytes(framed_bytes(size_bytes, frame_bytes), frame_bytes) == size_bytes


@given(
    st.lists(st.tuples(SIZES, st.booleans(), st.integers(0, 1)), max_size=8),
    st.sampled_from((1000, FRAME_BYTES)),
)
def test_one_term_is_as_in_a_table_and_is_read_again(
    messages: list[tuple[int, bool, int]], frame_bytes: int
) -> None:
    codec = MessageCodec(
        templates=(MessageTemplate(), MessageTemplate("x", ("a", "b"))), frame_bytes=frame_bytes
    )
    for number, (size, persistent, template) in enumerate(messages):
        term = codec.one(codec.id_bytes(number), template, size, persistent)
        assert term == codec.terms(number, 1, template, size, persistent).tobytes()
        read = codec.read_term(term)
        assert (read.msg_no, read.size_bytes, read.raw_persistent, read.template) == (
            number,
            size,
            persistent,
            template,
        )
        assert read.body_is_generated


def test_a_changed_byte_is_noticed_wherever_it_is() -> None:
    codec = MessageCodec()
    codec.read_term(codec.one(codec.id_bytes(0), 0, 20, True))
    term = codec.one(codec.id_bytes(1), 0, 20, True)
    for at in range(len(term)):
        changed = bytearray(term)
        changed[at] ^= 1
        try:
            read = codec.read_term(bytes(changed))
        except terms.TermError:
            continue
        if read.body_is_generated:
            own = codec.id_bytes(read.msg_no)
            assert codec.one(own, read.template, read.size_bytes, read.raw_persistent) == changed


def test_a_log_of_unequal_messages_is_taken_apart_once_a_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = MessageCodec()
    taken: list[int] = []
    parse = message.parse_message

    def noted(term: bytes) -> ParsedMessage:
        taken.append(len(term))
        return parse(term)

    monkeypatch.setattr(message, "parse_message", noted)
    for number in range(200):
        codec.read_term(codec.one(codec.id_bytes(number), 0, 13 * number, number % 3 == 0))
    assert len(taken) == 2
