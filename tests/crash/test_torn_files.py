"""Every small file cut at each of its bytes: the engine reads what the rules read, and refuses what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from engine.storage.ledger import LedgerStorage
from engine.values.chunks import raw
from engine.values.errors import IndexCorrupt, StoreCorrupt
from tests.crash import reference
from tests.crash.faults import FaultyStorage
from tests.crash.simulator import QUEUE, STORE, CrashDoor
from tests.crash.test_flush import CONFIG, acked, published

SMALL: dict[str, Any] = {**CONFIG, "segment_entry_count": 8, "queue_index_embed_msgs_below": 20}
Files = dict[str, bytes]


def small_files() -> tuple[Files, Files]:
    """Return a queue's and a store's files: a segment, a journal that goes on from it, and one store file."""
    storage = FaultyStorage(LedgerStorage())
    door = CrashDoor(SMALL, storage)
    published(door, 2, 4)
    published(door, 2, 30)
    door.queue.fetch(4, ack=True)
    acked(door, 0)
    door.queue.pre_hibernate()
    published(door, 2, 30)
    published(door, 1, 4)
    acked(door, 2)
    door.queue.timeout()
    return storage.contents(QUEUE), storage.contents(STORE)


WHOLE = small_files()


def recovered(queue: Files, store: Files) -> list[tuple[int, int]] | None:
    """Return (seq_id, message) of what the engine finds in files, None when it refuses them."""
    storage = FaultyStorage(LedgerStorage())
    door = CrashDoor(SMALL, storage)
    for directory, files in ((QUEUE, queue), (STORE, store)):
        for name, data in files.items():
            storage.create(f"{directory}/{name}")
            if data:
                storage.append(f"{directory}/{name}", raw(data))
    try:
        door.start_after_crash()
    except (IndexCorrupt, StoreCorrupt):
        return None
    door.persistent.verify()
    door.queue.state.index.verify()
    return [(each.start + i, each.msg_no + i) for each in door.live() for i in range(each.count)]


def predicted(queue: Files, store: Files) -> list[tuple[int, int]] | None:
    """Return what the rules find."""
    codec = CrashDoor(SMALL, FaultyStorage(LedgerStorage())).codec
    try:
        found = reference.recover(queue, store, SMALL["segment_entry_count"])
    except reference.Corrupt:
        return None
    return [(each.seq_id, codec.msg_no_of(each.pub.id16)) for each in found]


def test_the_whole_files() -> None:
    queue, store = WHOLE
    assert sorted(queue) == [".queue_name", "0.idx", "journal.jif"]
    assert [len(queue["0.idx"]), len(queue["journal.jif"]), len(store["0.rdq"])] == [274, 318, 868]
    assert recovered(queue, store) == predicted(queue, store) == [(1, 1), (3, 3), (4, 4), (5, 5), (6, 6)]


@pytest.mark.parametrize("padding", [0, 12, 64])
def test_a_journal_cut_at_every_byte(padding: int) -> None:
    """S114, S119: the clean prefix counts, whatever follows; zeros behind it change nothing."""
    queue, store = WHOLE
    data = queue["journal.jif"]
    seen = set()
    for length in range(len(data)):
        torn = {**queue, "journal.jif": data[:length] + bytes(padding)}
        back = recovered(torn, store)
        assert back == predicted(torn, store), length
        if not padding:
            assert back is not None
            seen.add(len(back))
    assert seen == ({3, 4, 5, 6} if not padding else set())


def test_a_segment_cut_at_every_byte() -> None:
    """S90, S119: a torn publish record is read on as records, which crashes the broker nearly always."""
    queue, store = WHOLE
    queue = {**queue, "journal.jif": b""}
    data = queue["0.idx"]
    outcomes = []
    for length in range(len(data)):
        torn = {**queue, "0.idx": data[:length]}
        back = recovered(torn, store)
        assert back == predicted(torn, store), length
        outcomes.append(back)
    assert outcomes[0] == []
    assert outcomes.count(None) > 250


def test_a_store_file_cut_at_every_byte() -> None:
    """S209, S233: a torn record is none, and the index entries without a body are acked away."""
    queue, store = WHOLE
    data = store["0.rdq"]
    seen = set()
    for length in range(len(data)):
        torn = {"0.rdq": data[:length]}
        back = recovered(queue, torn)
        assert back == predicted(queue, torn), length
        assert back is not None
        seen.add(len(back))
    assert seen == {2, 3, 4}


def test_a_store_file_with_zeros_from_any_byte_on() -> None:
    """S209: the scanner stops at the first size of zero; a marker of zero spoils its own record only."""
    queue, store = WHOLE
    data = store["0.rdq"]
    for length in range(0, len(data), 3):
        torn = {"0.rdq": data[:length] + bytes(len(data) - length)}
        assert recovered(queue, torn) == predicted(queue, torn), length
