"""Directories, names, handles and fsync (S2-S34), and what is stored of a message (S51, S57, S64)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engine.broker.cluster import Cluster
from engine.broker.commands.scenario import parse
from engine.formats import terms
from engine.formats.message import MessageCodec
from engine.formats.terms import NONE, ErlangAtom
from engine.storage.directory import DirectoryStorage
from engine.storage.handle import BufferedHandle
from engine.storage.ledger import LedgerStorage
from engine.values.chunks import raw
from engine.values.extents import HOME_STORE, IN_RAM, PERSISTENT, RAW_PERSISTENT, WANTS_CONFIRM, Extent
from tests.rules.world import LARGE, SMALL, World
from tests.unit.classic_v1.index.harness import STORE_PERSISTENT, Harness, extent, numbers
from tests.unit.classic_v1.store.harness import Harness as StoreHarness
from tests.unit.classic_v1.store.harness import extent as stored
from tools.proofs.conformance.vector import store_vector

ROOT = "msg_stores/vhosts/628WB79CIFDYO9LJI6DKMI09L"


def files(storage: LedgerStorage) -> dict[str, bytes]:
    return {path: storage.read_bytes(path, 0, storage.size(path) or 0) for path in storage.paths()}


def test_a_virtual_host_s_directory() -> None:
    """S2, S3, S4, S7: its name, its settings, and two stores whose files begin with 0."""
    storage = LedgerStorage()
    node = Cluster(parse({"version": 1, "profile": "classroom", "settings": {}}), storage)
    found = files(storage)
    assert found[f"{ROOT}/.vhost"] == b"/"
    assert found[f"{ROOT}/.config"].endswith(b"{segment_entry_count, 8}.")
    assert {f"{ROOT}/msg_store_persistent/0.rdq", f"{ROOT}/msg_store_transient/0.rdq"} <= set(found)
    node.submit({"do": "publish", "count": 1, "size_bytes": 1, "persistent": True})
    node.submit({"do": "restart", "kind": "kill"})
    assert files(storage)[f"{ROOT}/.vhost"] == b"/"


def test_a_queue_s_directory_is_made_with_its_first_record() -> None:
    """S5, S6, S70: a transient message alone makes none; the journal, once opened, brings the stub with it."""
    world = World()
    world.publish(3)
    assert world.door.storage.list("queues/trace") == []
    world.publish(1, SMALL, True)
    assert world.door.storage.list("queues/trace") == [".queue_name", "journal.jif"]


def test_segments_are_numbered_by_the_seq_id() -> None:
    """S7: seq div N, without padding."""
    it = Harness(size=8)
    it.index.publish([extent(78, STORE_PERSISTENT, 5)], None)
    it.index.flush()
    assert sorted(name for name in it.files() if name.endswith(".idx")) == ["10.idx", "9.idx"]


def test_store_files_are_sorted_by_number() -> None:
    """S10, S7: 10 is behind 9, and a number is not used again."""
    world = StoreHarness(limit=1087)
    world.store.start_new()
    client = world.client()
    client.side.write(stored(0, 11))
    world.store.settle()
    assert store_vector(world.store)["current"] == 11
    world.store.kill()
    world.make().start([], lambda: [(number, 1) for number in range(11)])
    world.store.settle()
    assert store_vector(world.store)["current"] == 11
    world.client().side.write(stored(20))
    world.store.settle()
    assert store_vector(world.store)["current"] == 12
    assert world.places()[20][1] == 11


def test_what_is_fsynced_and_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S11, S31: files only, never a directory, and with fsync, never fdatasync."""
    synced: list[bool] = []
    fsync = os.fsync

    def watched(fd: int) -> None:
        synced.append(stat.S_ISREG(os.fstat(fd).st_mode))
        fsync(fd)

    monkeypatch.setattr(os, "fsync", watched)
    monkeypatch.delattr(os, "fdatasync", raising=False)
    world = World(DirectoryStorage(str(tmp_path)))
    world.publish(2, LARGE, True)
    world.publish(2, SMALL, True)
    world.do("timeout")
    world.do("pre_hibernate")
    assert len(synced) >= 3
    assert all(synced)


def test_a_handle_s_places() -> None:
    """S20, S28, S29: the next byte lands behind what is pending; pending or written bytes owe a sync."""
    storage = LedgerStorage()
    handle = BufferedHandle(storage, "f", 10)
    (chunk,) = raw(b"12345678")
    handle.append(chunk, 8)
    assert (handle.raw_offset, handle.pending_bytes, handle.virtual_offset) == (0, 8, 8)
    assert (handle.dirty, handle.needs_sync) == (False, True)
    handle.append(chunk, 8)
    assert (handle.raw_offset, handle.pending_bytes, handle.virtual_offset) == (16, 0, 16)
    assert (handle.dirty, handle.needs_sync) == (True, True)
    handle.sync()
    assert handle.needs_sync is False


def test_what_flushes_a_handle() -> None:
    """S25: truncating writes what is pending first, and owes no sync of its own."""
    storage = LedgerStorage()
    (chunk,) = raw(b"12345678")
    handle = BufferedHandle(storage, "f", None)
    handle.append(chunk, 8)
    handle.sync()
    handle.truncate(3)
    assert (storage.size("f"), handle.dirty) == (3, False)
    handle.append(chunk, 8)
    handle.truncate(5)
    assert storage.read_bytes("f", 0, 99) == b"12312"
    assert (handle.dirty, handle.raw_offset) == (True, 5)


def test_no_buffer_at_all() -> None:
    """S32: with a limit of zero every record is handed over at once."""
    world = StoreHarness(name="transient", buffer=0)
    world.store.start_new()
    world.client(confirms=False).side.write(stored(0, 3))
    world.store.settle()
    assert world.sizes() == {"0.rdq": 3 * 1087}


def test_a_message_with_decoded_properties() -> None:
    """S51: the second shape on disk is read, and its bytes are kept."""
    properties = (
        ErlangAtom("P_basic"),
        b"text/plain",
        *([ErlangAtom("undefined")] * 2),
        2,
        *([ErlangAtom("undefined")] * 10),
    )
    codec = MessageCodec()
    term = terms.encode(
        (
            ErlangAtom("basic_message"),
            (ErlangAtom("resource"), b"/", ErlangAtom("exchange"), b""),
            [b"cq"],
            (ErlangAtom("content"), 60, properties, NONE, NONE, [b"world", b"hello "]),
            codec.id_bytes(7),
            terms.TRUE,
        )
    )
    read = codec.read_term(term)
    assert (read.msg_no, read.size_bytes, read.raw_persistent, read.body_is_generated) == (7, 11, True, False)


@pytest.mark.parametrize(
    ("durable", "delivery_mode_2", "side"),
    [(True, True, "persistent"), (True, False, "transient"), (False, True, "transient")],
)
def test_which_store(durable: bool, delivery_mode_2: bool, side: str) -> None:
    """S57, S3: persistent only if both queue and message are; the transient one is written when paging out."""
    world = World(durable=durable)
    world.publish(1, LARGE, delivery_mode_2)
    world.target(0)
    stores = {"persistent": world.door.persistent, "transient": world.door.transient}
    assert {
        name: store_vector(store)["index"] for name, store in stores.items() if store_vector(store)["index"]
    } == {side: 1}


def test_what_is_kept_of_the_properties() -> None:
    """S64: expiry in microseconds; whether a confirm is wanted is not on disk."""
    it = Harness()
    flags = PERSISTENT | RAW_PERSISTENT | IN_RAM | WANTS_CONFIRM
    it.index.publish([Extent(0, 2, 1, 10, flags, 1_700_000_000_000_001)], None)
    it.index.flush()
    segment = it.bytes_of("0.idx")
    assert segment is not None
    assert int.from_bytes(segment[18:26], "big") == 1_700_000_000_000_001
    (back,) = it.index.read(0, 2)
    assert (back.expiry_us, back.wants_confirm, back.flags & HOME_STORE) == (1_700_000_000_000_001, False, 0)


def test_reading_over_segments_gives_the_right_numbers() -> None:
    """S86, S87: unlike the node, which counts from the first segment on."""
    it = Harness(size=4)
    it.index.publish([extent(2, STORE_PERSISTENT, 9)], None)
    it.index.flush()
    found = it.index.read(0, 12)
    assert [each.start + i for each in found for i in range(each.count)] == list(range(2, 11))
    assert it.index.read(5, 5) == []


def test_borders() -> None:
    """S88, S89: the next segment, and what the segments of the map cover."""
    it = Harness(size=8)
    assert it.index.bounds() == (0, 0)
    assert [it.index.next_segment_boundary(seq_id) for seq_id in (0, 7, 8)] == [8, 8, 16]
    it.index.publish([extent(20, STORE_PERSISTENT, 10)], None)
    assert it.index.bounds() == (16, 32)


def test_delete_leaves_nothing() -> None:
    """S93."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 3)], None)
    it.index.flush()
    it.index.delete()
    assert it.files() == {}
    assert numbers(it.index.unconfirmed) == []
