"""S33, vector B1: when the store's buffer reaches the file."""

from engine.formats.message import MessageCodec
from engine.formats.store_records import StoreRecords
from engine.storage.handle import BufferedHandle
from engine.storage.ledger import LedgerStorage

RECORD_BYTES = 100187


def sizes_after(counts: list[int]) -> list[int]:
    made = MessageCodec()
    body = RECORD_BYTES - made.record_bytes(0, 1, False) + 1
    assert made.record_bytes(0, body, False) == RECORD_BYTES
    storage = LedgerStorage()
    handle = BufferedHandle(storage, "msg_store_transient/0.rdq", 1048576)
    found, number = [], 0
    for count in counts:
        handle.append(StoreRecords(number, count, body, False, 0, made), RECORD_BYTES)
        number += count
        assert handle.virtual_offset == number * RECORD_BYTES
        found.append(storage.size("msg_store_transient/0.rdq") or 0)
    return found


def test_b1_one_by_one() -> None:
    """S21, S33."""
    found = sizes_after([1] * 22)
    assert found == [0] * 10 + [1102057] * 11 + [2204114]


def test_b1_as_runs() -> None:
    """S21, S33."""
    assert sizes_after([22]) == [2204114]
    assert sizes_after([10, 11, 1]) == [0, 1102057, 2204114]
