"""The buffered handle, rule by rule (S20-S29)."""

import pytest

from engine.formats.message import MessageCodec
from engine.formats.store_records import StoreRecords
from engine.storage.handle import BufferedHandle
from engine.storage.ledger import LedgerStorage
from engine.values.chunks import RawBytes

CODEC = MessageCodec()
EACH = CODEC.record_bytes(0, 16, True)


class Watched:
    """A handle on a ledger, with the calls that its watcher got."""

    def __init__(self, limit: int | None) -> None:
        self.storage = LedgerStorage()
        self.writes: list[int] = []
        self.fsyncs = 0
        self.handle = BufferedHandle(self.storage, "0.rdq", limit, self.writes.append, self.count)
        self.next = 0

    def count(self) -> None:
        self.fsyncs += 1

    def write(self, count: int) -> None:
        self.handle.append(StoreRecords(self.next, count, 16, True, 0, CODEC), EACH)
        self.next += count

    @property
    def size(self) -> int:
        return self.storage.size("0.rdq") or 0


@pytest.mark.parametrize("limit", [1, EACH - 1, EACH, EACH + 1, 3 * EACH, 10 * EACH + 5, None])
@pytest.mark.parametrize("counts", [[1] * 25, [25], [3, 9, 1, 12], [10, 15]])
def test_runs_are_handed_over_where_single_records_would_be(limit: int | None, counts: list[int]) -> None:
    """S21."""
    one, run = Watched(limit), Watched(limit)
    for count in counts:
        run.write(count)
        for _ in range(count):
            one.write(1)
        assert (run.writes, run.size, run.handle.pending_bytes) == (
            one.writes,
            one.size,
            one.handle.pending_bytes,
        )
        assert run.handle.virtual_offset == run.next * EACH


def test_s21_the_limit_is_strict_and_the_overflowing_record_goes_too() -> None:
    watched = Watched(2 * EACH)
    watched.write(2)
    assert watched.writes == []
    watched.write(1)
    assert watched.writes == [3 * EACH]
    assert watched.handle.dirty
    assert watched.fsyncs == 0


def test_s21_without_a_limit_in_bytes_nothing_waits() -> None:
    watched = Watched(0)
    watched.write(5)
    assert watched.handle.pending_bytes == 0
    assert watched.size == 5 * EACH


def test_s22_to_s24_flush_sync_close() -> None:
    """S22, S23, S24."""
    watched = Watched(None)
    watched.write(5)
    assert watched.handle.needs_sync
    watched.handle.flush()
    assert (watched.writes, watched.fsyncs, watched.handle.needs_sync) == ([5 * EACH], 0, True)
    watched.handle.sync()
    watched.handle.sync()
    assert (watched.writes, watched.fsyncs, watched.handle.needs_sync) == ([5 * EACH], 1, False)
    watched.write(1)
    watched.handle.close()
    assert (watched.size, watched.fsyncs) == (6 * EACH, 2)
    watched.storage.power_cut()
    assert watched.size == 6 * EACH


def test_s26_clear_drops_and_truncates() -> None:
    watched = Watched(None)
    watched.handle.clear()
    assert watched.storage.size("0.rdq") is None
    watched.write(5)
    watched.handle.sync()
    watched.write(5)
    watched.handle.clear()
    assert (watched.size, watched.handle.virtual_offset, watched.fsyncs) == (0, 0, 1)
    assert not watched.handle.needs_sync


def test_s27_delete_drops_and_removes() -> None:
    watched = Watched(2 * EACH)
    watched.write(4)
    watched.handle.delete()
    assert watched.storage.size("0.rdq") is None
    assert watched.handle.virtual_offset == 0


def test_s234_a_dead_process_keeps_what_was_handed_over() -> None:
    """S234."""
    watched = Watched(2 * EACH)
    watched.write(4)
    watched.handle.drop()
    assert watched.size == 3 * EACH
    assert watched.handle.pending_bytes == 0


def test_a_handle_on_an_existing_file_goes_on_behind_it() -> None:
    watched = Watched(None)
    watched.storage.append("0.rdq", [RawBytes(b"abc")])
    handle = BufferedHandle(watched.storage, "0.rdq", None)
    assert handle.virtual_offset == 3
    handle.append(RawBytes(b"d"), 1)
    handle.sync()
    assert watched.storage.read_bytes("0.rdq", 0, 9) == b"abcd"
    handle.truncate(2)
    assert watched.storage.read_bytes("0.rdq", 0, 9) == b"ab"
