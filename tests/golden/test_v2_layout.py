"""Every byte of the files that real nodes of 4.0.5 and 4.3.6 wrote has a name (W82-W84, W112, W160, W161)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.classic_v1.formats.layout import store_record
from engine.classic_v2.formats.layout import body_place, entry_layout, header_layout, slot_layout
from engine.formats.layout import FileLayout, NoRecord

RECORDED = Path("tests/recordings/v2")
HEADER, SLOT = 64, 32
INDEXES = sorted(RECORDED.rglob("*.qi"))
STORES = sorted(each for each in RECORDED.rglob("*.rdq") if each.stat().st_size and "4.3.6" in str(each))


def assert_covers(layout: FileLayout) -> None:
    """Every byte belongs to exactly one field."""
    at = 0
    for field in layout.fields:
        assert (field.offset, field.length > 0) == (at, True), field
        at += field.length
    assert at == layout.size


def values(layout: FileLayout) -> dict[str, str]:
    return {field.name: field.value for field in layout.fields}


@pytest.mark.parametrize("path", INDEXES, ids=str)
def test_slots_and_the_bodies_that_they_name(path: Path) -> None:
    data = path.read_bytes()
    header = header_layout(data)
    assert_covers(header)
    first = int(values(header)["first seq_id"])
    assert first == int(path.stem) * (int(values(header)["seq_id behind the segment"]) - first)
    bodies = path.with_suffix(".qs").read_bytes() if path.with_suffix(".qs").exists() else b""
    for rel in range((len(data) - HEADER) // SLOT):
        raw = data[HEADER + rel * SLOT :][:SLOT]
        slot = slot_layout(raw, rel)
        assert_covers(slot)
        assert (slot.kind == "slot") == (raw[0] == 1)
        place = body_place(raw)
        if place is None:
            continue
        if place[0] < len(bodies):  # a kill came between the index's write and that of its bodies
            entry = entry_layout(bodies[place[0] :])
            assert_covers(entry)
            assert entry.size == place[1] + 8
            assert "but" not in values(entry)["checksum"]
            body = values(entry).get("body", "0 bytes")
            assert values(slot)["body size"] == body


@pytest.mark.parametrize("path", STORES, ids=str)
def test_the_container_in_the_shared_store(path: Path) -> None:
    record = store_record(path.read_bytes())
    assert_covers(record)
    named = values(record)
    assert named["annotations"].startswith("map of ")
    assert named["kind of message"] == "atom mc_amqpl"
    assert record.msg_id is not None
    ids = [field for field in record.fields if field.part == "message id"]
    assert [field.value for field in ids] == [record.msg_id.hex()] * 2


def test_what_is_no_record_is_said() -> None:
    with pytest.raises(NoRecord, match="header"):
        header_layout(bytes(64))
    with pytest.raises(NoRecord, match="hole"):
        entry_layout(bytes(64))
    with pytest.raises(NoRecord, match="inside the slot"):
        slot_layout(bytes(31), 0)
    assert slot_layout(bytes(32), 5).kind == "empty"
    damaged = bytearray(
        STORES
        and next(each for each in INDEXES if each.with_suffix(".qs").exists()).with_suffix(".qs").read_bytes()
    )
    damaged[HEADER + 40] ^= 1
    assert "but the term has" in values(entry_layout(bytes(damaged[HEADER:])))["checksum"]
