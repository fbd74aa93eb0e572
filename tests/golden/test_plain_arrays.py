"""Without numpy the formats read and write the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.classic_v1.formats import journal, publishing, record, segment
from engine.classic_v1.formats.publishing import PublishRecord
from engine.formats import chunks, message, plain_arrays, store_records
from engine.formats.message import MessageCodec

pytestmark = pytest.mark.sources  # what is compiled keeps its numpy
MODULES = (journal, chunks, message, publishing, record, segment, store_records)


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in MODULES:
        monkeypatch.setattr(module, "np", plain_arrays)


@pytest.mark.parametrize("name", ["clean-mixed", "dirty-mixed"])
def test_a_brokers_files_are_written_back_byte_for_byte(plain: None, recordings: Path, name: str) -> None:
    codec = MessageCodec()
    seen = set()
    for path in sorted((recordings / "datadirs" / name).rglob("*")):
        data = path.read_bytes() if path.suffix in (".idx", ".jif", ".rdq") else b""
        if path.suffix == ".idx":
            chunks = segment.decode_segment(data, int(path.stem), 2048, codec)
        elif path.suffix == ".jif":
            chunks = journal.decode_journal(data, codec)
        elif path.suffix == ".rdq":
            chunks = record.decode_store(data, codec)
        else:
            continue
        seen.add(path.suffix)
        assert b"".join(chunk.encode() for chunk in chunks) == data
    assert seen == {".idx", ".jif", ".rdq"}


def test_runs_of_own_messages_are_the_same_with_and_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def written() -> tuple[bytes, int]:
        codec = MessageCodec()
        store = store_records.StoreRecords(7, 40, 6000, True, 0, codec)
        data = store.encode()
        return data, len(record.decode_store(data, MessageCodec()))

    with_numpy = written()
    for module in MODULES:
        monkeypatch.setattr(module, "np", plain_arrays)
    assert written() == with_numpy
    assert with_numpy[1] == 1


@pytest.mark.parametrize("embedded", [False, True])
def test_entries_of_unequal_bodies_are_what_single_ones_are(
    monkeypatch: pytest.MonkeyPatch, *, embedded: bool
) -> None:
    sizes = [4000 + 37 * (number % 11) for number in range(90)]

    def written() -> bytes:
        codec = MessageCodec()
        publish = PublishRecord(7, codec.column(7, sizes), 5, True, embedded, True, 0)
        entries = segment.SegmentRecords(2048 + 100, 90, publish, 1, 2048, codec)
        records = journal.JournalRecords("publish_deliver", 2048 + 100, 90, publish, codec)
        for run, singles, data in (
            (entries, [entries.part(at, 1) for at in reversed(range(90))], entries.encode()),
            (records, [records.part(at, 1) for at in range(90)], records.encode()),
        ):
            assert data == b"".join(each.encode() for each in singles)
            assert len(data) == run.size_bytes
        assert segment.decode_segment(entries.encode(), 1, 2048, codec) == [entries]
        assert journal.decode_journal(records.encode(), codec) == [records]
        return entries.encode() + records.encode()

    with_numpy = written()
    for module in MODULES:
        monkeypatch.setattr(module, "np", plain_arrays)
    assert written() == with_numpy
