"""Bytes of version 2 that nodes of 4.0.5 and 4.3.6 wrote: `.qi`, `.qs`, `.rdq`, and whole directories."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.backing_queue.protocol import TakenMessages
from engine.classic_v2.formats.mc import McCodec, parse_container
from engine.classic_v2.formats.qi import (
    INDEX_MAGIC,
    STORE_MAGIC,
    BlankBytes,
    BodyLocation,
    FileHeader,
    IndexSlots,
    decode_index,
    read_header,
)
from engine.classic_v2.formats.qs import EntryDamaged, StoreEntries, read_entries, read_entry
from engine.classic_v2.formats.rdq import scan
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.settings import V4_0, V4_3, V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.formats.message import MessageTemplate
from engine.formats.names import queue_directory
from engine.formats.store_records import StoreRecords, read_record
from engine.storage.directory import DirectoryStorage
from engine.values.chunks import RawBytes
from engine.values.marks import ignore
from engine.values.sizes import at as size_at
from tests.conftest import RECORDINGS

V2 = RECORDINGS / "v2"
RELEASES: dict[str, V2Settings] = {"4.3.6": V4_3, "4.0.5": V4_0}
KILLED = ("kill9-mixed-4.0.5", "kill9-segments-4.3.6")
STOPPED = tuple(sorted(path.name for path in (V2 / "datadirs").glob("clean-*")))


@pytest.fixture(params=sorted(RELEASES))
def release(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def data_of(release: str, name: str) -> bytes:
    return (V2 / "files" / release / name).read_bytes()


def codec_of(release: str) -> McCodec:
    return McCodec(transient_mark_second=RELEASES[release].transient_mark_second)


def test_the_index_file(release: str) -> None:
    """W82, W83, W84: header, two live slots, and one of which a dirty start cleared the first byte."""
    data = data_of(release, "0.qi")
    codec = codec_of(release)
    header, first, second, marked = decode_index(data, codec)
    assert header == FileHeader(INDEX_MAGIC, 0, 4096)
    assert isinstance(first, IndexSlots)
    assert isinstance(second, IndexSlots)
    assert (first.location, first.offset, first.term_bytes, first.body_bytes) == (
        BodyLocation.QUEUE,
        64,
        160,
        10,
    )
    assert (second.location, second.body_bytes, second.persistent) == (BodyLocation.SHARED, 5000, True)
    assert isinstance(marked, RawBytes)
    assert marked.data[0] == 0
    assert b"".join(chunk.encode() for chunk in (header, first, second, marked)) == data


def test_the_queue_store_file(release: str) -> None:
    """W110, W112, W161: two entries with their checksums; the second is transient and 10 bytes longer."""
    data = data_of(release, "0.qs")
    codec = codec_of(release)
    assert read_header(data, STORE_MAGIC) == FileHeader(STORE_MAGIC, 0, 4096)
    for at, size, persistent in ((64, 160, True), (232, 170, False)):
        entry = read_entry(data, at, size, codec)
        assert (entry.body_bytes, entry.raw_persistent, entry.checked) == (10, persistent, True)
        assert entry.encode() == data[at : at + 8 + size]
    with pytest.raises(EntryDamaged):
        read_entry(data, 64, 159, codec)
    with pytest.raises(EntryDamaged):
        read_entry(data[:100] + b"?" + data[101:], 64, 160, codec)
    with pytest.raises(EntryDamaged):
        read_entry(data, len(data) - 8, 160, codec)


def test_the_shared_store_file(release: str) -> None:
    """W130, W143, W160: three records; two have content that the broker wrote itself, 21 bytes shorter in 4.3."""
    data = data_of(release, "0.rdq")
    codec = codec_of(release)
    found = list(scan(data, lambda *_: True, False))
    records = [read_record(data, at, total - 9, codec) for at, total, _ in found]
    assert [each.body_bytes for each in records] == [5000, 5000, 5000]
    assert [codec.id_bytes(each.msg_no) for each in records] == [id16 for _, _, id16 in found]
    assert b"".join(each.encode() for each in records) == data
    at, total, _ = found[-1]
    term = parse_container(data[at + 24 : at + total - 1])
    assert (term.exchange, sorted(term.annotations)) == (b"", ["id", "rk", "rts", "x"])


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("size", [0, 3, 100, 200_000])
def test_what_is_written_is_read_back(size: int, persistent: bool, second: bool) -> None:
    """W112, W162: runs of entries and of records, whole and by parts."""
    codec = McCodec(templates=(MessageTemplate(),), transient_mark_second=second)
    entries = StoreEntries(5, 4, size, persistent, 0, True, codec)
    data = entries.encode()
    assert len(data) == entries.size_bytes
    assert read_entries(data, 0, entries.record_bytes - 8, 4, codec) == [entries]
    assert b"".join(chunk.encode() for half in entries.cut(len(data) // 3) for chunk in half) == data
    records = StoreRecords(5, 4, size, persistent, 0, codec)
    found = [
        read_record(records.encode(), at, total - 9, codec)
        for at, total, _ in scan(records.encode(), lambda *_: True, False)
    ]
    assert [each.msg_no for each in found] == [5, 6, 7, 8]
    assert b"".join(each.encode() for each in found) == records.encode()


def test_slots_are_read_back_as_runs() -> None:
    """W83: with rising offsets, and with ids that follow one another."""
    codec = McCodec()
    own = IndexSlots(5, True, BodyLocation.QUEUE, 10, 7, 0, 64, 160, codec)
    shared = IndexSlots(3, False, BodyLocation.SHARED, 5000, 0, 9, 0, 0, codec)
    header = FileHeader(INDEX_MAGIC, 0, 16)
    chunks = [header, own, BlankBytes(64), shared]
    data = b"".join(chunk.encode() for chunk in chunks)
    read = decode_index(data, codec)
    assert [(type(chunk), chunk.size_bytes) for chunk in read] == [
        (type(chunk), chunk.size_bytes) for chunk in chunks
    ]
    assert b"".join(chunk.encode() for chunk in read) == data
    assert decode_index(b"RCQ", codec) == [RawBytes(b"RCQ")]


class Opened:
    """A directory of a broker, in which each queue starts as after a crash."""

    def __init__(self, files: DirectoryStorage, settings: V2Settings, names: list[str]) -> None:
        places = {name: f"queues/{queue_directory('/', name)}" for name in names}
        self.codec = McCodec(transient_mark_second=settings.transient_mark_second)
        self.stores = [
            SharedStore(
                name=name,
                directory=f"msg_store_{name}",
                storage=files,
                codec=self.codec,
                settings=settings,
            )
            for name in ("persistent", "transient")
        ]
        persistent, transient = self.stores
        persistent.start(
            (),
            lambda: (
                (each.start, each.count)
                for place in places.values()
                for each in references(files, place, self.codec, settings)
            ),
        )
        transient.start_new()
        self.queues = {}
        for name, place in places.items():
            queue = ClassicQueueV2(
                V2Means(
                    name=name,
                    durable=True,
                    settings=settings,
                    codec=self.codec,
                    storage=files,
                    directory=place,
                    persistent=persistent,
                    transient=transient,
                    ref=name,
                    emit=ignore,
                    settle=self.settle,
                )
            )
            queue.recover(None, False, persistent.contains)
            self.queues[name] = queue

    def settle(self) -> None:
        for store in self.stores:
            store.settle()


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Opened, dict[str, Any]]]:
    place = V2 / "datadirs" / request.param
    manifest = json.loads((place / "manifest.json").read_text())
    shutil.copytree(place, tmp_path / "data")
    base = RELEASES[manifest["version"]]
    settings = type(base)(
        **{name: getattr(base, name) for name in base.__struct_fields__}
        | {"segment_entry_count": manifest["segment_entry_count"]}
    )
    with closing(DirectoryStorage(str(tmp_path / "data"))) as files:
        yield Opened(files, settings, [queue["name"] for queue in manifest["queues"]]), manifest


def fetched(queue: ClassicQueueV2) -> list[tuple[int, bool]]:
    """Return body size and redelivered flag of each message that the queue has."""
    taken: list[TakenMessages] = queue.fetch(100_000, True)
    return [
        (size_at(each.extent.size_bytes, each.extent.msg_no + number), number < each.redelivered)
        for each in taken
        for number in range(each.extent.count)
    ]


@pytest.mark.parametrize("opened", KILLED, indirect=True)
def test_a_directory_of_a_killed_node_holds_what_the_node_found(
    opened: tuple[Opened, dict[str, Any]],
) -> None:
    """W96, W97, W99, W150: every queue, message by message, in order."""
    found, manifest = opened
    for queue in manifest["queues"]:
        expected = [(each["size"], each["redelivered"]) for each in queue["messages"]]
        assert fetched(found.queues[queue["name"]]) == expected, queue["name"]


@pytest.mark.parametrize("opened", STOPPED, indirect=True)
def test_a_directory_of_a_stopped_node_holds_its_messages(opened: tuple[Opened, dict[str, Any]]) -> None:
    """W94, W97: its own notes are the broker's alone, so everything counts as delivered here."""
    found, manifest = opened
    for queue in manifest["queues"]:
        expected = [each["size"] for each in queue["messages"] if each["delivery_mode"] == 2]
        assert [size for size, _ in fetched(found.queues[queue["name"]])] == expected, queue["name"]


def test_the_directories_are_as_recorded() -> None:
    """W200, W203: the files of each manifest."""
    for name in (*KILLED, *STOPPED):
        place = V2 / "datadirs" / name
        for each in json.loads((place / "manifest.json").read_text())["files"]:
            data = (place / each["path"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == each["sha256"], each["path"]
