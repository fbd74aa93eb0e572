"""Every byte of a record has a name: fields of the reference's own examples, and of random messages (S50-S64)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.classic_v1.formats.journal import JournalRecords
from engine.classic_v1.formats.layout import (
    FileField,
    FileLayout,
    NoRecord,
    find_id,
    find_seq,
    journal_record,
    record_at,
    segment_record,
    store_record,
)
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.formats.segment import SegmentRecords
from engine.formats import properties, terms
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.properties import StoredNames
from engine.formats.store_records import StoreRecords
from engine.formats.terms import ErlangAtom

S58_TERM = bytes.fromhex(
    "83680664000d62617369635f6d65737361676568046400087265736f757263656d000000012f64000865786368616e67656d00000000"
    "6c000000016d00000001716a6806640007636f6e74656e74613c6400046e6f6e656d000000031000026400197261626269745f667261"
    "6d696e675f616d71705f305f395f316c000000016d0000000568656c6c6f6a6d00000010000102030405060708090a0b0c0d0e0f6400"
    "0474727565"
)
S58_ID = bytes(range(16))
S58 = bytes.fromhex("00000000000000b7") + S58_ID + S58_TERM + b"\xff"

ID1, ID2, ID3 = (bytes([0] * 15 + [number]) for number in (1, 2, 3))
I1_JOURNAL = b"".join(
    (
        bytes.fromhex("0000000000000000") + ID1 + bytes.fromhex("00000000000000000000138800000000"),
        bytes.fromhex("8000000000000000"),
        bytes.fromhex("0000000000000001") + ID2 + bytes.fromhex("010203040506070800000005000000a7"),
        S58_TERM,
        bytes.fromhex("8000000000000001"),
        bytes.fromhex("4000000000000002") + ID3 + bytes.fromhex("000000000000000000001b5800000000"),
        bytes.fromhex("8000000000000002"),
    )
)
I1_SEGMENT = b"".join(
    (
        bytes.fromhex("8002") + ID3 + bytes.fromhex("000000000000000000001b58000000004002"),
        bytes.fromhex("c000") + ID1 + bytes.fromhex("000000000000000000001388000000004000"),
    )
)


def assert_covers(layout: FileLayout) -> None:
    """Every byte belongs to exactly one field."""
    at = 0
    for field in layout.fields:
        assert field.offset == at
        assert field.length > 0
        at += field.length
    assert at == layout.size


def named(layout: FileLayout, name: str) -> FileField:
    found = [field for field in layout.fields if field.name == name]
    assert len(found) == 1, name
    return found[0]


def data_of(record: bytes, field: FileField) -> bytes:
    return record[field.offset : field.offset + field.length]


def test_s58_store_record() -> None:
    layout = store_record(S58)
    assert_covers(layout)
    assert (layout.kind, layout.size, layout.msg_id) == ("content", 192, S58_ID)
    assert named(layout, "size").value == "183 = 16 of the id + 167 of the term"
    assert data_of(S58, named(layout, "body")) == b"hello"
    assert data_of(S58, named(layout, "virtual host")) == bytes.fromhex("6d000000012f")
    assert named(layout, "virtual host").value == 'binary "/"'
    assert named(layout, "exchange name").value == 'binary ""'
    assert named(layout, "routing key").value == 'binary "q"'
    assert named(layout, "class").value == "60"
    assert named(layout, "decoded properties").value == "atom none"
    assert named(layout, "persistent").value == "atom true"
    assert named(layout, "protocol").value == "atom rabbit_framing_amqp_0_9_1"
    assert named(layout, "delivery_mode").value == "2"
    assert data_of(S58, named(layout, "property flags")) == bytes.fromhex("1000")
    assert [bit.name for bit in named(layout, "property flags").bits if bit.value] == ["delivery_mode"]
    ids = [field for field in layout.fields if field.part == "message id"]
    assert [data_of(S58, field) for field in ids] == [S58_ID, S58_ID]
    assert layout.fields[-1].name == "marker"
    assert data_of(S58, layout.fields[-1]) == b"\xff"
    assert {field.rule for field in layout.fields} >= {"S54", "S40", "S50", "S51", "S52", "S53"}


def test_s54_a_wrong_marker_is_reported() -> None:
    assert "broker skips" in named(store_record(S58[:-1] + b"\x00"), "marker").value


def test_i1_journal() -> None:
    first = journal_record(I1_JOURNAL)
    assert_covers(first)
    assert (first.kind, first.size, first.number, first.msg_id) == ("publish", 48, 0, ID1)
    assert [(bit.high, bit.low, bit.value) for bit in first.fields[0].bits] == [(63, 62, 0), (61, 0, 0)]
    assert first.fields[0].value == "publish, persistent, message 0"
    assert named(first, "body size").value == "5000 bytes"
    assert named(first, "expiry").value == "none"
    assert named(first, "embedded length").value == "0: the content is in a store"
    assert first.fields[-1].name == "deliver"

    second = record_at("journal.jif", I1_JOURNAL, 48)
    assert_covers(second)
    assert (second.size, second.embedded_bytes) == (40 + 167 + 8, 167)
    assert named(second, "expiry").value == f"at {0x0102030405060708} us"
    assert data_of(I1_JOURNAL[48:], named(second, "body")) == b"hello"

    third = record_at("journal.jif", I1_JOURNAL, 48 + second.size)
    assert_covers(third)
    assert third.fields[0].bits[0].value == 1
    assert third.fields[0].value == "publish, transient, message 2"
    assert 48 + second.size + third.size == len(I1_JOURNAL) == 311


def test_i1_segment() -> None:
    first = segment_record(I1_SEGMENT)
    assert_covers(first)
    assert (first.kind, first.size, first.number, first.msg_id) == ("publish", 36, 2, ID3)
    assert [(bit.name, bit.high, bit.low, bit.value) for bit in first.fields[0].bits] == [
        ("publish", 15, 15, 1),
        ("persistent", 14, 14, 0),
        ("rel", 13, 0, 2),
    ]
    assert first.fields[-1].value == "deliver, entry 2"
    second = record_at("0.idx", I1_SEGMENT, 36)
    assert_covers(second)
    assert second.fields[0].value == "publish, persistent, entry 0"
    assert second.fields[0].bits[1].value == 1


def test_s60_the_second_mark_is_an_ack() -> None:
    mark = bytes.fromhex("4002")
    assert segment_record(mark).fields[0].name == "deliver"
    assert segment_record(mark, 1).fields[0].name == "ack"
    both = segment_record(I1_SEGMENT[:36] + mark)
    assert [field.name for field in both.fields[-2:]] == ["deliver", "ack"]
    assert_covers(both)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("0.idx", b"", "ends before"),
        ("0.idx", bytes(40), "highest bits"),
        ("0.idx", I1_SEGMENT[:20], "ends inside the publish"),
        ("journal.jif", bytes(48), "replay"),
        ("journal.jif", I1_JOURNAL[48:120], "embedded"),
        ("journal.jif", I1_JOURNAL[:7], "ends before"),
        ("0.rdq", S58[:-1], "192 bytes"),
        ("0.rdq", bytes(30), "no room"),
        ("clean.dot", S58, "neither"),
    ],
)
def test_no_record_says_why(name: str, data: bytes, words: str) -> None:
    with pytest.raises(NoRecord, match=words):
        record_at(name, data, 0)


def test_s51_decoded_properties_and_s53_fragments() -> None:
    headers = [(b"x-a", ErlangAtom("longstr"), b"v")]
    undefined = ErlangAtom("undefined")
    decoded = (ErlangAtom("P_basic"), b"text/plain", undefined, headers, 2, *([undefined] * 10))
    content = (StoredNames.CONTENT, 60, decoded, terms.NONE, terms.NONE, [b"world", b"hello "])
    where = (StoredNames.RESOURCE, b"/", StoredNames.EXCHANGE, b"e")
    term = terms.encode(
        (StoredNames.BASIC_MESSAGE, where, [b"a", b"b"], content, S58_ID, terms.FALSE),
    )
    record = (len(term) + 16).to_bytes(8, "big") + S58_ID + term + b"\xff"
    layout = store_record(record)
    assert_covers(layout)
    assert named(layout, "content_type").value == 'binary "text/plain"'
    assert named(layout, "delivery_mode").value == "2"
    assert [data_of(record, field) for field in layout.fields if field.part == "body"] == [
        b"world",
        b"hello ",
    ]
    assert [field.value for field in layout.fields if field.name == "routing key"] == [
        'binary "a"',
        'binary "b"',
    ]


@given(st.binary(max_size=80))
def test_any_bytes_in_the_place_of_a_term_are_covered(junk: bytes) -> None:
    record = (len(junk) + 16).to_bytes(8, "big") + S58_ID + junk + b"\xff"
    assert_covers(store_record(record))


@given(st.integers(0, len(S58_TERM) - 1), st.integers(0, 255))
@example(5, 15)  # the place of the id is taken by an empty binary
@example(20, 1)
@example(143, 0)  # the id itself is empty
def test_a_broken_byte_in_a_term_is_covered(at: int, value: int) -> None:
    term = S58_TERM[:at] + bytes([value]) + S58_TERM[at + 1 :]
    assert_covers(store_record(S58[:24] + term + b"\xff"))


@given(
    st.integers(0, 400),
    st.booleans(),
    st.text(max_size=12),
    st.lists(st.text(max_size=8), max_size=3),
    st.dictionaries(st.sampled_from(["content_type", "expiration", "app_id"]), st.text(max_size=9)),
)
def test_what_the_codec_writes_is_covered(
    size: int, persistent: bool, exchange: str, keys: list[str], listed: dict[str, str]
) -> None:
    template = MessageTemplate(exchange, tuple(keys), properties.encode(listed))
    codec = MessageCodec("/", templates=[template])
    record = StoreRecords(7, 1, size, persistent, 0, codec).encode()
    layout = store_record(record)
    assert_covers(layout)
    body = b"".join(data_of(record, field) for field in layout.fields if field.part == "body")
    assert body == codec.body(7, size)
    entry = SegmentRecords(
        5, 1, PublishRecord(7, size, 0, persistent, True, persistent, 0), 1, 8, codec
    ).encode()
    assert_covers(segment_record(entry))
    assert segment_record(entry).number == 5


def test_records_are_found_by_number_and_id() -> None:
    codec = MessageCodec()

    def reading(data: bytes) -> tuple[object, int]:
        return lambda offset, count: data[offset : offset + count], len(data)

    segment = SegmentRecords(8, 8, PublishRecord(3, 5000), 1, 8, codec).encode() + bytes.fromhex("4004")
    found = find_seq("1.idx", *reading(segment), 4)
    assert [(each.kind, each.offset) for each in found] == [
        ("publish", 3 * 36),
        ("mark", 3 * 36 + 34),
        ("mark", 8 * 36),
    ]
    assert segment_record(segment[3 * 36 :]).msg_id == codec.id_bytes(7)
    journal = JournalRecords("publish_deliver", 0, 2000, PublishRecord(0, 40, 0, True, True), codec).encode()
    where = find_seq("journal.jif", *reading(journal), 1999)
    assert [each.kind for each in where] == ["publish", "deliver"]
    assert journal_record(journal[where[0].offset :]).number == 1999
    store = StoreRecords(20, 300, 900, True, 0, codec).encode()
    hit = find_id("0.rdq", *reading(store), codec.id_bytes(250))
    assert hit is not None
    assert store_record(store[hit.offset :]).msg_id == codec.id_bytes(250)
    assert find_id("0.rdq", *reading(store), bytes(16)) is None
    assert find_id("0.rdq", *reading(store), codec.id_bytes(250), most=10) is None
