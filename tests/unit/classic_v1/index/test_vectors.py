"""The byte vectors of the specification: I1, J1, R1."""

from __future__ import annotations

from engine.values.extents import IN_RAM, PERSISTENT, RAW_PERSISTENT, Extent
from engine.values.stretches import Range, RangeSet
from tests.unit.classic_v1.index.harness import (
    DIRECTORY,
    EMBEDDED_PERSISTENT,
    EMBEDDED_TRANSIENT,
    STORE_PERSISTENT,
    STORE_TRANSIENT,
    Harness,
    extent,
)


def identified(msg_no: int) -> str:
    return f"{msg_no:032x}"


def vector_i1() -> Harness:
    it = Harness()
    it.index.publish([extent(0, STORE_PERSISTENT)], None)
    it.index.publish([Extent(1, 1, 2, 5, PERSISTENT | RAW_PERSISTENT | IN_RAM, 0x0102030405060708)], None)
    it.index.publish([extent(2, STORE_TRANSIENT, size=7000)], None)
    it.index.sync()
    return it


def test_i1_journal() -> None:
    """S60, S62."""
    journal = vector_i1().bytes_of("journal.jif")
    assert journal is not None
    assert len(journal) == 311
    head, term, tail = journal[:88], journal[88 : 88 + 167], journal[88 + 167 :]
    assert head.hex() == (
        "0000000000000000" + identified(1) + "0000000000000000" + "00001388" + "00000000"
        "8000000000000000"
        "0000000000000001" + identified(2) + "0102030405060708" + "00000005" + "000000a7"
    )
    assert term[0] == 131
    assert tail.hex() == (
        "8000000000000001"
        "4000000000000002" + identified(3) + "0000000000000000" + "00001b58" + "00000000"
        "8000000000000002"
    )


def test_i1_segment_after_ack_and_flush() -> None:
    """S65, S80."""
    it = vector_i1()
    it.index.ack([Range(1, 1)])
    it.index.flush()
    segment = it.bytes_of("0.idx")
    assert segment is not None
    assert segment.hex() == (
        "8002" + identified(3) + "0000000000000000" + "00001b58" + "00000000" + "4002"
        "c000" + identified(1) + "0000000000000000" + "00001388" + "00000000" + "4000"
    )
    assert it.bytes_of("journal.jif") == b""


def test_stub_names_the_queue() -> None:
    """S6."""
    assert vector_i1().bytes_of(".queue_name") == b"VHOST: /\nQUEUE: q\n"


def cached() -> Harness:
    it = Harness()
    it.index.pre_publish([extent(0, STORE_PERSISTENT, confirm=True)], None)
    it.index.pre_publish([extent(1, STORE_TRANSIENT)], None)
    return it


def test_j1_cache() -> None:
    """S76, S77."""
    it = cached()
    assert it.storage.list(DIRECTORY) == []
    assert (it.index.needs_sync(), it.index.dirty) == ("no", 2)
    it.index.flush_pre_publish_cache(None)
    assert (it.index.dirty, it.index.needs_sync()) == (4, "confirms")
    it.index.sync()
    journal = it.bytes_of("journal.jif")
    assert journal is not None
    assert len(journal) == 96
    assert journal[:8].hex() == "0000000000000000"
    assert journal[40:48].hex() == "4000000000000001"
    assert journal[80:].hex() == "8000000000000000" + "8000000000000001"
    assert it.confirmed == [("index", [1])]
    assert it.index.needs_sync() == "no"


def test_j1_hint() -> None:
    """S77, S78."""
    for hint, files in ((4, []), (3, ["0.idx"])):
        it = cached()
        it.index.flush_pre_publish_cache(hint)
        assert [name for name in it.storage.list(DIRECTORY) if name.endswith(".idx")] == files


def test_r1_clean_then_dirty() -> None:
    """S112, S118."""
    it = Harness()
    for seq_id, kind in enumerate(
        (STORE_PERSISTENT, EMBEDDED_PERSISTENT, STORE_TRANSIENT, EMBEDDED_TRANSIENT)
    ):
        it.index.publish([extent(seq_id, kind)], None)
    it.index.actions.publish([extent(4, STORE_PERSISTENT)], with_deliver=False)
    terms = it.index.terminate()
    assert terms == [(0, 5)]
    recovered = it.restart(terms, store_clean=True)
    assert (recovered.count, recovered.size_bytes) == (None, None)
    assert it.index.bounds() == (0, 2048)
    assert [each.start for each in it.index.read(0, 5)] == [0, 1, 2, 3, 4]
    assert it.folded() == it.index.snapshot()

    it.index.publish([extent(5, STORE_PERSISTENT)], None)
    it.index.sync()
    it.index.kill()
    recovered = it.restart(contains=lambda asked: RangeSet([asked]).subtract([Range(3, 1)]))
    assert recovered.count == 4
    segment = it.bytes_of("0.idx")
    assert segment is not None
    order = []
    at = 0
    while at < len(segment):
        head = int.from_bytes(segment[at : at + 2], "big")
        if head & 0x8000:
            order.append(head & 0x3FFF)
            at += 34 + int.from_bytes(segment[at + 30 : at + 34], "big")
        else:
            at += 2
    assert order == [5, 4, 1, 0]
    assert it.bytes_of("journal.jif") == b""
    assert it.folded() == it.index.snapshot()
