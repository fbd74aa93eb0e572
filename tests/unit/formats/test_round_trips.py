"""What is written is read back, and no bytes make a decoder fail in another way than it says."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.classic_v1.formats.journal import JournalRecords, decode_journal
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.formats.record import decode_store
from engine.classic_v1.formats.segment import SegmentRecords, decode_segment
from engine.formats import terms
from engine.formats.message import FIRST_FOREIGN, MessageCodec, MessageTemplate
from engine.formats.store_records import StoreRecords
from engine.values.chunks import ByteChunk, RawBytes, ZeroBytes
from engine.values.errors import FileCorrupt, IndexCorrupt, StoreCorrupt

N = 64
CODEC = MessageCodec(
    templates=[
        MessageTemplate(),
        MessageTemplate("x", ("", "kk"), bytes.fromhex("308000000000")),
        MessageTemplate("", (), b""),
    ]
)
SIZES = st.sampled_from([0, 1, 7, 8, 9, 16, 200])
PUBLISHES = st.builds(
    PublishRecord,
    msg_no=st.integers(0, 2**48),
    size_bytes=SIZES,
    expiry_us=st.sampled_from([0, 0, 1_600_000_000_000_000]),
    persistent=st.booleans(),
    embedded=st.booleans(),
    raw_persistent=st.booleans(),
    template=st.integers(0, 2),
)


@st.composite
def segment_runs(draw: st.DrawFn) -> SegmentRecords:
    start = draw(st.integers(0, N - 1))
    publish = draw(st.none() | PUBLISHES)
    return SegmentRecords(
        3 * N + start,
        draw(st.integers(1, N - start)),
        publish,
        draw(st.integers(1 if publish is None else 0, 2)),
        N,
        CODEC,
    )


@st.composite
def journal_runs(draw: st.DrawFn) -> JournalRecords:
    action = draw(st.sampled_from(["publish", "deliver", "ack", "publish_deliver"]))
    publish = draw(PUBLISHES) if action.startswith("publish") else None
    return JournalRecords(action, draw(st.integers(0, 2**50)), draw(st.integers(1, 40)), publish, CODEC)


STORE_RUNS = st.builds(
    StoreRecords,
    msg_no=st.integers(0, 2**48),
    count=st.integers(1, 40),
    body_bytes=SIZES,
    raw_persistent=st.booleans(),
    template=st.integers(0, 2),
    codec=st.just(CODEC),
)

ANY_TERM = st.recursive(
    st.integers()
    | st.floats(allow_nan=False)
    | st.binary(max_size=9)
    | st.text(max_size=9).map(terms.ErlangAtom),
    lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple),
    max_leaves=12,
)


def encoded(chunks: Sequence[ByteChunk]) -> bytes:
    return b"".join(chunk.encode() for chunk in chunks)


def singles(chunks: Sequence[ByteChunk]) -> list[ByteChunk]:
    """Take runs apart, so that two ways to draw their borders are equal."""
    found: list[ByteChunk] = []
    for chunk in chunks:
        if isinstance(chunk, SegmentRecords | StoreRecords | JournalRecords):
            found += [chunk.written(at, 1) for at in range(chunk.count)]
        else:
            found.append(chunk)
    return found


def entries(chunks: Sequence[ByteChunk]) -> list[ByteChunk]:
    """Take segment entries apart into publish and marks, which need not be together."""
    found: list[ByteChunk] = []
    for chunk in singles(chunks):
        if isinstance(chunk, SegmentRecords):
            if chunk.publish:
                found.append(SegmentRecords(chunk.start, 1, chunk.publish, 0, N, CODEC))
            found += [SegmentRecords(chunk.start, 1, None, 1, N, CODEC)] * chunk.marks
        elif isinstance(chunk, JournalRecords) and chunk.action == "publish_deliver":
            found.append(JournalRecords("publish", chunk.start, 1, chunk.publish, CODEC))
            found.append(JournalRecords("deliver", chunk.start, 1, None, CODEC))
        else:
            found.append(chunk)
    return found


@given(segment_runs())
def test_entries_that_are_written_one_by_one_have_the_same_bytes(run: SegmentRecords) -> None:
    alone = [run.part(at, 1).encode() for at in reversed(range(run.count))]
    assert run.encode() == b"".join(alone)


@given(ANY_TERM)
def test_terms(value: object) -> None:
    """S40, S41."""
    assert terms.decode(terms.encode(value)) == value


@given(segment_runs())
def test_one_segment_run_is_read_as_one(run: SegmentRecords) -> None:
    data = run.encode()
    assert len(data) == run.size_bytes
    assert decode_segment(data, 3, N, CODEC) == [run]


@given(st.lists(segment_runs(), max_size=6))
def test_segments(runs: list[SegmentRecords]) -> None:
    """S60."""
    data = encoded(runs)
    read = decode_segment(data, 3, N, CODEC)
    assert encoded(read) == data
    assert entries(read) == entries(runs)


@given(st.lists(journal_runs(), max_size=6))
def test_journals(runs: list[JournalRecords]) -> None:
    """S62."""
    data = encoded(runs)
    read = decode_journal(data, CODEC)
    assert encoded(read) == data
    assert entries(read) == entries(runs)


@given(st.lists(STORE_RUNS, max_size=6))
def test_stores(runs: list[StoreRecords]) -> None:
    """S54."""
    data = encoded(runs)
    read = decode_store(data, CODEC)
    assert encoded(read) == data
    assert singles(read) == singles(runs)


@given(st.one_of(segment_runs(), journal_runs(), STORE_RUNS), st.floats(0, 1))
def test_a_cut_keeps_every_byte(run: SegmentRecords | JournalRecords | StoreRecords, where: float) -> None:
    at = int(where * run.size_bytes)
    before, after = run.cut(at)
    assert encoded(before) == run.encode()[:at]
    assert encoded(after) == run.encode()[at:]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Real content with bytes changed, cut off, repeated or put in between."""
    parts = draw(
        st.one_of(
            st.lists(segment_runs(), min_size=1, max_size=3),
            st.lists(journal_runs(), min_size=1, max_size=3),
            st.lists(STORE_RUNS, min_size=1, max_size=3),
        )
    )
    data = bytearray(encoded(parts))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        how = draw(st.integers(0, 3))
        if how == 0 and data:
            data[at] = draw(st.integers(0, 255))
        elif how == 1:
            del data[at:]
        elif how == 2:
            data[at:at] = draw(st.binary(max_size=50) | st.integers(1, 90).map(bytes))
        else:
            data += data[: draw(st.integers(0, 200))]
    return bytes(data)


@given(st.one_of(damaged(), st.binary(max_size=300)))
def test_no_bytes_surprise_a_decoder(data: bytes) -> None:
    codec = MessageCodec(templates=CODEC.templates)
    for decode in (
        lambda: decode_segment(data, 3, N, codec),
        lambda: decode_journal(data, codec),
        lambda: decode_store(data, codec),
    ):
        damage: FileCorrupt | None = None
        try:
            assert encoded(decode()) == data
        except FileCorrupt as error:
            damage = error
        assert damage is None or (damage.offset is not None and 0 <= damage.offset <= len(data))


@given(st.binary(max_size=200))
def test_no_bytes_surprise_the_term_reader(data: bytes) -> None:
    try:
        value = terms.decode(b"\x83" + data)
    except terms.TermError:
        return
    terms.encode(value)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(terms.TermError, match="nested"):
        terms.decode(b"\x83" + b"\x68\x01" * 100_000)


def test_a_huge_count_costs_nothing() -> None:
    with pytest.raises(terms.TermError, match="do not fit"):
        terms.decode(b"\x83\x6c\xff\xff\xff\xff")


# --- damage, row by row (S114, S119, S209) ---


def journal() -> tuple[JournalRecords, bytes]:
    run = JournalRecords("publish_deliver", 0, 3, PublishRecord(1, 16, embedded=True), CODEC)
    return run, run.encode()


@pytest.mark.parametrize("tail", [bytes(1), bytes(39), bytes(40), bytes(200), b"\xc0\x00"])
def test_a_journal_ends_silently(tail: bytes) -> None:
    """S114."""
    run, data = journal()
    *read, rest = decode_journal(data + tail, CODEC)
    assert read == [run]
    assert rest.encode() == tail
    assert isinstance(rest, RawBytes | ZeroBytes)


def test_a_journal_cut_in_its_last_record_gives_the_records_before() -> None:
    run, data = journal()
    read = decode_journal(data[:-3], CODEC)
    assert entries(read[:-1]) == entries([run])[:-1]
    assert isinstance(read[-1], RawBytes)


@pytest.mark.parametrize("data", [b"", bytes(1), bytes(5000)])
def test_a_segment_of_zeros_has_no_entries(data: bytes) -> None:
    """S90."""
    assert decode_segment(data, 0, N, CODEC) == ([ZeroBytes(len(data))] if data else [])


def test_a_segment_cut_after_two_bytes_of_a_publish_is_a_prefix() -> None:
    """S90, S119."""
    run = SegmentRecords(0, 2, PublishRecord(1, 16), 1, N, CODEC)
    read = decode_segment(run.encode()[:38], 0, N, CODEC)
    assert list[object](read) == [run.part(1, 1), RawBytes(b"\xc0\x00")]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda data: data[:-10], "not below 64"),
        (lambda data: data + b"\x40", "stray byte"),
        (lambda data: data + bytes(2), "no record begins"),
        (lambda data: b"\xc0\x40" + data[2:], "not below 64"),
        (lambda data: data[:40] + b"x" + data[41:], "cannot be read"),
    ],
)
def test_a_damaged_segment_says_where(make: object, words: str) -> None:
    """S119."""
    data = SegmentRecords(0, 1, PublishRecord(1, 16, embedded=True), 0, N, CODEC).encode()
    with pytest.raises(IndexCorrupt, match=words):
        decode_segment(make(data), 0, N, CODEC)  # type: ignore[operator]


def test_an_embedded_message_with_another_id_is_damage() -> None:
    """S60."""
    data = bytearray(SegmentRecords(0, 1, PublishRecord(1, 16, embedded=True), 0, N, CODEC).encode())
    data[17] ^= 1
    with pytest.raises(IndexCorrupt, match="another id"):
        decode_segment(bytes(data), 0, N, CODEC)


def test_the_scanner_skips_a_wrong_marker_and_stops_at_zeros() -> None:
    """S209."""
    run = StoreRecords(5, 3, 16, True, 0, CODEC)
    data = bytearray(run.encode())
    data[2 * run.record_bytes - 1] = 0
    read = decode_store(bytes(data) + bytes(100) + run.encode(), CODEC)
    assert read[0] == run.part(0, 1)
    assert isinstance(read[1], RawBytes)
    assert read[1].size_bytes == run.record_bytes
    assert read[2] == run.part(2, 1)
    assert encoded(read[3:]) == bytes(100) + run.encode()
    assert not any(isinstance(chunk, StoreRecords) for chunk in read[3:])


def test_a_record_too_small_for_its_id_is_damage() -> None:
    """S209."""
    data = (5).to_bytes(8, "big") + b"hello" + b"\xff"
    with pytest.raises(StoreCorrupt, match="size 5 at offset 0"):
        decode_store(data, CODEC)


def test_ids_of_another_node_get_numbers_and_keep_their_bytes() -> None:
    """S56."""
    codec = MessageCodec()
    other = MessageCodec(id_prefix=b"another!")
    data = StoreRecords(40, 3, 16, True, 0, other).encode()
    read = decode_store(data, codec)
    assert encoded(read) == data
    numbers = [run.msg_no for run in read if isinstance(run, StoreRecords)]
    assert numbers == [FIRST_FOREIGN, FIRST_FOREIGN + 1, FIRST_FOREIGN + 2]
    assert codec.msg_no_of(other.id_bytes(41)) == FIRST_FOREIGN + 1
    assert codec.id_bytes(FIRST_FOREIGN + 2) == other.id_bytes(42)


def test_neighbours_of_another_node_make_runs() -> None:
    codec = MessageCodec()
    other = MessageCodec(id_prefix=b"another!")
    written = SegmentRecords(0, 60, PublishRecord(500, 9000), 1, N, other)
    read = decode_segment(written.encode(), 0, N, codec)
    assert encoded(read) == written.encode()
    assert [run.count for run in read if isinstance(run, SegmentRecords)] == [60]
    again = decode_segment(written.encode(), 0, N, codec)
    assert again == read
    acked = JournalRecords("publish_deliver", 7, 40, PublishRecord(500, 9000), other)
    (run,) = decode_journal(acked.encode(), MessageCodec())
    assert isinstance(run, JournalRecords)
    assert (run.count, run.encode()) == (40, acked.encode())
    # The two numberings of one codec agree, whichever file is read first.
    assert decode_journal(acked.encode(), codec)[0].encode()[:16] == acked.encode()[:16]
