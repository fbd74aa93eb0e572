"""Starting again: clean, dirty, torn, without the store's messages, on ledger and directory (S110-S117, S231)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.classic_v1.transitions import IndexRecovered
from engine.storage.directory import DirectoryStorage
from engine.values.stretches import Range, RangeSet
from tests.unit.classic_v1.index.harness import (
    DIRECTORY,
    EMBEDDED_PERSISTENT,
    EMBEDDED_TRANSIENT,
    KINDS,
    STORE_PERSISTENT,
    STORE_TRANSIENT,
    Harness,
    extent,
    numbers,
)
from tools.proofs.conformance.vector import index_vector


def seq_ids(it: Harness, end: int = 100) -> list[int]:
    return [seq_id for each in it.index.read(0, end) for seq_id in range(each.start, each.end)]


def test_a_clean_stop_leaves_the_journal_and_its_count() -> None:
    """S94, S112."""
    it = Harness(size=8)
    it.index.publish([extent(0, STORE_PERSISTENT, 10)], None)
    it.index.flush()
    it.index.publish([extent(10, STORE_TRANSIENT, 3)], None)
    it.index.ack([Range(0, 8)])
    before = index_vector(it.index)
    snapshot = it.index.snapshot()
    terms = it.index.terminate()
    assert terms == [(0, 0), (1, 5)]
    it.restart(terms, store_clean=True)
    after = index_vector(it.index)
    journal_bytes = 3 * 48 + 8 * 8
    assert after == {**before, "journal": [journal_bytes, 0]}
    assert it.index.snapshot() == {**snapshot, "journal_bytes": journal_bytes, "buffered_bytes": 0}
    assert it.folded() == it.index.snapshot()
    it.index.verify()
    assert seq_ids(it) == [8, 9, 10, 11, 12]
    it.index.flush()
    assert index_vector(it.index)["files"] == [[1, 5 * 36]]


def test_a_clean_stop_of_a_queue_without_files() -> None:
    """S5, S94."""
    it = Harness()
    assert it.index.terminate() == []
    it.restart([], store_clean=True)
    assert it.storage.list(DIRECTORY) == []
    assert index_vector(it.index)["journal"] == [None, 0]


def test_what_was_not_synced_is_lost() -> None:
    """S231: The proportions of S231."""
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT, 83)], None)
    it.index.sync()
    it.index.publish([extent(83, STORE_PERSISTENT, 10000)], None)
    it.index.kill()
    journal = it.bytes_of("journal.jif")
    assert journal is not None
    assert len(journal) == 83 * 48
    assert it.restart().count == 83
    assert it.index.bounds() == (0, 2048)


def test_a_power_cut_may_bring_the_journal_back() -> None:
    """S115: The truncation after a flush is not synced; S115 removes what is there twice."""
    it = Harness(size=8)
    it.index.publish([extent(0, STORE_PERSISTENT, 20)], None)
    it.index.sync()
    it.index.ack([Range(3, 1)])
    it.index.flush()
    assert it.bytes_of("journal.jif") == b""
    it.index.kill()
    it.storage.power_cut()
    assert it.bytes_of("journal.jif") != b""
    # Seq_id 3 never reached a segment, and its ack was never synced: the publish comes back with the journal.
    assert it.restart().count == 20
    assert it.folded() == it.index.snapshot()
    it.index.verify()


def test_torn_flush() -> None:
    """S115: The first torn crash of the recorded trace h37, with its sizes."""
    it = Harness(size=64)
    for seq_id in range(0, 100, 2):
        kind = STORE_PERSISTENT if seq_id % 4 else EMBEDDED_PERSISTENT
        size = 5000 if seq_id % 4 else 101
        it.index.publish([extent(seq_id, kind, size=size)], None)
    it.index.sync()
    assert index_vector(it.index)["journal"] == [8975, 0]
    it.index.ack([Range(seq_id, 1) for seq_id in range(0, 20, 2)])
    it.index.kill_in_flush()
    assert it.bytes_of("journal.jif") != b""
    assert it.restart().count == 40
    assert index_vector(it.index) == {
        "files": [[0, 3685], [1, 3015]],
        "segments": [[0, 22, 0], [1, 18, 0]],
        "dirty": 0,
        "journal": [0, 0],
        "cache": 0,
        "unconfirmed": [0, 0],
    }
    assert it.folded() == it.index.snapshot()
    it.index.verify()


def test_missing_messages_are_acked_away_and_their_bytes_still_counted() -> None:
    """S113, S233."""
    it = Harness(size=8)
    it.index.publish([extent(0, STORE_PERSISTENT, 10, msg_no=1, size=7000)], None)
    it.index.flush()
    it.index.kill()
    recovered = it.restart(contains=lambda asked: RangeSet([asked]).subtract([Range(4, 3)]))
    assert (recovered.count, recovered.size_bytes) == (7, 70000)
    assert seq_ids(it) == [0, 1, 2, 6, 7, 8, 9]
    assert it.folded() == it.index.snapshot()


def test_transient_messages_go_in_a_dirty_recovery() -> None:
    """S116."""
    it = Harness()
    for place, kind in enumerate(KINDS):
        it.index.publish([extent(10 * place, kind, 10)], None)
    it.index.flush()
    it.index.kill()
    stored = RangeSet([Range(1, 10)])
    recovered = it.restart(contains=lambda asked: stored.intersection([asked]))
    assert (recovered.count, recovered.size_bytes) == (20, 10 * 5000 + 10 * 10)
    assert seq_ids(it) == list(range(20))


def test_nothing_of_a_queue_that_is_not_durable_stays() -> None:
    """S110."""
    it = Harness()
    it.index.publish([extent(0, EMBEDDED_PERSISTENT, 5)], None)
    it.index.flush()
    it.index.kill()
    assert it.restart(durable=False).count == 0
    assert index_vector(it.index)["files"] == []


@pytest.mark.parametrize(("terms", "marks"), [(None, "4000"), ([(0, 1)], "")])
def test_a_deliver_is_added_unless_the_queue_stopped_in_order(
    terms: list[tuple[int, int]] | None, marks: str
) -> None:
    """S113."""
    it = Harness()
    it.index.actions.publish([extent(0, STORE_PERSISTENT)], with_deliver=False)
    it.index.terminate()
    it.restart(terms, store_clean=False)
    segment = it.bytes_of("0.idx")
    assert segment is not None
    assert segment[34:].hex() == marks


def test_a_queue_without_files_gets_an_empty_journal() -> None:
    """S116."""
    it = Harness()
    recovered = it.restart()
    assert (recovered.count, recovered.size_bytes) == (0, 0)
    assert sorted(it.storage.list(DIRECTORY)) == [".queue_name", "journal.jif"]
    assert it.index.bounds() == (0, 0)
    assert it.folded() == it.index.snapshot()


def test_the_recovery_shows_what_it_found_and_then_flushes() -> None:
    """S113."""
    it = Harness(size=8)
    it.index.publish([extent(0, STORE_PERSISTENT, 10)], None)
    it.index.sync()
    it.index.kill()
    it.log.clear()
    it.restart()
    assert it.kinds() == ["IndexRecovered", "SegmentWritten", "SegmentWritten", "JournalFlushed"]
    assert it.log[0] == IndexRecovered("S113", "q", False, ((0, 10, 3),), (), 480, 20)


def test_store_references_before_any_recovery() -> None:
    """S117."""
    it = Harness(size=8)
    for place, kind in enumerate(KINDS):
        it.index.publish([extent(10 * place, kind, 10)], None)
    it.index.flush()
    it.index.ack([Range(2, 3)])
    it.index.publish([extent(40, STORE_PERSISTENT, 2)], None)
    it.index.sync()
    it.index.kill()
    before = it.files()
    assert numbers(RangeSet(it.index.store_references())) == [1, 2, 6, 7, 8, 9, 10, 41, 42]
    assert it.files() == before


def test_store_references_of_a_queue_without_files() -> None:
    """S117."""
    it = Harness()
    assert it.index.store_references() == []
    assert it.storage.list(DIRECTORY) == []


def test_the_directory_holds_what_the_ledger_says(tmp_path: Path) -> None:
    ledger, real = (
        Harness(size=8, max_journal=9),
        Harness(size=8, max_journal=9, storage=DirectoryStorage(str(tmp_path))),
    )
    for it in (ledger, real):
        seq_id = 0
        for hint in (None, 0, 4):
            for kind in (*KINDS, EMBEDDED_TRANSIENT):
                it.index.publish([extent(seq_id, kind, 5)], hint)
                it.index.pre_publish([extent(seq_id + 5, kind, 6)], hint)
                it.index.flush_pre_publish_cache(hint)
                seq_id += 12
            it.index.ack([Range(seq_id - 12, 3), Range(seq_id - 30, 4)], one_by_one=hint == 0)
        it.index.sync()
        it.index.verify()
    assert ledger.log == real.log
    assert ledger.files() == real.files()
    assert ledger.index.read(0, 200) == real.index.read(0, 200)
    for it in (ledger, real):
        it.index.kill()
        it.restart(contains=lambda asked: RangeSet([asked]).subtract([Range(20, 20)]))
        it.index.verify()
    assert ledger.log == real.log
    assert ledger.files() == real.files()
    assert real.folded() == real.index.snapshot()
