"""Bytes that the reference was seen to write, rule by rule."""

import pytest

from engine.classic_v1.formats.journal import JournalRecords, decode_journal
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.formats.record import decode_store
from engine.classic_v1.formats.segment import SegmentRecords, decode_segment
from engine.formats import names, terms
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.store_records import StoreRecords
from engine.formats.terms import ErlangAtom, OpaqueTerm

S58_TERM = bytes.fromhex(
    "83680664000d62617369635f6d65737361676568046400087265736f757263656d000000012f64000865786368616e67656d00000000"
    "6c000000016d00000001716a6806640007636f6e74656e74613c6400046e6f6e656d000000031000026400197261626269745f667261"
    "6d696e675f616d71705f305f395f316c000000016d0000000568656c6c6f6a6d00000010000102030405060708090a0b0c0d0e0f6400"
    "0474727565"
)
S58_ID = bytes(range(16))


def codec(prefix: bytes = bytes(8)) -> MessageCodec:
    return MessageCodec("/", prefix, [MessageTemplate(routing_keys=("q",))])


def test_s1_directory_names() -> None:
    assert names.vhost_directory("/") == "628WB79CIFDYO9LJI6DKMI09L"
    assert names.queue_directory("/", "q") == "ELZWZEZ73AMRDLRMYTINBF0M3"
    assert names.queue_directory("/", "q.mixed") == "434QJ29PS1F7KJO6A26YZF1Z8"
    assert (names.base36(0), names.base36(35), names.base36(36)) == ("0", "Z", "10")


def test_s4_and_s6_texts() -> None:
    header = b"%% This file is auto-generated! Edit at your own risk!\n"
    assert names.config_text(2048) == header + b"{segment_entry_count, 2048}."
    assert names.read_queue_name(b"VHOST: /\nQUEUE: q.lazy\n") == ("/", "q.lazy")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "6100"),
        (255, "61ff"),
        (256, "6200000100"),
        (-1, "62ffffffff"),
        (2**31 - 1, "627fffffff"),
        (-(2**31), "6280000000"),
        (2**31, "6e040000000080"),
        (-(2**31) - 1, "6e040101000080"),
        (2**64, "6e0900000000000000000001"),
        (256**255, "6f0000010000" + "00" * 255 + "01"),
        (1.5, "463ff8000000000000"),
        (ErlangAtom("true"), "64000474727565"),
        (ErlangAtom("é"), "640001e9"),
        (ErlangAtom("Ω"), "7702cea9"),
        (ErlangAtom("Ω" * 128), "760100" + "cea9" * 128),
        ((), "6800"),
        ((1,) * 256, "6900000100" + "6101" * 256),
        ([], "6a"),
        ([1, 2, 255], "6b00030102ff"),
        ([1, 256], "6c00000002610162000001006a"),
        ([1] * 65536, "6c00010000" + "6101" * 65536 + "6a"),
        ([b"q"], "6c000000016d00000001716a"),
        (b"", "6d00000000"),
        (terms.ImproperList((1,), 2), "6c0000000161016102"),
        (OpaqueTerm(bytes.fromhex("4d0000000107ff")), "4d0000000107ff"),
    ],
)
def test_s40_every_row(value: object, written: str) -> None:
    assert terms.encode(value).hex() == "83" + written
    assert terms.decode(terms.encode(value)) == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("730474727565", ErlangAtom("true")),
        ("770474727565", ErlangAtom("true")),
        ("76000474727565", ErlangAtom("true")),
        ("63" + b"1.50000000000000000000e+00".ljust(31, b"\0").hex(), 1.5),
        ("740000000161016102", OpaqueTerm(bytes.fromhex("740000000161016102"))),
        (
            "58" + "640001610000000100000002" + "00000003",
            OpaqueTerm(bytes.fromhex("58640001610000000100000002" + "00000003")),
        ),
        (
            "5a0001" + "64000161" + "00000001" + "00000007",
            OpaqueTerm(bytes.fromhex("5a0001640001610000000100000007")),
        ),
    ],
)
def test_s41_is_read_too(written: str, value: object) -> None:
    assert terms.decode(bytes.fromhex("83" + written)) == value


def test_s42_atoms_and_binaries_are_distinct() -> None:
    assert ErlangAtom("a") != "a"
    assert terms.decode(terms.encode((ErlangAtom("a"), b"a"))) == (ErlangAtom("a"), b"a")
    with pytest.raises(terms.TermError):
        terms.encode("a")


def test_s58_worked_example() -> None:
    """S50, S54, S58."""
    record = bytes.fromhex("00000000000000b7") + S58_ID + S58_TERM + b"\xff"
    assert len(record) == 192
    made = codec()
    assert terms.encode(terms.decode(S58_TERM)) == S58_TERM
    assert made.term_bytes(0, 5, True) == 167
    assert made.record_bytes(0, 5, True) == 192
    (run,) = decode_store(record, made)
    assert isinstance(run, StoreRecords)
    assert (run.body_bytes, run.raw_persistent, run.term) == (5, True, S58_TERM)
    assert made.id_bytes(run.msg_no) == S58_ID
    assert run.encode() == record
    # The engine's own term differs in the body alone: 8 bytes of number cut to 5.
    own = MessageCodec("/", S58_ID[:8], made.templates)
    number = int.from_bytes(S58_ID[8:], "big") & 0
    expected = S58_TERM.replace(b"hello", bytes(5)).replace(S58_ID, S58_ID[:8] + bytes(8))
    assert own.terms(number, 1, 0, 5, True).tobytes() == expected


@pytest.mark.parametrize(
    ("template", "size", "persistent", "term"),
    [
        (MessageTemplate(), 16, True, 163 + 16),
        (MessageTemplate(), 16, False, 164 + 16),
        (MessageTemplate(), 0, True, 153),
        (MessageTemplate(), 0, False, 154),
        (MessageTemplate(routing_keys=("cq", "other")), 16, True, 163 + 16 + 10),
        (MessageTemplate("x.fan", ("",), bytes.fromhex("3080")), 1, True, 163 + 1 + 5 - 2 - 1),
        (MessageTemplate(), 131064, True, 163 + 131064),
        (MessageTemplate(), 131065, True, 163 + 131065 + 5),
        (MessageTemplate(), 400000, False, 164 + 400000 + 15),
    ],
)
def test_s55_sizes(template: MessageTemplate, size: int, persistent: bool, term: int) -> None:
    """S53, S55."""
    made = MessageCodec(templates=[template])
    assert made.term_bytes(0, size, persistent) == term
    written = made.terms(7, 2, 0, size, persistent)
    assert written.shape == (2, term)
    for row, number in zip(written, (7, 8), strict=True):
        assert terms.encode(terms.decode(row.tobytes())) == row.tobytes()
        read = made.read_term(row.tobytes())
        assert (read.msg_no, read.size_bytes, read.raw_persistent) == (number, size, persistent)
        assert read.body_is_generated


def test_i1_journal_and_segment() -> None:
    """S60, S62, S63."""
    made = codec()
    term = S58_TERM.replace(S58_ID, made.id_bytes(2))
    first = PublishRecord(1, 5000)
    second = PublishRecord(2, 5, 0x0102030405060708, embedded=True)
    third = PublishRecord(3, 7000, persistent=False)
    runs = [
        JournalRecords("publish_deliver", 0, 1, first, made),
        JournalRecords("publish_deliver", 1, 1, second, made, term),
        JournalRecords("publish_deliver", 2, 1, third, made),
    ]
    journal = bytes.fromhex(
        "0000000000000000" + "00" * 15 + "01" + "0000000000000000"
        "00001388"
        "00000000"
        "8000000000000000"
        "0000000000000001" + "00" * 15 + "02" + "0102030405060708"
        "00000005"
        "000000a7" + term.hex() + "8000000000000001"
        "4000000000000002" + "00" * 15 + "03" + "0000000000000000"
        "00001b58"
        "00000000"
        "8000000000000002"
    )
    assert len(journal) == 311
    assert b"".join(run.encode() for run in runs) == journal
    assert decode_journal(journal, made) == runs
    entries = [SegmentRecords(2, 1, third, 1, 2048, made), SegmentRecords(0, 1, first, 1, 2048, made)]
    segment = bytes.fromhex(
        "8002" + "00" * 15 + "03" + "0000000000000000"
        "00001b58"
        "00000000"
        "4002"
        "c000" + "00" * 15 + "01" + "0000000000000000"
        "00001388"
        "00000000"
        "4000"
    )
    assert len(segment) == 72
    assert b"".join(run.encode() for run in entries) == segment
    assert decode_segment(segment, 0, 2048, made) == entries


def test_j1_publishes_first_then_delivers() -> None:
    """S77."""
    made = codec()
    runs = [
        JournalRecords("publish", 0, 1, PublishRecord(1, 0), made),
        JournalRecords("publish", 1, 1, PublishRecord(2, 0, persistent=False), made),
        JournalRecords("deliver", 0, 2, None, made),
    ]
    data = b"".join(run.encode() for run in runs)
    assert len(data) == 96
    assert data[40:48].hex() == "4000000000000001"
    assert data[80:].hex() == "80000000000000008000000000000001"


def test_s61_heads_and_s65_descending_order() -> None:
    """S61, S65."""
    made = codec()
    data = SegmentRecords(2048 + 5, 3, PublishRecord(9, 100, persistent=False), 2, 2048, made).encode()
    assert [data[at : at + 2].hex() for at in (0, 38, 76)] == ["8007", "8006", "8005"]
    assert data[34:38].hex() == "40074007"
    assert [int.from_bytes(data[at + 2 : at + 18], "big") for at in (0, 38, 76)] == [11, 10, 9]
    acks = JournalRecords("ack", 2**40, 2, None, made).encode()
    assert acks.hex() == "c000010000000000c000010000000001"
