"""Crashes between writing segments and clearing the journal, at every call of a flush (S80, S81, S115)."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.storage.ledger import LedgerStorage
from engine.values.errors import IndexCorrupt
from tests.crash.faults import Died, FaultyStorage
from tests.crash.runs import run
from tests.crash.simulator import QUEUE, CrashDoor
from tools.proofs.conformance.vector import index_vector

CONFIG: dict[str, Any] = {
    "durable": True,
    "explicit_gc_run_operation_threshold": 1000,
    "mode": "default",
    "msg_store_credit_disc_bound": [4000, 800],
    "msg_store_file_size_limit": 16777216,
    "msg_store_io_batch_size": 4096,
    "queue_index_embed_msgs_below": 300,
    "queue_index_max_journal_entries": 32768,
    "rates": [0.5, 0.5, 0, 0],
    "segment_entry_count": 4,
    "queue": "q",
    "vhost": "/",
    "write_buffer_bytes": 1048576,
    "slow": None,
    "journaling": False,
}
BEFORE: list[dict[str, Any]] = [
    {"op": "publish", "count": 5, "size": 16, "persistent": True, "confirm": True},
    {"op": "publish", "count": 4, "size": 400, "persistent": True, "confirm": True},
    {"op": "publish", "count": 3, "size": 16, "persistent": False, "confirm": False},
    {"op": "timeout"},
    {"op": "fetch", "count": 6, "ack": True},
    {"op": "ack", "from": 0, "every": 1, "count": 4, "multiple": True},
    {"op": "pre_hibernate"},
    {"op": "publish", "count": 3, "size": 16, "persistent": True, "confirm": True},
    {"op": "ack", "from": 0, "every": 1, "count": 1, "multiple": True},
    {"op": "timeout"},
]
"""Three segments: the first fully acked and deleted, the second with an ack in the journal, the third new."""


def new_door() -> tuple[CrashDoor, FaultyStorage]:
    storage = FaultyStorage(LedgerStorage())
    return CrashDoor(CONFIG, storage), storage


def acked(door: CrashDoor, *tags: int) -> None:
    door.run({"op": "ack", "tags": [[tag, tag] for tag in tags], "multiple": True})


def published(door: CrashDoor, count: int, size: int = 16) -> None:
    door.run({"op": "publish", "count": count, "size": size, "persistent": True, "confirm": True})


def seq_ids(door: CrashDoor) -> list[int]:
    return [each.start + i for each in door.live() for i in range(each.count)]


@pytest.mark.parametrize("how", ["kill", "power", "torn"])
@pytest.mark.parametrize("calls", range(1, 12))
def test_a_crash_at_every_call_of_a_flush(calls: int, how: str, tmp_path: Path) -> None:
    """S80, S81, S113, S115: segments are durable before the journal is cleared, so nothing is lost."""
    crash = {"op": "crash", "how": how, "calls": calls, "part": 0.0, "steps": 1, "torn": calls}
    outcome = run({"config": CONFIG, "steps": [*BEFORE, crash, {"op": "pre_hibernate"}]}, tmp_path)
    assert outcome.crashes == 1
    if how != "torn":
        assert outcome.survived == 7
        assert not outcome.corrupt


@pytest.mark.parametrize("calls", range(1, 25))
def test_a_crash_at_every_call_of_the_recovery_itself(calls: int, tmp_path: Path) -> None:
    """S113.4, S115: a recovery's own flush may be cut short as well, and the next one gives the same."""
    crash = {"op": "crash", "how": "kill", "calls": 1, "part": 0.0, "steps": 1, "torn": 1}
    crash["again"] = [{"how": "kill", "calls": calls, "part": 0.0, "torn": 1}]
    outcome = run({"config": CONFIG, "steps": [*BEFORE, crash, {"op": "pre_hibernate"}]}, tmp_path)
    assert (outcome.crashes, outcome.corrupt) == (2, "")
    assert outcome.survived in (7, 14)


def test_the_journal_after_a_torn_flush_says_everything_twice() -> None:
    """S115: what the segments know already is dropped, and the counts are those of before."""
    door, storage = new_door()
    published(door, 9)
    door.queue.fetch(3, ack=True)
    door.queue.timeout()
    acked(door, 0, 2)
    before = [1, 3, 4, 5, 6, 7, 8]
    door.queue.state.index.kill_in_flush()
    assert storage.size(f"{QUEUE}/journal.jif")
    assert storage.size(f"{QUEUE}/0.idx")
    door.start_after_crash()
    assert seq_ids(door) == before
    assert index_vector(door.queue.state.index)["segments"] == [[0, 2, 0], [1, 4, 0], [2, 1, 0]]
    assert storage.size(f"{QUEUE}/journal.jif") == 0
    door.queue.state.index.verify()


def undone_clearing(second_flush: str) -> CrashDoor:
    """Return a door whose journal's clearing a power cut undoes, with another flush behind it."""
    door, storage = new_door()
    published(door, 5)
    door.queue.timeout()
    door.queue.fetch(5, ack=True)
    door.queue.pre_hibernate()
    acked(door, *{"none": (), "some": (1,), "segment": (0, 1, 2, 3)}[second_flush])
    door.queue.pre_hibernate()
    assert f"{QUEUE}/journal.jif" in storage.power_cut()
    return door


def test_an_undone_clearing_alone_is_harmless() -> None:
    """S115, section 13: old records reappear, and the table removes them."""
    door = undone_clearing("none")
    door.start_after_crash()
    assert seq_ids(door) == [0, 1, 2, 3, 4]


def test_an_undone_clearing_brings_an_acked_segment_back() -> None:
    """S115: with the segment file gone, the old records of the journal are news."""
    door = undone_clearing("segment")
    door.start_after_crash()
    assert seq_ids(door) == [0, 1, 2, 3, 4]


def test_an_undone_clearing_behind_a_second_flush_crashes_the_recovery() -> None:
    """S115: (pub, del) in the journal and (pub, del, ack) in the segment is one of the table's errors."""
    door = undone_clearing("some")
    with pytest.raises(IndexCorrupt):
        door.start_after_crash()


@pytest.mark.parametrize(("acks", "called"), [((0, 1, 2), "delete idx"), ((2,), "append idx")])
def test_a_kill_inside_a_flush_may_crash_the_recovery(acks: tuple[int, ...], called: str) -> None:
    """S79, S115, S119: a deliver record alone in the journal, whose segment is gone or has the ack already.

    The third publish flushes, so that its deliver record opens the next generation of the journal and is synced; the
    acks are not. The next flush is cut short between the segment and the journal. Confirmed messages are in the files,
    but the broker's recovery crashes on two cells of the table: nothing of the queue can be read any more.
    """
    storage = FaultyStorage(LedgerStorage())
    door = CrashDoor({**CONFIG, "queue_index_max_journal_entries": 4}, storage)
    published(door, 3)
    door.queue.timeout()
    assert storage.size(f"{QUEUE}/journal.jif") == 8
    door.queue.fetch(3, ack=True)
    acked(door, *acks)
    before = len(storage.names)
    storage.left = 2 if called == "delete idx" else 3
    with pytest.raises(Died):
        door.queue.pre_hibernate()
    assert storage.names[before:] == [
        called,
        *(["fsync idx"] if called == "append idx" else []),
        "truncate jif",
    ]
    with pytest.raises(IndexCorrupt):
        door.start_after_crash()


def test_new_messages_may_fall_to_the_acks_of_an_old_journal() -> None:
    """S116: numbering starts again at 0 when nothing survives, where an undone clearing finds the old acks again."""
    door, storage = new_door()
    published(door, 2)
    door.queue.fetch(2, ack=True)
    door.queue.pre_hibernate()
    acked(door, 0, 1)
    door.queue.timeout()
    door.queue.kill("kill")
    door.start_after_crash()
    assert (seq_ids(door), door.queue.state.next_seq_id) == ([], 0)
    published(door, 3)
    door.run({"op": "pre_hibernate"})
    assert len(door.confirmed()) == 3
    assert f"{QUEUE}/journal.jif" in storage.power_cut()
    door.start_after_crash()
    assert seq_ids(door) == [2]


def test_a_kill_loses_exactly_the_journals_buffer() -> None:
    """S231: what was synced is back, what was only buffered is not, and a forgotten ack brings its message back."""
    door, storage = new_door()
    published(door, 10)
    door.queue.timeout()
    size = storage.size(f"{QUEUE}/journal.jif")
    door.queue.fetch(2, ack=True)
    acked(door, 0, 1)
    published(door, 30)
    assert storage.size(f"{QUEUE}/journal.jif") == size
    door.queue.kill("kill")
    door.start_after_crash()
    assert seq_ids(door) == list(range(10))


def test_a_torn_power_cut_is_one_of_the_possible_ones() -> None:
    """S234: with torn tails, each file is a prefix of what it was, or as at its last fsync, or has zeros."""
    fates = set()
    for seed in range(40):
        door, storage = new_door()
        published(door, 2, 400)
        door.queue.timeout()
        door.queue.state.persistent.write(door.queue.state.q4.first)
        door.persistent.handle_mailbox()
        journal = storage.contents(QUEUE)["journal.jif"]
        published(door, 3)
        door.queue.state.index.journal.handle.flush()  # type: ignore[union-attr]
        longer = storage.contents(QUEUE)["journal.jif"]
        storage.power_cut(Random(seed))
        left = storage.contents(QUEUE)["journal.jif"]
        assert left.startswith(journal)
        assert left == longer[: len(left)] or not any(left[len(journal) :])
        fates.add((len(left) > len(journal)) + (left == longer))
    assert fates == {0, 1, 2}
